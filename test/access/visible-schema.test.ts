// The schema that rules leave: what of each collection is there, and as what.
import { describe, expect, it } from 'vitest'
import { visibleSchema } from '../../src/access/visible-schema.ts'
import { createEngine, defineSchema, type Field, type Schema } from '../../src/index.ts'
import { versionFields } from '../../src/schema/own-versions.ts'
import { openSqlite } from '../support/databases.ts'
import { integer, key, one, string, text } from '../support/fields.ts'

const schema: Schema = defineSchema({
  authors: {
    note: 'Who writes.',
    versioned: true,
    fields: {
      id: key,
      name: string,
      secret: { type: 'string', conceal: true, searchable: false },
      articles: { type: 'o2m', from: 'articles.author', sort: 'rank' },
    },
  },
  articles: {
    sortField: 'rank',
    fields: {
      tags: { type: 'm2m', through: 'article_tags.article', to: 'tag', sort: 'place' },
      id: key,
      title: string,
      rank: integer,
      author: one('authors'),
      blocks: { type: 'm2a', through: 'article_blocks.article', to: 'item' },
    },
  },
  tags: { fields: { id: key, word: string } },
  article_tags: { fields: { id: key, article: one('articles'), tag: one('tags'), place: integer } },
  texts: { fields: { id: key } },
  images: { fields: { id: key } },
  article_blocks: {
    fields: {
      id: key,
      article: one('articles'),
      item: { type: 'any', to: ['texts', 'images'], by: 'kind' },
      kind: string,
    },
  },
  settings: { singleton: true, fields: { id: key, theme: text } },
})
const { db } = await openSqlite()
const engine = createEngine({ db, schema })

const everything = Object.fromEntries([...schema.collections.keys()].map((name) => [name, { read: true }]))
const seenBy = (rules: object) => engine.as({ rules: { ...everything, ...rules } as never }).schema

/** A field in a word, with the collections it leads to, a question mark where it may be null. */
function told(field: Field): string {
  const mark = 'isNullable' in field && field.isNullable ? '?' : ''
  const sign = 'isKey' in field && field.isKey ? '!' : ''
  const targets =
    field.kind === 'scalar'
      ? ''
      : field.kind === 'any'
        ? ` ${[...field.targets.keys()].join('|')}`
        : ` ${field.target.name}`
  return `${field.name}${sign}: ${field.kind}${targets}${mark}`
}

const fieldsOf = (rules: object, name: string) =>
  [...(seenBy(rules).collections.get(name)?.fields.values() ?? [])].map(told)

it('takes the fields of the collections that are asked for, and of those to which their lists lead', () => {
  const looked = new Set<string>()
  const grants = new Map(
    [...schema.collections.values()].map((collection) => {
      class Looked extends Set<string> {
        override has(name: string): boolean {
          looked.add(collection.name)
          return super.has(name)
        }
      }
      const fields = new Looked(collection.fields.keys())
      const rule = { fields, filter: undefined, validation: undefined, presets: {}, path: [] }
      return [collection, { read: [rule] }] as const
    }),
  )
  const { collections } = visibleSchema(schema, [], grants, new Set()).schema
  expect([...collections.keys()]).toEqual([...schema.collections.keys()])
  expect([...looked]).toEqual([])
  expect([...(collections.get('settings')?.fields.keys() ?? [])]).toEqual(['id', 'theme'])
  expect([...looked]).toEqual(['settings'])
  expect(collections.get('authors')?.fields.get('articles')).toMatchObject({ sort: { name: 'rank' } })
  expect([...looked]).toEqual(['settings', 'authors', 'articles'])
})

