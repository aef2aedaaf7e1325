// Threads of a program that is bundled into one file, with better-sqlite3 elsewhere.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

let home: string
let path: string
const driver = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'))

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'quernel-bundled-'))
  path = join(home, 'notes.db')
  const database = new BetterSqlite(path)
  database.exec('pragma journal_mode = wal; create table notes (id integer primary key)')
  database.close()
})
afterAll(() => rm(home, { recursive: true }))

const program = `import { Kysely, sql } from 'kysely'
import { sqliteReaders } from './src/sqlite.ts'
const [path, driver] = process.argv.slice(2)
const db = new Kysely({ dialect: sqliteReaders({ path, threads: 1, driver }) })
sql\`select count(*) as notes from notes\`.execute(db).then(
  ({ rows }) => console.log(JSON.stringify(rows)),
  ({ code, message, path, hint }) => console.log(JSON.stringify({ code, message, path, hint })),
)`

it.each(['esm', 'cjs'] as const)('are told of by "driver", in a bundle of format %s', async (format) => {
  const bundle = join(home, format === 'esm' ? 'bundle.mjs' : 'bundle.cjs')
  const root = join(import.meta.dirname, '../../..')
  await build({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    bundle: true,
    outfile: bundle,
    format,
    platform: 'node',
    logLevel: 'error',
    // CommonJS has no address of the bundle.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  const run = async (...options: readonly string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, [bundle, path, ...options], { cwd: home })
    return JSON.parse(stdout)
  }
  const error = (message: string) => ({
    code: 'INVALID_OPTIONS',
    message,
    path: ['driver'],
    hint: 'npm install better-sqlite3. No bundler carries it: where it is not in node_modules beside the bundle, "driver" is its folder.',
  })
  expect(await run(driver)).toEqual([{ notes: 0 }])
  expect(await run(home)).toEqual(error('"driver" leads to no "better-sqlite3" that can be loaded.'))
  const hasNode = await import('node:sqlite' as string).then(
    (module) => 'aggregate' in module.DatabaseSync.prototype,
    () => false,
  )
  const neither = 'Readers want the package "better-sqlite3", or Node 22.16 or newer, and find neither.'
  expect(await run()).toEqual(hasNode ? [{ notes: 0 }] : error(neither))
})
