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

export async function made(engine: Engine, call: Call): Promise<unknown> {
  const { verb, of } = call
  // What a caller gives may be anything, and some cases give what the types refuse.
  const given = (value: unknown) => value as never
  if (verb === 'create') return createItem(engine, of, given(call.data), call.query ?? {})
  if (verb === 'createAll') return createItems(engine, of, given(call.data), call.query ?? {})
  if (verb === 'update') return updateItem(engine, of, call.key, given(call.data), call.query ?? {})
  if (verb === 'updateAll') return updateItems(engine, of, given(call.keys), call.data, call.query ?? {})
  if (verb === 'updateEach') return updateEach(engine, of, given(call.items), call.query ?? {})
  if (verb === 'updateFound') return updateByQuery(engine, of, call.query, call.data, call.options)
  if (verb === 'updateSingle') return updateSingleton(engine, of, given(call.data), call.query ?? {})
  if (verb === 'delete') return deleteItem(engine, of, call.key)
  if (verb === 'deleteFound') return deleteByQuery(engine, of, call.query, call.options)
  return deleteItems(engine, of, given(call.selector), call.query, call.options)
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
