// The database of the service: reads its own tables as they are, of any version.

import type { CataloguePhrases } from '../dialects/catalogue.ts'
import { dialectOf } from '../dialects/detect.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { DialectName } from '../dialects/named.ts'
import { anything, optionNames, text } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import { execute } from '../execution/execute.ts'
import { databaseOf, phrasesOf } from '../introspect/read-catalogue.ts'
import type { ServiceRow } from './read-cells.ts'

export interface Service {
  readonly phrases: CataloguePhrases
  rowsOf(table: string, choice?: ServiceTables): Promise<readonly ServiceRow[]>
}

interface ServiceTables {
  /** Columns to read. By default all that the version has. */
  readonly columns?: readonly string[]
  readonly where?: Readonly<Record<string, string>>
  readonly present?: string
}

/** Options for the service's database. */
export interface CmsOptions {
  /** Dialect. By default detected from the database. */
  readonly dialect?: DialectName | Dialect
  /** Schema of the database that holds the tables. By default the one in which an unqualified name is looked up. */
  readonly dbSchema?: string
}

export const cmsKinds = { dialect: anything, dbSchema: text }
export const cmsOptions = optionNames<CmsOptions>(cmsKinds)

export function serviceOf(db: HostDatabase, { dialect: input, dbSchema }: CmsOptions): Service {
  const dialect = dialectOf(input, db)
  const database = databaseOf(db, dialect)
  const tables = dbSchema === undefined ? database.home : database.home.withSchema(dbSchema)
  return {
    phrases: phrasesOf(dialect),
    rowsOf: async (table, { columns, where = {}, present } = {}) => {
      const from = tables.selectFrom(table)
      const all = columns ? from.select(columns) : from.selectAll()
      const chosen = Object.entries(where).reduce((some, [name, value]) => some.where(name, '=', value), all)
      const query = present === undefined ? chosen : chosen.where(present, 'is not', null)
      const { sql, parameters } = query.compile()
      try {
        // Rows are objects with the selected columns.
        return (await execute(database, { sql, parameters }, {})) as readonly ServiceRow[]
      } catch (error) {
        throw error instanceof Error && dialect.lacksTable(error.cause) ? notTheService(table, error) : error
      }
    },
  }
}

const notTheService = (table: string, cause: Error) =>
  fault('INVALID_OPTIONS', `There is no table "${table}", which the service has had since its version 11.`, {
    hint: 'Give the schema of the database with { dbSchema }, or read any other database with introspectSchema.',
    cause,
  })
