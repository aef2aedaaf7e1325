// Makes the call of a case, and tells what came of it.
import {
  createItem,
  createItems,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Engine,
  type EngineError,
  listItems,
  updateByQuery,
  updateEach,
  updateItem,
  updateItems,
  updateSingleton,
} from '../../../src/index.ts'
import { soleKeyOf } from '../../../src/schema/model.ts'
import { outcomeOf, problemsIn } from '../../support/outcome.ts'
import type { Call, Differences } from './case.ts'

const local = {
  createItem,
  createItems,
  deleteByQuery,
  deleteItem,
  deleteItems,
  updateByQuery,
  updateEach,
  updateItem,
  updateItems,
  updateSingleton,
}

export const made = (engine: Engine, call: Call): Promise<unknown> => madeBy(local, engine, call)

/** The verbs that write, of the library or of a client. */
export type WriteVerbs = typeof local

/** Makes a call by the verbs of either side. */
export async function madeBy(verbs: WriteVerbs, engine: Engine, call: Call): Promise<unknown> {
  const { verb, of } = call
  // What a caller gives may be anything, and some cases give what the types refuse.
  const given = (value: unknown) => value as never
  if (verb === 'create') return verbs.createItem(engine, of, given(call.data), call.query ?? {})
  if (verb === 'createAll') return verbs.createItems(engine, of, given(call.data), call.query ?? {})
  if (verb === 'update') return verbs.updateItem(engine, of, call.key, given(call.data), call.query ?? {})
  if (verb === 'updateAll')
    return verbs.updateItems(engine, of, given(call.keys), call.data, call.query ?? {})
  if (verb === 'updateEach') return verbs.updateEach(engine, of, given(call.items), call.query ?? {})
  if (verb === 'updateFound') return verbs.updateByQuery(engine, of, call.query, call.data, call.options)
  if (verb === 'updateSingle') return verbs.updateSingleton(engine, of, given(call.data), call.query ?? {})
  if (verb === 'delete') return verbs.deleteItem(engine, of, call.key)
  if (verb === 'deleteFound') return verbs.deleteByQuery(engine, of, call.query, call.options)
  return verbs.deleteItems(engine, of, given(call.selector), call.query, call.options)
}

export const outcome = (work: () => Promise<unknown>) =>
  outcomeOf(work, (refusal) => ({ problems: problemsIn(refusal).map(told) }))

const told = ({ code, path, extensions: { collection, field, type } }: EngineError) => ({
  code,
  ...(path && { path }),
  ...(collection !== undefined && { collection }),
  ...(field !== undefined && { field }),
  ...(type !== undefined && { type }),
})

type Row = Readonly<Record<string, unknown>>
/** Every item of every collection, by its key. */
export type Contents = ReadonlyMap<string, ReadonlyMap<string, Row>>

export async function contents(engine: Engine): Promise<Contents> {
  const all = [...engine.schema.collections.values()].map(async (collection) => {
    const { name, fields } = collection
    const key = soleKeyOf(collection)
    const own = [...fields.values()].filter((field) => 'column' in field).map((field) => field.name)
    const { data } = await listItems(engine, name, { fields: own, limit: -1 })
    return [name, new Map(data.map((row: Row) => [String(row[key.name]), row]))] as const
  })
  return new Map(await Promise.all(all))
}

export function differences(before: Contents, after: Contents): Differences {
  const found: Record<string, Record<string, Row | null>> = {}
  for (const [collection, rows] of after) {
    const old = before.get(collection) ?? new Map<string, Row>()
    const different: Record<string, Row | null> = {}
    for (const [key, row] of rows) {
      const change = differing(old.get(key), row)
      if (change) different[key] = change
    }
    for (const key of old.keys()) if (!rows.has(key)) different[key] = null
    if (Object.keys(different).length > 0) found[collection] = different
  }
  return found
}

/** All that a new row has, or what is different in one that was there. */
function differing(before: Row | undefined, after: Row): Row | undefined {
  const changed = Object.entries(after).filter(([name, value]) =>
    before ? JSON.stringify(before[name]) !== JSON.stringify(value) : value !== null,
  )
  return changed.length > 0 || !before ? Object.fromEntries(changed) : undefined
}
