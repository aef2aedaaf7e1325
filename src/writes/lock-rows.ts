// Rows held until the transaction ends, so that what is judged of them is still so when they are written. Everybody takes them in one order,
// so that nobody waits for one who waits in turn: collections as the schema names them, rows by their keys.
import { type Limited, viewIn } from '../access/caller-scope.ts'
import type { RowUse } from '../dialects/phrase-types.ts'
import { isOneOf, wholeList } from '../plan/by-key.ts'
import { isAlways } from '../plan/predicate.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import { bindStatement } from '../prepared/template.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { heldKeysStatement, touchStatement } from '../sql/write-statements.ts'
import { readKeys, run } from './rows-by-key.ts'
import { circumstancesOf, limitsOf, type WriteContext } from './write-context.ts'

/** Rows of a collection that are about to be written. */
export interface WantedRows {
  readonly keys: readonly Storable[]
  /** A change, unless it is said otherwise. */
  readonly use?: RowUse
}

/** Holds rows, whoever sees them, and answers the keys of those that there are; undefined where whoever writes is alone anyway. */
export function lockRows(
  collection: Collection,
  keys: readonly Storable[],
  writing: WriteContext,
): Promise<ReadonlySet<string> | undefined> {
  return holdListed(collection, { keys }, undefined, writing)
}

/** Holds those of some rows that the caller sees, and answers their keys. Nobody has to wait for rows that a caller may not see. */
export function lockVisible(
  collection: Collection,
  wanted: WantedRows,
  writing: WriteContext,
): Promise<ReadonlySet<string> | undefined> {
  const limits = limitsOf(writing)
  // Nothing of it is seen.
  if (limits && writing.engine.dialect.holdRows && !seenOf(collection, limits))
    return Promise.resolve(new Set())
  return holdListed(collection, wanted, seenList(collection, wanted.keys, writing), writing)
}

/** Holds rows of several collections in the order in which everybody takes them. */
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

/** Lets others know that a set of related rows has changed, also those whose transaction looks at an earlier state: to them the row that the
 *  set belongs to was written since, and the database refuses what they would do to it. */
export async function touch(
  collection: Collection,
  keys: readonly Storable[],
  writing: WriteContext,
): Promise<void> {
  const { dialect } = writing.engine
  if (dialect.holdRows && keys.length > 0) await run(writing, touchStatement(collection, keys, dialect))
}

async function holdListed(
  collection: Collection,
  { keys, use = 'change' }: WantedRows,
  seen: ListPlan | undefined,
  writing: WriteContext,
): Promise<ReadonlySet<string> | undefined> {
  const { dialect } = writing.engine
  if (!dialect.holdRows) return undefined
  if (keys.length === 0) return new Set()
  const setting = seen ? writing.caller : writing.engine
  const { sql, parameters } = bindStatement(heldKeysStatement(collection, keys, seen, setting), new Map())
  const rows = await run(writing, { sql: dialect.holdRows(sql, use), parameters })
  return new Set(readKeys(rows, collection, writing).map(keyText))
}

/** The rows that a caller sees of some; undefined where they see all. */
function seenList(
  collection: Collection,
  keys: readonly Storable[],
  writing: WriteContext,
): ListPlan | undefined {
  const limits = limitsOf(writing)
  if (!limits) return undefined
  const seen = seenOf(collection, limits)
  if (!seen || seesAll(collection, writing)) return undefined
  return wholeList(seen, isOneOf(seen, keys))
}

const seenOf = (collection: Collection, { seen }: Limited): Collection | undefined =>
  collection.isSeen ? collection : seen.of.get(collection)

/** Whether every row of a collection is seen, so that none can get out of sight. */
export function seesAll(collection: Collection, writing: WriteContext): boolean {
  const limits = limitsOf(writing)
  if (!limits) return true
  const seen = seenOf(collection, limits)
  const view = seen && viewIn(seen, limits, circumstancesOf(writing))
  return view !== undefined && isAlways(view.rows)
}

function inOrder(collections: readonly Collection[], schema: Schema): readonly Collection[] {
  const places = new Map([...schema.collections.values()].map((one, at) => [one, at]))
  const place = (one: Collection) => places.get(one) ?? places.size
  return collections.toSorted((one, other) => place(one) - place(other) || (one.name < other.name ? -1 : 1))
}
