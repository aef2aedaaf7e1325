// Affected rows of a call: their number, their keys and the limit.

import { fault } from '../../errors/errors.ts'
import { type Key, type ShownKey, shownKeyOf } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'

export interface BulkBounds {
  readonly dryRun?: boolean
  readonly maxAffected?: number
  /** False if the keys are not wanted. */
  readonly keys?: boolean
}

export interface Affected {
  readonly count: number
  readonly keys?: readonly ShownKey[]
}

/** Maximum number of keys that are returned and kept in memory. */
export const maxKeys = 10_000

export function refuseTooMany(count: number, { maxAffected }: BulkBounds): void {
  if (maxAffected === undefined || count <= maxAffected) return
  throw fault('INVALID_PAYLOAD', `More than ${maxAffected} items are selected, so nothing was changed.`, {
    path: ['maxAffected'],
  })
}

export function affectedResult(collection: Collection, keys: readonly Key[]): Affected {
  const count = keys.length
  if (count > maxKeys) return { count }
  return { count, keys: keys.map((key) => shownKeyOf(collection, key)) }
}
