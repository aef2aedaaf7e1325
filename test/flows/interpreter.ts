// A second reading of docs/flows.md, written apart from the code: an interpreter of flows that is as naive as the page.
import type { AnyOperationDefinition, FlowDefinition, Rejection } from '../../src/flows.ts'

export type Outcome = {
  readonly steps: readonly string[]
} & (
  | { readonly state: 'succeeded'; readonly result: unknown }
  | { readonly state: 'failed'; readonly code: string }
)

type Chain = Readonly<Record<string, unknown>>
type Operations = Readonly<Record<string, AnyOperationDefinition>>

class Rejected extends Error {
  readonly rejection: Rejection
  constructor(rejection: Rejection) {
    super(rejection.code)
    this.rejection = rejection
  }
}

/** Words of the package's own errors, which the page does not tell. */
const wordless = { message: '(its own words)', extensions: {} }

/** Such words in the middle of a text: what follows is not to be known from the page. */
class Untold extends Error {}

const reject = (code: string, status = 400): never => {
  throw new Rejected({ code, status, ...wordless })
}

/** A run: the flows that there are, and the steps so far. */
interface Run {
  readonly flows: readonly FlowDefinition[]
  readonly steps: string[]
}

/** Returns what a flow answers to a payload, and the steps that it takes; nothing if the page does not tell. */
export function interpret(
  flows: readonly FlowDefinition[],
  name: string,
  payload: unknown,
): Outcome | undefined {
  const run: Run = { flows, steps: [] }
  try {
    return { state: 'succeeded', result: runFlow(run, name, payload), steps: run.steps }
  } catch (error) {
    if (error instanceof Untold) return undefined
    if (!(error instanceof Rejected)) throw error
    return { state: 'failed', code: error.rejection.code, steps: run.steps }
  }
}

function runFlow(run: Run, name: string, $trigger: unknown): unknown {
  const flow = run.flows.find((one) => one.name === name)
  if (!flow) throw new Error(`no flow ${name}`)
  const chain = runAll(run, flow.operations ?? {}, flow.first, { $trigger, $last: $trigger })
  return placed(chain, ('returns' in flow.trigger ? flow.trigger.returns : undefined) ?? '$last') ?? null
}

function runAll(run: Run, all: Operations, first: string | undefined, start: Chain): Chain {
  let chain = start
  for (let name = first; name !== undefined; ) {
    const { type, options = {}, resolve, reject } = all[name] as AnyOperationDefinition
    let answer: unknown
    let failure: Rejected | undefined
    try {
      answer = operations[type]?.(options as Chain, chain, run) ?? null
    } catch (error) {
      if (!(error instanceof Rejected)) throw error
      failure = error
      answer = error.rejection
    }
    run.steps.push(`${name} ${failure ? 'rejected' : 'resolved'}`)
    chain = { ...chain, [name]: answer, $last: answer }
    if (failure && reject === undefined) throw failure
    name = failure ? reject : resolve
  }
  return chain
}

