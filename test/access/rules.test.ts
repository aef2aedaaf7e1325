// Rules are read when an engine is narrowed: what is wrong with them is told to the host, by its place.

import { describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import {
  type Access,
  createEngine,
  defineSchema,
  isEngineError,
  listItems,
  type Schema,
} from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'
import { json, key, many, maybeOne, string } from '../support/fields.ts'
import { problemsIn, told } from '../support/outcome.ts'

const typed = defineSchema({
  authors: { fields: { id: key, name: string, articles: many('articles.author') } },
  articles: { versioned: true, fields: { id: key, title: string, meta: json, author: maybeOne('authors') } },
})
const schema: Schema = typed
const { db } = await openSqlite()
const engine = createEngine({ db, schema })

function problemsOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    if (isEngineError(error)) return problemsIn(error).map(told)
    throw error
  }
}

/** What is given may be anything. */
const as = (access: unknown) => () => engine.as(access as Access<Schema>)

describe('who asks', () => {
  it.each([null, undefined, 7, 'admin', true, [], new Error('x'), () => ({})])('is no %s', (access) => {
    expect(as(access)).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
  })

  it('is told once', () => {
    for (const access of [{}, { admin: true }])
      expect(() => engine.as(access).as({ admin: true })).toThrow("This engine is one caller's already.")
  })

  it.each([{ roles: 'editor' }, { policies: 3 }, { variables: [] }])(
    'is described by lists and objects, not by %o',
    (access) => {
      expect(as(access)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTIONS', path: Object.keys(access) }),
      )
    },
  )

  it('sees nothing without rules', () => {
    expect([...engine.as({}).schema.collections]).toEqual([])
    expect([...engine.as({ user: 1, rules: {} }).schema.collections]).toEqual([])
  })

  it.each([
    ['a text', { admin: 'true' }],
    ['a number', { admin: 1 }],
  ])('is no admin by %s', (_, access) => {
    expect(problemsOf(() => [...as(access)().schema.collections])).toEqual([])
  })

  it('is no admin by a word that every object has', () => {
    Reflect.defineProperty(Object.prototype, 'admin', { value: true, configurable: true })
    try {
      expect([...engine.as({}).schema.collections]).toEqual([])
    } finally {
      Reflect.deleteProperty(Object.prototype, 'admin')
    }
    expect(as(Object.create({ admin: true }))).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS' }))
  })

  it('sees everything as an admin, whatever rules say', () => {
    expect(engine.as({ admin: true, rules: { articles: { read: false } } }).schema).toBe(schema)
  })
})

const wrong: Readonly<
  Record<
    string,
    readonly [rules: unknown, path: readonly (string | number)[], message: string, hint?: string]
  >
