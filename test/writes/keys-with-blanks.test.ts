// Columns to which blanks at the end mean nothing: parts of keys are compared as their column compares them, in lists, too.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  defineSchema,
  deleteItems,
  type Engine,
  listItems,
  type Schema,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { key, many, string, text } from '../support/fields.ts'

const schema: Schema = defineSchema({
  places: {
    key: ['country', 'city'],
    fields: { country: string, city: string, note: text, shops: many('shops.place') },
  },
  shops: {
    fields: {
      id: key,
      country: text,
      city: text,
      place: { type: 'm2o', to: 'places', by: ['country', 'city'] },
    },
  },
})

const all = { read: true, create: true, update: { filter: { id: { _gt: 0 } } }, delete: true } as const
const access: Access = {
  rules: {
    places: { ...all, update: { filter: { city: { _nempty: true } } } },
    shops: all,
  },
}

describe.each(databases)('on $name', ({ name, open }) => {
  let whole: Engine
  beforeEach(async () => {
    const opened = await open()
    const type = name === 'sqlite' ? 'text collate rtrim' : 'char(4)'
    await opened.run(
      `create table places (country ${type}, city ${type}, note text, primary key (country, city))`,
      `create table shops (id integer primary key, country ${type}, city ${type})`,
      "insert into places values ('de', 'ulm', 'a'), ('it', 'rom', 'b'), ('it', 'ulm', 'c')",
      "insert into shops values (1, 'de', 'ulm'), (2, 'it', 'rom')",
    )
    whole = createEngine({ db: opened.db, schema })
  })

  const notes = async () =>
    (await listItems(whole, 'places', { fields: ['note'], sort: ['country', 'city'] })).data.map(
      ({ note }) => note,
    )

  describe.each([
    ['somebody who may do everything', (engine: Engine) => engine],
    ['a caller with rules', (engine: Engine) => engine.as(access)],
  ])('for %s', (_title, as) => {
    const keys = [
      ['de ', 'ulm'],
      ['it', 'rom '],
    ]

    it('several rows are found and changed by any spelling of their keys', async () => {
      await updateItems(as(whole), 'places', keys, { note: 'x' })
      expect(await notes()).toEqual(['x', 'x', 'c'])
      await expect(
        updateItems(as(whole), 'places', [...keys, ['de', 'rom']], { note: 'y' }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await notes()).toEqual(['x', 'x', 'c'])
    })

    it('several rows are deleted by any spelling of their keys', async () => {
      expect(await deleteItems(as(whole), 'places', keys)).toMatchObject({ deleted: 2 })
      expect(await notes()).toEqual(['c'])
    })

    it('several rows are linked by any spelling of their keys', async () => {
      const engine = as(whole)
      await updateItems(engine, 'shops', [
        { id: 1, place: ['it ', 'ulm'] },
        { id: 2, place: ['it', 'ulm '] },
      ])
      expect(await updateItem(engine, 'places', ['it', 'ulm '], {}, { fields: ['shops.id'] })).toEqual({
        shops: [{ id: 1 }, { id: 2 }],
      })
    })
  })

  it('filters find several of them', async () => {
    const { data } = await listItems(whole, 'shops', {
      fields: ['id'],
      filter: {
        place: {
          _in: [
            ['de ', 'ulm'],
            ['it', 'rom '],
          ],
        },
      },
    })
    expect(data).toEqual([{ id: 1 }, { id: 2 }])
  })
})