const operations: Readonly<Record<string, (options: Chain, chain: Chain, run: Run) => unknown>> = {
  condition: ({ filter }, chain) =>
    meets(read(rendered(filter, chain, true)), chain) ? null : reject('FAILED_VALIDATION'),
  transform({ json }, chain) {
    const value = rendered(json, chain)
    return typeof value === 'string' ? readJson(value) : value
  },
  'for-each': ({ list, first, operations }, chain, run) => {
    const values = rendered(list, chain)
    if (!Array.isArray(values)) return reject('INVALID_PAYLOAD')
    return values.map(
      ($item, $index) =>
        runAll(run, operations as Operations, first as string, { ...chain, $item, $index, $last: $item })
          .$last,
    )
  },
  trigger({ flow, payload }, chain, run) {
    const value = rendered(payload, chain)
    return Array.isArray(value)
      ? value.map((one) => runFlow({ ...run, steps: [] }, flow as string, one))
      : runFlow({ ...run, steps: [] }, flow as string, value)
  },
  'throw-error': (options, chain) => {
    const {
      code = 'FAILED_VALIDATION',
      status = 400,
      message = '',
      extensions = {},
    } = rendered(options, chain) as Partial<Rejection>
    if (message.length > 480) reject('INVALID_PAYLOAD')
    throw new Rejected({ code, status, message, extensions })
  },
  log: ({ message }, chain) => void rendered(message, chain),
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const template = /\{\{\s*(.*?)\s*(?:\?\?\s*"(.*?)"\s*)?\}\}/g

function rendered(value: unknown, chain: Chain, isOperand = false): unknown {
  if (Array.isArray(value)) return value.map((one) => rendered(one, chain, isOperand))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        isOperand && ['_in', '_nin'].includes(name) && typeof one === 'string'
          ? manyOf(rendered(one, chain))
          : rendered(one, chain, isOperand),
      ]),
    )
  if (typeof value !== 'string') return value
  const found = [...value.matchAll(template)]
  const [whole] = found
  if (whole?.[0] !== value)
    return value.replace(template, (_, place, other) =>
      inText(placed(chain, place) ?? other ?? placed(chain, place)),
    )
  const brought = placed(chain, whole[1] ?? '') ?? whole[2] ?? null
  return isOperand && typeof brought === 'object' ? reject('INVALID_PAYLOAD') : brought
}

const manyOf = (value: unknown): unknown =>
  Array.isArray(value) && value.every((one) => typeof one !== 'object') ? value : reject('INVALID_PAYLOAD')

const inText = (value: unknown): string => {
  if (typeof value === 'string') return value
  const text = JSON.stringify(value) ?? reject('INVALID_PAYLOAD')
  if (text.includes(wordless.message)) throw new Untold()
  return text
}

/** Returns what is at a place, of its own. */
const placed = (chain: Chain, place: string): unknown =>
  [...place.matchAll(/\["(.*?)"\]|[^.[\]]+/g)].reduce<unknown>(
    (value, [part, quoted]) => ownOf(value, quoted ?? part),
    chain,
  )

const ownOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined

/** Refuses what an operator does not work on: nothing is more or less than a boolean. */
function read(filter: unknown): unknown {
  const isBad = (name: string, one: unknown) => ['_gt', '_lt'].includes(name) && typeof one === 'boolean'
  JSON.stringify(filter, (name, one) => (isBad(name, one) ? reject('INVALID_QUERY') : one))
  return filter
}

function meets(filter: unknown, value: unknown): boolean {
  if (typeof filter !== 'object' || filter === null) return filter === null ? value == null : value === filter
  return Object.entries(filter).every(
    ([name, asked]) => operators[name]?.(value, asked) ?? meets(asked, ownOf(value, name)),
  )
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const below = (value: unknown, other: unknown) =>
  typeof value === typeof other &&
  ['number', 'string'].includes(typeof value) &&
  (value as number) < (other as number)

const operators: Readonly<Record<string, (value: unknown, asked: unknown) => boolean>> = {
  _eq: (value, asked) => value === asked,
  _neq: (value, asked) => value != null && value !== asked,
  _lt: below,
  _gt: (value, asked) => below(asked, value),
  _in: (value, asked) => listOf(asked).includes(value),
  _nin: (value, asked) => value != null && !listOf(asked).includes(value),
  _contains: (value, asked) => typeof value === 'string' && value.includes(String(asked)),
  _null: (value, asked) => (value == null) === asked,
  _nnull: (value, asked) => (value != null) === asked,
  _and: (value, asked) => listOf(asked).every((one) => meets(one, value)),
  _or: (value, asked) => listOf(asked).some((one) => meets(one, value)),
  _some: (value, asked) => listOf(value).some((one) => meets(asked, one)),
  _none: (value, asked) => !listOf(value).some((one) => meets(asked, one)),
}
