import type { Catalogue, CataloguePhrases, CatalogueTable } from '../dialects/catalogue.ts'
import { type DialectName, dialectOf } from '../dialects/detect.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import { render, type Sql } from '../dialects/sql.ts'
import { anything, checkOptions, list, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { execute } from '../execution/execute.ts'
import { warn } from '../execution/report-errors.ts'

/** Where in the database to look. */
export interface CatalogueOptions {
  /** The schemas of the database to look at. Left out, the one that a bare name of a table is looked up in. */
  readonly dbSchemas?: readonly string[]
  /** Left out, it is found by looking at the database. */
  readonly dialect?: DialectName | Dialect
}

export const catalogueKinds = { dbSchemas: list, dialect: anything }
const catalogueOptions = optionNames<CatalogueOptions>(catalogueKinds)

/** Reads what a database says of its tables and views, without looking at a row: in one statement, unless views are broken.
 *  @example const { tables } = await readCatalogue(db)
 *  tables.find(({ name }) => name === 'comments')?.columns.map(({ name }) => name) // → ['id', 'text', 'article'] */
export async function readCatalogue(db: HostDatabase, options: CatalogueOptions = {}): Promise<Catalogue> {
  checkOptions(options, catalogueOptions)
  const dialect = dialectOf(options.dialect, db)
  const phrases = phrasesOf(dialect)
  const { dbSchemas } = options
  const ask = async (statement: Sql) => execute(databaseOf(db, dialect), render(statement, dialect), {})
  const read = async () => {
    const rows = await ask(phrases.statement(dbSchemas))
    return rows.map((row) => phrases.table(String(row[0])))
  }
  const first = await read()
  const isLookedAt = await lookedAt(first, phrases, ask)
  const tables = isLookedAt ? await read() : first
  const empty = dbSchemas?.find((schema) => tables.every((table) => table.schema !== schema))
  if (empty !== undefined)
    throw fault('INVALID_OPTIONS', `There is no schema ${quote(empty)} in the database, or no table in it.`, {
      path: ['dbSchemas'],
    })
  return { tables: resolved(tables, phrases) }
}

/** Whether the database was made to look at a view that it had not looked at. Without broken views there is none. */
async function lookedAt(
  tables: readonly CatalogueTable[],
  { look }: CataloguePhrases,
  ask: (statement: Sql) => Promise<unknown>,
): Promise<boolean> {
  if (!look) return false
  let isAny = false
  for (const table of tables) {
    if (table.kind !== 'view' || table.columns.length > 0) continue
    try {
      await ask(look(table))
      isAny = true
    } catch {
      // A broken one stays as it is.
    }
  }
  return isAny
}

/** What the dialect asks a catalogue with. */
export function phrasesOf({ name, catalogue }: Dialect): CataloguePhrases {
  if (catalogue) return catalogue
  throw fault('INVALID_OPTIONS', `The dialect ${quote(name)} cannot read what tables there are.`, {
    path: ['dialect'],
    hint: 'Describe them with defineSchema.',
  })
}

/** A database to run a statement on before there is an engine. */
export function databaseOf(db: HostDatabase, dialect: Dialect) {
  // The host's plugins rewrite names and results.
  const home = db.withoutPlugins()
  const told = { onQuery: undefined, onError: warn }
  return { db: home, home, dialect, timeoutMs: undefined, acquireTimeoutMs: 30_000, ...told }
}

/** Foreign keys with the names that tables and columns have themselves; one that says no columns means the primary key. */
function resolved(tables: readonly CatalogueTable[], { sameName }: CataloguePhrases): CatalogueTable[] {
  const placeOf = (schema: string, name: string) => JSON.stringify([sameName(schema), sameName(name)])
  const byPlace = new Map(tables.map((table) => [placeOf(table.schema, table.name), table]))
  return tables.map((table) => ({
    ...table,
    foreignKeys: table.foreignKeys.map((key) => {
      const target = byPlace.get(placeOf(key.table.schema, key.table.name))
      if (!target) return key
      const names = key.targetColumns.length > 0 ? key.targetColumns : target.primaryKey
      return {
        ...key,
        columns: key.columns.map((name) => ownName(table, name)),
        table: { schema: target.schema, name: target.name },
        targetColumns: names.map((name) => ownName(target, name)),
      }
    }),
  }))

  function ownName({ columns }: CatalogueTable, name: string): string {
    return columns.find((column) => sameName(column.name) === sameName(name))?.name ?? name
  }
}
