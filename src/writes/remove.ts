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
import { deleteRows, existing, keyAnswer, keysOf, missing, run } from './rows.ts'
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

/** A row that nobody wants to hear of. */
export async function removeOne(collection: Collection, key: Storable, writing: Writing): Promise<void> {
  if ((await deleteRows(collection, [key], writing)).length === 0) throw missing()
}

export async function removeChosen(list: ListPlan, writing: Writing, caution: Caution): Promise<Affected> {
  if (caution.dryRun || isHeard(list.collection, writing.engine)) return removeHeard(list, writing, caution)
  return isByKey(list) ? removeWhole(list, writing, caution) : removePart(list, writing, caution)
}

/** All rows that meet a condition, in the order of keys that can be put in order here. */
function isByKey({ page, order: [first, ...others], collection: { key } }: ListPlan): boolean {
  if (page.limit !== undefined || page.offset > 0 || first?.kind !== 'value' || others.length > 0)
    return false
  const { family } = key.value
  const { subject, route } = first.value
  const isKey = route.length === 0 && subject.kind === 'field' && subject.field === key
  return isKey && !first.isDescending && (family === 'integer' || family === 'uuid')
}

/** Rows that need not be looked at before: they tell their keys as they go. */
async function removeWhole(list: ListPlan, writing: Writing, caution: Caution): Promise<Affected> {
  const { collection, page } = list
  const some = await countAll({ ...list, order: [], page: { ...page, isFixed: true } }, writing)
  refuseMore(some, caution)
  if (some > mostKeys) return removeUntold(list, writing, caution)
  const statement = filled(deleteListStatement(list, writing.engine, true))
  const keys = await keepingRules(collection, undefined, writing, () =>
    keysOf(statement, collection, writing),
  )
  // Others may have written rows since they were counted; then everything is taken back.
  refuseMore(keys.length, caution)
  return told(
    collection,
    [...keys].sort((one, other) => (one < other ? -1 : 1)),
  )
}

async function removePart(list: ListPlan, writing: Writing, caution: Caution): Promise<Affected> {
  const first = await chosenKeys(upTo(list, mostKeys + 1), writing)
  refuseMore(first.length, caution)
  if (first.length > mostKeys) return removeUntold(list, writing, caution)
  return told(list.collection, await removeAsked(list.collection, first, writing))
}

/** More rows than are told of. */
async function removeUntold(list: ListPlan, writing: Writing, caution: Caution): Promise<Affected> {
  const statement = filled(deleteListStatement(list, writing.engine, false))
  const count = await keepingRules(list.collection, undefined, writing, () =>
    affect(writing.engine, statement, writing.options),
  )
  refuseMore(count, caution)
  return { count }
}

/** Whether anybody wants to know of each item. */
export function isHeard({ name }: Collection, { hooks }: Writing['engine']): boolean {
  return hooks.of('before', 'items.delete', name).length > 0 || hooks.isHeard('items.delete', name)
}

/** Items that have to be known before they go away, or that stay. */
async function removeHeard(list: ListPlan, writing: Writing, caution: Caution): Promise<Affected> {
  const { collection } = list
  const first = await chosenKeys(upTo(list, mostKeys + 1), writing)
  refuseMore(first.length, caution)
  if (caution.dryRun)
    return first.length <= mostKeys
      ? told(collection, first)
      : counted(await countAll(list, writing), caution)
  const keys = first.length <= mostKeys ? first : await chosenKeys(list, writing)
  refuseMore(keys.length, caution)
  const gone: Storable[] = []
  for (let from = 0; from < keys.length; from += mostKeys)
    for (const key of await removeAsked(collection, keys.slice(from, from + mostKeys), writing))
      gone.push(key)
  return told(collection, gone)
}

function counted(count: number, caution: Caution): Affected {
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
