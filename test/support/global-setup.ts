// The pages for browsers, and one PostgreSQL server for the whole run, with two empty databases on it: one compares text by code point (the C
// locale), one as a language does.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { buildPages } from '../../build-pages.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { keepFilesInMemory } from './short-lived.ts'

const locales = { c: `LOCALE_PROVIDER libc LOCALE 'C'`, language: `LOCALE_PROVIDER icu ICU_LOCALE 'en'` }
const prefix = 'quernel_test_'

/** The connection string of each database. */
export type PostgresUrls = Readonly<Record<keyof typeof locales, string>>

declare module 'vitest' {
  interface ProvidedContext {
    postgres: PostgresUrls
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Before anybody asks where they go: processes of the tests have it from this one.
  keepFilesInMemory()
  buildPages()
  const server = await chooseServer(process.env.QUERNEL_PG)
  const undo: (() => Promise<unknown>)[] = [server.stop]
  const tearDown = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    project.provide('postgres', await createDatabases(server.url, undo))
  } catch (error) {
    await tearDown()
    throw error
  }
  return tearDown
}

async function chooseServer(url: string | undefined): Promise<PostgresServer> {
  return url ? { url, stop: async () => {} } : startPostgres()
}

async function createDatabases(url: string, undo: (() => Promise<unknown>)[]): Promise<PostgresUrls> {
  const admin = await connect(url)
  undo.push(() => admin.end())
  await dropLeftovers(admin)
  const run = randomBytes(4).toString('hex')
  const create = async (kind: keyof typeof locales) => {
    const name = `${prefix}${run}_${kind}`
    await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' ${locales[kind]}`)
    undo.push(() => admin.query(`DROP DATABASE ${name} WITH (FORCE)`))
    const address = new URL(url)
    address.pathname = name
    // Kept open for as long as the run lives: it is how another run on this server sees that the database is in use.
    const claim = await connect(address.href)
    undo.push(() => claim.end())
    return address.href
  }
  return { c: await create('c'), language: await create('language') }
}

/** Drops the databases of runs that were killed: those to which nobody is connected. */
async function dropLeftovers(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [
    prefix,
  ])
  for (const { datname } of rows) {
    await admin.query(`DROP DATABASE IF EXISTS ${admin.escapeIdentifier(datname)}`).catch((error) => {
      if (error.code !== objectInUse) throw error
    })
  }
}

const objectInUse = '55006'

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  return client
}
