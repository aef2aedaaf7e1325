// Keys of starts: one run for each, whoever comes first and by whichever engine.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect, sql } from 'kysely'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { createFlows, defineFlow } from '../../../src/flows.ts'
import { createEngine, listItems } from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'
import { note, schema } from './world.ts'

const once = defineFlow({
  name: 'once',
  trigger: { on: 'flow', returns: 'note' },
  access: 'full',
  first: 'note',
  operations: { note: note('{{ $trigger.text }}') },
})

const opened = {
  sqlite: (folder: string) => {
    const database = new BetterSqlite(join(folder, 'data'))
    database.pragma('journal_mode = WAL')
    return new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
  },
  postgres: (_folder: string, name: string) => {
    const options = `-c search_path=${name}`
    const pool = new pg.Pool({ connectionString: inject('postgres').c, options, max: 4 })
    return new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
  },
} as const

it.each(['sqlite', 'postgres'] as const)(
  'start one run each, of two engines at once on %s',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-keys-'))
    const name = `keys_${process.pid}_${Date.now()}`
    const first = opened[kind](folder, name)
    const databases = [first, opened[kind](folder, name)]
    if (kind === 'postgres') await sql`create schema ${sql.id(name)}`.execute(first)
    const key = kind === 'sqlite' ? 'integer' : 'serial'
    await sql.raw(`create table notes (id ${key} primary key, text text not null)`).execute(first)
    const all = databases.map((db) => {
      const engine = createEngine({ db, schema, flows: {} })
      return { engine, flows: createFlows(engine, { flows: [once], pollMs: 20 }) }
    })
    await Promise.all(all.map(({ flows }) => flows.install()))
    for (const { flows } of all) await flows.start()
    const keys = Array.from({ length: 25 }, (_, at) => `key ${at}`)
    const results = await Promise.all(
      keys.flatMap((key) =>
        [...all, ...all].map(({ flows }) => flows.run('once', { text: key }, { key, waitMs: 60_000 })),
      ),
    )
    for (const [at] of keys.entries()) {
      const same = results.slice(at * 4, at * 4 + 4)
      expect(new Set(same.map(({ id }) => id)).size).toBe(1)
      expect(same.map(({ state }) => state)).toEqual(Array(4).fill('succeeded'))
    }
    const [one] = all
    const notes = one ? (await listItems(one.engine, 'notes', { limit: -1 })).data : []
    expect(notes.map(({ text }) => text).sort()).toEqual([...keys].sort())
    for (const { flows } of all) await flows.stop()
    if (kind === 'postgres') await sql`drop schema ${sql.id(name)} cascade`.execute(first)
    for (const db of databases) await db.destroy()
    rmSync(folder, { recursive: true })
  },
  120_000,
)
