// A column that takes capitals for the same letters: every verb means the row that reading by the key means.
import { beforeEach, describe, expect, it } from 'vitest'
import { answerGraphQL } from '../../src/graphql.ts'
import { createHandler } from '../../src/http.ts'
import {
  type Access,
  compareVersion,
  createEngine,
  createItem,
  createVersion,
  defineSchema,
  deleteItem,
  deleteItems,
  deleteVersion,
  type Engine,
  getItem,
  listItems,
  listVersions,
  promoteVersion,
  type Schema,
  saveVersion,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { many, maybeOne, text } from '../support/fields.ts'
import { requestOf } from '../support/request-of.ts'

const schema: Schema = defineSchema({
  words: {
    versioned: true,
    fields: { word: { type: 'string', key: true }, meaning: text, uses: many('uses.word') },
  },
  uses: { versioned: true, fields: { id: { type: 'string', key: true }, word: maybeOne('words'), text } },
})

const all = {
  read: { filter: { meaning: { _neq: 'hidden' } } },
  create: true,
  update: true,
  delete: true,
} as const
const access: Access = {
  rules: {
    words: all,
    uses: { read: { filter: { id: { _neq: 'hidden' } } }, create: true, update: true, delete: true },
    versions: { read: true, create: true, update: true, delete: true },
  },
}

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let whole: Engine
  beforeEach(async () => {
    opened = await open()
    const type = name === 'sqlite' ? 'text collate nocase' : 'varchar(20) collate nocase'
    await opened.run(
      ...(name === 'sqlite'
        ? []
        : ["create collation nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"]),
      `create table words (word ${type} primary key, meaning text)`,
      `create table uses (id ${type} primary key, word ${type} references words, text text)`,
      "insert into words values ('Abc', 'letters'), ('Def', 'more')",
      "insert into uses values ('One', 'ABC', 'a'), ('Two', 'Abc', 'b'), ('Three', 'def', 'c')",
    )
    whole = createEngine({ db: opened.db, schema })
    await whole.install()
  })

  const words = async () =>
    (await listItems(whole, 'words', { fields: ['word', 'meaning'], sort: 'word' })).data
  const uses = async () =>
    (await listItems(whole, 'uses', { fields: ['id', 'word'], sort: 'id' })).data.map(({ id, word }) => [
      id,
      // A reference is spelled as it was written.
      word === null ? null : String(word).toLowerCase(),
    ])

  describe.each([
    ['somebody who may do everything', (engine: Engine) => engine],
    ['a caller with rules', (engine: Engine) => engine.as(access)],
    [
      'a host with hooks',
      (engine: Engine) => {
        for (const event of ['items.create', 'items.update', 'items.delete'] as const)
          engine.on(event, () => undefined, { when: 'before' })
        return engine
      },
    ],
  ])('for %s', (_title, as) => {
    let engine: Engine
    beforeEach(() => {
      engine = as(whole)
    })

    it('an item is found, changed, locked and deleted by any spelling', async () => {
      expect(await getItem(engine, 'words', 'ABC', { fields: ['word'] })).toEqual({ word: 'Abc' })
      expect(
        await updateItem(engine, 'words', 'ABC', { meaning: 'x' }, { fields: ['word', 'meaning'] }),
      ).toEqual({
        word: 'Abc',
        meaning: 'x',
      })
      expect(await updateItem(engine, 'words', 'aBC', {}, { fields: ['word'] })).toEqual({ word: 'Abc' })
      await engine.transaction(async (inside) => {
        expect(await getItem(inside, 'words', 'abC', { fields: ['word'] }, { lock: true })).toEqual({
          word: 'Abc',
        })
      })
      await deleteItem(engine, 'uses', 'THREE')
      await deleteItem(engine, 'words', 'DEF')
      expect(await words()).toEqual([{ word: 'Abc', meaning: 'x' }])
      await expect(deleteItem(engine, 'words', 'def')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })

    it('what reading returned may be sent back to any spelling, and no other key', async () => {
      for (const inside of [engine, undefined]) {
        const send = async (caller: Engine) => {
          const said = { word: 'Abc', meaning: 'sent back' }
          const query = { fields: ['word', 'meaning'] }
          expect(await updateItem(caller, 'words', 'abc', said, query)).toEqual(said)
          expect(await updateItem(caller, 'words', 'ABC', { word: 'Abc' }, query)).toEqual(said)
          await expect(updateItem(caller, 'words', 'abc', { word: 'Def' })).rejects.toMatchObject({
            code: 'INVALID_PAYLOAD',
            path: ['word'],
          })
        }
        await (inside ? send(inside) : engine.transaction(send))
      }
      expect(await words()).toContainEqual({ word: 'Abc', meaning: 'sent back' })
    })

    it('many are', async () => {
      await updateItems(engine, 'words', ['ABC', 'Def'], { meaning: 'x' })
      await updateItems(engine, 'words', [
        { word: 'abc', meaning: 'y' },
        { word: 'DEF', meaning: 'z' },
      ])
      expect(await words()).toEqual([
        { word: 'Abc', meaning: 'y' },
        { word: 'Def', meaning: 'z' },
      ])
      await expect(deleteItems(engine, 'uses', ['ONE', 'none'])).rejects.toMatchObject({ code: 'NOT_FOUND' })
      expect(await deleteItems(engine, 'uses', ['ONE', 'two', 'Two'])).toMatchObject({ deleted: 2 })
      expect(await uses()).toEqual([['Three', 'def']])
    })

    it('two spellings of one call mean one row, also where one of them is the stored one', async () => {
      await updateItems(engine, 'words', ['Abc', 'ABC'], { meaning: 'x' })
      await updateItem(engine, 'words', 'Abc', { uses: ['One', 'ONE', 'Two'] })
      expect(await uses()).toEqual([
        ['One', 'abc'],
        ['Three', 'def'],
        ['Two', 'abc'],
      ])
      await updateItem(engine, 'words', 'Abc', { uses: [{ id: 'One' }, { id: 'ONE', text: 'y' }] })
      expect((await uses()).map(([id, word]) => (word === 'abc' ? id : null))).toEqual(['One', null, null])
      expect(await deleteItems(engine, 'uses', ['One', 'ONE', 'three'])).toMatchObject({ deleted: 2 })
      await expect(deleteItems(engine, 'uses', ['Two', 'TWO', 'none'])).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
      expect((await words())[0]).toEqual({ word: 'Abc', meaning: 'x' })
    })

    it('children are linked, changed, removed and replaced', async () => {
      await updateItem(engine, 'words', 'DEF', { uses: { update: [{ id: 'THREE', text: 'x' }] } })
      await updateItem(engine, 'words', 'abc', { uses: { delete: ['ONE'] } })
      expect(await uses()).toEqual([
        ['One', null],
        ['Three', 'def'],
        ['Two', 'abc'],
      ])
      await updateItem(engine, 'words', 'DEF', { uses: ['one', 'THREE'] })
      expect(await uses()).toEqual([
        ['One', 'def'],
        ['Three', 'def'],
        ['Two', 'abc'],
      ])
      await updateItem(engine, 'words', 'abc', { uses: [] })
      await updateItem(engine, 'words', 'Def', { uses: ['ONE'] })
      expect(await uses()).toEqual([
        ['One', 'def'],
        ['Three', null],
        ['Two', null],
      ])
    })

    it('a reference is taken in any spelling', async () => {
      expect(
        await createItem(engine, 'uses', { id: 'Four', word: 'DEF' }, { fields: ['word.word'] }),
      ).toEqual({
        word: { word: 'Def' },
      })
      await updateItem(engine, 'uses', 'FOUR', { word: { word: 'aBc', meaning: 'nested' } })
      expect((await words())[0]).toEqual({ word: 'Abc', meaning: 'nested' })
    })

    it('versions are those of the row', async () => {
      await createVersion(engine, 'words', 'ABC', { key: 'draft', delta: { meaning: 'x' } })
      await saveVersion(engine, 'words', 'abc', 'draft', { meaning: 'y' })
      expect(await listVersions(engine, 'words', 'Abc')).toMatchObject([{ key: 'draft', item: 'Abc' }])
      expect(await getItem(engine, 'words', 'aBC', { fields: ['meaning'], version: 'draft' })).toEqual({
        meaning: 'y',
      })
      const { mainHash } = await compareVersion(engine, 'words', 'ABc', 'draft')
      await promoteVersion(engine, 'words', 'abC', 'draft', { mainHash })
      expect((await words())[0]).toEqual({ word: 'Abc', meaning: 'y' })
      await deleteVersion(engine, 'words', 'ABC', 'draft')
      expect(await listVersions(engine, 'words', 'Abc')).toEqual([])
    })
  })

  describe.each([
    ['somebody who may do everything', (engine: Engine) => engine],
    ['a caller with rules', (engine: Engine) => engine.as(access)],
  ])('a version is read as it is promoted for %s', (_title, as) => {
    it.each([
      ['a reference', 'uses', 'ONE', { word: 'DEF' }, ['word.meaning']],
      ['a changed item', 'uses', 'Two', { word: { word: 'aBC', meaning: 'x' } }, ['word.meaning']],
      ['a changed child', 'words', 'Abc', { uses: { update: [{ id: 'ONE', text: 'x' }] } }, ['uses.text']],
      ['a removed child', 'words', 'Abc', { uses: { delete: ['ONE'] } }, ['uses.id']],
      ['a whole list', 'words', 'DEF', { uses: ['ONE', 'three'] }, ['uses.id']],
    ])('%s in another spelling', async (_case, collection, key, delta, fields) => {
      const engine = as(whole)
      await createVersion(engine, collection, key, { key: 'draft', delta })
      const read = await getItem(engine, collection, key, { fields, version: 'draft' })
      const { mainHash } = await compareVersion(engine, collection, key, 'draft')
      expect(await promoteVersion(engine, collection, key, 'draft', { mainHash }, { fields })).toEqual(read)
    })
  })

  it('a version shows nothing of an item that is hidden, whatever it is called there', async () => {
    await opened.run("insert into words values ('Ghi', 'hidden')")
    for (const word of ['Ghi', 'GHI']) {
      await createVersion(whole, 'uses', 'One', { key: word, delta: { word: { word, meaning: 'secret' } } })
      const mine = whole.as(access)
      expect(await getItem(mine, 'uses', 'One', { fields: ['word.meaning'], version: word })).toEqual({
        word: { meaning: 'letters' },
      })
      expect(JSON.stringify(await listVersions(mine, 'uses', 'One'))).not.toContain('secret')
    }
  })

  it('over HTTP and by GraphQL, too', async () => {
    const handler = createHandler(whole, { authenticate: () => access })
    const send = async (method: string, path: string, body?: object) => {
      const headers = method === 'DELETE' ? { 'if-match': '*' } : {}
      const response = await handler(requestOf(method, `/items/${path}`, body, headers))
      return response.status
    }
    expect(await send('PATCH', 'words/ABC', { meaning: 'x' })).toBe(200)
    expect(await send('DELETE', 'uses/THREE')).toBe(204)
    const query =
      'mutation { update_words_item(id: "DEF", data: { meaning: "y" }) { word } delete_uses_items(ids: ["ONE"]) { ids } }'
    expect(JSON.parse(await answerGraphQL(whole.as(access), { query }))).toEqual({
      data: { update_words_item: { word: 'Def' }, delete_uses_items: { ids: ['ONE'] } },
    })
    expect(await words()).toEqual([
      { word: 'Abc', meaning: 'x' },
      { word: 'Def', meaning: 'y' },
    ])
  })
})
