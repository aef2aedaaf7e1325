// Keys and texts as HTTP takes them, over a server of Node.
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, getItem, listItems } from '../../src/client.ts'
import {
  createEngine,
  createItems,
  defineSchema,
  type Engine,
  listItems as listItemsBeside,
  type Schema,
} from '../../src/index.ts'
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
  let engine: Engine<typeof schema>
  beforeAll(async () => {
    const opened = await open()
    const db = opened.db.withoutPlugins()
    await sql`create table words (word text primary key, meaning text)`.execute(db)
    await db.schema
      .createTable('pairs')
      .addColumn('one', 'text')
      .addColumn('two', 'integer')
      .addColumn('note', 'text')
      .addPrimaryKeyConstraint('both', ['one' as never, 'two' as never])
      .execute()
    engine = createEngine({ db: opened.db, schema })
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

  it('an answer has what the type does not know, and what it alone knows is the error of the server', async () => {
    const newer = server.api as Client<Schema>
    expect(await getItem(newer, 'words', 'a b')).toEqual({ word: 'a b', meaning: 'of a b' })
    const gone = { fields: ['word', 'meanin'] }
    const beside = await listItemsBeside(engine as never, 'words', gone as never).catch((error) => error)
    await expect(listItems(newer, 'words', gone as never)).rejects.toMatchObject({
      code: beside.code,
      message: beside.message,
      path: ['fields', 1],
      hint: 'Did you mean "meaning"?',
    })
  })

  it('a query of 1 MB is answered, and what is larger than the server takes is refused in its words', async () => {
    const word = Array.from({ length: 50_000 }, (_, at) => `no word, but ${at}`)
    const of = (all: readonly string[]) => ({ fields: ['word'], filter: { word: { _in: all } } }) as never
    const some = ['a b', ...word.slice(1)]
    expect(JSON.stringify(some).length).toBeGreaterThan(1_000_000)
    expect(await listItems(server.api, 'words', of(some))).toEqual({ data: [{ word: 'a b' }] })
    await expect(listItems(server.api, 'words', of([...word, 'a b']))).rejects.toMatchObject({
      code: 'INVALID_QUERY',
      message: '"_in" takes a list of at most 50000 values; this one has 50001.',
    })
    await expect(listItems(server.api, 'words', of(word.map((one) => one.repeat(9))))).rejects.toMatchObject({
      code: 'CONTENT_TOO_LARGE',
      status: 413,
    })
  })
})
