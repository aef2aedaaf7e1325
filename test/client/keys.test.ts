// Keys and texts as HTTP takes them, over a server of Node.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getItem, listItems } from '../../src/client.ts'
import { createEngine, createItems, defineSchema } from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { type Served, served } from './served.ts'

const schema = defineSchema({
  words: { fields: { word: { type: 'string', key: true }, meaning: { type: 'string' } } },
  pairs: {
    key: ['one', 'two'],
    fields: { one: { type: 'string' }, two: { type: 'integer' }, note: { type: 'string' } },
  },
})

const words = [
  ...[
    'a/b',
    'a b',
    'a+b',
    'a,b',
    'a.b',
    '.',
    '..',
    '~',
    '~2E',
    '~7E2E',
    '%',
    '%2F',
    '100%',
    '?',
    '#',
    '&=',
    '\\',
  ],
  ...['search', 'ä ö?', '👩‍🚀', 'null', 'true', '0', ' ', '\n', '"', "'", '[]', '{}', ''],
]

describe.each(databases)('on $name', ({ open }) => {
  let server: Served
  beforeAll(async () => {
    const opened = await open()
    const db = opened.db.withoutPlugins()
    await db.schema
      .createTable('words')
      .addColumn('word', 'text', (one) => one.primaryKey())
      .addColumn('meaning', 'text')
      .execute()
    await db.schema
      .createTable('pairs')
      .addColumn('one', 'text')
      .addColumn('two', 'integer')
      .addColumn('note', 'text')
      .addPrimaryKeyConstraint('both', ['one' as never, 'two' as never])
      .execute()
    const engine = createEngine({ db: opened.db, schema })
    await createItems(
      engine,
      'words',
      words.map((word) => ({ word, meaning: `of ${word}` })),
    )
    await createItems(
      engine,
      'pairs',
      words.map((one, two) => ({ one, two, note: `of ${one}` })),
    )
    server = await served(engine)
  })
  afterAll(() => server.close())

  it.each(words)('the key %j names its item', async (word) => {
    const { api } = server
    expect(await getItem(api, 'words', word)).toEqual({ word, meaning: `of ${word}` })
    const two = words.indexOf(word)
    expect(await getItem(api, 'pairs', [word, two])).toEqual({ one: word, two, note: `of ${word}` })
    expect(await listItems(api, 'words', { filter: { word }, fields: ['word'] })).toEqual({
      data: [{ word }],
    })
    expect(
      await listItems(api, 'words', { filter: { meaning: { _in: [`of ${word}`] } }, fields: ['word'] }),
    ).toEqual({
      data: [{ word }],
    })
  })

  it('an unknown key is not found', async () => {
    for (const key of ['b', 'singular', 'A/B'])
      await expect(getItem(server.api, 'words', key)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        status: 404,
      })
  })
})
