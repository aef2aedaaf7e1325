// How the smoke is run over each driver: here, in Bun, or in a Worker.
import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import { type Dialect, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { postgresDialect } from '../../../src/postgres.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { type AnyTables, openPostgres, openSqlite } from '../../support/databases.ts'
import { drivers, isThere } from '../../support/drivers.ts'
import { answerOfWorker } from '../../support/workers.ts'
import type { DatabaseName } from './check.ts'
import { neonPool } from './neon.ts'
import { type Outcome, runSmoke } from './run-smoke.ts'
import type { SmokeDriver } from './smoke-driver.ts'

const programs = join(import.meta.dirname, 'programs')
const load = createRequire(import.meta.url)

/** Runs the smoke over a driver, by its title. */
export const runners: Readonly<Record<string, () => Promise<Outcome>>> = {
  'better-sqlite3': () => over('sqlite', openSqlite),
  'better-sqlite3 with quernel/sqlite': () =>
    over('sqlite', async () => opened(sqliteDialect({ database: new BetterSqlite(':memory:') }))),
  'node:sqlite': () => overLane('node:sqlite by quernel/sqlite'),
  libSQL: () => overLane('libSQL'),
  'sql.js': () => overLane('sql.js'),
  'Bun, bun:sqlite': () => inBun('bun:sqlite'),
  'Bun, node:sqlite': () => inBun('node:sqlite'),
  'D1, in a Worker': async () => JSON.parse(await answerOfWorker(join(programs, 'worker.mjs'))),
  pg: () => over('postgres', openPostgres),
  'pg with quernel/postgres': () =>
    over('postgres', () =>
      inSchema(async (url) => postgresDialect({ pool: new pg.Pool({ connectionString: url }) })),
    ),
  'postgres.js': () => overLane('postgres.js'),
  'Neon over WebSockets': () => over('postgres', () => inSchema(openNeon)),
  PGlite: () => overLane('PGlite'),
}

export function whyNotRun({ needs }: SmokeDriver): string | undefined {
  if (!isThere(needs)) return `there is no ${needs} in Node ${process.version}`
  const program = binaries[needs]
  try {
    if (program) execFileSync(program(), ['--version'], { stdio: 'ignore' })
    return undefined
  } catch (error) {
    return `${needs} does not start here: ${error instanceof Error ? error.message.split('\n')[0] : error}`
  }
}

const bunProgram = () => join(load.resolve('bun/package.json'), '../bin/bun.exe')

/** Programs that come with a package, each for the systems that it was built for. */
const binaries: Readonly<Record<string, () => string>> = {
  bun: bunProgram,
  miniflare: () => createRequire(load.resolve('miniflare'))('workerd').default,
}

interface Opened {
  readonly db: Kysely<AnyTables>
  close(): Promise<void>
}

async function over(database: DatabaseName, open: () => Promise<Opened>): Promise<Outcome> {
  const { db, close } = await open()
  try {
    return await runSmoke(db, database)
  } finally {
    await close()
  }
}

/** Runs it over a driver as other tests open it. */
function overLane(title: string): Promise<Outcome> {
  const lane = drivers.find((driver) => driver.title === title)
  if (!lane) throw new Error(`No test opens ${title}.`)
  return over(lane.name, lane.open)
}

function opened(dialect: Dialect, end: () => unknown = () => undefined): Opened {
  const db = new Kysely<AnyTables>({ dialect })
  const close = async () => {
    await db.destroy()
    await end()
  }
  return { db, close }
}

/** Opens a schema of its own on the server of the tests. */
async function inSchema(dialectOf: (url: string) => Promise<Dialect>): Promise<Opened> {
  const schema = `test_${randomBytes(8).toString('hex')}`
  const url = new URL(inject('postgres').c)
  const admin = new pg.Pool({ connectionString: url.href, max: 1 })
  await admin.query(`create schema ${schema}`)
  url.searchParams.set('options', `-c search_path=${schema}`)
  return opened(await dialectOf(url.href.replaceAll('+', '%20')), async () => {
    await admin.query(`drop schema ${schema} cascade`)
    await admin.end()
  })
}

async function openNeon(url: string): Promise<Dialect> {
  return new PostgresDialect({ pool: await neonPool(url) })
}

async function inBun(module: string): Promise<Outcome> {
  const { stdout } = await promisify(execFile)(bunProgram(), [join(programs, 'bun.ts'), module], {
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(stdout)
}
