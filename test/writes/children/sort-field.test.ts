// New children come behind those that are there, whether statements of many rows write them or the general path does.
import { describe, expect, it } from 'vitest'
import {
  createItem,
  defineSchema,
  type Engine,
  listItems,
  type Schema,
  type SchemaDefinition,
  updateEach,
  updateItem,
} from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { integer, key, maybeOne, number, text } from '../../support/fields.ts'
import { openTwin, outcomeOf } from '../lists/twins.ts'

const forms = {
  'a nullable number': [number, ''],
  'a number with a default of the database': [{ ...integer, defaulted: true }, 'default 0 not null'],
  'a number with a default': [{ ...integer, default: 5 }, 'not null'],
  'a date': [{ type: 'date', nullable: true }, ''],
} as const

const expected: Readonly<Record<string, string>> = {
  'a nullable number': ' a 1,1 b 2,1 c 1, d 3,2 e 4,1 f 3, g 2,2 h 1,2 i 2,2 j 5,2 k 6',
  'a number with a default of the database': ' a 1,1 b 2,1 c 1, d 3,2 e 4,1 f 3, g 2,2 h 1,2 i 2',
  'a number with a default': ' a 5,1 b 5,1 c 5, d 5,2 e 5,1 f 5, g 5,2 h 5,2 i 5',
  'a date': ' a ,1 b ,1 c , d ,2 e ,1 f , g ,2 h ,2 i ,2 j ,2 k ',
}

describe.each(databases)('on $name', ({ name, open }) => {
  it.each(Object.entries(forms))('children are sorted by %s', async (form, [place, rest]) => {
    const schema = defineSchema({
      lists: { fields: { id: key, name: text, steps: { type: 'o2m', from: 'steps.list', sort: 'place' } } },
      steps: { fields: { id: key, list: maybeOne('lists'), text, place } },
    } as SchemaDefinition)
    const counted = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
    const kind = form === 'a date' ? 'date' : 'integer'
    const tables = [
      `create table lists (id ${counted}, name varchar(9))`,
      `create table steps (id ${counted}, list integer, text varchar(9), place ${kind} ${rest})`,
    ]
    const steps = (...some: readonly string[]) => some.map((one) => ({ text: one }))
    const calls: readonly ((engine: Engine<Schema>) => Promise<unknown>)[] = [
      (engine) => createItem(engine, 'lists', { name: 'a', steps: steps('a', 'b') }),
      (engine) => createItem(engine, 'lists', { name: 'b', steps: steps('c') }),
      (engine) => updateItem(engine, 'lists', 1, { steps: { create: steps('d', 'e') } }),
      (engine) =>
        updateEach(engine, 'lists', [
          { id: 1, steps: [2, { id: 3 }, ...steps('f')] },
          { id: 2, steps: { create: steps('g'), delete: [] } },
        ] as never),
      (engine) => updateItem(engine, 'lists', 2, { steps: [...steps('h', 'i'), 5] }),
      (engine) =>
        updateItem(engine, 'lists', 2, { steps: { create: [{ text: 'j', place: null }, ...steps('k')] } }),
    ]
    for (const isByStatement of [true, false]) {
      const { engine, texts } = await openTwin(open, tables, { schema })
      const counts: number[] = []
      for (const call of calls) {
        await outcomeOf(() => call(engine), isByStatement)
        counts.push(texts.splice(0).filter((one) => /^(\/\*.*?\*\/ )?insert /.test(one)).length)
      }
      const { data } = await listItems(engine, 'steps', { sort: 'id', limit: -1 })
      expect(data.map(({ list, text: one, place: at }) => [list, one, at].join(' ')).join()).toBe(
        expected[form],
      )
      expect(counts.slice(0, 5)).toEqual([2, 2, 1, 1, 1])
    }
  })
})
