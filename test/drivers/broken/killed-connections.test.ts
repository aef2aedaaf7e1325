// A server that ends connections at random, beside a process that reads its socket late: answers and the end of their connection come in one read.
import { randomBytes } from 'node:crypto'
import { Kysely } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createEngine, createItem, createItems, defineSchema, isEngineError } from '../../../src/index.ts'
import type { AnyTables } from '../../support/databases.ts'
import { brokenDrivers } from './broken-drivers.ts'

/** Calls over each driver. */
const calls = Number(process.env.QUERNEL_KILLS ?? 60)

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})
type Notes = ReturnType<typeof createEngine<typeof schema>>

let admin: pg.Client
const name = `killed_${randomBytes(8).toString('hex')}`
const url = new URL(inject('postgres').c)

beforeAll(async () => {
  url.searchParams.set('options', `-c search_path=${name}`)
  admin = new pg.Client(url.href.replaceAll('+', '%20'))
  await admin.connect()
  await admin.query(`create schema ${name};
    create table notes (id int generated always as identity primary key, text text not null)`)
  url.searchParams.set('application_name', name)
})
afterAll(async () => {
  await admin.query(`drop schema ${name} cascade`)
  await admin.end()
})

/** Ends connections until it is aborted, and holds the process up so that it reads late. */
async function kill(until: AbortSignal): Promise<void> {
  const still = new Int32Array(new SharedArrayBuffer(4))
  while (!until.aborted) {
    // Nobody waits for its answer before the process stands still.
    const killing = admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 order by random() limit 2',
      [name],
    )
    await new Promise((resolve) => setImmediate(resolve))
    Atomics.wait(still, 0, 0, Math.random() * 12)
    await killing
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 12))
  }
}

const ways: readonly ((engine: Notes, text: string) => Promise<unknown>)[] = [
  (engine, text) => createItem(engine, 'notes', { text }),
  (engine, text) => createItem(engine, 'notes', { text }),
  (engine, text) => createItem(engine, 'notes', { text }, {}, { timeoutMs: 60_000 }),
  (engine, text) => createItems(engine, 'notes', [{ text }]),
  (engine, text) => engine.transaction((inside) => createItem(inside, 'notes', { text })),
]

describe.each(brokenDrivers.filter(({ goesOn }) => goesOn))('over $title', ({ title, dialect }) => {
  it('what is answered is stored, and what is refused is not, however connections end', async () => {
    const db = new Kysely<AnyTables>({ dialect: await dialect(url.href.replaceAll('+', '%20'), 6) })
    const engine = createEngine({ db, schema, acquireTimeoutMs: 60_000 })
    await createItem(engine, 'notes', { text: 'first' })
    const told = new Map<string, 'answered' | 'refused' | 'may be stored'>()
    const over = new AbortController()
    let next = 0
    const caller = async () => {
      while (next < calls) {
        const text = `${title} ${++next}`
        // However slowly a driver opens connections, some calls are answered.
        if (next > calls * 0.8) over.abort()
        try {
          await ways[next % ways.length]?.(engine, text)
          told.set(text, 'answered')
        } catch (error) {
          if (!isEngineError(error) || error.code !== 'SERVICE_UNAVAILABLE') throw error
          told.set(text, error.extensions.mayBeStored ? 'may be stored' : 'refused')
        }
      }
    }
    const killing = kill(over.signal)
    try {
      await Promise.all(Array.from({ length: 6 }, caller))
    } finally {
      over.abort()
      await killing
      await db.destroy()
    }
    const { rows } = await admin.query('select text from notes')
    const stored = new Set(rows.map(({ text }) => text))
    const those = (how: string) => [...told].filter(([, one]) => one === how).map(([text]) => text)
    if (process.env.QUERNEL_KILLS)
      console.info(
        title,
        Object.fromEntries(['answered', 'refused', 'may be stored'].map((how) => [how, those(how).length])),
      )
    expect(those('answered').filter((text) => !stored.has(text))).toEqual([])
    expect(those('refused').filter((text) => stored.has(text))).toEqual([])
    expect(those('answered').length).toBeGreaterThan(0)
    expect(told.size).toBe(calls)
  })
})
