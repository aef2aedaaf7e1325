// What is answered as done is stored, and a limit of time lasts no longer than what it is for.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, createItem, defineSchema, type EngineOptions, listItems } from '../../src/index.ts'
import { doors, openTampered, type Tampered } from './tampered-pool.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

describe.each(doors)('a limit of time over $door', ({ over }) => {
  let opened: Tampered
  const one = { id: 1, text: 'one' }
  const two = { id: 2, text: 'two' }
  const told: unknown[] = []
  const ready = (options: Partial<EngineOptions<typeof schema>> = {}) => {
    const engine = createEngine({ db: opened.db, schema, ...options })
    engine.on('items.create', 'notes', ({ keys }) => void told.push(...keys), { when: 'after' })
    return engine
  }
  const stored = async () =>
    (await opened.observer.query('select id from notes order by id')).rows.map(({ id }) => id)
  const limit = async () => (await opened.pool.query('show statement_timeout')).rows[0]?.statement_timeout
  /** The server stands still when the limit is taken back, so long that it runs into the limit itself. */
  const stallReset = (times = Number.POSITIVE_INFINITY) => {
    let hasRun = false
    let left = times
    opened.on = (text) => {
      if (/insert into/.test(text)) hasRun = true
      if (!hasRun || !/^select set_config/.test(text) || left-- <= 0) return undefined
      return 'select pg_sleep(5)'
    }
  }
  const late = { code: 'OUT_OF_TIME', status: 408 }

  beforeEach(async () => {
    told.length = 0
    opened = await openTampered(over)
    await sql`create table notes (id integer primary key, text varchar(100) unique)`.execute(opened.db)
  })

  it('that runs out as it is taken back fails the call, and what it wrote is not there', async () => {
    const engine = ready()
    stallReset()
    const work = engine.transaction((inside) => createItem(inside, 'notes', one, {}, { timeoutMs: 60 }))
    await expect(work).rejects.toMatchObject(late)
    expect([await stored(), told]).toEqual([[], []])
  })

  it('is answered as it is stored, by a verb alone', async () => {
    const engine = ready()
    stallReset()
    const answer = await createItem(engine, 'notes', one, {}, { timeoutMs: 60 }).catch(() => undefined)
    expect([await stored(), told]).toEqual(answer ? [[1], [1]] : [[], []])
  })

  it('that runs out as it is taken back leaves a transaction of the host good', async () => {
    const engine = ready()
    stallReset(1)
    await opened.db.transaction().execute(async (transaction) => {
      const inside = engine.using(transaction)
      await expect(createItem(inside, 'notes', one, {}, { timeoutMs: 60 })).rejects.toMatchObject(late)
      await createItem(inside, 'notes', two, {}, { timeoutMs: 5_000 })
      const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(transaction)
      expect(rows).toEqual([{ statement_timeout: '0' }])
    })
    expect(await stored()).toEqual([2])
  })

  it('of the engine lets a transaction go on after a verb in it has failed', async () => {
    const engine = ready({ timeoutMs: 5_000 })
    await engine.transaction(async (inside) => {
      await createItem(inside, 'notes', { id: 1, text: 'one' })
      await expect(createItem(inside, 'notes', { id: 2, text: 'one' })).rejects.toMatchObject({
        code: 'RECORD_NOT_UNIQUE',
      })
      await createItem(inside, 'notes', { id: 3, text: 'three' })
    })
    expect([await stored(), told]).toEqual([
      [1, 3],
      [1, 3],
    ])
  })

  it('is not on the connection of a call whose last statement has failed', async () => {
    const engine = ready()
    for (const last of [/^commit$/, /^rollback$/, /set_config/]) {
      let hasRun = false
      opened.on = (text) => {
        if (/from "notes"/.test(text)) hasRun = true
        return hasRun && last.test(text) ? new Error('no more') : undefined
      }
      await listItems(engine, 'notes', {}, { timeoutMs: 5_000 }).catch(() => undefined)
      opened.on = () => undefined
      expect(await limit()).toBe('0')
    }
  })

  it('does not hide that a transaction was undone because something in it had failed', async () => {
    const engine = ready()
    const work = engine.transaction(async (inside) => {
      await createItem(inside, 'notes', one)
      await expect(sql`select 1 / 0`.execute(inside.db)).rejects.toThrow('division by zero')
    })
    await expect(work).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('This transaction is over, and nothing of it is stored'),
    })
    expect([await stored(), told]).toEqual([[], []])
    await createItem(engine, 'notes', two)
    expect([await stored(), told]).toEqual([[2], [2]])
  })
})
