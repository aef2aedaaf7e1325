// Items of a list are each updated by the key that they hold, all of them or none.
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, type Engine, updateEach, updateItems } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { integer, key, number, string } from '../../support/fields.ts'

const schema = defineSchema({
  stops: { key: ['line', 'place'], fields: { line: integer, place: integer, name: string, minutes: number } },
  site: { singleton: true, fields: { id: key, title: string } },
})
const shape = { fields: ['place', 'name', 'minutes'] } as const

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>
  beforeEach(async () => {
    opened = await open()
    await opened.run(
      'create table stops (line integer not null, place integer not null, name text not null, minutes integer, primary key (line, place))',
    )
    await opened.run("insert into stops values (1, 1, 'Inn', 0), (1, 2, 'Bridge', 4), (2, 1, 'Mill', 0)")
    await opened.run('create table site (id integer primary key, title text not null)')
    engine = createEngine({ db: opened.db, schema })
  })
  const names = async () => await opened.run('select name from stops order by line, place')

  it('items are returned in the order of the list, each with its own changes', async () => {
    const items = [
      { line: 1, place: 2, name: 'Ford' },
      { line: 1, place: 1, minutes: 1 },
    ]
    const updated = [
      { place: 2, name: 'Ford', minutes: 4 },
      { place: 1, name: 'Inn', minutes: 1 },
    ]
    expect(await updateEach(engine, 'stops', items, shape)).toEqual(updated)
    expect(await updateItems(engine, 'stops', items, shape)).toEqual(updated)
  })

  it('a list of nothing updates nothing, and its query is checked all the same', async () => {
    expect(await updateEach(engine, 'stops', [])).toEqual([])
    const misspelt: object = { field: ['name'] }
    await expect(updateEach(engine, 'stops', [], misspelt)).rejects.toMatchObject({
      code: 'INVALID_QUERY',
      path: ['field'],
    })
  })

  it('an unknown key updates none of the items', async () => {
    const items = [
      { line: 1, place: 1, name: 'Hotel' },
      { line: 9, place: 9, name: 'Nowhere' },
    ]
    await expect(updateEach(engine, 'stops', items)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(await names()).toEqual([{ name: 'Inn' }, { name: 'Bridge' }, { name: 'Mill' }])
  })

  it('what is no list of items is refused where it stands', async () => {
    // As a program without types may call it.
    const update = (collection: 'stops' | 'site', items: unknown) =>
      updateEach(engine, collection, items as never)
    const refused = { code: 'INVALID_PAYLOAD' }
    await expect(update('stops', { line: 1, place: 1, name: 'x' })).rejects.toMatchObject(refused)
    await expect(update('stops', [{ line: 1, place: 1 }, 7])).rejects.toMatchObject({ ...refused, path: [1] })
    await expect(update('site', [{ id: 1, title: 'x' }])).rejects.toMatchObject(refused)
  })
})
