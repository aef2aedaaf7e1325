// Tools that change something, in two steps: a plan that is signed, and the same call with its confirm.
import { type Engine, internalsOf } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { lacksTransactions } from '../execution/transaction/transaction.ts'
import { keysIn } from '../http/request-input.ts'
import { amongKeys } from '../http/search-query.ts'
import { createItems } from '../items/create.ts'
import { deleteByQuery } from '../items/delete.ts'
import { listItems } from '../items/list.ts'
import { updateByQuery } from '../items/write/update-by-query.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { AnyFilter } from '../query/filter-types.ts'
import { type Collection, keyFieldsOf } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import { writtenCollection } from '../writes/authorize/writable-fields.ts'
import { boundedJson, shownItem } from './bounded.ts'
import { refuseComplete } from './complete-lists.ts'
import { confirmOf, isConfirmed, keysText, useUp, type WritePlan } from './confirm.ts'
import { type AgentTool, collectionOf, object, only, string, type ToolCall, type ToolInput } from './tools.ts'

const choosing = { collection: string, keys: { type: 'array' }, filter: object, confirm: string }

export const writeTools: Readonly<Record<string, AgentTool>> = {
  write: {
    description:
      'Creates items, or with keys or a filter updates these. The first call returns a plan; the same call with its "confirm" does it.',
    input: { ...choosing, data: { description: 'An item, to create also a list of them' } },
    required: ['collection', 'data'],
    isReadOnly: false,
    isDestructive: true,
    isOffered: (may, { write }) => write && (may('create') || may('update')),
    run: async (input, call) => {
      only(input, ['collection', 'data', 'keys', 'filter', 'confirm'])
      return input.keys === undefined && input.filter === undefined
        ? create(input, call)
        : change('update', input, call)
    },
  },
  delete: {
    description:
      'Deletes the items with keys, or that match a filter. The first call returns a plan; the same call with its "confirm" does it.',
    input: choosing,
    required: ['collection'],
    isReadOnly: false,
    isDestructive: true,
    isOffered: (may, { write }) => write && may('delete'),
    run: async (input, call) => {
      only(input, ['collection', 'keys', 'filter', 'confirm'])
      return change('delete', input, call)
    },
  },
}

async function create(input: ToolInput, call: ToolCall): Promise<string> {
  const { engine, settings, signal } = call
  const collection = collectionOf(input)
  const items: readonly unknown[] = Array.isArray(input.data) ? input.data : [input.data]
  if (items.length > settings.bounds.items || !items.every(isRecord))
    throw fault('INVALID_PAYLOAD', `"data" is an item, or a list of at most ${settings.bounds.items}.`, {
      path: ['data'],
    })
  const core = internalsOf(engine)
  const written = writtenCollection(core, collection, 'create')
  for (const item of items) refuseComplete(item, { collection: written, isNew: true }, core, ['data'])
  const plan: WritePlan = { action: 'create', collection, data: items, keys: [] }
  const createIn = (inside: Engine): Promise<readonly unknown[]> =>
    // `createItems` checks them.
    createItems(inside, collection, items as never, {}, { signal })
  if (settings.confirmsCreates && !isConfirmed(input.confirm, plan, engine, settings)) {
    await tryCreation(createIn, engine)
    return planned(plan, { count: items.length, items: items.slice(0, 3) }, input, call)
  }
  if (settings.confirmsCreates) useUp(input.confirm, engine, settings)
  const created = await createIn(engine)
  const seen = engine.schema.collections.get(collection)
  const first = created.slice(0, 3).map((one) => shownItem(one, seen))
  return boundedJson({ created: created.length, items: first }, settings.bounds)
}

/** Creates items and undoes it, so that no plan is confirmed that is refused then. */
async function tryCreation(create: (inside: Engine) => Promise<unknown>, engine: Engine): Promise<void> {
  const trial = engine.transaction(async (around) => {
    // Hooks before a commit are called at the end of each transaction of the host.
    await around.transaction(create)
    throw new TakenBack()
  })
  await trial.catch((error: unknown) => {
    // Without transactions nothing could be undone, and nothing was tried.
    if (!(error instanceof TakenBack) && !lacksTransactions(internalsOf(engine).home)) throw error
  })
}

class TakenBack extends Error {}

