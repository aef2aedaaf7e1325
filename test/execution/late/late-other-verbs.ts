// Verbs under rules, over HTTP, and in forms that take ways of their own.
import { answerGraphQL } from '../../../src/graphql.ts'
import { createHandler } from '../../../src/http.ts'
import {
  createItem,
  createItems,
  createVersion,
  deleteByQuery,
  deleteItem,
  deleteItems,
  saveVersion,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../../src/index.ts'
import { isLong } from '../../support/long-runs.ts'
import type { Notes } from './late-schema.ts'
import { notes, type Verb, withoutNotes, withText } from './late-verbs.ts'

/** More than one statement takes, where there is time for it. */
const many = isLong ? 12_000 : 1_200

const own = { owner: { _eq: '$CURRENT_USER' } } as const
const rules = {
  user: 1,
  rules: {
    notes: {
      create: { presets: { owner: '$CURRENT_USER' }, validation: { text: { _nnull: true } } },
      read: { filter: own },
      update: { filter: own, validation: { text: { _nnull: true } } },
      delete: { filter: own },
    },
    tags: {
      create: { filter: own, presets: { owner: '$CURRENT_USER' } },
      read: true,
      update: true,
      delete: true,
    },
    lines: {
      create: true,
      read: true,
      update: { filter: { note: { owner: { _eq: '$CURRENT_USER' } } } },
      delete: true,
    },
  },
} as const
const ruled = (engine: Notes): Notes => engine.as(rules)

/** The same verbs under rules, over HTTP, and in forms that have ways of their own. */
export const otherVerbs: Readonly<Record<string, Verb>> = {
  'ruled createItem': {
    act: (engine, mark, options) => createItem(ruled(engine), 'notes', { text: mark }, {}, options),
    found: withText('notes'),
    whole: 1,
  },
  'ruled createItem tags': {
    act: (engine, mark, options) => createItem(ruled(engine), 'tags', { text: mark }, {}, options),
    found: withText('tags'),
    whole: 1,
  },
  'ruled createItems': {
    act: (engine, mark, options) =>
      createItems(ruled(engine), 'notes', [{ text: mark }, { text: mark }], {}, options),
    found: withText('notes'),
    whole: 2,
  },
  'ruled updateItem': {
    prepare: notes,
    act: (engine, mark, options, [id = 0]) =>
      updateItem(ruled(engine), 'notes', id, { text: mark }, {}, options),
    found: withText('notes'),
    whole: 1,
  },
  'ruled updateItem by relation': {
    prepare: async (engine, mark) => {
      const [note = 0] = await notes(engine, mark)
      const { id } = await createItem(engine, 'lines', { note, text: `old ${mark}` }, { fields: ['id'] })
      return [id]
    },
    act: (engine, mark, options, [id = 0]) =>
      updateItem(ruled(engine), 'lines', id, { text: mark }, {}, options),
    found: withText('lines'),
    whole: 1,
  },
  'updateItem that answers a tree': {
    prepare: notes,
    act: (engine, mark, options, [id = 0]) =>
      updateItem(engine, 'notes', id, { text: mark }, { fields: ['lines.text'] }, options),
    found: withText('notes'),
    whole: 1,
  },
  'ruled updateItems': {
    prepare: notes,
    act: (engine, mark, options, keys) =>
      updateItems(ruled(engine), 'notes', keys, { text: mark }, {}, options),
    found: withText('notes'),
    whole: 2,
  },
  'ruled updateByQuery': {
    prepare: notes,
    act: (engine, mark, options) =>
      updateByQuery(ruled(engine), 'notes', { filter: { text: `old ${mark}` } }, { text: mark }, options),
    found: withText('notes'),
    whole: 2,
  },
  'updateByQuery without keys': {
    prepare: notes,
    act: (engine, mark, options) =>
      updateByQuery(
        engine,
        'notes',
        { filter: { text: `old ${mark}` } },
        { text: mark },
        { ...options, keys: false },
      ),
    found: withText('notes'),
    whole: 2,
  },
  'updateByQuery of some, at most': {
    prepare: notes,
    act: (engine, mark, options) =>
      updateByQuery(
        engine,
        'notes',
        { filter: { text: `old ${mark}` }, limit: 1 },
        { text: mark },
        { ...options, maxAffected: 5 },
      ),
    found: withText('notes'),
    whole: 1,
  },
  'ruled deleteItem': {
    prepare: async (engine, mark) => (await notes(engine, mark)).slice(0, 1),
    act: (engine, _mark, options, [id = 0]) => deleteItem(ruled(engine), 'notes', id, options),
    found: withoutNotes,
    whole: 1,
  },
  'ruled deleteByQuery': {
    prepare: notes,
    act: (engine, mark, options) =>
      deleteByQuery(ruled(engine), 'notes', { filter: { text: `old ${mark}` } }, options),
    found: withoutNotes,
    whole: 2,
  },
  'ruled deleteItems': {
    prepare: notes,
    act: (engine, _mark, options, keys) => deleteItems(ruled(engine), 'notes', keys, undefined, options),
    found: withoutNotes,
    whole: 2,
  },
  'deleteItem of lines': {
    prepare: async (engine, mark) => {
      const made = await createItems(engine, 'lines', [{ text: `old ${mark}` }], { fields: ['id'] })
      return made.map(({ id }) => id)
    },
    act: (engine, _mark, options, [id = 0]) => deleteItem(engine, 'lines', id, options),
    found: (_mark, keys) => `1 - (select count(*) from lines where id in (${keys.join()}))`,
    whole: 1,
  },
  'createItem with a uuid': {
    act: (engine, mark, options) =>
      createItem(engine, 'codes', { id: crypto.randomUUID(), text: mark }, {}, options),
    found: withText('codes'),
    whole: 1,
  },
  'createItems of many': {
    act: (engine, mark, options) =>
      createItems(
        engine,
        'tags',
        Array.from({ length: many }, () => ({ text: mark })),
        { fields: ['id'] },
        options,
      ),
    found: withText('tags'),
    whole: many,
  },
  'a deselecting set': {
    prepare: async (engine, mark) => {
      const [id = 0] = await notes(engine, mark)
      await updateItem(engine, 'notes', id, { lines: [{ text: 'a' }, { text: 'b' }] })
      return [id]
    },
    act: (engine, mark, options, [id = 0]) =>
      updateItem(engine, 'notes', id, { text: mark, lines: [{ text: mark }] }, {}, options),
    found: withText('notes', 'lines'),
    whole: 2,
  },
  saveVersion: {
    prepare: async (engine, mark) => {
      const [id = 0] = await notes(engine, mark)
      await createVersion(engine, 'notes', id, { key: 'draft', delta: { text: 'x' } })
      return [id]
    },
    act: (engine, mark, options, [id = 0]) =>
      saveVersion(engine, 'notes', id, 'draft', { text: mark }, {}, options),
    found: (mark) => `(select count(*) from versions where cast(delta as text) like '%"${mark}"%')`,
    whole: 1,
  },
  'POST of one': http('POST', 'tags', (mark) => ({ text: mark })),
  'POST of two': { ...http('POST', 'tags', (mark) => [{ text: mark }, { text: mark }]), whole: 2 },
  'PATCH of one': {
    ...http('PATCH', 'notes', (mark) => ({ text: mark }), true),
    prepare: notes,
    found: withText('notes'),
  },
  'ruled PATCH of one': {
    ...http('PATCH', 'notes', (mark) => ({ text: mark }), true, rules),
    prepare: notes,
    found: withText('notes'),
  },
  'DELETE of one': {
    ...http('DELETE', 'notes', () => undefined, true),
    prepare: async (engine, mark) => (await notes(engine, mark)).slice(0, 1),
    found: withoutNotes,
  },
  'a mutation of GraphQL under rules': {
    prepare: notes,
    act: async (engine, mark, options, [a, b]) => {
      const query =
        'mutation($text: String, $a: ID!, $b: ID!) { b: update_notes_item(id: $b, data: { text: $text }) { id } a: update_notes_item(id: $a, data: { text: $text }) { id } }'
      const { errors } = JSON.parse(
        await answerGraphQL(ruled(engine), { query, variables: { text: mark, a, b } }, options),
      )
      if (errors) throw Object.assign(new Error(errors[0].message), { told: errors[0].extensions })
    },
    found: withText('notes'),
    whole: 2,
  },
}

function http(
  method: string,
  collection: string,
  body: (mark: string) => unknown,
  isKeyed = false,
  access: object = { admin: true },
): Verb {
  return {
    act: async (engine, mark, { signal }, [id]) => {
      const handler = createHandler(engine, { authenticate: () => access, onError: () => undefined })
      const given = body(mark)
      const response = await handler(
        new Request(`http://x/items/${collection}${isKeyed ? `/${id}` : ''}`, {
          method,
          headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
          ...(signal && { signal }),
          ...(given !== undefined && { body: JSON.stringify(given) }),
        }),
      )
      if (response.ok) return
      // The reason of a signal is no error of the engine.
      if (response.status === 499) throw new Error('left')
      const { errors } = JSON.parse(await response.text())
      throw Object.assign(new Error(errors[0].message), { told: errors[0].extensions })
    },
    found: withText(collection),
    whole: 1,
  }
}
