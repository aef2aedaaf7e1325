// How the log is read and pruned: by several readers, late ones, and while nobody reads.
import { describe, expect, it } from 'vitest'
import {
  changeLogSource,
  checkChangeLog,
  createFeed,
  installChangeLog,
  removeChangeLog,
  watchItems,
} from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases } from '../../support/databases.ts'
import { insertMany, Listener, listen, logged, openTables, until } from './tables.ts'

const keep = { rows: 1_000 }

describe.each(databases)('on $name', (database) => {
  it('goes on from where a reader has ended', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const first = await listen(engine)
    await run('update tasks set title = null where id = 1')
    await until(() => first.texts.length > 0)
    await first.stop()
    const position = String(first.batches.at(-1)?.position)
    await run('update tasks set title = null where id = 2')
    const second = new Listener(engine, changeLogSource({ everyMs: 10 }), position)
    await until(() => second.texts.length > 0)
    expect(second.texts).toEqual(['update tasks 2'])
    expect(second.isBroken).toBe(false)
  })

  it('tells many entries in portions, each once, to each of several readers', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const readers = [await listen(engine), await listen(engine)]
    await insertMany(run, 1_000, 12_000)
    for (const reader of readers) {
      await until(() => reader.texts.length >= 12_000)
      expect(new Set(reader.texts).size).toBe(12_000)
      expect(reader.texts).toHaveLength(12_000)
    }
  })

  it('stays within twice of what is kept while nobody reads', async () => {
    const { engine, run, rows } = await openTables(database)
    await installChangeLog(engine, logged, { keep })
    const count = async () => Number((await rows('select count(*) as n from quernel_changes'))[0]?.n)
    let next = 1_000
    const more = async () => {
      await insertMany(run, next, 500)
      next += 500
      return count()
    }
    for (let round = 0; round < 10; round++) await more()
    // Transactions of other tests on the server may keep it a little longer.
    await until(async () => (await more()) <= 2_500)
    const status = await checkChangeLog(engine)
    expect(status.rows).toBeGreaterThanOrEqual(1_000)
    expect(status.bytes).toBeGreaterThan(10_000)
    expect(Number(status.oldest)).toBeGreaterThan(Date.now() - 3_600_000)
  })

  it('lets a reader begin anew who comes too late', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged, { keep })
    const first = await listen(engine)
    await first.stop()
    const position = String(first.batches.at(-1)?.position)
    await insertMany(run, 1_000, 10_000)
    const late = new Listener(engine, changeLogSource({ everyMs: 10 }), position)
    await until(() => late.batches.length > 0)
    expect(late.isBroken).toBe(true)
    await run('update tasks set title = null where id = 1')
    await until(() => late.texts.includes('update tasks 1'))
  })

  it('lets a reader begin anew where the log is another one', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    await run('update tasks set title = null where id = 1')
    await until(() => heard.texts.length === 1)
    await heard.stop()
    const position = String(heard.batches.at(-1)?.position)
    await removeChangeLog(engine)
    await installChangeLog(engine, logged)
    await run('update tasks set title = null where id = 1')
    const again = new Listener(engine, changeLogSource({ everyMs: 10 }), position)
    await until(() => again.batches.length > 0)
    expect(again.isBroken).toBe(true)
  })

  it('is read while it is removed and installed, and no look fails for it', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    for (let round = 0; round < 25; round++) {
      await removeChangeLog(engine)
      await new Promise((resolve) => setTimeout(resolve, round % 7))
      await installChangeLog(engine, logged)
      await new Promise((resolve) => setTimeout(resolve, round % 5))
    }
    expect(heard.failure).toBeUndefined()
    expect(heard.errors).toEqual([])
    await until(async () => {
      await run('update tasks set title = null where id = 1')
      return heard.texts.includes('update tasks 1')
    })
  })

  it('takes an entry that cannot be read for one of any row, and reports it once', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    const feedErrors: unknown[] = []
    const feed = createFeed(engine, {
      source: changeLogSource({ everyMs: 10 }),
      settleMs: 1,
      onError: (error) => void feedErrors.push(error),
    })
    atEnd(() => feed.stop())
    const list = watchItems(feed.as({ admin: true }), 'seats', { limit: 9 })
    await list.next()
    await run(
      `insert into quernel_changes (collection, op, key) values ('seats', 'u', '{'), ('seats', 'c', '[')`,
    )
    await until(() => heard.texts.length >= 2)
    await run(`insert into seats values ('A', 1, null)`)
    await until(() => heard.texts.length >= 3)
    expect(heard.texts).toEqual(['any seats', 'any seats', 'create seats ["A",1]'])
    expect(heard.failure).toBeUndefined()
    expect(heard.isBroken).toBe(false)
    expect((await list.next()).value).toMatchObject({ kind: 'changes', set: [{ id: 'A,1' }] })
    for (const errors of [heard.errors, feedErrors])
      expect(errors.map(String)).toEqual([
        'EngineError: An entry of the change log for "seats" cannot be read.',
      ])
  })

  it('refuses a pause that would leave no time for anything else', () => {
    for (const everyMs of [9, 0, -1, Number.NaN, '10' as never])
      expect(() => changeLogSource({ everyMs })).toThrow('10 or more')
  })
})
