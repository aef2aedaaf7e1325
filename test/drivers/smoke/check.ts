// One check of the smoke: something that is asked of an engine, and answers the same by each driver.
import type { Kysely } from 'kysely'
import type { Engine } from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'

export type DatabaseName = 'sqlite' | 'postgres'

/** A column in which the database makes the keys. */
export const keyColumns = {
  sqlite: 'integer primary key',
  postgres: 'serial primary key',
} as const satisfies Readonly<Record<DatabaseName, string>>

/** Where a check is run. */
export interface Place {
  readonly db: Kysely<AnyTables>
  readonly database: DatabaseName
  readonly engine: Engine
}

export interface Check {
  readonly title: string
  run(place: Place): Promise<unknown>
}

/** What the checks of one kind are about, in words of the documentation. */
export interface Group {
  readonly title: string
  readonly checks: readonly Check[]
}

/** @example check('a list', ({ engine }) => listItems(engine, 'books')) */
export const check = (title: string, run: Check['run']): Check => ({ title, run })
