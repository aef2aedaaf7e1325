// Deletes or updates the rows of a list, which need not be locked or checked before. The statements are made once for all queries of a shape.

import type { Cell } from '../../dialects/phrase-types.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { Collection } from '../../schema/model.ts'
import type { Statement } from '../../sql/statement.ts'
import {
  countListStatement,
  type KeysStatement,
  type ListChange,
  listKeysStatement,
  writeListStatement,
  writeTellingStatement,
} from '../../sql/write/list-write-statements.ts'
import { once } from '../../values/memo.ts'
import { needsEach } from '../context/single-statement.ts'
import { type BulkBounds, maxKeys } from './affected-rows.ts'

/** A write that returns no keys. */
export interface SilentWrite {
  readonly kind: 'silent'
  readonly list: ListPlan
  readonly change: ListChange
  readonly statement: Statement
  /** The same without a transaction around it: where it might not undo what it did before it failed, it writes nothing. */
  readonly alone: () => Statement
}

/** A write that returns the keys, or their number. */
export interface TellingWrite {
  readonly kind: 'telling'
  readonly list: ListPlan
  readonly change: ListChange
  readonly statement: Statement
  readonly read: Cell['read']
  /** Maximum number of rows whose keys it returns. */
  readonly most: number
}

/** A write after which the keys are known, because they were read before. */
export interface ReadingWrite extends Omit<SilentWrite, 'kind' | 'alone'> {
  readonly kind: 'reading'
  readonly keys: KeysStatement
  readonly count: Statement
}

export type ListWrite = SilentWrite | TellingWrite | ReadingWrite

/** True if rows of a collection may be deleted without looking at each: there are no rules, hooks or versions. */
export const isUnlocked = (
  collection: Collection,
  engine: EngineInternals,
  bounds: Pick<BulkBounds, 'dryRun'>,
): boolean => !engine.scope?.permissions && isDeletedAtOnce(collection, engine, bounds)

/** Returns the bounds of a call, so that keys that listeners want are returned. */
export function tellingBounds(
  action: 'update' | 'delete',
  { name }: Collection,
  bounds: BulkBounds,
  { hooks }: EngineInternals,
): BulkBounds {
  const { dryRun = false, maxAffected, keys } = bounds
  const isSilent = keys === false && hooks.listeners.want(`items.${action}`, name)
  return isSilent ? { dryRun, keys: true, ...(maxAffected !== undefined && { maxAffected }) } : bounds
}

/** True if there are no hooks or versions, so that only rules can affect a deletion. */
export function isDeletedAtOnce(
  collection: Collection,
  engine: EngineInternals,
  { dryRun }: Pick<BulkBounds, 'dryRun'>,
): boolean {
  return !dryRun && !collection.isVersioned && !needsEach(engine, 'items.delete', collection)
}

/** Returns the statements of a change. Undefined if others could write the rows between two of them, or rules limit a part of a list.
 *  `reader`: as it reads the list. */
export function listWrite(
  list: ListPlan,
  reader: EngineInternals,
  { keys }: Pick<BulkBounds, 'keys'>,
  change: ListChange = deletion,
): ListWrite | undefined {
  const { limits } = change
  if (limits && !isWhole(list)) return undefined
  // A statement without a result does not learn that a column has another type than when it was prepared.
  const needsResult =
    (change.columns !== undefined && reader.dialect.typeCell !== undefined) || limits?.mayRefuse
  if (keys === false && isWhole(list) && !needsResult) return silentWrite(list, reader, change)
  const most = keys === false ? 0 : maxKeys
  const telling = isByKey(list) ? writeTellingStatement(list, reader, most, change) : undefined
  if (telling) return { ...telling, kind: 'telling', list, change, most }
  if (!reader.dialect.writeLock) return undefined
  return {
    ...silentWrite(list, reader, change),
    kind: 'reading',
    keys: listKeysStatement(upTo(list, maxKeys + 1), reader),
    count: countListStatement(list, reader),
  }
}

export const silentWrite = (
  list: ListPlan,
  reader: EngineInternals,
  change: ListChange = deletion,
): SilentWrite => ({
  kind: 'silent',
  list,
  change,
  statement: writeListStatement(list, reader, change),
  alone: once(() => {
    const unless = reader.dialect.mayFailHalfway?.(list.collection)
    return writeListStatement(list, reader, { ...change, unless })
  }),
})

const deletion: ListChange = { columns: undefined }

/** All statements of a write. */
export const statementsOf = (write: ListWrite): readonly Statement[] =>
  write.kind === 'reading' ? [write.statement, write.keys, write.count] : [write.statement]

/** Returns the list, limited to its first rows. */
export function upTo(list: ListPlan, most: number): ListPlan {
  const { limit = most } = list.page
  return { ...list, page: { ...list.page, limit: Math.min(limit, most) } }
}

/** True if the list has all rows that meet a condition. */
export const isWhole = ({ page }: ListPlan): boolean => page.limit === undefined && page.offset === 0

/** True if the list has all rows that meet a condition, in the order of keys that can be sorted here. */
function isByKey(list: ListPlan): boolean {
  const {
    order: [first, ...others],
    collection: { key },
  } = list
  if (!isWhole(list) || first?.kind !== 'value' || others.length > 0) return false
  const { family } = key?.value ?? {}
  const { subject, route } = first.value
  const isKey = route.length === 0 && subject.kind === 'field' && subject.field === key
  return isKey && !first.isDescending && (family === 'integer' || family === 'uuid')
}
