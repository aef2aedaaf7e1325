// A host's bundle has no names of classes left: dialects and connections are known by what they compile and do.
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import BetterSqlite from 'better-sqlite3'
import { build } from 'esbuild'
import {
  Kysely,
  MssqlAdapter,
  MssqlQueryCompiler,
  MysqlAdapter,
  MysqlQueryCompiler,
  SqliteDialect,
} from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { dialectOf } from '../../../src/dialects/detect.ts'

type Program = typeof import('./program.ts')

let home = ''
let program: Program

beforeAll(async () => {
  // Below the modules that stay outside of the bundle.
  home = await mkdtemp(join(import.meta.dirname, '../../../node_modules/.quernel-bundle-'))
  const outfile = join(home, 'bundle.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'program.ts')],
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    external: ['node:*', 'sharp'],
  })
  program = await import(pathToFileURL(outfile).href)
})
afterAll(() => rm(home, { recursive: true, force: true }))

describe('in a minified bundle', () => {
  it('an engine starts over SQLite, and knows that its connection is the only one', async () => {
    const database = new BetterSqlite(':memory:')
    database.exec('create table notes (id integer primary key, title text)')
    const db = new program.Kysely({ dialect: new program.SqliteDialect({ database }) })
    expect(await program.answersOf(db)).toEqual({
      items: [{ id: 1, title: 'Ada' }],
      isOnly: true,
      hasRaw: false,
    })
    await db.destroy()
  })

  it('an engine starts over PostgreSQL, and knows the raw connection of its driver', async () => {
    const pool = new pg.Pool({ connectionString: inject('postgres').c, max: 1 })
    await pool.query('create temporary table notes (id integer primary key, title text)')
    const db = new program.Kysely({ dialect: new program.PostgresDialect({ pool }) })
    expect(await program.answersOf(db)).toEqual({
      items: [{ id: 1, title: 'Ada' }],
      isOnly: false,
      hasRaw: true,
    })
    await db.destroy()
  })
})

describe('a dialect', () => {
  const sqlite = new SqliteDialect({ database: new BetterSqlite(':memory:') })
  const others = {
    MySQL: {
      createAdapter: () => new MysqlAdapter(),
      createQueryCompiler: () => new MysqlQueryCompiler(),
      says: 'select `c` from `t` where `c` = ?',
    },
    'SQL Server': {
      createAdapter: () => new MssqlAdapter(),
      createQueryCompiler: () => new MssqlQueryCompiler(),
      says: 'select "c" from "t" where "c" = @1',
    },
  }

  it.each(Object.entries(others))('of %s is refused by what it compiles', (_, { says, ...parts }) => {
    const db = new Kysely({
      dialect: {
        createDriver: () => sqlite.createDriver(),
        createIntrospector: (one) => sqlite.createIntrospector(one),
        ...parts,
      },
    })
    expect(() => dialectOf(undefined, db)).toThrow(
      `The dialect of this Kysely instance is not known: it compiles ${says}`,
    )
  })
})
