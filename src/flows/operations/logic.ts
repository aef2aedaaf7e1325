// Operations that compute, wait and refuse.
import { z } from 'zod'
import { fault, type Path } from '../../errors/errors.ts'
import { copyJson, maxChain, readJson } from '../chain/chain.ts'
import { readCondition, unmetBy } from '../condition.ts'
import { ConditionWork } from '../condition-work.ts'
import { defineOperation } from '../operation-type.ts'
import { badValue, chosenError, jsonOr } from '../reject.ts'
import { type Control, controlOf } from '../run/run-operation.ts'

export const condition = defineOperation({
  kind: 'pure',
  doc: 'Goes on if the data chain meets a filter, and fails with FAILED_VALIDATION if it does not. What is absent is null.',
  options: {
    filter: {
      schema: z.record(z.string(), z.unknown()),
      role: 'condition',
      doc: 'A filter of the data chain: `{ "$trigger": { "payload": { "views": { "_gt": 3 } } } }`.',
    },
  },
  run({ filter }, context) {
    const unmet = unmetIn(controlOf(context), filter)
    if (unmet)
      throw fault('FAILED_VALIDATION', `The condition is not met at "${unmet.join('.')}".`, { path: unmet })
    return null
  },
})

/** Returns the place of the first condition that the data chain does not meet; undefined if it meets all. */
function unmetIn({ run: { start, chain }, operation }: Control, filter: unknown): Path | undefined {
  const work = new ConditionWork(start.budget.conditionWork)
  try {
    const condition =
      operation.condition ??
      readCondition(filter, ['filter'], {
        // Most conditions name no variable.
        get caller() {
          return start.caller()
        },
        now: start.parts.now(),
        work,
      })
    return unmetBy(condition, chain.all, { ...start.parts.setting, work })?.slice(1)
  } finally {
    start.budget.conditionWork -= work.spent
  }
}

export const transform = defineOperation({
  kind: 'pure',
  doc: 'Answers a value with what stands in the data chain at its templates. A text that is JSON once it is rendered is read.',
  options: { json: { schema: z.unknown(), doc: 'Any value.' } },
  run({ json }) {
    return typeof json === 'string' ? readJson(json) : (json ?? null)
  },
})

export const log = defineOperation({
  kind: 'pure',
  doc: 'Writes a text into the record of its step.',
  options: { message: { schema: z.unknown(), doc: 'The text, or any value.' } },
  run: () => null,
})

const status = z.union([
  z.int().min(400).max(599),
  z
    .string()
    .regex(/^[45]\d\d$/)
    .transform(Number),
])

export const throwError = defineOperation({
  kind: 'pure',
  doc: 'Fails. Before a write, or before its commit, it refuses it.',
  options: {
    code: {
      schema: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
        .default('FAILED_VALIDATION'),
      doc: 'The code of the error, in capitals. By default FAILED_VALIDATION.',
    },
    status: { schema: status.default(400), doc: 'Its status, from 400 to 599. By default 400.' },
    message: {
      schema: z.string().max(480).default('The flow has refused this.'),
      doc: 'Its message, of 480 characters at most.',
    },
    extensions: {
      schema: z.record(z.string(), z.unknown()).default({}),
      doc: 'Further values for the receiver of the error.',
    },
  },
  run(rejection) {
    throw chosenError(rejection)
  },
})

export const sleep = defineOperation({
  kind: 'pure',
  doc: 'Waits. A run inside of a call waits for a second at most.',
  options: {
    milliseconds: {
      schema: z.union([z.number().min(0), z.string().regex(/^\d+$/).transform(Number)]),
      doc: 'Milliseconds to wait.',
    },
  },
  async run({ milliseconds }, context) {
    const { start, keeper } = controlOf(context).run
    if (start.isInside) throw badValue('Nothing waits inside of a transaction.')
    await keeper.sleep(milliseconds, context.signal)
    return null
  },
})

export const forEach = defineOperation({
  kind: 'pure',
  doc: 'Runs operations of its own for each value of a list, one after the other, and results the list of what they answer. In them `$item` is the value, `$index` its number, and `$last` the value at the beginning.',
  options: {
    list: { schema: z.array(z.unknown()), role: 'list', doc: 'The list: a template, or values.' },
    first: { schema: z.string(), role: 'name', doc: 'The operation that runs first for each value.' },
    operations: { schema: z.unknown(), role: 'operations', doc: 'The operations.' },
  },
  timeoutMs: Number.POSITIVE_INFINITY,
  run({ list }, context) {
    const { run, operation } = controlOf(context)
    return run.forEach(operation, list)
  },
})

export const trigger = defineOperation({
  kind: 'pure',
  doc: 'Starts a flow whose trigger is `flow`, and results what it returns. A list starts one for each of its values, one after the other.',
  options: {
    flow: { schema: z.string(), role: 'name', doc: 'The name of the flow.' },
    payload: { schema: z.unknown(), doc: 'What it gets as `$trigger`.' },
  },
  timeoutMs: Number.POSITIVE_INFINITY,
  async run({ flow, payload = {} }, context) {
    const { run, operation } = controlOf(context)
    const start = (one: unknown) => {
      const brought = jsonOr(copyJson(one, maxChain), 'The payload', ['payload'])
      return run.keeper.start({ flow, payload: brought, access: operation.access })
    }
    if (!Array.isArray(payload)) return start(payload)
    const results: unknown[] = []
    for (const one of payload) results.push(await start(one))
    return results
  },
})
