// The schema as it is described to a caller: what there is for them, in the words of its definition, and nothing else.
import { beforeAll, describe, expect, it } from 'vitest'
import { describeSchema, type SchemaDescription } from '../../src/engine/describe-schema.ts'
import { internalsOf } from '../../src/engine/engine.ts'
import { legend, schemaText } from '../../src/engine/schema-text.ts'
import { type Access, createEngine, defineSchema, type Schema } from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { randomCaller } from '../access/caller.ts'
import { hiddenKey, isHidden, removed } from '../access/removed.ts'
import { randomWorld } from '../oracle/random-rows.ts'
import { randomSchema } from '../oracle/random-schema.ts'
import { fuzzSeed, Random } from '../property/seeded-random.ts'
import { type OpenDatabase, openSqlite } from '../support/databases.ts'
import { across, integer, key, many, maybeOne, one, string, text } from '../support/fields.ts'

let opened: OpenDatabase
beforeAll(async () => {
  opened = await openSqlite()
})

const schema: Schema = defineSchema({
  authors: { note: 'Who writes.', fields: { id: key, name: string, articles: many('articles.author') } },
  articles: {
    versioned: true,
    fields: {
      id: key,
      title: { ...string, note: 'In "one" line.' },
      status: { type: 'string', values: ['draft', 'published'] },
      numbers: { type: 'integer', array: true, nullable: true },
      pin: { type: 'string', conceal: true },
      made: { type: 'timestamp', special: ['date-created'] },
      author: maybeOne('authors'),
      tags: across('article_tags.article', 'tag'),
      blocks: { type: 'm2a', through: 'article_blocks.article', to: 'item' },
    },
  },
  tags: { fields: { word: { type: 'string', key: true }, 'odd name': text } },
  article_tags: { key: ['article', 'tag'], fields: { article: one('articles'), tag: one('tags') } },
  article_blocks: {
    fields: {
      id: key,
      article: one('articles'),
      item: { type: 'any', to: ['tags', 'authors'], by: 'kind' },
      kind: string,
    },
  },
  places: { key: ['land', 'town'], fields: { land: string, town: string } },
  shops: {
    fields: {
      id: key,
      land: string,
      town: string,
      place: { type: 'm2o', to: 'places', by: ['land', 'town'] },
    },
  },
  log: { key: false, fields: { line: string } },
  site: { singleton: true, fields: { id: key, title: string } },
})

function seenBy(access: Access): SchemaDescription {
  const engine = createEngine({ db: opened.db, schema, storage: memoryStorage() })
  return describeSchema(internalsOf(engine.as(access)))
}

describe('the description for an administrator', () => {
  it('has the words of the definition', () => {
    const { collections } = seenBy({ admin: true })
    expect(collections.articles).toEqual({
      may: 'crud',
      key: ['id'],
      versioned: true,
      fields: {
        id: integer,
        title: { type: 'string', note: 'In "one" line.' },
        status: { type: 'string', values: ['draft', 'published'] },
        numbers: { type: 'integer', array: true, nullable: true },
        pin: { type: 'string', conceal: true },
        made: { type: 'timestamp', may: 'r' },
        author: maybeOne('authors'),
        tags: across('article_tags.article', 'tag'),
        blocks: { type: 'm2a', through: 'article_blocks.article', to: 'item' },
      },
    })
    expect(collections.authors?.fields.articles).toEqual({ type: 'o2m', from: 'articles.author' })
    expect(collections.article_blocks?.fields.item).toEqual({
      type: 'any',
      to: ['tags', 'authors'],
      by: 'kind',
    })
    expect(collections.shops?.fields.place).toEqual({ type: 'm2o', to: 'places', by: ['land', 'town'] })
    expect(collections.places?.key).toEqual(['land', 'town'])
    expect(collections.log).toEqual({ may: 'r', fields: { line: string } })
    expect(collections.site?.singleton).toBe(true)
  })

  it('has the collections of files and versions', () => {
    const { collections } = seenBy({ admin: true })
    expect(Object.keys(collections).slice(-2)).toEqual(['versions', 'files'])
    expect(collections.files?.fields.type).toBeDefined()
  })
})

