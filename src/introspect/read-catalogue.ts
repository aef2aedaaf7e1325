import type { Catalogue, CataloguePhrases, CatalogueTable } from '../dialects/catalogue.ts'
import { dialectOf } from '../dialects/detect.ts'
import type { Dialect } from '../dialects/dialect.ts'
import type { HostDatabase } from '../dialects/host.ts'
import type { DialectName } from '../dialects/named.ts'
import { render, type Sql } from '../dialects/sql.ts'
import { anything, checkOptions, list, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { execute } from '../execution/execute.ts'
import { warn } from '../execution/report-errors.ts'

/** Options of the catalogue: schemas and dialect. */
export interface CatalogueOptions {
  /** Schemas of the database to read. By default the one in which an unqualified name is looked up. */
  readonly dbSchemas?: readonly string[]
  /** Dialect. By default detected from the database. */
  readonly dialect?: DialectName | Dialect
}

export const catalogueKinds = { dbSchemas: list, dialect: anything }
const catalogueOptions = optionNames<CatalogueOptions>(catalogueKinds)

/** Reads the catalogue of a database, its tables and views, without reading a row: in one statement, unless views are broken.
 *  @example const { tables } = await readCatalogue(db)
 *  tables.find(({ name }) => name === 'comments')?.columns.map(({ name }) => name) // → ['id', 'text', 'article'] */
export async function readCatalogue(db: HostDatabase, options: CatalogueOptions = {}): Promise<Catalogue> {
  checkOptions(options, catalogueOptions)
  return catalogueWith(db, options, [])
}

/** Reads the catalogue, with some partitions as tables of their own. */
export async function catalogueWith(
  db: HostDatabase,
  { dialect: input, dbSchemas }: CatalogueOptions,
  partitions: readonly string[],
): Promise<Catalogue> {
  const tables = await tablesIn(db, { dialect: dialectOf(input, db), dbSchemas }, partitions)
  const empty = dbSchemas?.find((schema) => tables.every((table) => table.schema !== schema))
  if (empty !== undefined)
    throw fault('INVALID_OPTIONS', `There is no schema ${quote(empty)} in the database, or no table in it.`, {
      path: ['dbSchemas'],
    })
  return { tables }
}

export async function tablesIn(
  db: HostDatabase,
  { dialect, dbSchemas }: { readonly dialect: Dialect; readonly dbSchemas: readonly string[] | undefined },
  partitions: readonly string[],
): Promise<readonly CatalogueTable[]> {
  const phrases = phrasesOf(dialect)
  const ask = async (statement: Sql) => execute(databaseOf(db, dialect), render(statement, dialect), {})
  const read = async () => {
    const rows = await ask(phrases.statement(dbSchemas, partitions))
    return rows.map((row) => phrases.table(String(row[0])))
  }
  const first = await read()
  const isLookedAt = await lookedAt(first, phrases, ask)
  return resolved(isLookedAt ? await read() : first, phrases)
}

/** Makes the database inspect views that it has not inspected yet, and returns true if it did. Without broken views there are none. */
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
      // A broken view stays as it is.
    }
  }
  return isAny
}

export function phrasesOf({ name, catalogue }: Dialect): CataloguePhrases {
  if (catalogue) return catalogue
  throw fault('INVALID_OPTIONS', `The dialect ${quote(name)} cannot read what tables there are.`, {
    path: ['dialect'],
    hint: 'Describe them with defineSchema.',
  })
}

/** Returns a database on which statements run before there is an engine. */
export function databaseOf(db: HostDatabase, dialect: Dialect) {
  // The host's plugins rewrite names and results.
  const home = db.withoutPlugins()
  const reported = { onQuery: undefined, onError: warn }
  return { db: home, home, dialect, timeoutMs: undefined, acquireTimeoutMs: 30_000, ...reported }
}

/** Returns foreign keys with the exact names of tables and columns; one without columns refers to the primary key. */
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
