// Databases that fail while lists are watched: whatever is lost, it is right again afterwards.
import BetterSqlite from 'better-sqlite3'
import { type Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  deleteItem,
  isEngineError,
  listItems,
  updateByQuery,
  updateItem,
} from '../../../src/index.ts'
import { createFeed, localSource } from '../../../src/realtime.ts'
import { openPool } from '../../items/connections.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { atEnd } from '../../support/at-end.ts'
import { type AnyTables, databases } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { failing, type Steps } from '../../writes/failing-driver.ts'
import { injectedDatabases } from '../../writes/injector.ts'
import { createNotes, memberships, type Notes, NotesReader, rules, schema } from '../notes.ts'
import { pause, until } from '../tasks.ts'

const admin = { admin: true } as const
const member = { user: 7, rules }
const callers = [admin, member] as const

const listed = async (engine: Notes, access: (typeof callers)[number]) =>
  (await listItems(engine.as(access), 'notes', { fields: ['id', 'text'] })).data

/** Waits until a reader holds what is listed. False if it was told an error instead. */
async function isTrue(
  engine: Notes,
  reader: NotesReader,
  access: (typeof callers)[number],
): Promise<boolean> {
  const held = () =>
    JSON.stringify(
      reader.replica.data.toSorted(
        (one, other) => Number(Reflect.get(Object(one), 'id')) - Number(Reflect.get(Object(other), 'id')),
      ),
    )
  const end = performance.now() + 60_000
  for (;;) {
    // A statement whose connection was lost may come late.
    const expected = JSON.stringify(await listed(engine, access))
    if (reader.error !== undefined) {
      expect(isEngineError(reader.error), String(reader.error)).toBe(true)
      return false
    }
    if (held() === expected) return true
    if (performance.now() > end) expect(held()).toBe(expected)
    await pause(2)
  }
}

const textsIn = ({ messages }: NotesReader): readonly unknown[] =>
  messages
    .flatMap((message) => (message.kind === 'changes' ? message.set.map(({ item }) => item) : []))
    .map((item) => Reflect.get(Object(item), 'text'))

const openFailing: Readonly<
  Record<'sqlite' | 'postgres', () => Promise<{ readonly db: Kysely<AnyTables>; readonly steps: Steps }>>
> = {
  sqlite: async () => {
    const { db, steps } = failing(new SqliteDialect({ database: new BetterSqlite(':memory:') }))
    atEnd(() => db.destroy())
    return { db, steps }
  },
  postgres: async () => {
    const opened = await openPool(4)
    const { db, steps } = failing(new PostgresDialect({ pool: opened.pool }))
    atEnd(() => opened.close())
    return { db, steps }
  },
}
/** The error of a transaction that is to be repeated. */
const conflicts = { sqlite: 'SQLITE_BUSY', postgres: '40P01' } as const

describe.each(databases)('on $name', ({ name }) => {
  it.each(memberships)(
    'an attempt that is repeated is told once, as it was stored (%s)',
    async (membership) => {
      const { db, steps } = await openFailing[name]()
      await createNotes(db)
      const engine = createEngine({ db, schema })
      const feed = createFeed(engine, { source: localSource(), settleMs: 0 })
      atEnd(() => feed.stop())
      const readers = await Promise.all(
        callers.map((access) => new NotesReader(feed, access, membership).begin()),
      )
      let attempts = 0
      engine.on(
        'items.update',
        'notes',
        ({ payload }) => {
          attempts += 1
          return { ...payload, text: `attempt ${attempts}` }
        },
        { when: 'before' },
      )
      const calls = [
        () => updateByQuery(engine, 'notes', { filter: { id: { _gt: 0 } } }, { text: 'another' }),
        () => updateItem(engine, 'teams', 1, { members: { create: [{ id: 3, person: 8 }] } }),
        () => deleteItem(engine, 'members', 3),
        () => deleteItem(engine, 'notes', 3),
        () => createItem(engine, 'notes', { id: 3, text: 'third', team: 1 }),
      ]
      await createItem(engine, 'notes', { id: 3, text: 'third', team: 1 })
      let repeated = 0
      const stored = new Set<unknown>((await listed(engine, admin)).map(({ text }) => text))
      for (const [index, call] of Array.from({ length: 8 }, (_, at) =>
        calls.map((call) => [at + 1, call] as const),
      ).flat()) {
        let count = 0
        // A step of the call, and none of what the feed reads beside it.
        steps.fails = () => {
          if (!/^(begin|insert|update|delete|with|commit)/i.test(steps.statements.at(-1) ?? '')) return false
          count += 1
          return count === index
        }
        steps.failWith = () => Object.assign(new Error('again'), { code: conflicts[name] })
        await call()
        if (count >= index) repeated += 1
        steps.fails = () => false
        for (const { text } of await listed(engine, admin)) stored.add(text)
        for (const [at, reader] of readers.entries()) {
          expect(await isTrue(engine, reader, callers[at] ?? admin)).toBe(true)
          // What an attempt wrote that came to nothing is not told.
          for (const text of textsIn(reader)) expect([...stored]).toContain(text)
        }
      }
      expect(repeated).toBeGreaterThan(calls.length)
    },
  )
})

