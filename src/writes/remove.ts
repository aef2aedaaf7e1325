// Rows that go away: by their keys, or as many as a list shows.
import { fault } from '../errors.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import { affect } from '../run/execute.ts'
import { fill } from '../run/template.ts'
import type { Collection } from '../schema/model.ts'
import { countListStatement, deleteListStatement } from '../sql/write.ts'
import { keepingRules } from './breach.ts'
import { chosenKeys } from './chosen.ts'
import { deleteRows, existing, keyAnswer, missing, run } from './rows.ts'
import { ask, changeOf, remember, type Writing } from './writing.ts'

export interface Caution {
  readonly dryRun?: boolean
  readonly maxAffected?: number
}

export interface Affected {
  readonly count: number
  readonly keys?: readonly (string | number)[]
}

/** So many keys are told, and held in memory. */
export const mostKeys = 10_000

export async function removeKeys(
  collection: Collection,
  keys: readonly Storable[],
  writing: Writing,
  caution: Caution = {},
): Promise<Affected> {
  refuseMore(keys.length, caution)
  const found = await existing(collection, keys, writing)
  if (found.size < keys.length) throw missing()
  if (caution.dryRun) return told(collection, keys)
  const gone = await removeAsked(collection, keys, writing)
  // Somebody else may have deleted one in the meantime.
  if (gone.length < keys.length) throw missing()
  return told(collection, keys)
}

export async function removeChosen(list: ListPlan, writing: Writing, caution: Caution): Promise<Affected> {
  const { collection } = list
  const first = await chosenKeys(upTo(list, mostKeys + 1), writing)
  refuseMore(first.length, caution)
  if (first.length <= mostKeys) {
    const gone = caution.dryRun ? first : await removeAsked(collection, first, writing)
    return told(collection, gone)
  }
  const count = await (caution.dryRun ? countAll(list, writing) : removeMany(list, writing))
  // Everything is taken back.
  refuseMore(count, caution)
  return { count }
}

/** The beginning of a list. */
function upTo(list: ListPlan, most: number): ListPlan {
  const { limit = most } = list.page
  return { ...list, page: { ...list.page, limit: Math.min(limit, most) } }
}

export function refuseMore(count: number, { maxAffected }: Caution): void {
  if (maxAffected === undefined || count <= maxAffected) return
  throw fault('INVALID_PAYLOAD', `More than ${maxAffected} items are meant, so nothing was changed.`, {
    path: ['maxAffected'],
  })
}

export function told(collection: Collection, keys: readonly Storable[]): Affected {
  const count = keys.length
  if (count > mostKeys) return { count }
  return { count, keys: keys.map((key) => keyAnswer(collection, key)) }
}

async function countAll(list: ListPlan, writing: Writing): Promise<number> {
  const [row] = await run(writing, filled(countListStatement(list, writing.engine)))
  return Number(row?.[0])
}

const filled = (statement: Parameters<typeof fill>[0]) => fill(statement, new Map())

/** In one statement where nobody wants to hear of each; else by keys, which are all held then. */
async function removeMany(list: ListPlan, writing: Writing): Promise<number> {
  const { collection } = list
  const { engine, options } = writing
  const isAsked = engine.hooks.of('before', 'items.delete', collection.name).length > 0
  if (isAsked || engine.hooks.isHeard('items.delete', collection.name)) {
    const keys = await chosenKeys(list, writing)
    let count = 0
    for (let from = 0; from < keys.length; from += mostKeys)
      count += (await removeAsked(collection, keys.slice(from, from + mostKeys), writing)).length
    return count
  }
  return keepingRules(collection, undefined, writing, () =>
    affect(engine, filled(deleteListStatement(list, engine)), options),
  )
}

async function removeAsked(
  collection: Collection,
  keys: readonly Storable[],
  writing: Writing,
): Promise<readonly Storable[]> {
  if (keys.length === 0) return []
  const change = changeOf(writing, 'items.delete', collection, keys)
  await ask(writing, change)
  const gone = await deleteRows(collection, keys, writing)
  const isGone = new Set(gone.map(keyText))
  const inOrder = keys.filter((key) => isGone.has(keyText(key)))
  remember(writing, changeOf(writing, 'items.delete', collection, inOrder))
  return inOrder
}
