// A database that the service made: its file, and the same tables as it makes them on PostgreSQL.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  SqliteDialect,
  sql,
} from 'kysely'
import {
  type AnyTables,
  type OpenDatabase,
  openedOn,
  openPostgres,
  type TestDatabase,
} from '../support/databases.ts'

const script = readFileSync(join(import.meta.dirname, 'fixture/cms.sql'), 'utf8')

/** @example describe.each(cmsDatabases)('on $name', ({ open }) => { … }) */
export const cmsDatabases: readonly TestDatabase[] = [
  { name: 'sqlite', open: openFile },
  { name: 'postgres', open: openCopy },
]

async function openFile(): Promise<OpenDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'cms-'))
  written ??= bytesOf(script)
  writeFileSync(join(folder, 'cms.sqlite'), written)
  const database = new BetterSqlite(join(folder, 'cms.sqlite'))
  database.pragma('foreign_keys = on')
  const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
  return openedOn(db, async () => {
    await db.destroy()
    rmSync(folder, { recursive: true })
  })
}

/** The file, once somebody has asked for it. */
let written: Buffer | undefined

function bytesOf(made: string): Buffer {
  const database = new BetterSqlite(':memory:')
  database.exec(made)
  const bytes = database.serialize()
  database.close()
  return bytes
}

async function openCopy(): Promise<OpenDatabase> {
  const opened = await openPostgres()
  copied ??= copyOf(script)
  // One message for all of it: there are hundreds of tests.
  await opened.run(copied)
  return opened
}

/** The statements that make the copy, once somebody has asked for it. */
let copied: string | undefined

function copyOf(made: string): string {
  const file = new BetterSqlite(':memory:')
  file.exec(made)
  file.defaultSafeIntegers(true)
  const statements = copyTables(file).map((statement) => statement.compile(writer).sql)
  file.close()
  return statements.join(';\n')
}

/** Only writes statements down. */
const writer = new Kysely<AnyTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

interface ColumnInfo {
  readonly name: string
  readonly type: string
  readonly notnull: bigint
  readonly dflt_value: string | null
  readonly pk: bigint
}

function copyTables(file: BetterSqlite.Database): readonly RawBuilder<unknown>[] {
  const tables = file.prepare(
    "select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'",
  )
  const names = (tables.all() as { name: string }[]).map(({ name }) => name)
  return [
    ...names.flatMap((table) => copyTable(table, file)),
    ...names.flatMap((table) => copyKeys(table, file)),
  ]
}

function copyTable(table: string, file: BetterSqlite.Database): readonly RawBuilder<unknown>[] {
  const columns = file.prepare('select * from pragma_table_info(?)').all(table) as ColumnInfo[]
  const types = new Map(columns.map((column) => [column.name, typeOf(table, column)]))
  const declared = columns.map((column) => sql.raw(declarationOf(column, types.get(column.name) ?? '')))
  const creation = sql`create table ${sql.id(table)} (${sql.join(declared)})`
  const rows = file.prepare(`select * from "${table}"`).all() as Record<string, unknown>[]
  const cells = rows.map((row) => {
    const values = columns.map(({ name }) => sql.lit(cellOf(row[name], types.get(name) ?? '')))
    return sql`(${sql.join(values)})`
  })
  const names = columns.map(({ name }) => sql.id(name))
  const insertion = sql`insert into ${sql.id(table)} (${sql.join(names)}) values ${sql.join(cells)}`
  const numbered = columns.filter((column) => types.get(column.name) === 'serial')
  const numberings = numbered.map(
    ({ name }) =>
      sql`select setval(pg_get_serial_sequence(${sql.lit(`"${table}"`)}, ${sql.lit(name)}), greatest((select max(${sql.id(name)}) from ${sql.id(table)}), 1))`,
  )
  return [creation, ...(cells.length > 0 ? [insertion] : []), ...numberings]
}

/** Fields of exact numbers; the file has no type of its own for them. */
const decimals: ReadonlySet<string> = new Set(['articles.price', 'vals.dec'])
/** Of the moments, the one without a zone. */
const withoutZone: ReadonlySet<string> = new Set(['articles.published_at'])

function typeOf(table: string, { name, type, pk }: ColumnInfo): string {
  const declared = type.toLowerCase()
  const place = `${table}.${name}`
  if (decimals.has(place)) return 'numeric(10,2)'
  if (declared === 'integer') return pk > 0n ? 'serial' : 'integer'
  if (declared === 'datetime') return withoutZone.has(place) ? 'timestamp' : 'timestamptz'
  // Without PostGIS there is no other type for them.
  if (/^(point|polygon|geometry)$/.test(declared)) return 'text'
  return { 'char(36)': 'uuid', float: 'real' }[declared] ?? declared
}

function declarationOf({ name, notnull, dflt_value: given, pk }: ColumnInfo, type: string): string {
  const isSaid = given !== null && given.toLowerCase() !== 'null' && type !== 'serial'
  const plain = type === 'boolean' ? given?.replace("'0'", 'false').replace("'1'", 'true') : given
  return [
    `"${name}" ${type}`,
    ...(isSaid ? [`default ${plain}`] : []),
    ...(notnull ? ['not null'] : []),
    ...(pk > 0n ? ['primary key'] : []),
  ].join(' ')
}

function cellOf(value: unknown, type: string): string | number | boolean | null {
  if (value === null || value === undefined) return null
  if (type === 'boolean') return value === 1n
  if (typeof value === 'bigint' && type.startsWith('timestamp')) return new Date(Number(value)).toISOString()
  if (typeof value === 'bigint' && type === 'date') return new Date(Number(value)).toISOString().slice(0, 10)
  return typeof value === 'string' || typeof value === 'number' ? value : String(value)
}

function copyKeys(table: string, file: BetterSqlite.Database): readonly RawBuilder<unknown>[] {
  const unique = file
    .prepare(
      `select (select group_concat('"' || name || '"') from pragma_index_info(l.name)) as names
       from pragma_index_list(?) as l where l."unique" and l.origin <> 'pk' and not l.partial`,
    )
    .all(table) as { names: string }[]
  const keys = file
    .prepare(
      'select "table" as target, "from" as own, "to" as key, on_delete as deletion from pragma_foreign_key_list(?)',
    )
    .all(table) as { target: string; own: string; key: string; deletion: string }[]
  return [
    ...unique.map(({ names }) => sql`alter table ${sql.id(table)} add unique (${sql.raw(names)})`),
    ...keys.map(
      ({ target, own, key, deletion }) => sql`alter table ${sql.id(table)} add foreign key (${sql.id(own)})
        references ${sql.id(target)} (${sql.id(key)}) on delete ${sql.raw(deletion)}`,
    ),
  ]
}
