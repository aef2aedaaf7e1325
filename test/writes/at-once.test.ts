// Children of one item, written by several calls at the same time.
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine, createItem, defineSchema, type Engine, getItem, updateItem } from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const schema = defineSchema({
  songs: {
    fields: {
      id: { type: 'integer', key: true },
      verses: { type: 'o2m', from: 'verses.song', sort: 'place' },
    },
  },
  verses: {
    fields: {
      id: { type: 'integer', key: true },
      text: { type: 'string' },
      place: { type: 'integer', nullable: true },
      song: { type: 'm2o', to: 'songs', nullable: true },
    },
  },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>

  beforeEach(async () => {
    opened = await open()
    const id = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
    await sql.raw(`create table songs (id ${id})`).execute(opened.db)
    const verses = `create table verses (id ${id}, text text not null, place int, song int references songs)`
    await sql.raw(verses).execute(opened.db)
    engine = createEngine({ db: opened.db, schema })
    await createItem(engine, 'songs', { verses: [{ text: 'old' }] })
  })
  afterEach(() => opened.close())

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
})
