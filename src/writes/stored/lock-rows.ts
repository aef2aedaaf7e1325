// Locks rows until the transaction ends, so that what was checked still holds when they are written. All transactions lock in one order, so
// that there is no deadlock: collections in the order of the schema, rows by their keys.

import { type Permissions, viewIn } from '../../access/caller-scope.ts'
import type { RowUse } from '../../dialects/phrase-types.ts'
import { always, isAlways, type Predicate } from '../../plan/filter/predicate.ts'
import { type Key, keyIdentities } from '../../plan/key.ts'
import { isOneOf, wholeList } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { collectionsTested } from '../../plan/touches.ts'
import { bindStatement } from '../../prepared/templates/template.ts'
import type { Collection, Schema } from '../../schema/model.ts'
import { heldKeysStatement } from '../../sql/write/list-write-statements.ts'
import { touchStatement } from '../../sql/write/write-statements.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from '../context/write-context.ts'
import { readKeys, run } from './rows-by-key.ts'

/** Rows of a collection that are about to be written. */
export interface WantedRows {
  readonly keys: readonly Key[]
  /** Use of the rows. By default an update. */
  readonly use?: RowUse
}

/** Locks rows, visible to the caller or not, and returns the keys of those that exist; undefined if a writer is alone anyway. */
export function lockRows(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlySet<string> | undefined> {
  return holdListed(collection, { keys }, undefined, writing)
}

/** Locks those of some rows that are visible to the caller, and returns their keys. A caller never waits for rows that are not visible to
 *  them. */
export function lockVisible(
  collection: Collection,
  wanted: WantedRows,
  writing: WriteContext,
): Promise<ReadonlySet<string> | undefined> {
  const permissions = permissionsOf(writing)
  // Nothing of the collection is visible.
  if (permissions && writing.engine.dialect.lockRows && !seenOf(collection, permissions))
    return Promise.resolve(new Set())
  const seen = seenAlone(collection, writing) ?? seenList(collection, wanted.keys, writing)
  return holdListed(collection, wanted, seen, writing)
}

/** Locks those of some rows that meet a condition. */
export async function lockMatching(
  collection: Collection,
  wanted: WantedRows,
  condition: Predicate,
  writing: WriteContext,
): Promise<void> {
  const all = { kind: 'and', parts: [isOneOf(collection, wanted.keys), condition] } as const
  const inside = { ...writing, caller: writing.engine }
  await holdListed(collection, wanted, wholeList(collection, all), inside)
}

/** Locks rows of several collections in the common order. */
export async function lockAll(
  wanted: ReadonlyMap<Collection, WantedRows>,
  writing: WriteContext,
): Promise<ReadonlyMap<Collection, ReadonlySet<string>>> {
  const held = new Map<Collection, ReadonlySet<string>>()
  for (const collection of inOrder([...wanted.keys()], writing.engine.schema)) {
    const rows = wanted.get(collection)
    const found = rows && (await lockVisible(collection, rows, writing))
    if (found) held.set(collection, found)
  }
  return held
}

/** Marks a set of related rows as changed, also for transactions that read an earlier snapshot: to them the owner of the set was written
 *  since, and the database refuses their write to it. */
export async function touch(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  const { dialect } = writing.engine
  if (dialect.lockRows && keys.length > 0) await run(writing, touchStatement(collection, keys, dialect))
}

async function holdListed(
  collection: Collection,
  { keys, use = 'change' }: WantedRows,
  seen: ListPlan | Predicate | undefined,
  writing: WriteContext,
): Promise<ReadonlySet<string> | undefined> {
  const { dialect } = writing.engine
  if (!dialect.lockRows) return undefined
  if (keys.length === 0) return new Set()
  // A list is one of the caller's, a condition one of the row itself.
  const setting = seen && 'page' in seen ? writing.caller : writing.engine
  const { sql, parameters } = bindStatement(heldKeysStatement(collection, keys, seen, setting), new Map())
  const rows = await run(writing, { sql: dialect.lockRows(sql, use), parameters })
  return keyIdentities(readKeys(rows, collection, writing))
}

/** Returns the list of those rows that are visible to the caller; undefined without rules. */
function seenList(collection: Collection, keys: readonly Key[], writing: WriteContext): ListPlan | undefined {
  const permissions = permissionsOf(writing)
  const seen = permissions && seenOf(collection, permissions)
  return seen && wholeList(seen, isOneOf(seen, keys))
}

const seenOf = (collection: Collection, { seen }: Permissions): Collection | undefined =>
  collection.isSeen ? collection : seen.of.get(collection)

/** True if every row of a collection is visible, so that none can cease to be. */
export function seesAll(collection: Collection, writing: WriteContext): boolean {
  const rows = rowsSeen(collection, writing)
  return rows !== undefined && isAlways(rows)
}

/** Returns the condition of the visible rows if it names their own columns only: a lock judges it by the row that it holds. */
export function seenAlone(collection: Collection, writing: WriteContext): Predicate | undefined {
  const rows = rowsSeen(collection, writing)
  return rows && collectionsTested(rows).length === 0 ? rows : undefined
}

function rowsSeen(collection: Collection, writing: WriteContext): Predicate | undefined {
  const permissions = permissionsOf(writing)
  if (!permissions) return always
  const seen = seenOf(collection, permissions)
  return seen && viewIn(seen, permissions, circumstancesOf(writing))?.rows
}

function inOrder(collections: readonly Collection[], schema: Schema): readonly Collection[] {
  const places = new Map([...schema.collections.values()].map((one, at) => [one, at]))
  const place = (one: Collection) => places.get(one) ?? places.size
  return collections.toSorted((one, other) => place(one) - place(other) || (one.name < other.name ? -1 : 1))
}
