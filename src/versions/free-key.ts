import type { EngineInternals } from '../engine/engine.ts'
import { fault, quote } from '../errors/errors.ts'
import type { Options } from '../execution/database.ts'
import { type VersionedItem, versionsOf } from './version-rows.ts'

/** Requires that a key is not taken, even by a version that is hidden from the caller. */
export async function requireFreeKey(
  subject: VersionedItem,
  key: string,
  engine: EngineInternals,
  options: Options,
): Promise<void> {
  const [taken] = await versionsOf(subject, engine.whole(), options, key)
  if (!taken) return
  throw fault('RECORD_NOT_UNIQUE', `The item has a version called ${quote(key)} already.`, { path: ['key'] })
}
