// Runs that are caused by what is written: stored with it, or not at all.
import { beforeEach, describe, expect, it } from 'vitest'
import { defineFlow } from '../../../src/flows.ts'
import { createEngine, createItem, createItems, deleteItems, updateItem } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { note, openWorld, schema, type World } from './world.ts'

const noting = defineFlow({
  name: 'noting',
  trigger: {
    on: ['items.create', 'items.update', 'items.delete'],
    collections: ['articles'],
    when: 'after',
  },
  access: 'full',
  first: 'note',
  operations: { note: note('{{ $trigger.event }} {{ $trigger.key }}') },
})

describe.each(databases)('on $name', (database) => {
  let world: World
  beforeEach(async () => {
    world = await openWorld(database)
  })

  it('has one for each item of a call, with what was written', async () => {
    const flows = await world.flows({ flows: [noting] })
    await createItems(world.engine, 'articles', [
      { id: 1, title: 'a' },
      { id: 2, title: 'b' },
    ])
    await updateItem(world.engine, 'articles', 1, { title: 'c' })
    await deleteItems(world.engine, 'articles', [1, 2])
    expect(await world.notes()).toEqual([])
    expect((await world.runs()).map(({ trigger, state }) => [state, trigger])).toEqual([
      ['ready', created(1, 'a')],
      ['ready', created(2, 'b')],
      [
        'ready',
        {
          event: 'articles.items.update',
          collection: 'articles',
          payload: { title: 'c' },
          key: 1,
          keys: [1],
        },
      ],
      ...[1, 2].map((key) => [
        'ready',
        { event: 'articles.items.delete', collection: 'articles', payload: [key], key, keys: [key] },
      ]),
    ])
    await flows.start()
    await world.settle()
    expect([...(await world.notes())].sort()).toEqual([
      'articles.items.create 1',
      'articles.items.create 2',
      'articles.items.delete 1',
      'articles.items.delete 2',
      'articles.items.update 1',
    ])
    expect(world.errors).toEqual([])
  })

  it('has none of what is rolled back, in any shape of transaction', async () => {
    await world.flows({ flows: [noting] })
    const { engine, db } = world
    const refused = new Error('Not today.')
    const later = engine.on(
      'items.create',
      'articles',
      ({ payload }) => {
        if (payload?.title === 'refused') throw refused
      },
      { when: 'beforeCommit' },
    )
    await expect(createItem(engine, 'articles', { id: 1, title: 'refused' })).rejects.toBe(refused)
    later()
    await expect(
      engine.transaction(async (inside) => {
        await createItem(inside, 'articles', { id: 2 })
        throw refused
      }),
    ).rejects.toBe(refused)
    await engine.transaction(async (inside) => {
      await createItem(inside, 'articles', { id: 3 })
      await inside
        .transaction(async (deeper) => {
          await createItem(deeper, 'articles', { id: 4 })
          throw refused
        })
        .catch(() => undefined)
    })
    await expect(
      db.transaction().execute(async (transaction) => {
        await createItem(engine.using(transaction), 'articles', { id: 5 })
        throw refused
      }),
    ).rejects.toBe(refused)
    expect((await world.runs()).map(({ trigger }) => trigger)).toEqual([created(3)])
  })

  it('has those of a transaction of the host, who need not tell of its commit', async () => {
    await world.start({ flows: [noting] })
    await world.db.transaction().execute(async (transaction) => {
      await createItem(world.engine.using(transaction), 'articles', { id: 1 })
    })
    await expect.poll(() => world.notes(), { timeout: 60_000 }).toEqual(['articles.items.create 1'])
  })

  it('has one for each 1,000 items of more', async () => {
    await world.flows({ flows: [noting] })
    await createItems(
      world.engine,
      'articles',
      Array.from({ length: 2_100 }, (_, at) => ({ id: at + 1 })),
    )
    const runs = await world.runs()
    expect(runs.map(({ trigger }) => Object(trigger).keys.length)).toEqual([1_000, 1_000, 100])
    expect(runs[0]?.trigger).toMatchObject({ event: 'articles.items.create', payload: {}, key: null })
  })

  it('leaves out of a payload what is too large to be kept', async () => {
    await world.flows({ flows: [noting] })
    await createItem(world.engine, 'articles', { id: 1, title: 'x'.repeat(300_000) })
    const [run] = await world.runs()
    expect(run?.trigger).toEqual({ ...created(1), left: ['title'] })
  })

  it('names fields that are larger than any flow may look at, too', async () => {
    await world.flows({ flows: [noting] })
    await createItem(world.engine, 'articles', { id: 1, title: 'x'.repeat(5_000_000) })
    expect((await world.runs())[0]?.trigger).toEqual({ ...created(1), left: ['title'] })
  })

  it('tells of a lane that has no name, and fails nothing', async () => {
    const lane = defineFlow({
      ...noting,
      name: 'lane',
      lane: 'of {{ $trigger.payload.title }}',
    } as never)
    await world.flows({ flows: [lane] })
    await createItem(world.engine, 'articles', { id: 1 })
    expect((await world.runs()).map((run) => [run.state, run.lane])).toEqual([['ready', null]])
    expect(world.errors).toHaveLength(1)
    expect(world.errors[0]).toMatchObject({ message: 'A run of the flow "lane" has no lane.' })
  })

  it('fails a cause before the tables are there, and says so', async () => {
    const { db } = world
    const engine = createEngine({ db, schema, flows: {} })
    const { createFlows } = await import('../../../src/flows.ts')
    const flows = createFlows(engine, { flows: [noting] })
    await expect(createItem(engine, 'articles', { id: 1 })).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The tables of runs are not there yet.',
    })
    await expect(flows.run('noting')).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The tables of runs are not there yet.',
    })
    await expect(flows.start()).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: 'The tables of runs are not there yet. Call flows.install() first.',
    })
    await flows.stop()
  })

  it('ends flows that start themselves', async () => {
    const loop = defineFlow({
      name: 'loop',
      trigger: { on: 'items.create', collections: ['notes'], when: 'after' },
      access: 'full',
      first: 'again',
      operations: {
        again: {
          type: 'item-create',
          options: { collection: 'notes', payload: { text: 'again' }, emitEvents: true },
        },
      },
    })
    await world.start({ flows: [loop] })
    await createItem(world.engine, 'notes', { text: 'first' })
    await world.settle()
    const runs = await world.runs()
    expect(runs.map(({ depth, state }) => [depth, state])).toEqual([
      ...Array.from({ length: 8 }, (_, depth) => [depth, 'succeeded']),
      [8, 'failed'],
    ])
    expect(runs.at(-1)?.error).toMatchObject({ code: 'UNPROCESSABLE_CONTENT' })
  })

  it('does not start a flow by what it writes itself, unless it says so', async () => {
    const quiet = defineFlow({
      name: 'quiet',
      trigger: { on: 'items.create', collections: ['notes'], when: 'after' },
      access: 'full',
      first: 'again',
      operations: { again: note('again') },
    })
    await world.start({ flows: [quiet] })
    await createItem(world.engine, 'notes', { text: 'first' })
    await world.settle()
    expect(await world.notes()).toEqual(['first', 'again'])
  })
})

const created = (key: number, title?: string) => ({
  event: 'articles.items.create',
  collection: 'articles',
  payload: { id: key, ...(title !== undefined && { title }) },
  key,
  keys: [key],
})