const turns = drawsOf('faults of a feed')

describe.each(injectedDatabases)(`with $title (QUERNEL_SEED=${fuzzSeed})`, ({ faults, open }) => {
  it('readers hold what is there once calls no longer fail', async () => {
    const random = new Random(fuzzSeed)
    const opened = await open()
    atEnd(() => opened.close())
    await createNotes(opened.db)
    const engine = createEngine({ db: opened.db, schema })
    const feed = createFeed(engine, { source: localSource(), settleMs: 0, onError: () => undefined })
    atEnd(() => feed.stop())
    const wanted = callers.flatMap((access) => memberships.map((membership) => ({ access, membership })))
    const readers = await Promise.all(
      wanted.map(({ access, membership }) => new NotesReader(feed, access, membership).begin()),
    )
    let failed = 0
    let before: string | undefined
    for (let turn = 0; turn < turns; turn++) {
      const fault = random.one(faults)
      opened.arm(1 + random.below(12), fault)
      for (let write = 0; write < 3; write++)
        await anyWrite(random, engine, turn * 3 + write).catch((error: unknown) => {
          expect(isEngineError(error), String(error)).toBe(true)
          failed += 1
        })
      await pause(random.below(4))
      opened.arm(0)
      for (const [index, reader] of readers.entries()) {
        await pause(1)
        while (!(await isTrue(engine, reader, wanted[index]?.access ?? admin))) {
          // Whoever was told an error comes back, as clients do. A database that is away is nobody's error.
          // On a slow machine what the turn before has met may come now.
          expect([before, fault].every((one) => one === undefined || /^lost/.test(one))).toBe(false)
          reader.comeBack()
        }
      }
      before = fault
    }
    expect(failed).toBeGreaterThan(turns / 10)
    expect(feed.status()).toMatchObject({ subscriptions: wanted.length, lag: 0 })
    for (const reader of readers) await reader.leave()
    await until(() => feed.status().subscriptions === 0)
    await feed.stop()
    expect(await opened.leftovers()).toEqual([])
  })
})

/** Changes notes and memberships, alone and together. */
async function anyWrite(random: Random, engine: Notes, turn: number): Promise<unknown> {
  const id = 1 + random.below(2)
  const write = random.one(['text', 'team', 'many', 'member', 'gone', 'together'] as const)
  if (write === 'text') return updateItem(engine, 'notes', id, { text: `turn ${turn}` })
  if (write === 'team') return updateItem(engine, 'notes', id, { team: 1 + random.below(2) })
  if (write === 'many')
    return updateByQuery(engine, 'notes', { filter: { id: { _gt: 0 } } }, { text: `all ${turn}` })
  if (write === 'member')
    return createItem(engine, 'members', { id: 10 + turn, team: 1 + random.below(2), person: 7 })
  const { data } = await listItems(engine, 'members', { filter: { id: { _gte: 10 } }, limit: 1 })
  if (write === 'gone') return data[0] && deleteItem(engine, 'members', data[0].id)
  return engine.transaction(async (inside) => {
    await updateItem(inside, 'notes', 1, { text: `first ${turn}` })
    await updateItem(inside, 'notes', 2, { text: `second ${turn}` })
  })
}
