// Locks an item that is read in order to be changed: no other transaction changes it until this one ends.

import { render } from '../../dialects/sql.ts'
import { isEngineError } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import { type Key, keyIdentity } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { tableName } from '../../sql/frame.ts'
import { requireRows, requireVisible } from '../authorize/visible-keys.ts'
import { missing } from '../context/named-key.ts'
import type { WriteContext } from '../context/write-context.ts'
import { lockVisible } from '../stored/lock-rows.ts'

/** Locks an item that is visible to the caller and that they may update. An item that is not visible is not locked. */
export async function lockItem(collection: Collection, key: Key, writing: WriteContext): Promise<void> {
  await takeLock(collection, writing)
  const held = await lockVisible(collection, { keys: [key] }, writing)
  // Rows that rules reach through relations may have changed while this waited.
  const keys = await requireVisible(collection, [key], writing)
  if (held && !keys.every((one) => held.has(keyIdentity(one)))) throw missing()
  await requireRows(collection, { action: 'update', keys }, writing)
}

/** Takes the write lock of a database that does not lock rows: a transaction of the host's may have begun without it. */
async function takeLock(collection: Collection, { engine, options }: WriteContext): Promise<void> {
  const { dialect, lockable } = engine
  const { writeLock } = dialect
  if (!writeLock) return
  for (const one of [collection, ...(lockable?.() ?? [])]) {
    try {
      await execute(engine, render(writeLock.take(tableName(one, dialect)), dialect), options)
      return
    } catch (error) {
      // A view cannot be written to; any table will do.
      if (!isEngineError(error) || !writeLock.isRefused(error.cause)) throw error
    }
  }
}