describe('a collection', () => {
  it('is there as it is where all of it may be read', () => {
    const seen = seenBy({})
    expect([...seen.collections.keys()]).toEqual([...schema.collections.keys()])
    for (const [name, collection] of schema.collections) {
      const { fields, sortField, key, ...rest } = collection
      expect([...(seen.collections.get(name)?.fields.values() ?? [])].map(told)).toEqual(
        [...fields.values()].map(told),
      )
      expect(seen.collections.get(name)).toMatchObject(rest)
      expect(seen.collections.get(name)?.sortField?.name).toBe(sortField?.name)
      expect(seen.collections.get(name)?.key).toMatchObject({ name: key && 'name' in key && key.name })
    }
  })

  it.each([
    ['not named', { tags: undefined }],
    ['named without an action', { tags: {} }],
    ['not allowed', { tags: { read: false } }],
    ['allowed by no rule', { tags: { read: [] } }],
    ['written only', { tags: { create: true, update: true, delete: true } }],
  ])('is not there where it is %s', (_, rules) => {
    expect(seenBy(rules).collections.has('tags')).toBe(false)
  })

  it.each([
    ['true', true],
    ['a rule that names nothing', {}],
    ['a rule of all fields', { fields: ['*'] }],
    ['a star among fields', { fields: ['title', '*'] }],
    ['an empty filter', { filter: {} }],
    ['one of several', [{ fields: ['id'], filter: { id: 1 } }, {}]],
  ])('is there as it is by %s', (_, read) => {
    expect(fieldsOf({ articles: { read } }, 'articles')).toEqual([
      'tags: m2m article_tags',
      'id!: scalar',
      'title: scalar',
      'rank: scalar',
      'author: m2o authors',
      'blocks: m2a article_blocks',
    ])
  })

  it('is a singleton, versioned and described as before', () => {
    const { collections } = seenBy({ settings: { read: { fields: ['theme'] } } })
    expect(collections.get('settings')).toMatchObject({ isSingleton: true, isVersioned: false })
    expect(collections.get('authors')).toMatchObject({
      isSingleton: false,
      isVersioned: true,
      note: 'Who writes.',
    })
  })
})

describe('a field', () => {
  it('is there where a rule names it, in the order of the schema', () => {
    const read = { fields: ['rank', 'title', 'id'] }
    expect(fieldsOf({ articles: { read } }, 'articles')).toEqual([
      'id!: scalar',
      'title: scalar',
      'rank: scalar',
    ])
  })

  it('may be null where a rule without it allows items too', () => {
    const read = [
      { fields: ['id', 'title'], filter: { id: 1 } },
      { fields: ['id', 'author'], filter: { id: 2 } },
    ]
    expect(fieldsOf({ articles: { read } }, 'articles')).toEqual([
      'id!: scalar',
      'title: scalar?',
      'author: m2o authors?',
    ])
  })

  it('may not be null where each rule names it, or a rule for all items', () => {
    const both = [
      { fields: ['title'], filter: { id: 1 } },
      { fields: ['title'], filter: { id: 2 } },
    ]
    expect(fieldsOf({ articles: { read: both } }, 'articles')).toEqual(['title: scalar'])
    const all = [{ fields: ['title'] }, { fields: ['rank'], filter: { id: 2 } }]
    expect(fieldsOf({ articles: { read: all } }, 'articles')).toEqual(['title: scalar', 'rank: scalar?'])
  })

  it('is no key where it is not seen of every item, and the collection has its key all the same', () => {
    const read = [
      { fields: ['id', 'title'], filter: { id: 1 } },
      { fields: ['title'], filter: { id: 2 } },
    ]
    expect(fieldsOf({ articles: { read } }, 'articles')).toEqual(['id: scalar?', 'title: scalar'])
    const seen = seenBy({ articles: { read } }).collections.get('articles')
    expect(seen?.key).toMatchObject({ name: 'id', isKey: true })
    const hidden = seenBy({ articles: { read: { fields: ['title'] } } }).collections.get('articles')
    expect(hidden?.key).toMatchObject({ name: 'id' })
  })

  it('sorts a collection where it is seen', () => {
    const sortOf = (fields: readonly string[]) =>
      seenBy({ articles: { read: { fields } } }).collections.get('articles')?.sortField?.name
    expect(sortOf(['id', 'rank'])).toBe('rank')
    expect(sortOf(['id', 'title'])).toBeUndefined()
  })

  it('that is concealed stays so', () => {
    expect(seenBy({}).collections.get('authors')?.fields.get('secret')).toMatchObject({
      isConcealed: true,
      isSearchable: false,
    })
  })
})

