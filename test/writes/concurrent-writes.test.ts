// What several calls write at the same time: the children of one item, and what a query finds.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteByQuery,
  type Engine,
  getItem,
  updateByQuery,
  updateItem,
} from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { key, maybeOne, number, string } from '../support/fields.ts'

const schema = defineSchema({
  songs: { fields: { id: key, verses: { type: 'o2m', from: 'verses.song', sort: 'place' } } },
  verses: { fields: { id: key, text: string, place: number, song: maybeOne('songs') } },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let engine: Engine<typeof schema>

  beforeEach(async () => {
    const opened = await open()
    const id = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
    await opened.run(`create table songs (id ${id})`)
    const verses = `create table verses (id ${id}, text text not null, place int, song int references songs)`
    await opened.run(verses)
    engine = createEngine({ db: opened.db, schema })
    await createItem(engine, 'songs', { verses: [{ text: 'old' }] })
  })

  const verses = async () =>
    (await getItem(engine, 'songs', 1, { fields: ['verses.text', 'verses.place'] })).verses
  const tenTimes = <Result>(work: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: 10 }, (_, index) => work(index)))

  it('a list is the complete new set of one of the calls, and no mixture', async () => {
    await tenTimes((index) =>
      updateItem(engine, 'songs', 1, { verses: [{ text: `${index}` }, { text: `${index}` }] }),
    )
    const left = await verses()
    expect(left).toHaveLength(2)
    expect(left[0]?.text).toBe(left[1]?.text)
  })

  it('children that are added have a place of their own each', async () => {
    await tenTimes((index) => updateItem(engine, 'songs', 1, { verses: { create: [{ text: `${index}` }] } }))
    expect((await verses()).map(({ place }) => place)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  it('what a query finds is taken by one call, and the next one takes another', async () => {
    await updateItem(engine, 'songs', 1, { verses: Array(10).fill({ text: 'free' }) })
    const taken = await tenTimes((index) =>
      updateByQuery(
        engine,
        'verses',
        { filter: { text: 'free' }, sort: ['place'], limit: 1 },
        { text: `${index}` },
      ),
    )
    expect(new Set(taken.flatMap(({ keys }) => keys)).size).toBe(10)
    expect(new Set((await verses()).map(({ text }) => text)).size).toBe(10)
  })
})

const manyConnections = databases.filter(({ name }) => name === 'postgres')
const verbs: Record<string, (engine: Engine<typeof schema>) => Promise<unknown>> = {
  deleteByQuery: (engine) => deleteByQuery(engine, 'verses', free),
  'deleteByQuery with a limit': (engine) => deleteByQuery(engine, 'verses', { ...free, limit: 10 }),
  'deleteByQuery for a caller': (engine) => deleteByQuery(engine.as({ admin: true }), 'verses', free),
  'deleteByQuery for a narrowed caller': (engine) => {
    const rules = { verses: { read: true, update: true, delete: true } } as const
    return deleteByQuery(engine.as({ rules }), 'verses', free)
  },
  'deleteByQuery with a handler': (engine) => {
    engine.on('items.delete', () => undefined, { when: 'before' })
    return deleteByQuery(engine, 'verses', free)
  },
  updateByQuery: (engine) => updateByQuery(engine, 'verses', free, { place: 7 }),
}
const free = { filter: { text: 'free' } } as const

it.each(
  manyConnections.flatMap(({ open }) => Object.entries(verbs).map(([verb, call]) => ({ verb, call, open }))),
)('$verb passes over what another call makes something else of before it has it', async ({ call, open }) => {
  const { db, run } = await open()
  await run('create table songs (id serial primary key)')
  await run('create table verses (id serial primary key, text text, place int, song int)')
  const engine = createEngine({ db, schema })
  await createItems(engine, 'verses', [{ text: 'free' }, { text: 'free' }])
  let done: Promise<unknown> = Promise.resolve()
  await engine.transaction(async (inside) => {
    await updateItem(inside, 'verses', 1, { text: 'kept' })
    done = call(engine)
    // Long enough for it to choose, if it did not wait.
    await new Promise((resolve) => setTimeout(resolve, 200))
  })
  expect(await done).toMatchObject({ keys: [2] })
  expect(await getItem(engine, 'verses', 1, { fields: ['text', 'place'] })).toEqual({
    text: 'kept',
    place: null,
  })
})