> = {
  'an unknown collection': [
    { artikles: {} },
    ['rules', 'artikles'],
    'There is no collection "artikles".',
    'Did you mean "articles"?',
  ],
  'an inherited name': [
    { constructor: {} },
    ['rules', 'constructor'],
    'There is no collection "constructor".',
  ],
  'an unknown action': [
    { articles: { write: true } },
    ['rules', 'articles', 'write'],
    'There is no action "write"; there are create, read, update, delete.',
    'Here that is "update": { update: true }.',
  ],
  'an unknown part': [
    { articles: { read: { filters: {} } } },
    ['rules', 'articles', 'read', 'filters'],
    'A rule has fields, filter, validation, presets, and no "filters".',
    'Did you mean "filter"?',
  ],
  'an unknown field': [
    { articles: { read: [{}, { fields: ['titel'] }] } },
    ['rules', 'articles', 'read', 1, 'fields', 0],
    'There is no field "titel" in "articles".',
    'Did you mean "title"?',
  ],
  'fields as text': [
    { articles: { read: { fields: 'title' } } },
    ['rules', 'articles', 'read', 'fields'],
    '"fields" takes a list of names, not "title".',
  ],
  'an unknown preset': [
    { articles: { create: { presets: { autor: 1 } } } },
    ['rules', 'articles', 'create', 'presets', 'autor'],
    'There is no field "autor" in "articles".',
    'Did you mean "author"?',
  ],
  'a preset that its field cannot hold': [
    { articles: { create: { presets: { author: 'Ada' } } } },
    ['rules', 'articles', 'create', 'presets', 'author'],
    '"author" takes a whole number, not "Ada".',
  ],
  'a preset with a variable that is not understood': [
    { articles: { create: { presets: { author: '$CURRENT_USER(2)' } } } },
    ['rules', 'articles', 'create', 'presets', 'author'],
    '"$CURRENT_USER(2)" is not understood: $CURRENT_USER takes nothing in parentheses.',
  ],
  'a preset that changes a part of what is stored': [
    { articles: { update: { presets: { meta: { _merge: { a: 1 } } } } } },
    ['rules', 'articles', 'update', 'presets', 'meta'],
    'A preset is a value, and this one would change the stored value of "meta".',
  ],
  'a text in place of all rules': ['articles', ['rules'], 'Rules are objects, not "articles".'],
  'a list in place of all rules': [[], ['rules'], 'Rules are objects, not a list of 0.'],
  null: [{ articles: { read: null } }, ['rules', 'articles', 'read'], 'Rules are objects, not null.'],
  'a text': [{ articles: { read: 'true' } }, ['rules', 'articles', 'read'], 'Rules are objects, not "true".'],
  'an empty list of branches': [
    { articles: { read: { filter: { _or: [] } } } },
    ['rules', 'articles', 'read', 'filter', '_or'],
    '"_or" needs at least one branch; without any it would match everything.',
  ],
  'an empty list of branches that all hold': [
    { articles: { read: { filter: { _and: [] } } } },
    ['rules', 'articles', 'read', 'filter', '_and'],
    '"_and" of a rule needs at least one branch.',
  ],
  'an empty branch': [
    { articles: { read: { filter: { _and: [{}] } } } },
    ['rules', 'articles', 'read', 'filter', '_and', 0],
    'This part of a rule holds no condition.',
  ],
  'an empty condition': [
    { articles: { read: { filter: { title: {} } } } },
    ['rules', 'articles', 'read', 'filter', 'title'],
    'This part of a rule holds no condition.',
  ],
  'an empty condition on children': [
    { authors: { read: { filter: { articles: { _none: {} } } } } },
    ['rules', 'authors', 'read', 'filter', 'articles', '_none'],
    'This part of a rule holds no condition.',
  ],
  'an empty condition on some children': [
    { authors: { read: { filter: { articles: { _some: { title: {} } } } } } },
    ['rules', 'authors', 'read', 'filter', 'articles', '_some', 'title'],
    'This part of a rule holds no condition.',
  ],
  'an empty condition inside JSON': [
    { articles: { read: { filter: { meta: { _json: { 'a.b': {} } } } } } },
    ['rules', 'articles', 'read', 'filter', 'meta', '_json', 'a.b'],
    'This part of a rule holds no condition.',
  ],
  'an empty list for a filter': [
    { articles: { read: { filter: [] } } },
    ['rules', 'articles', 'read', 'filter'],
    'This part of a rule holds no condition.',
  ],
  'an empty text for a filter': [
    { articles: { read: { filter: '' } } },
    ['rules', 'articles', 'read', 'filter'],
    'This part of a rule holds no condition.',
  ],
  'an empty list of branches in a validation': [
    { articles: { create: { validation: { title: 'x', _or: [] } } } },
    ['rules', 'articles', 'create', 'validation', '_or'],
    '"_or" needs at least one branch; without any it would match everything.',
  ],
}

describe('wrong rules', () => {
  it.each(Object.entries(wrong))('%s is told with its place', (_, [rules, path, message, hint]) => {
    expect(problemsOf(as({ rules }))).toEqual([
      { code: 'INVALID_OPTIONS', path, message, ...(hint !== undefined && { hint }) },
    ])
  })

  it('an unknown field and an unknown operator of a filter are told together, with what is allowed', () => {
    const filter = { titel: 'x', author: { name: { _eqq: 'x' } } }
    expect(problemsOf(as({ rules: { articles: { read: { filter } } } }))).toEqual([
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        path: ['rules', 'articles', 'read', 'filter', 'author', 'name', '_eqq'],
      }),
    ])
    expect(
      problemsOf(as({ rules: { articles: { read: { filter: { titel: 'x', author: { nme: 'x' } } } } } })),
    ).toEqual([
      expect.objectContaining({
        path: ['rules', 'articles', 'read', 'filter', 'titel'],
        hint: 'Did you mean "title"?',
      }),
      expect.objectContaining({
        path: ['rules', 'articles', 'read', 'filter', 'author', 'nme'],
        hint: 'Did you mean "name"?',
      }),
    ])
  })
})