describe('the description for a caller', () => {
  it('is empty for who may do nothing', () => {
    expect(seenBy({})).toEqual({ collections: {} })
    expect(schemaText(seenBy({}))).toBe(`${legend}\n`)
  })

  it('says what a field may be used for, where that is not what its items may be', () => {
    const { collections } = seenBy({
      rules: {
        articles: {
          read: { fields: ['id', 'title', 'author', 'tags'] },
          update: { fields: ['title', 'pin'] },
        },
      },
    })
    expect(collections).toEqual({
      articles: {
        may: 'ru',
        key: ['id'],
        versioned: true,
        fields: {
          id: { type: 'integer', may: 'r' },
          title: { type: 'string', note: 'In "one" line.' },
          pin: { type: 'string', conceal: true, may: 'u' },
          // Where it leads is hidden.
          author: { type: 'integer', nullable: true, may: 'r' },
        },
      },
    })
  })

  it('has fields that may only be written, without what is hidden of their relations', () => {
    const { collections } = seenBy({
      rules: {
        authors: { create: { fields: ['name', 'articles'] } },
        articles: { create: { fields: ['title', 'tags', 'author', 'blocks'] } },
        article_tags: { create: { fields: ['tag'] } },
      },
    })
    expect(collections).toEqual({
      authors: { may: 'c', fields: { name: string, articles: many('articles.author') } },
      articles: {
        may: 'c',
        fields: {
          title: { type: 'string', note: 'In "one" line.' },
          author: maybeOne('authors'),
          tags: across('article_tags', 'tag'),
        },
      },
      article_tags: { may: 'c', fields: { tag: string } },
    })
  })

  it('names no field beside a reference that the caller may not name', () => {
    const { collections } = seenBy({
      rules: {
        tags: { read: true },
        places: { read: true },
        article_blocks: { create: { fields: ['item'] } },
        shops: { create: { fields: ['place', 'land'] } },
      },
    })
    expect(collections.article_blocks?.fields).toEqual({ item: { type: 'any', to: ['tags'] } })
    expect(collections.shops?.fields).toEqual({
      land: { type: 'string' },
      place: { type: 'm2o', to: 'places' },
    })
  })

  it('has no relation whose other end is hidden', () => {
    const { collections } = seenBy({
      rules: {
        articles: { read: true },
        article_tags: { read: { fields: ['article'] } },
        article_blocks: { read: { fields: ['id', 'article', 'item'] } },
      },
    })
    const { tags, blocks, author } = collections.articles?.fields ?? {}
    expect({ tags, blocks, author }).toEqual({
      tags: { type: 'o2m', from: 'article_tags.article' },
      blocks: { type: 'o2m', from: 'article_blocks.article' },
      author: { type: 'integer', nullable: true },
    })
    expect(collections.article_blocks?.fields.item).toEqual({ type: 'string' })
    expect(collections.article_tags?.key).toBeUndefined()
  })

  it('names versions only where items of theirs are seen', () => {
    expect(
      Object.keys(seenBy({ rules: { tags: { read: true }, versions: { read: true } } }).collections),
    ).toEqual(['tags'])
    expect(
      Object.keys(seenBy({ rules: { articles: { read: true }, versions: { read: true } } }).collections),
    ).toEqual(['articles', 'versions'])
  })

  it(`is that of a schema without what is hidden (QUERNEL_SEED=${fuzzSeed})`, () => {
    for (let seed = fuzzSeed; seed < fuzzSeed + 150; seed++) {
      const random = new Random(seed)
      const world = randomWorld(random, randomSchema(random))
      const { access, reads } = randomCaller({ random, world, tally: new Map() } as never)
      const left = removed(world, reads).definition
      const hasKey = (name: string) => !Object.hasOwn(left[name]?.fields ?? {}, hiddenKey)
      expect([seed, described(world.definition, access, hasKey)]).toEqual([
        seed,
        described(left, readAll(left), hasKey),
      ])
    }
  })
})

const readAll = (definition: object): Access<Schema> => ({
  rules: Object.fromEntries(Object.keys(definition).map((name) => [name, { read: true }])),
})

/** Returns the description of a schema, without the keys that stand in the place of hidden ones. */
function described(definition: object, access: Access<Schema>, hasKey: (name: string) => boolean): unknown {
  const engine = createEngine({ db: opened.db, schema: defineSchema(definition as never) as Schema })
  const { collections } = describeSchema(internalsOf(engine.as(access)))
  return Object.fromEntries(
    Object.entries(collections).map(([name, { key: keys, fields, ...about }]) => {
      const shown = Object.entries(fields).filter(([field]) => !isHidden(field))
      return [name, { ...about, ...(hasKey(name) && { key: keys }), fields: Object.fromEntries(shown) }]
    }),
  )
}

describe('the text', () => {
  it('has a line for each collection', () => {
    const lines = schemaText(seenBy({ admin: true })).split('\n')
    expect(lines.slice(1, 10)).toEqual([
      'authors[crud] id: id integer, name string, articles <articles.author "Who writes."',
      String.raw`articles[crud] versioned id: id integer, title string "In \"one\" line.", status draft|published, numbers? integer[], pin string concealed, made timestamp(r), author? >authors, tags <>article_tags.article>tag, blocks <>article_blocks.article>item`,
      'tags[crud] word: word string, "odd name"? string',
      'article_tags[crud] article tag: article >articles, tag >tags',
      'article_blocks[crud] id: id integer, article >articles, item >tags|authors by kind, kind string',
      'places[crud] land town: land string, town string',
      'shops[crud] id: id integer, land string, town string, place >places by land+town',
      'log[r]: line string',
      'site[crud] singleton id: id integer, title string',
    ])
  })

  it('has no line of what a name or a note holds', () => {
    const hostile: Schema = defineSchema({
      'a\u2028b[crud] c': {
        note: 'one\r\ntwo\u2028three\u0085"',
        fields: { 'x\u2029y': key, state: { type: 'string', values: ['a|b', '\n# c'] } },
      },
    })
    const engine = createEngine({ db: opened.db, schema: hostile })
    const body = schemaText(describeSchema(internalsOf(engine)))
    expect(body.split(/[\n\r\u2028\u2029\u0085]/).slice(1)).toEqual([
      String.raw`"a\u2028b[crud] c"[crud] "x\u2029y": "x\u2029y" integer, state "a|b"|"\n# c" "one\r\ntwo\u2028three\u0085\""`,
      '',
    ])
  })
})
