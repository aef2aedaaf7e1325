// Items by their keys: what a list of them by `_in` answers, whoever asks, with the keys beside them.
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import { createEngine, defineSchema, type Engine, listItems, type Schema } from '../../../src/index.ts'
import { readByKeys } from '../../../src/items/read/read-by-keys.ts'
import type { Key } from '../../../src/plan/key.ts'
import { namedKey } from '../../../src/writes/named-key.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { integer } from '../../support/fields.ts'
import { createLibrary, schema } from '../../writes/library.ts'

const keysOf = (engine: Engine, collection: string, keys: readonly unknown[]): readonly Key[] => {
  const found = engine.schema.collections.get(collection)
  if (!found) throw new Error(`There is no ${collection}.`)
  return keys.map((key) => namedKey(found, key, undefined))
}

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<Schema>
  let statements: string[]
  beforeEach(async () => {
    opened = await open()
    await createLibrary(name, opened.db)
    statements = []
    const onQuery = ({ sql: text }: { readonly sql: string }) => void statements.push(text)
    engine = createEngine({ db: opened.db, schema, onQuery })
  })
  afterEach(() => opened.close())

  const everyone = {
    unlimited: (to: Engine<Schema>) => to,
    'with all rights': (to: Engine<Schema>) => to.as({ admin: true }),
    'with a rule': (to: Engine<Schema>) =>
      to.as({
        user: 1,
        rules: { books: { read: { filter: { author: '$CURRENT_USER' } } }, chapters: { read: true } },
      }),
    'with a rule by a relation': (to: Engine<Schema>) =>
      to.as({
        rules: {
          books: { read: { filter: { chapters: { _some: { heading: 'End' } } }, fields: ['id', 'title'] } },
        },
      }),
    'with a rule by the time': (to: Engine<Schema>) =>
      to.as({
        rules: { books: { read: [{ filter: { id: 2 } }, { fields: ['id'], filter: { id: { _gt: 2 } } }] } },
      }),
    'with no right': (to: Engine<Schema>) => to.as({ rules: { subjects: { read: true } } }),
  }
  const queries = [
    undefined,
    { fields: ['id', 'title'] },
    { fields: ['title', 'chapters.heading'] },
    { fields: ['*'] },
  ]

  it.each(Object.entries(everyone))('%s, it is what a list by _in answers', async (_, as) => {
    const asking = as(engine)
    for (const query of queries)
      for (const keys of [[1], [3, 1, 2], [2, 99], []]) {
        const listing = listItems(asking, 'books', {
          ...query,
          filter: { id: { _in: keys } },
          sort: 'id',
          limit: -1,
        })
        const wanted = await listing.then(
          ({ data }) => data,
          (error: unknown) => error,
        )
        const found = await readByKeys(
          internalsOf(asking),
          'books',
          query,
          keysOf(engine, 'books', keys),
        ).catch((error: unknown) => error)
        if (!Array.isArray(found) || !Array.isArray(wanted)) {
          // Of a collection of which nothing is seen there are no items.
          if (Array.isArray(found))
            expect([found, String(wanted)]).toEqual([[], expect.stringContaining('may not see')])
          else expect(found).toMatchObject({ code: Reflect.get(Object(wanted), 'code') })
          continue
        }
        const sorted = found.toSorted((one, other) => Number(one.key) - Number(other.key))
        expect(sorted.map(({ item }) => item)).toEqual(wanted)
        for (const { key } of sorted) expect(keys).toContain(key)
      }
  })

  it('takes one statement, which is kept for the next keys', async () => {
    const mine = engine.as({ user: 1, rules: { books: { read: { filter: { author: '$CURRENT_USER' } } } } })
    for (const asking of [engine, mine]) {
      const core = internalsOf(asking)
      const query = { fields: ['title'] }
      await readByKeys(core, 'books', query, keysOf(engine, 'books', [1, 2]))
      statements = []
      await readByKeys(core, 'books', query, keysOf(engine, 'books', [2, 3, 1]))
      await readByKeys(core, 'books', query, keysOf(engine, 'books', [3, 2]))
      expect(new Set(statements).size).toBe(1)
      expect(statements).toHaveLength(2)
    }
  })

  it('knows keys of several parts, of texts and of bytes', async () => {
    const types = { sqlite: 'blob', postgres: 'bytea' }
    await sql`create table places (country text, city text, size integer, primary key (country, city))`.execute(
      opened.db,
    )
    await sql`create table words (word text primary key, size integer)`.execute(opened.db)
    await sql`create table hashes (hash ${sql.raw(types[name])} primary key, size integer)`.execute(opened.db)
    const others = createEngine({
      db: opened.db,
      schema: defineSchema({
        places: {
          key: ['country', 'city'],
          fields: { country: { type: 'text' }, city: { type: 'text' }, size: integer },
        },
        words: { fields: { word: { type: 'string', key: true }, size: integer } },
        hashes: { fields: { hash: { type: 'binary', key: true, encoding: 'hex' }, size: integer } },
      }),
    })
    const untyped: Engine<Schema> = others
    await opened.db
      .insertInto('places')
      .values([
        { country: 'de', city: 'a,b', size: 1 },
        { country: 'de', city: 'c', size: 2 },
      ])
      .execute()
    await opened.db
      .insertInto('words')
      .values([
        { word: "it's", size: 1 },
        { word: 'Ünï', size: 2 },
      ])
      .execute()
    await opened.db
      .insertInto('hashes')
      .values([{ hash: Buffer.from('00ff', 'hex'), size: 1 }])
      .execute()
    const read = async (collection: string, keys: readonly unknown[]) =>
      (
        await readByKeys(
          internalsOf(untyped),
          collection,
          { fields: ['size'] },
          keysOf(untyped, collection, keys),
        )
      )
        .map(({ key, item }) => [key, item])
        .toSorted()
    expect(
      await read('places', [
        ['de', 'a,b'],
        ['de', 'c'],
        ['fr', 'x'],
      ]),
    ).toEqual([
      [['de', 'a,b'], { size: 1 }],
      [['de', 'c'], { size: 2 }],
    ])
    expect(await read('words', ["it's", 'Ünï', 'no'])).toEqual([
      ["it's", { size: 1 }],
      ['Ünï', { size: 2 }],
    ])
    expect(await read('hashes', ['00ff'])).toEqual([['00ff', { size: 1 }]])
  })
})
