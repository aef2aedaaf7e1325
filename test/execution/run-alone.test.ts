// A single statement of quernel/postgres goes by callbacks from the pool to its result, whether or not its caller may leave.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, type Engine, listItems } from '../../src/index.ts'
import { postgresDialect } from '../../src/postgres.ts'
import { inSeconds } from '../items/connections.ts'
import { openTampered, type Tampered } from './tampered-pool.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true } } },
  // A view that takes half a minute to say what it knows.
  naps: { fields: { id: { type: 'integer', key: true }, length: { type: 'string' } } },
})
const reason = new Error('the visitor has left')

describe('a single statement', () => {
  let opened: Tampered
  let engine: Engine<typeof schema>
  /** How the pool was asked for each connection: with a callback, or for a promise. */
  const asked: string[] = []

  const ready = async (tamper: (client: object) => void = () => undefined) => {
    opened = await openTampered(
      (pool) => {
        pool.on('connect', tamper)
        const connect = pool.connect.bind(pool) as (...given: unknown[]) => unknown
        Object.assign(pool, {
          connect: (...given: unknown[]) => {
            asked.push(given.length === 0 ? 'promise' : 'callback')
            return connect(...given)
          },
        })
        return postgresDialect({ pool })
      },
      { max: 2 },
    )
    await sql`create table notes (id integer primary key)`.execute(opened.db)
    await sql`create view naps as select 1 as id, pg_sleep(30)::text as length`.execute(opened.db)
    engine = createEngine({ db: opened.db, schema })
    for (let time = 0; time < 3; time++) await listItems(engine, 'notes')
    asked.length = 0
  }
  const untilNoneSleeps = async () => {
    const sleeping = async () => {
      const { rows } = await opened.observer.query(
        `select pid from pg_stat_activity where query ~ 'naps' and state = 'active' and application_name = current_schema()`,
      )
      return rows.length
    }
    while ((await sleeping()) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const untilOneSleeps = async () => {
    for (;;) {
      const { rowCount } = await opened.observer.query(
        `select from pg_stat_activity where query ~ 'naps' and state = 'active' and application_name = current_schema()`,
      )
      if (rowCount) return
    }
  }

  it('takes the same path with a signal', async () => {
    await ready()
    const { signal } = new AbortController()
    opened.sent.length = 0
    await listItems(engine, 'notes')
    await listItems(engine, 'notes', {}, { signal })
    const [one, other] = opened.sent
    expect(opened.sent).toHaveLength(2)
    expect(other).toBe(one)
    expect(asked).toEqual(['callback', 'callback'])
  })

  it('is not sent for a signal that is aborted already', async () => {
    await ready()
    opened.sent.length = 0
    const signal = AbortSignal.abort(reason)
    await expect(listItems(engine, 'notes', {}, { signal })).rejects.toBe(reason)
    expect([opened.sent, asked]).toEqual([[], []])
  })

  it('leaves nothing behind on a signal that outlives it', async () => {
    await ready()
    const heard: string[] = []
    const { signal } = new AbortController()
    const { addEventListener, removeEventListener } = signal
    signal.addEventListener = function (this: AbortSignal, ...given: unknown[]) {
      heard.push('listens')
      return Reflect.apply(addEventListener, this, given)
    }
    signal.removeEventListener = function (this: AbortSignal, ...given: unknown[]) {
      heard.push('stops')
      return Reflect.apply(removeEventListener, this, given)
    }
    await listItems(engine, 'notes', {}, { signal })
    opened.on = () => new Error('the cable is cut')
    await listItems(engine, 'notes', {}, { signal }).catch(() => undefined)
    expect(heard).toEqual(['listens', 'stops', 'listens', 'stops'])
  })

  it('keeps its connection until it is cancelled, though its caller has left', async () => {
    await ready()
    const controller = new AbortController()
    const call = listItems(engine, 'naps', {}, { signal: controller.signal }).catch((error: unknown) => error)
    await untilOneSleeps()
    controller.abort(reason)
    expect(await inSeconds(5, call)).toBe(reason)
    expect(opened.pool.idleCount).toBe(opened.pool.totalCount - 1)
    await inSeconds(5, untilNoneSleeps())
    expect(await inSeconds(5, listItems(engine, 'notes'))).toEqual({ data: [] })
  })

  it('is cancelled by another connection where its own cannot', async () => {
    await ready((client) => {
      // Known once the server has greeted, and never to us.
      Object.defineProperty(client, 'secretKey', { get: () => undefined, set: () => undefined })
    })
    for (const way of [['callback', 'promise'], ['promise']]) {
      asked.length = 0
      opened.sent.length = 0
      const controller = new AbortController()
      const call = listItems(engine, 'naps', {}, { signal: controller.signal }).catch(
        (error: unknown) => error,
      )
      await untilOneSleeps()
      expect(asked).toEqual(way)
      controller.abort(reason)
      expect(await inSeconds(5, call)).toBe(reason)
      await inSeconds(5, untilNoneSleeps())
      expect(opened.sent.filter((text) => /pg_cancel/.test(text))).toHaveLength(1)
    }
    // Whoever cannot leave takes the short path all the same.
    asked.length = 0
    await listItems(engine, 'notes')
    expect(asked).toEqual(['callback'])
  })
})
