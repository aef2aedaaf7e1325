// Change logs over databases of which single calls fail: nothing is installed by halves, and no change is missed.

import { describe, expect, it } from 'vitest'
import { createEngine, type Engine, isEngineError, listItems } from '../../../src/index.ts'
import {
  changeLogSource,
  createFeed,
  installChangeLog,
  removeChangeLog,
  watchItems,
} from '../../../src/realtime.ts'
import { fuzzSeed, Random } from '../../property/seeded-random.ts'
import { openedOn } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { isLong } from '../../support/long-runs.ts'
import { type Injected, injectedDatabases } from '../../writes/injector.ts'
import { Replica } from '../replica.ts'
import { logged, type OpenedLog, openTables, schema, traces, until } from './tables.ts'

describe.each(injectedDatabases)('with $title', ({ name, faults, open }) => {
  const openInjected = async (): Promise<OpenedLog & { readonly injected: Injected }> => {
    const injected = await open()
    return {
      ...(await openTables({ open: async () => openedOn(injected.db, () => injected.close()) })),
      injected,
    }
  }

  it.each(faults)('it is installed and removed whole, whichever call is %s', async (fault) => {
    const { engine, rows, injected } = await openInjected()
    const none = await traces(rows, name)
    await installChangeLog(engine, logged)
    const whole = await traces(rows, name)
    await removeChangeLog(engine)
    /** Does something while a call fails. False if there were fewer calls. */
    const isHarmed = async (at: number, work: () => Promise<unknown>) => {
      injected.arm(at, fault)
      const error = await work().then(
        () => undefined,
        (reason: unknown) => reason,
      )
      const isThere = injected.calls.length >= at
      injected.arm(0)
      if (error !== undefined) expect(isEngineError(error), String(error)).toBe(true)
      return isThere
    }
    const random = new Random(fuzzSeed)
    for (let at = 1, isEither = true; isEither; at += isLong ? 1 : 1 + random.below(6)) {
      const isInstalled = await isHarmed(at, () => installChangeLog(engine, logged))
      expect([none, whole]).toContainEqual(await traces(rows, name))
      await installChangeLog(engine, logged)
      expect(await traces(rows, name)).toEqual(whole)
      const isRemoved = await isHarmed(at, () => removeChangeLog(engine))
      expect([none, whole]).toContainEqual(await traces(rows, name))
      await removeChangeLog(engine)
      expect(await traces(rows, name)).toEqual(none)
      isEither = isInstalled || isRemoved
    }
    expect(await injected.leftovers()).toEqual([])
  })

  it.each(faults)(`a list is right again, whichever calls are %s from seed ${fuzzSeed}`, async (fault) => {
    const random = new Random(fuzzSeed)
    const { db, engine, run, injected } = await openInjected()
    await installChangeLog(engine, logged)
    const errors: unknown[] = []
    for (let feed = 0; feed < drawsOf('faults of a log'); feed++) {
      const reader = read(engineOver(db), errors)
      await until(() => reader.replica.isKnown)
      const isTrue = async () => {
        const { data } = await listItems(engine, 'tasks', query)
        return JSON.stringify(reader.replica.data) === JSON.stringify(data)
      }
      // A source that fails often is asked at growing intervals, so each feed is harmed a few times.
      for (let round = 0; round < 4; round++) {
        const id = 3 + random.below(4)
        const statement = random.one([
          `insert into tasks (id, title, owner) values (${id}, 'new', 1) on conflict (id) do update set title = 'again'`,
          `update tasks set title = 'feed ${feed} round ${round}' where id = ${id}`,
          `update people set name = 'feed ${feed} round ${round}' where id = 1`,
          `delete from tasks where id = ${id}`,
        ])
        const at = 1 + random.below(5)
        injected.arm(at, fault)
        // The call that fails is the write, or one of the feed.
        await run(statement).catch(() => undefined)
        await until(() => injected.calls.length >= at)
        injected.arm(0)
        await until(isTrue)
        expect(reader.replica.strange).toEqual([])
      }
      await reader.stop()
    }
    for (const error of errors) expect(isEngineError(error), String(error)).toBe(true)
    await expect.poll(() => injected.leftovers(), { timeout: 20_000 }).toEqual([])
  })
})

const query = { fields: ['id', 'title', 'owner.name'], sort: ['id'], limit: -1 } as const

/** An engine of its own, so that writes are told by the log alone. */
const engineOver = (db: OpenedLog['db']) => createEngine({ db, schema })

/** Reads a list of the log as a client does, who asks for it again whenever it cannot be watched. */
function read(engine: Engine<typeof schema>, errors: unknown[]) {
  const feed = createFeed(engine, {
    source: changeLogSource({ everyMs: 10 }),
    settleMs: 1,
    onError: (error) => errors.push(error),
  })
  const reader = { replica: new Replica(), stop: () => Promise.resolve() }
  const over = new AbortController()
  const readOnce = async () => {
    reader.replica = new Replica()
    const list = watchItems(feed.as({ admin: true }), 'tasks', query, { signal: over.signal })
    for await (const message of list) reader.replica.apply(message)
  }
  const follow = async () => {
    while (!over.signal.aborted) {
      await readOnce().catch((error: unknown) => errors.push(error))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const following = follow()
  reader.stop = async () => {
    over.abort()
    await following
    await feed.stop()
  }
  return reader
}
