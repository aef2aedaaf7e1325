// Locks rows that a list selects until the transaction ends, so that the list still selects them when they are written.

import type { RowUse } from '../../dialects/phrase-types.ts'
import { isEngineError } from '../../errors/errors.ts'
import { type Key, keyIdentity, unreadableKey } from '../../plan/key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { bindStatement, noBoundValues, type StatementValues } from '../../prepared/templates/template.ts'
import { type Collection, keyFieldsOf } from '../../schema/model.ts'
import { listLock, type RowLimits } from '../../sql/write/list-write-statements.ts'
import { targetLock } from '../../sql/write/row-locks.ts'
import type { TargetCondition } from '../../sql/write/row-writes.ts'
import type { WriteContext } from '../context/write-context.ts'
import { lockVisible } from './lock-rows.ts'
import { run } from './rows-by-key.ts'
import { matchingKeys, selectedKeys } from './select-keys.ts'

export interface LockedRows {
  readonly use: RowUse
  /** Reader of the list. By default the engine itself. */
  readonly reader?: Pick<WriteContext, 'engine' | 'options'>
  /** Runs hooks before the rows are locked. */
  readonly beforeLock?: (keys: readonly Key[]) => Promise<void>
}

/** Rows of a list. `collection`: that of the list, unlimited and not as it is visible to the reader. */
export interface SelectedRows {
  readonly list: ListPlan
  readonly collection: Collection
}

interface RetriedLock extends LockedRows {
  /** Number of rows up to which the work refuses all of them before it writes anything. */
  readonly most: number
}

/** Maximum number of attempts while others change what the rows refer to. */
const mostAttempts = 5

/** Locks the rows of a list and works with their keys. Rules may read rows that are not locked: if they refuse rows that the list no
 *  longer selects, the work is tried again with those that it does. */
export async function withSelected<Result>(
  { list, collection }: SelectedRows,
  writing: WriteContext,
  locking: RetriedLock,
  work: (keys: readonly Key[]) => Promise<Result>,
): Promise<Result> {
  const { reader = writing, most } = locking
  for (let attempt = 1; ; attempt++) {
    const keys = await lockSelectedKeys(list, collection, writing, locking)
    try {
      return await work(keys)
    } catch (error) {
      if (attempt === mostAttempts || keys.length > most || !isForbidden(error)) throw error
      const still = await matchingKeys(list.collection, keys, list.condition, reader)
      if (still.size === keys.length) throw error
    }
  }
}

const isForbidden = (error: unknown): boolean =>
  isEngineError(error) && (error.errors ?? [error]).every(({ code }) => code === 'FORBIDDEN')

/** How the rows of a list are locked that one statement writes. */
interface ListLock {
  readonly use: RowUse
  readonly limits: RowLimits | undefined
  /** Items to which new values refer, and the new values. */
  readonly locked: readonly TargetCondition[]
  readonly values: StatementValues
}

/** Locks the rows of a list, and those to which new values refer, and returns the list of exactly these rows: while a statement waits for others, what
 *  rules look at may change. */
export async function lockedList(
  list: ListPlan,
  { use, limits, locked, values }: ListLock,
  inside: WriteContext,
): Promise<ListPlan> {
  const lock = listLock(list, { limits }, use, inside.caller)
  if (!lock) return list
  const [row] = await run(inside, bindStatement(lock, noBoundValues))
  if (Number(row?.[0]) > 0) throw unreadableKey(list.collection)
  for (const target of locked) {
    const lock = targetLock(target, inside.engine)
    if (lock) await run(inside, bindStatement(lock, values))
  }
  return { ...list, held: keyFieldsOf(list.collection).map((_, at) => row?.[at + 1]) }
}

/** Returns the keys of a list's rows. `collection`: that of the list, unlimited and not as it is visible to the reader. */
export async function lockSelectedKeys(
  list: ListPlan,
  collection: Collection,
  writing: WriteContext,
  { use, reader = writing, beforeLock }: LockedRows,
): Promise<readonly Key[]> {
  for (let before: string | undefined; ; ) {
    const keys = await selectedKeys(list, reader)
    await beforeLock?.(keys)
    if (!writing.engine.dialect.lockRows || keys.length === 0) return keys
    const locked = await lockVisible(collection, { keys, use }, writing)
    // A transaction that held a lock may have changed the rows, and then the list selects others.
    const still = await matchingKeys(list.collection, keys, list.condition, reader)
    const selected = keys.map(keyIdentity).join('\n')
    // A number or timestamp with more digits than results show is never found by its key.
    if ((still.size === keys.length && locked?.size === keys.length) || selected === before) return keys
    before = selected
  }
}
