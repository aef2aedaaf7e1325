// A server that says nothing, or a network that loses everything: whoever set a limit of time is answered, and the pool goes on.
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
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
import { type Network, proxyTo } from '../silent-proxy.ts'
import { doors, openTampered, type Tampered } from '../tampered-pool.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})
const limited = { timeoutMs: 50 }
const late = { code: 'OUT_OF_TIME', status: 408, message: 'The database took longer than 50 milliseconds.' }
const inDoubt = {
  message: 'The outcome of the transaction is unknown: what was written may be stored.',
  hint: 'Check what is stored before you repeat the call.',
}
const one = { id: 1, text: 'one' }

describe.each(doors)('over $door', ({ over }) => {
  let opened: Tampered
  let proxy: Network
  let engine: Engine<typeof schema>
  const told: unknown[] = []
  const stored = async () =>
    (await opened.observer.query('select id from notes order by id')).rows.map(({ id }) => id)
  beforeEach(async () => {
    told.length = 0
    proxy = await proxyTo(Number(new URL(inject('postgres').c).port))
    opened = await openTampered(over, { port: proxy.port })
    await sql`create table notes (id integer primary key, text varchar(100) unique)`.execute(opened.db)
    engine = createEngine({ db: opened.db, schema })
    engine.on('items.create', 'notes', ({ keys }) => void told.push(...keys), { when: 'after' })
    await listItems(engine, 'notes')
  })
  afterEach(async () => {
    await proxy.close()
  })

  /** The pool has one place, and it is free again. */
  const expectWhole = async () => {
    proxy.heal()
    expect(await inSeconds(5, listItems(engine, 'notes', { filter: { id: 99 } }))).toEqual({ data: [] })
    expect(opened.pool.totalCount).toBe(1)
  }

  const works: Readonly<Record<string, () => Promise<unknown>>> = {
    'a list': () => listItems(engine, 'notes', {}, limited),
    'a verb that writes': () => createItem(engine, 'notes', one, {}, limited),
    'a stream': async () => {
      for await (const _ of streamItems(engine, 'notes', {}, limited));
    },
    'a transaction': () => engine.transaction(async () => undefined, limited),
  }
  it.each(Object.entries(works))('%s ends a second after its limit', async (_title, work) => {
    proxy.swallow()
    await expect(inSeconds(5, work())).rejects.toMatchObject(late)
    await expectWhole()
    expect([await stored(), told]).toEqual([[], []])
  })

  it.each(['insert into', 'savepoint', 'set_config'])(
    'what waits for the answer to %s in a transaction ends likewise',
    async (text) => {
      const work = engine.transaction(async (inside) => {
        proxy.swallowAfter(text)
        return createItem(inside, 'notes', one, {}, limited)
      }, limited)
      await expect(inSeconds(8, work)).rejects.toMatchObject(late)
      await expectWhole()
      expect([await stored(), told]).toEqual([[], []])
    },
  )

  it('what waits to be as the engine wants it ends likewise', async () => {
    const strict = createEngine({ db: opened.db, schema, isolation: 'serializable', ...limited })
    proxy.swallowAfter('set transaction isolation')
    await expect(
      inSeconds(
        5,
        strict.transaction(async () => undefined),
      ),
    ).rejects.toMatchObject(late)
    await expectWhole()
  })

  it("a transaction of the host's fails with what waits in it", async () => {
    const work = opened.db.transaction().execute(async (transaction) => {
      proxy.swallow()
      await expect(listItems(engine.using(transaction), 'notes', {}, limited)).rejects.toMatchObject(late)
    })
    await expect(inSeconds(5, work)).rejects.toThrow()
    await expectWhole()
  })

  it.each<readonly [string, () => Promise<unknown>, readonly number[]]>([
    ['a verb', () => createItems(engine, 'notes', [one, { id: 2, text: 'two' }], {}, limited), [1, 2]],
    ['a transaction', () => engine.transaction((inside) => createItem(inside, 'notes', one), limited), [1]],
  ])('%s whose commit is not answered says that it may be stored', async (_title, work, keys) => {
    proxy.swallowAfter('commit')
    const error = { ...inDoubt, code: 'OUT_OF_TIME', status: 408 }
    await expect(inSeconds(5, work())).rejects.toMatchObject(error)
    await expectWhole()
    expect([await stored(), told]).toEqual([keys, []])
  })

  it('a commit that breaks off says that it may be stored', async () => {
    // pg ends the process where nobody listens to a connection that breaks.
    opened.pool.once('acquire', (client) => client.on('error', () => undefined))
    opened.on = (text) => {
      if (text !== 'commit') return undefined
      // The server ends whoever asks, as it commits.
      return 'select pg_terminate_backend(pg_backend_pid())'
    }
    const work = createItem(engine, 'notes', one, {}, { timeoutMs: 5_000 })
    await expect(inSeconds(5, work)).rejects.toMatchObject({ ...inDoubt, code: 'SERVICE_UNAVAILABLE' })
    opened.on = () => undefined
    await expectWhole()
    expect(told).toEqual([])
  })
})
