// JSON values that PostgreSQL stores unread, in columns of the type `json`, and cannot look into.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL } from '../../src/graphql.ts'
import { createHandler } from '../../src/http.ts'
import {
  createEngine,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
  type Query,
  updateItem,
} from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { json, key, text } from '../support/fields.ts'

const schema = defineSchema({ tags: { fields: { id: key, name: text, notes: json } } })

const values = {
  'U+0000': '{"a":"x\\u0000y","b":1}',
  'U+0000 in a key': '{"x\\u0000":1,"b":1}',
  'the first half of a pair': '{"a":"\\ud800","b":1}',
  'the second half of a pair': '{"a":"\\udc00","b":1}',
}

describe.each(databases.filter(({ name }) => name === 'postgres'))('on $name', ({ open }) => {
  describe.each(Object.entries(values))('%s', (_title, value) => {
    let engine: Engine<typeof schema>
    const unexpected: unknown[] = []

    beforeAll(async () => {
      const opened = await open()
      await opened.run('create table tags (id integer primary key, name text, notes json)')
      await sql`insert into tags values (1, 'hot', ${value}), (2, 'cold', null)`.execute(opened.db)
      engine = createEngine({ db: opened.db, schema, onError: (error) => void unexpected.push(error) })
    })

    const refusal = { code: 'INVALID_QUERY', message: expect.stringMatching(/cannot look into a JSON value/) }
    const queries: readonly Query<typeof schema, 'tags'>[] = [
      { fields: ['json(notes, a)'] },
      { fields: ['json(notes, b)'] },
      { fields: ['id'], filter: { 'json(notes, b)': { _eq: 1 } } },
      { fields: ['id'], filter: { notes: { _empty: true } } },
      { fields: ['id'], sort: ['json(notes, b)'] },
      { fields: ['count(notes)'] },
    ]

    it.each(queries)('a part of it is an error of the query: %j', async (query) => {
      await expect(listItems(engine, 'tags', query)).rejects.toMatchObject(refusal)
      await expect(listItemsJson(engine, 'tags', query)).rejects.toMatchObject(refusal)
    })

    it('it is read as a whole, and the item is written', async () => {
      const item = { id: 1, name: 'hot', notes: JSON.parse(value) }
      expect(await getItem(engine, 'tags', 1)).toEqual(item)
      expect(await updateItem(engine, 'tags', 1, { name: 'hot' })).toEqual(item)
    })

    it('over HTTP a part of it is 400', async () => {
      const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
      const response = await handler(new Request('http://localhost/items/tags?fields=json(notes,b)'))
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'INVALID_QUERY' } }] })
    })

    it('in GraphQL a part of it is an error of the field', async () => {
      const query = '{ tags { notes_func { json(path: "b") } } }'
      expect(JSON.parse(await answerGraphQL(engine, { query }))).toMatchObject({
        errors: [{ path: ['tags'], extensions: { code: 'INVALID_QUERY' } }],
      })
      expect(unexpected).toEqual([])
    })
  })
})