/** Updates or deletes the items with keys, or those that match a filter. */
async function change(action: 'update' | 'delete', input: ToolInput, call: ToolCall): Promise<string> {
  const { engine, settings } = call
  const collection = collectionOf(input)
  const filter = filterIn(input, rootCollection(engine.schema, collection))
  const run = runnerOf(action, { collection, filter, data: input.data }, call)
  const planNow = async (): Promise<WritePlan> => {
    return { action, collection, filter, data: input.data, keys: await run(engine, true) }
  }
  const wouldDo = async (what: WritePlan) => planned(what, await aboutChange(what, call), input, call)
  const plan = await planNow()
  const core = internalsOf(engine)
  const written = writtenCollection(core, collection, action)
  refuseComplete(input.data, { collection: written, isNew: false }, core, ['data'])
  if (!isConfirmed(input.confirm, plan, engine, settings)) return wouldDo(plan)
  useUp(input.confirm, engine, settings)
  try {
    const count = await engine.transaction(async (inside) => {
      const keys = await run(inside, false)
      // Others may have changed which items these are, until they were locked.
      if (!isSame(keys, plan.keys)) throw new ChangedPlan()
      return keys.length
    })
    return JSON.stringify({ data: { [`${action}d`]: count } })
  } catch (error) {
    if (error instanceof ChangedPlan) return wouldDo(await planNow())
    throw error
  }
}

const isSame = (one: WritePlan['keys'], other: WritePlan['keys']): boolean =>
  keysText(one) === keysText(other)

class ChangedPlan extends Error {}

function filterIn({ keys, filter }: ToolInput, collection: Collection): AnyFilter {
  if ((keys === undefined) === (filter === undefined) || (filter !== undefined && !isRecord(filter)))
    throw fault('INVALID_QUERY', 'Choose items in exactly one way: "keys" or "filter".', { path: ['filter'] })
  // The verbs check what is in it.
  return keys === undefined ? (filter as AnyFilter) : amongKeys(collection, keysIn(keys, collection))
}

/** Returns what does a write, or a dry run of it, and returns the keys of its items. */
function runnerOf(
  action: 'update' | 'delete',
  {
    collection,
    filter,
    data,
  }: { readonly collection: string; readonly filter: AnyFilter; readonly data: unknown },
  { signal }: ToolCall,
): (engine: Engine, dryRun: boolean) => Promise<readonly unknown[]> {
  return async (engine, dryRun) => {
    const options = { dryRun, signal }
    const { keys } =
      action === 'delete'
        ? await deleteByQuery(engine, collection, { filter }, options)
        : await updateByQuery(engine, collection, { filter }, Object(data), options)
    if (keys) return keys
    throw fault(
      'INVALID_QUERY',
      'More than 10,000 items are chosen, or you may not see their keys: that cannot be planned.',
      {
        hint: 'Choose fewer items by "filter".',
        path: ['filter'],
      },
    )
  }
}

/** Returns what a plan changes: how many items, the first of their keys, and their values. */
async function aboutChange(
  { collection, filter, data, keys }: WritePlan,
  { engine, signal }: ToolCall,
): Promise<object> {
  const seen = rootCollection(engine.schema, collection)
  const names = [...keyFieldsOf(seen).map(({ name }) => name), ...Object.keys(Object(data))]
  const fields = [...new Set(names)].filter((name) => seen.fields.has(name))
  // Its fields are those of the collection.
  const answer: unknown = await listItems(engine, collection, { filter, fields, limit: 3 } as never, {
    signal,
  })
  const now = (answer as { readonly data: readonly unknown[] }).data.map((item) => shownItem(item, seen))
  return {
    count: keys.length,
    keys: keys.slice(0, 10),
    now,
    ...(data !== undefined && { change: shownItem(data, seen) }),
  }
}

function planned(
  plan: WritePlan,
  about: object,
  { confirm }: ToolInput,
  { engine, settings }: ToolCall,
): string {
  const stale = confirm === undefined ? '' : 'That confirm is of another plan, was used, or has ended. '
  const data = { would: plan.action, ...about, confirm: confirmOf(plan, engine, settings) }
  return `${boundedJson(data, settings.bounds)}\n${stale}Nothing is done yet: call again with the same input and this "confirm".`
}
