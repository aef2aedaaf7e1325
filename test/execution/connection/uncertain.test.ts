// A connection of which nobody knows what it is in the middle of is closed, and no one gets it next.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  type Engine,
  listItems,
  streamItems,
} from '../../../src/index.ts'
import { inSeconds } from '../../items/connections.ts'
import { doors, openTampered, type Tampered } from '../tampered-pool.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})
const gone = new Error('The answer was lost.')

describe.each(doors)('over $door', ({ door, over }) => {
  let opened: Tampered
  let engine: Engine<typeof schema>
  const errors: unknown[] = []
  beforeEach(async () => {
    errors.length = 0
    opened = await openTampered(over)
    await sql`create table notes (id integer primary key, text varchar(100) unique)`.execute(opened.db)
    engine = createEngine({ db: opened.db, schema, onError: (error) => errors.push(error) })
    await createItem(engine, 'notes', { id: 1, text: 'one' })
  })

  const process = async () => (await opened.pool.query('select pg_backend_pid() as pid')).rows[0]?.pid
  const stored = async () =>
    (await opened.observer.query('select id from notes order by id')).rows.map(({ id }) => id)
  /** Loses the answers to some statements, or the statements themselves. */
  const lose = (...texts: readonly string[]) => {
    opened.on = (text) => (texts.includes(text) ? gone : undefined)
  }
  /** The next who comes works on a connection that is in no transaction. */
  const expectWhole = async () => {
    opened.on = () => undefined
    await createItem(engine, 'notes', { id: 9, text: 'nine' })
    expect(await stored()).toContain(9)
    expect(opened.pool.totalCount).toBe(1)
  }
  const twins = [
    { id: 2, text: 'two' },
    { id: 3, text: 'one' },
  ]

  it('a transaction whose rollback fails throws what it failed with, and its connection is closed', async () => {
    const before = await process()
    lose('rollback')
    await expect(createItems(engine, 'notes', twins)).rejects.toMatchObject({ code: 'RECORD_NOT_UNIQUE' })
    await expectWhole()
    expect(await process()).not.toBe(before)
    expect(await stored()).toEqual([1, 9])
  })

  const several = [
    { id: 2, text: 'two' },
    { id: 3, text: 'three' },
  ]

  it('a transaction whose commit and rollback fail says that it may be stored, and its connection is closed', async () => {
    const before = await process()
    lose('commit', 'rollback')
    await expect(createItems(engine, 'notes', several)).rejects.toMatchObject({
      message: 'The outcome of the transaction is unknown: what was written may be stored.',
    })
    await expectWhole()
    expect(await process()).not.toBe(before)
  })

  it('a connection whose failed commit was rolled back is handed on', async () => {
    const before = await process()
    lose('commit')
    await expect(createItems(engine, 'notes', several)).rejects.toThrow('may be stored')
    await expectWhole()
    expect(await process()).toBe(before)
  })

  it('a stream whose end fails has answered all, tells of it, and its connection is closed', async () => {
    const before = await process()
    lose('rollback')
    const items: unknown[] = []
    for await (const item of streamItems(engine, 'notes')) items.push(item)
    expect(items).toEqual([{ id: 1, text: 'one' }])
    expect(errors).toMatchObject([{ code: 'INTERNAL_SERVER_ERROR', cause: gone }])
    await expectWhole()
    expect(await process()).not.toBe(before)
  })

  it('a statement with a limit of time whose end fails closes its connection', async () => {
    const before = await process()
    lose('commit', 'rollback')
    await expect(listItems(engine, 'notes', {}, { timeoutMs: 5_000 })).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
    })
    await expectWhole()
    expect(await process()).not.toBe(before)
  })

  // Kysely's own dialect does not look at what ends a transaction.
  if (door === 'quernel/postgres')
    it("so it is with a transaction of the host's", async () => {
      const before = await process()
      lose('rollback')
      const work = opened.db.transaction().execute(async (transaction) => {
        // Before its first statement nothing of it is at the server.
        await sql`select 1`.execute(transaction)
        throw new RangeError('undone')
      })
      await expect(inSeconds(5, work)).rejects.toBe(gone)
      await expectWhole()
      expect(await process()).not.toBe(before)
    })
})
