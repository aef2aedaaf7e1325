import pg from 'pg'
import { startPostgres } from '../test/support/postgres.ts'
import { type Counts, type Table, tables, type Value } from './data.ts'
import { fingerprint } from './sqlite-data.ts'

export interface PostgresData {
  readonly url: string
  close(): Promise<void>
}

/** A database that holds the data: on the server at QUERNEL_PG, where it stays for the next run, or on one of our own. */
export async function postgresData(counts: Counts): Promise<PostgresData> {
  const given = process.env.QUERNEL_PG
  const server = given ? { url: given, stop: async () => {} } : await startPostgres()
  const url = new URL(server.url)
  url.pathname = `quernel_bench_${fingerprint(counts)}`
  try {
    await load(server.url, url, counts)
  } catch (error) {
    await server.stop()
    throw error
  }
  const close = async () => {
    await pools.get(url.href)?.endForAll()
    pools.delete(url.href)
    await server.stop()
  }
  return { url: url.href, close }
}

const pools = new Map<string, SharedPool>()

/** The pool that all have in common, for the same reason as on SQLite: each connection is a process with caches of its own. */
export function openPool(url: string): pg.Pool {
  const pool = pools.get(url) ?? new SharedPool({ connectionString: url, options: '-c TimeZone=UTC' })
  pools.set(url, pool)
  return pool
}

/** It ends with the data, not with one of those who use it. */
class SharedPool extends pg.Pool {
  override async end(): Promise<void> {}

  async endForAll(): Promise<void> {
    await super.end()
  }
}

async function load(admin: string, target: URL, counts: Counts): Promise<void> {
  const name = target.pathname.slice(1)
  const known = await connected(admin, async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0)
      await client.query(`create database ${name} template template0 encoding 'UTF8' locale 'C'`)
    return rowCount !== 0
  })
  if (known && (await connected(target.href, isLoaded))) return
  await connected(target.href, async (client) => {
    for (const [name, table] of Object.entries(tables)) await fill(client, name, table, counts)
    await client.query('create table loaded ()')
  })
  // Not in a transaction, where it is refused.
  await connected(target.href, (client) => client.query('vacuum analyze'))
}

async function connected<Answer>(url: string, work: (client: pg.Client) => Promise<Answer>): Promise<Answer> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function isLoaded(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('loaded') is not null as known`)
  return rows[0]?.known === true
}

async function fill(client: pg.Client, name: string, table: Table, counts: Counts): Promise<void> {
  const columns = Object.entries(table.columns)
  await client.query(`drop table if exists ${name}`)
  await client.query(
    `create table ${name} (${columns.map(([column, [, type]]) => `${column} ${type}`).join(', ')})`,
  )
  const names = columns.map(([column]) => column)
  for (const rows of chunks(table.rows(counts), 5_000)) {
    const objects = rows.map((row) =>
      Object.fromEntries(row.map((value, index) => [names[index], parsed(value)])),
    )
    await client.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1)`, [
      JSON.stringify(objects),
    ])
  }
  for (const [index, columns] of table.indexes.entries()) {
    await client.query(`create index ${name}_${index} on ${name} (${columns})`)
  }
}

/** A JSON column wants the document, not its text. */
const parsed = (value: Value): unknown =>
  typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value

function* chunks<Row>(rows: Iterable<Row>, size: number): Generator<Row[]> {
  let chunk: Row[] = []
  for (const row of rows) {
    chunk.push(row)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