describe('a relation', () => {
  it('to a collection that is not seen is the value that it holds', () => {
    expect(fieldsOf({ authors: {} }, 'articles')).toContain('author: scalar')
    const seen = seenBy({ authors: {} }).collections.get('articles')?.fields.get('author')
    expect(seen).toMatchObject({
      isConcealed: false,
      isGenerated: false,
      isSearchable: false,
      schema: undefined,
    })
  })

  it('leads to what is seen of its target', () => {
    const seen = seenBy({ authors: { read: { fields: ['id'] } } })
    const author = seen.collections.get('articles')?.fields.get('author')
    expect(author?.kind === 'm2o' && author.target).toBe(seen.collections.get('authors'))
    const articles = seenBy({}).collections.get('authors')?.fields.get('articles')
    expect(
      articles?.kind === 'o2m' && [articles.target.name, articles.foreign.name, articles.sort?.name],
    ).toEqual(['articles', 'author', 'rank'])
  })

  it.each([
    ['the target is not seen', { articles: {} }],
    ['the field that points back is not seen', { articles: { read: { fields: ['id', 'title'] } } }],
    ['it is not among the fields', { authors: { read: { fields: ['id', 'name'] } } }],
  ])('to many is not there where %s', (_, rules) => {
    expect(fieldsOf(rules, 'authors').some((field) => field.startsWith('articles'))).toBe(false)
  })

  it('to many has no order where the field that orders it is not seen', () => {
    const field = seenBy({ articles: { read: { fields: ['id', 'author'] } } })
      .collections.get('authors')
      ?.fields.get('articles')
    expect(field?.kind === 'o2m' && field.sort).toBeUndefined()
  })

  it.each([
    ['the far side is not seen', { tags: {} }, 'tags: o2m article_tags'],
    [
      'the field that leads there is not seen',
      { article_tags: { read: { fields: ['id', 'article'] } } },
      'tags: o2m article_tags',
    ],
    ['all is seen', {}, 'tags: m2m article_tags'],
  ])('across a junction is what is left of it where %s', (_, rules, left) => {
    expect(fieldsOf(rules, 'articles')[0]).toBe(left)
  })

  it.each([
    ['all is seen', {}, 'blocks: m2a article_blocks', 'item: any texts|images'],
    ['one of its collections is seen', { texts: {} }, 'blocks: m2a article_blocks', 'item: any images'],
    ['none of them is seen', { texts: {}, images: {} }, 'blocks: o2m article_blocks', 'item: scalar'],
    [
      'the field that tells them apart is not seen',
      { article_blocks: { read: { fields: ['id', 'article', 'item'] } } },
      'blocks: o2m article_blocks',
      'item: scalar',
    ],
  ])('to any collection is what is left of it where %s', (_, rules, blocks, item) => {
    expect(fieldsOf(rules, 'articles')).toContain(blocks)
    expect(fieldsOf(rules, 'article_blocks')).toContain(item)
  })

  it('to any collection may be null where rules without it allow items too', () => {
    const read = [
      { fields: ['id', 'item', 'kind'], filter: { id: 1 } },
      { fields: ['id', 'kind'], filter: { id: 2 } },
    ]
    expect(fieldsOf({ article_blocks: { read } }, 'article_blocks')).toEqual([
      'id!: scalar',
      'item: any texts|images?',
      'kind: scalar',
    ])
  })
})

describe('a collection that may share its table with the versions', () => {
  const seenBeside = (described: string | undefined, other: { table: string; dbSchema?: string }) => {
    const at = described === undefined ? {} : { dbSchema: described }
    const whole: Schema = defineSchema({
      notes: { versioned: true, fields: { id: key } },
      versions: { ...at, table: 'drafts', fields: versionFields },
      others: { ...other, fields: { id: key } },
    })
    const rules = { notes: { read: true }, versions: { read: true }, others: { read: true } }
    return [...createEngine({ db, schema: whole }).as({ rules }).schema.collections.keys()]
  }

  it.each([
    ['of the same name in the same schema', 'press', { table: 'drafts', dbSchema: 'press' }, false],
    ['of the same name but for its case', 'press', { table: 'Drafts', dbSchema: 'press' }, false],
    ['of the same name in the default schema, which may be that one', 'press', { table: 'drafts' }, false],
    [
      'of the same name in a schema that may be the default one',
      undefined,
      { table: 'drafts', dbSchema: 'press' },
      false,
    ],
    ['of the same name in another schema', 'press', { table: 'drafts', dbSchema: 'shop' }, true],
    ['of another name', 'press', { table: 'letters', dbSchema: 'press' }, true],
  ])(
    'is there for callers with rules only if that cannot be, for a table %s',
    (_, described, other, isThere) => {
      expect(seenBeside(described, other)).toEqual(isThere ? ['notes', 'others'] : ['notes'])
    },
  )
})
