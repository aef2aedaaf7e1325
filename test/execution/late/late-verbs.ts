// Every verb that writes, where it can be called, and how often what it does is found in the database.

import { render, sql } from '../../../src/dialects/sql.ts'
import { internalsOf } from '../../../src/engine/engine.ts'
import { inFlight } from '../../../src/execution/transaction/flight.ts'
import { answerGraphQL } from '../../../src/graphql.ts'
import {
  compareVersion,
  createItem,
  createItems,
  createVersion,
  deleteByQuery,
  deleteItem,
  deleteItems,
  type Options,
  promoteVersion,
  updateByQuery,
  updateEach,
  updateItem,
  updateSingleton,
} from '../../../src/index.ts'
import type { Notes } from './late-schema.ts'

/** What a call does, with a text that nobody else has. */
export interface Verb {
  /** Makes what is to be changed, and returns its keys. */
  readonly prepare?: (engine: Notes, mark: string) => Promise<readonly number[]>
  readonly act: (engine: Notes, mark: string, options: Options, keys: readonly number[]) => Promise<unknown>
  /** Selects how much of it is stored, in one cell, `0` if nothing, the same number as `whole` if all. */
  readonly found: (mark: string, keys: readonly number[]) => string
  readonly whole: number
}

export const notes = async (engine: Notes, mark: string) => {
  const made = await createItems(
    engine,
    'notes',
    [
      { text: `old ${mark}`, owner: 1 },
      { text: `old ${mark}`, owner: 1 },
    ],
    { fields: ['id'] },
  )
  return made.map(({ id }) => id)
}
export const withText =
  (...tables: readonly string[]) =>
  (mark: string) =>
    tables.map((table) => `(select count(*) from ${table} where text = '${mark}')`).join(' + ')
export const withoutNotes = (_mark: string, keys: readonly number[]) =>
  `${keys.length} - (select count(*) from notes where id in (${keys.join()}))`
const [whole] = [1]

export const verbs: Readonly<Record<string, Verb>> = {
  createItem: {
    act: (engine, mark, options) => createItem(engine, 'tags', { text: mark }, {}, options),
    found: withText('tags'),
    whole,
  },
  'createItem with hooks': {
    act: (engine, mark, options) => createItem(engine, 'heard', { text: mark }, {}, options),
    found: withText('heard'),
    whole,
  },
  'createItem of a tree': {
    act: (engine, mark, options) =>
      createItem(
        engine,
        'notes',
        { text: mark, tag: { text: mark }, lines: [{ text: mark }, { text: mark }] },
        {},
        options,
      ),
    found: withText('notes', 'tags', 'lines'),
    whole: 4,
  },
  inFlight: {
    act: (engine, mark, options) => {
      const { unit, dialect } = internalsOf(engine)
      const insert = render(sql`insert into tags (text) values (${sql.val(mark)})`, dialect)
      const fly = (inside: Notes) => inFlight(internalsOf(inside), [insert, insert], options)
      return unit ? engine.transaction(fly, options) : fly(engine)
    },
    found: withText('tags'),
    whole: 2,
  },
  createItems: {
    act: (engine, mark, options) =>
      createItems(engine, 'tags', [{ text: mark }, { text: mark }], {}, options),
    found: withText('tags'),
    whole: 2,
  },
  updateItem: {
    prepare: notes,
    act: (engine, mark, options, [id = 0]) => updateItem(engine, 'notes', id, { text: mark }, {}, options),
    found: withText('notes'),
    whole,
  },
  'updateItem of a tree': {
    prepare: notes,
    act: (engine, mark, options, [id = 0]) =>
      updateItem(engine, 'notes', id, { text: mark, lines: { create: [{ text: mark }] } }, {}, options),
    found: withText('notes', 'lines'),
    whole: 2,
  },
  updateEach: {
    prepare: notes,
    act: (engine, mark, options, keys) =>
      updateEach(
        engine,
        'notes',
        keys.map((id) => ({ id, text: mark })),
        {},
        options,
      ),
    found: withText('notes'),
    whole: 2,
  },
  updateByQuery: {
    prepare: notes,
    act: (engine, mark, options) =>
      updateByQuery(engine, 'notes', { filter: { text: `old ${mark}` } }, { text: mark }, options),
    found: withText('notes'),
    whole: 2,
  },
  deleteItem: {
    prepare: async (engine, mark) => (await notes(engine, mark)).slice(0, 1),
    act: (engine, _mark, options, [id = 0]) => deleteItem(engine, 'notes', id, options),
    found: withoutNotes,
    whole,
  },
  deleteItems: {
    prepare: notes,
    act: (engine, _mark, options, keys) => deleteItems(engine, 'notes', keys, undefined, options),
    found: withoutNotes,
    whole: 2,
  },
  deleteByQuery: {
    prepare: notes,
    act: (engine, mark, options) =>
      deleteByQuery(engine, 'notes', { filter: { text: `old ${mark}` } }, options),
    found: withoutNotes,
    whole: 2,
  },
  'deleteByQuery without keys': {
    prepare: async (engine, mark) => {
      const made = await createItems(engine, 'lines', [{ text: `old ${mark}` }, { text: `old ${mark}` }], {
        fields: ['id'],
      })
      return made.map(({ id }) => id)
    },
    act: (engine, mark, options) =>
      deleteByQuery(engine, 'lines', { filter: { text: `old ${mark}` } }, { ...options, keys: false }),
    found: (_mark, keys) => `2 - (select count(*) from lines where id in (${keys.join()}))`,
    whole: 2,
  },
  updateSingleton: {
    act: (engine, mark, options) => updateSingleton(engine, 'settings', { text: mark }, {}, options),
    found: withText('settings'),
    whole,
  },
  promoteVersion: {
    prepare: async (engine, mark) => {
      const [id = 0] = await notes(engine, mark)
      await createVersion(engine, 'notes', id, {
        key: 'draft',
        delta: { text: mark, lines: { create: [{ text: mark }] } },
      })
      return [id]
    },
    act: async (engine, _mark, options, [id = 0]) => {
      const { mainHash } = await compareVersion(engine, 'notes', id, 'draft', options)
      return promoteVersion(engine, 'notes', id, 'draft', { mainHash }, {}, options)
    },
    found: withText('notes', 'lines'),
    whole: 2,
  },
  'a mutation of GraphQL': {
    act: async (engine, mark, options) => {
      const query =
        'mutation($text: String) { a: create_tags_item(data: { text: $text }) { id } b: create_tags_item(data: { text: $text }) { id } }'
      const { errors } = JSON.parse(
        await answerGraphQL(engine, { query, variables: { text: mark } }, options),
      )
      if (errors) throw Object.assign(new Error(errors[0].message), { told: errors[0].extensions })
    },
    found: withText('tags'),
    whole: 2,
  },
}
