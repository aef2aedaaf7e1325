// The change logs that there are. They stand apart from the phrases of their dialects: hosts that have no change log load none.

import { fault } from '../../errors/errors.ts'
import type { Dialect } from '../dialect.ts'
import type { ChangeLogPhrases } from './phrases.ts'
import { postgresLog } from './postgres.ts'
import { sqliteLog } from './sqlite.ts'

const logs: ReadonlyMap<string, ChangeLogPhrases> = new Map([
  ['postgres', postgresLog],
  ['sqlite', sqliteLog],
])

/** Returns the change log of a dialect. */
export function changeLogOf({ name }: Pick<Dialect, 'name'>): ChangeLogPhrases {
  const found = logs.get(name)
  if (found) return found
  throw fault('INVALID_OPTIONS', 'There is no change log for the dialect of this engine.', {
    path: ['dialect'],
  })
}

/** Milliseconds between two looks. */
export const usualPause = { near: 100, far: 1_000 } as const
