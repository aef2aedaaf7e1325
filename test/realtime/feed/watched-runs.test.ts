// Runs of flows that are watched: the statements that write them stand beside the verbs, and listeners are told of their rows like of others.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import type { CommittedChange } from '../../../src/engine/listeners.ts'
import { createEngine, defineSchema, type Engine, listItems, type Schema } from '../../../src/index.ts'
import { createFeed, localSource, watchItems } from '../../../src/realtime.ts'
import type { Collection } from '../../../src/schema/model.ts'
import { tellWritten } from '../../../src/writes/stored/announce.ts'
import { databases, insert, type OpenDatabase } from '../../support/databases.ts'
import { Replica } from '../replica.ts'
import { until } from '../tasks.ts'

const id = (last: number) => `00000000-0000-4000-8000-00000000000${last}`
const run = (last: number, state: string) => ({
  id: id(last),
  flow: 'welcome',
  definition: 'abc',
  state,
  trigger: '{}',
  access: 'full',
  due: last,
  token: 0,
  deaths: 0,
  attempt: 1,
  depth: 0,
  created: last,
})
const schema: Schema = defineSchema({ tags: { fields: { id: { type: 'integer', key: true } } } })

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine
  let runs: Collection

  beforeEach(async () => {
    opened = await open()
    engine = createEngine({ db: opened.db, schema, flows: {} })
    await engine.install()
    const own = internalsOf(engine).runs
    if (!own) throw new Error('no runs')
    runs = own.runs
    await insert(opened.db, 'quernel_runs', [run(1, 'ready'), run(2, 'running')])
  })

  const become = (last: number, state: string) =>
    sql`update quernel_runs set state = ${state} where id = ${id(last)}`

  const listening = (wants = true) => {
    const heard: string[] = []
    const listener = (changes: readonly CommittedChange[]) => {
      for (const { event, collection, keys, isDoubtful } of changes)
        heard.push(`${event} ${collection} ${keys?.join()}${isDoubtful ? '?' : ''}`)
    }
    internalsOf(engine).hooks.listeners.add(listener, () => wants)
    return heard
  }

  it('listeners are told at once outside of a transaction', () => {
    const heard = listening()
    tellWritten(internalsOf(engine), 'items.update', runs, [id(1), id(2)])
    tellWritten(internalsOf(engine), 'items.delete', runs, [])
    expect(heard).toEqual([`items.update quernel_runs ${id(1)},${id(2)}`])
  })

  it('listeners are told of no event that they do not want', async () => {
    const heard = listening(false)
    tellWritten(internalsOf(engine), 'items.update', runs, [id(1)])
    await engine.transaction(async (inside) => {
      tellWritten(internalsOf(inside), 'items.update', runs, [id(1)])
    })
    expect(heard).toEqual([])
  })

  it('listeners are told with the commit of a transaction, savepoints included, and of nothing that was undone', async () => {
    const heard = listening()
    await engine.transaction(async (inside) => {
      tellWritten(internalsOf(inside), 'items.create', runs, [id(1)])
      await inside.transaction(async (deeper) => {
        tellWritten(internalsOf(deeper), 'items.create', runs, [id(2)])
      })
      await inside
        .transaction(async (deeper) => {
          tellWritten(internalsOf(deeper), 'items.create', runs, [id(3)])
          throw new Error('undo')
        })
        .catch(() => undefined)
      expect(heard).toEqual([])
    })
    expect(heard).toEqual([`items.create quernel_runs ${id(1)},${id(2)}`])
    const undone = engine.transaction(async (inside) => {
      tellWritten(internalsOf(inside), 'items.update', runs, [id(1)])
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(heard).toHaveLength(1)
  })

  it("listeners are told with the host's commit", async () => {
    const heard = listening()
    let inside: Engine | undefined
    await opened.db.transaction().execute(async (transaction) => {
      inside = engine.using(transaction)
      tellWritten(internalsOf(inside), 'items.update', runs, [id(1)])
      expect(heard).toEqual([])
    })
    await inside?.committed()
    expect(heard).toEqual([`items.update quernel_runs ${id(1)}`])
  })

  it('no hook hears of them', async () => {
    const heard: unknown[] = []
    for (const when of ['beforeCommit', 'after'] as const)
      engine.on('items.update', 'quernel_runs', ({ keys }) => void heard.push(keys), { when })
    tellWritten(internalsOf(engine), 'items.update', runs, [id(1)])
    await engine.transaction(async (inside) => {
      tellWritten(internalsOf(inside), 'items.update', runs, [id(1)])
    })
    expect(heard).toEqual([])
  })

  it('a watched list of runs moves, under the rules of its caller', async () => {
    const feed = createFeed(engine, { source: localSource(), settleMs: 1 })
    const access = {
      rules: {
        quernel_runs: {
          read: { fields: ['id', 'state'], filter: { due: { _gte: '1970-01-01T00:00:00Z' } } },
        },
      },
    }
    const query = { filter: { state: { _neq: 'succeeded' } }, sort: ['id'] }
    const replica = new Replica()
    const watched = watchItems(feed.as(access), 'quernel_runs', query)
    const over = (async () => {
      for await (const message of watched) replica.apply(message)
    })()
    const isRight = async () => {
      const { data } = await listItems(engine.as(access), 'quernel_runs', query)
      await until(() => JSON.stringify(replica.data) === JSON.stringify(data))
      return data
    }
    expect(await isRight()).toEqual([
      { id: id(1), state: 'ready' },
      { id: id(2), state: 'running' },
    ])
    await become(1, 'running').execute(opened.db)
    tellWritten(internalsOf(engine), 'items.update', runs, [id(1)])
    expect(await isRight()).toHaveLength(2)
    await engine.transaction(async (inside) => {
      await become(2, 'succeeded').execute(inside.db)
      tellWritten(internalsOf(inside), 'items.update', runs, [id(2)])
      await inside.db
        .insertInto('quernel_runs' as never)
        .values(run(3, 'ready') as never)
        .execute() // any table of the database
      tellWritten(internalsOf(inside), 'items.create', runs, [id(3)])
    })
    expect(await isRight()).toEqual([
      { id: id(1), state: 'running' },
      { id: id(3), state: 'ready' },
    ])
    await opened.run('delete from quernel_runs')
    tellWritten(internalsOf(engine), 'items.delete', runs, [id(1), id(2), id(3)])
    expect(await isRight()).toEqual([])
    await watched.return()
    await over
    await feed.stop()
  })
})