describe('rules that were read', () => {
  it('may leave out or preset nothing', () => {
    const rules = {
      authors: undefined,
      articles: { read: true, update: undefined, create: { presets: { author: null, title: undefined } } },
    }
    expect(problemsOf(() => [...as({ rules })().schema.collections.keys()])).toEqual(['articles'])
  })

  it('may have a filter that is empty as a whole, which is met by every item', () => {
    expect(problemsOf(as({ rules: { articles: { read: { filter: {} } } } }))).toHaveProperty('schema')
  })

  it('grant a field on every item where one rule for all items does', () => {
    const filter = { title: 'x' }
    const several = [{ fields: ['id'], filter }, { fields: ['title'] }, { fields: ['title'], filter }]
    const fieldsOf = (read: unknown) =>
      [...as({ rules: { articles: { read } } })().schema.collections.values()].flatMap(({ fields }) =>
        [...fields.values()].map((field) => [field.name, 'isNullable' in field && field.isNullable]),
      )
    expect(fieldsOf(several)).toEqual([
      ['id', true],
      ['title', false],
    ])
    expect(fieldsOf(several.toSpliced(1, 1, { fields: ['author'] }))).toEqual([
      ['id', true],
      ['title', true],
      ['author', true],
    ])
  })

  it('may preset the items of a relation, which are read when they are written', () => {
    const rules = { authors: { create: { presets: { articles: [{ title: 'x' }] } } } }
    expect(problemsOf(as({ rules }))).toHaveProperty('schema')
  })

  it('are frozen, also inside of what the host has frozen', () => {
    const filter = { title: { _in: ['x'] } }
    const rules = Object.freeze({ articles: { read: [{ filter }] } })
    engine.as({ rules })
    expect(Object.isFrozen(filter.title._in)).toBe(true)
    expect(Object.isFrozen(rules.articles.read)).toBe(true)
  })

  it('are not read again for the same engine, and again for another', () => {
    const rules = { articles: { read: { filter: { title: 'x' } } } }
    const first = engine.as({ user: 1, rules })
    expect(engine.as({ user: 2, rules }).schema).toBe(first.schema)
    expect(engine.as({ user: 1, rules: structuredClone(rules) }).schema).toBe(first.schema)
    const wider = { ...structuredClone(rules), authors: { read: true } }
    expect(engine.as({ user: 1, rules: wider }).schema).not.toBe(first.schema)
    // Statements that were made for one engine would have served the other.
    expect(internalsOf(createEngine({ db, schema, timezone: '+02:00' }).as({ rules })).templates).not.toBe(
      internalsOf(first).templates,
    )
  })

  it('may be changed while they are no object that is remembered, and are other rules then', () => {
    const rules = () => ({ articles: { read: { fields: ['id'] } } })
    engine.as({ rules: rules() })
    const equal = rules()
    const fieldsNow = () => [
      ...(engine.as({ rules: equal }).schema.collections.get('articles')?.fields.keys() ?? []),
    ]
    expect(fieldsNow()).toEqual(['id'])
    equal.articles.read.fields.push('title')
    expect(fieldsNow()).toEqual(['id', 'title'])
    expect(Object.isFrozen(equal.articles.read.fields)).toBe(true)
  })

  it('of a collection are read again only if they changed, and mistakes are reported each time', () => {
    const articles = { read: { filter: { title: 'x' } } }
    const articlesOf = [...schema.collections.values()].find(({ name }) => name === 'articles')
    const grantsOf = (rules: unknown) =>
      articlesOf &&
      internalsOf(engine.as({ rules } as Access<Schema>)).scope?.permissions?.grants.get(articlesOf)
    const first = grantsOf({ articles, authors: { read: true } })
    expect(first).toBeDefined()
    expect(grantsOf({ articles: structuredClone(articles), authors: { read: false } })).toBe(first)
    const wrong = { articles: structuredClone(articles), authors: { read: { filter: { age: 'x' } } } }
    for (let time = 0; time < 2; time++)
      expect(problemsOf(as({ rules: structuredClone(wrong) }))).toEqual([
        expect.objectContaining({ path: ['rules', 'authors', 'read', 'filter', 'age'] }),
      ])
  })

  it('that are computed are those of the object', () => {
    let name = 'id'
    const rules = {
      articles: {
        read: {
          get fields() {
            return [name]
          },
        },
      },
    }
    const fields = () => [...(engine.as({ rules }).schema.collections.get('articles')?.fields.keys() ?? [])]
    expect(fields()).toEqual(['id'])
    name = 'title'
    expect(fields()).toEqual(['id'])
  })

  it('stay with an engine in transactions', async () => {
    const mine = engine.as({ rules: { authors: { read: { fields: ['id'] } } } })
    const found = await mine.transaction(async (inside) => [...inside.schema.collections.keys()])
    expect(found).toEqual(['authors'])
    const outer = await db
      .transaction()
      .execute(async (transaction) => [...mine.using(transaction).schema.collections.keys()])
    expect(outer).toEqual(['authors'])
    await expect(mine.transaction((inside) => listItems(inside, 'articles'))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})
