import { type EngineError, fault } from '../../errors/errors.ts'

/** Returns the error for a database of another driver, which lacks something that the functions or the cached statements need. */
export const unfitDatabase = (missing: string): EngineError =>
  fault(
    'INVALID_OPTIONS',
    `The "database" of quernel/sqlite has no ${missing}: it has to be one of better-sqlite3, or of node:sqlite from Node 22.16 on.`,
    {
      path: ['database'],
      hint: 'Give any other driver to a Kysely dialect that is made for it; an engine takes it without quernel/sqlite.',
    },
  )
