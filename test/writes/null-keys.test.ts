// What is null in a list of keys names no item, and never the one whose key is the text "null".
import { beforeEach, describe, expect, it } from 'vitest'
import { answerGraphQL } from '../../src/graphql.ts'
import { createHandler } from '../../src/http.ts'
import {
  createEngine,
  defineSchema,
  deleteItems,
  type Engine,
  type Schema,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { many, maybeOne, string, text } from '../support/fields.ts'

const schema: Schema = defineSchema({
  words: { fields: { word: { type: 'string', key: true }, meaning: text, uses: many('uses.word') } },
  uses: { fields: { id: { type: 'string', key: true }, word: maybeOne('words') } },
  pairs: { key: ['one', 'other'], fields: { one: string, other: string, meaning: text } },
})

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine
  beforeEach(async () => {
    opened = await open()
    await opened.run(
      'create table words (word varchar(20) primary key, meaning text)',
      'create table uses (id varchar(20) primary key, word varchar(20))',
      'create table pairs (one varchar(20), other varchar(20), meaning text, primary key (one, other))',
      "insert into words values ('null', 'nothing'), ('', 'empty'), ('undefined', 'unknown')",
      "insert into uses values ('null', 'null')",
      "insert into pairs values ('null', 'null', 'nothing')",
    )
    engine = createEngine({ db: opened.db, schema })
  })

  const contents = async () => {
    const all: unknown[] = []
    for (const table of ['words', 'uses', 'pairs'])
      all.push(await opened.run(`select * from ${table} order by 1`))
    return all
  }
  const refused = async (call: () => Promise<unknown>, path: readonly unknown[]) => {
    const before = await contents()
    await expect(call()).rejects.toMatchObject({ code: 'INVALID_PAYLOAD', path })
    expect(await contents()).toEqual(before)
  }
  it.each([
    { title: 'null', list: ['', null] },
    { title: 'undefined', list: ['', undefined] },
    { title: 'a hole', list: Object.assign([''], { length: 2 }) },
  ])('$title is refused by the functions', async ({ list }) => {
    // No type lets it through.
    const keys = list as readonly string[]
    await refused(() => deleteItems(engine, 'words', keys), [1])
    await refused(() => deleteItems(engine, 'words', { keys }), ['keys', 1])
    await refused(() => updateItems(engine, 'words', keys, { meaning: 'x' }), [1])
    await refused(() => updateItem(engine, 'words', 'null', { uses: keys }), ['uses', 1])
    await refused(
      () => updateItem(engine, 'words', 'null', { uses: { delete: keys } }),
      ['uses', 'delete', 1],
    )
  })

  it('a part of a key is refused by the functions', async () => {
    const keys = [['null', null]] as unknown as readonly (readonly [string, string])[]
    await refused(() => deleteItems(engine, 'pairs', keys), [0])
    await refused(() => updateItems(engine, 'pairs', keys, { meaning: 'x' }), [0])
  })

  it('is refused over HTTP', async () => {
    const handler = createHandler(engine, { authenticate: () => ({ admin: true }) })
    const send = async (method: string, body: unknown) => {
      const response = await handler(
        new Request('http://localhost/items/words', {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      )
      const { errors = [] } = JSON.parse((await response.text()) || '{}')
      return errors.map(({ extensions: { code, path } }: Answered) => [code, path])
    }
    const before = await contents()
    expect(await send('PATCH', { keys: ['', null], data: { meaning: 'x' } })).toEqual([
      ['INVALID_PAYLOAD', ['keys', 1]],
    ])
    expect(await send('DELETE', ['', null])).toEqual([['INVALID_PAYLOAD', [1]]])
    expect(await send('DELETE', { keys: ['', null] })).toEqual([['INVALID_PAYLOAD', ['keys', 1]]])
    expect(await send('SEARCH', { keys: ['', null] })).toEqual([['INVALID_PAYLOAD', ['keys', 1]]])
    expect(await contents()).toEqual(before)
  })

  it.each([
    'mutation { update_words_items(ids: ["", null], data: { meaning: "x" }) { word } }',
    'mutation { delete_words_items(ids: ["", null]) { ids } }',
    'mutation ($ids: [ID]!) { delete_words_items(ids: $ids) { ids } }',
  ])('is refused by GraphQL: %s', async (query) => {
    const before = await contents()
    const { errors } = JSON.parse(await answerGraphQL(engine, { query, variables: { ids: ['', null] } }))
    expect(errors.map(({ extensions: { code, path } }: Answered) => [code, path])).toEqual([
      ['INVALID_PAYLOAD', ['ids', 1]],
    ])
    expect(await contents()).toEqual(before)
  })
})

interface Answered {
  readonly extensions: { readonly code: string; readonly path?: readonly unknown[] }
}
