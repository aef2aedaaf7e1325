// The SQL of filters that are compiled alone: no database is needed to see it.
import { describe, expect, it } from 'vitest'
import { type Access, compileFilter, defineSchema, type Filter, type Schema } from '../../src/index.ts'
import { postgres } from '../../src/postgres.ts'
import { sqlite } from '../../src/sqlite.ts'

const id = { type: 'integer', key: true } as const
const schema: Schema = defineSchema({
  authors: { dbSchema: 'press', fields: { id, name: { type: 'string' } } },
  articles: {
    fields: {
      id,
      title: { type: 'string' },
      place: { type: 'geometry', nullable: true },
      meta: { type: 'json', nullable: true },
      author: { type: 'm2o', to: 'authors', nullable: true },
      about: { type: 'any', to: ['authors'], by: 'title', nullable: true },
    },
  },
})
const { geo: _functions, ...withoutGeometry } = sqlite

const compiled = (filter: Filter<Schema, string>, access?: object) => {
  const context = access ? { access: access as Access } : {}
  return compileFilter({ schema, dialect: sqlite }, 'articles', filter, context).sql
}

describe('a filter', () => {
  it('names the schema of a table that has one', () => {
    expect(compileFilter({ schema, dialect: postgres }, 'articles', { author: { name: 'Ada' } }).sql).toBe(
      'exists (select 1 from "press"."authors" as "_q1" where "_q1"."id" = "articles"."author" and "_q1"."name" = $1)',
    )
  })

  it.each<[string, Filter<Schema, string>]>([
    ['a list where a text is asked', { title: { _contains: '$CURRENT_ROLES' } }],
    ['what is no number where one is asked', { id: { _in: [1, '$CURRENT_ROLE'] } }],
    ['nobody', { author: { id: '$CURRENT_USER' } }],
    ['nobody, behind a reference', { 'about:authors': { name: { _neq: '$CURRENT_USER' } } }],
  ])('is false where a variable stands for %s', (_, filter) => {
    expect(compiled(filter, { roles: ['a'], role: 'editor' })).toBe('1 = 0')
  })

  it('that compares geometries is refused where a database has no functions for them', () => {
    const point = { type: 'Point', coordinates: [1, 2] }
    const compile = (filter: Filter<Schema, string>) =>
      compileFilter({ schema, dialect: withoutGeometry }, 'articles', filter).sql
    for (const operator of ['_eq', '_intersects', '_nintersects_bbox'])
      expect(() => compile({ place: { [operator]: point } })).toThrow(
        expect.objectContaining({
          code: 'INVALID_QUERY',
          path: ['filter', 'place', operator],
          message: `"${operator}" needs geometry functions, and this database has none.`,
          hint: 'Open the database with quernel/sqlite, which brings them.',
        }),
      )
    expect(compile({ place: { _null: true } })).toBe('"articles"."place" is null')
  })

  it.each([7, 8, 9, 20])('of %i branches names each of them once', (amount) => {
    const numbers = Array.from({ length: amount }, (_, index) => index)
    const { sql, parameters } = compileFilter({ schema, dialect: sqlite }, 'articles', {
      _or: numbers.map((one) => ({ title: `t${one}` })),
    })
    expect(sql.split(' or ')).toHaveLength(amount)
    expect(sql.match(/\(/g)).toHaveLength(sql.match(/\)/g)?.length ?? 0)
    expect(parameters).toEqual(numbers.map((one) => `t${one}`))
  })
})

describe('what rules say of rows', () => {
  const read = (rules: unknown) => ({ rules: { articles: { read: rules }, authors: { read: true } } })

  it.each([
    ['nothing, where all rows may be read', true, '"articles"."title" = ?'],
    ['nothing, where one of them allows all rows', [{}, { filter: { id: 1 } }], '"articles"."title" = ?'],
    [
      'a condition beside the filter',
      { filter: { id: 1 } },
      '("articles"."id" = ? and "articles"."title" = ?)',
    ],
    [
      'one of several conditions',
      [{ filter: { id: 1 } }, { filter: { id: 2 } }],
      '(("articles"."id" = ? or "articles"."id" = ?) and "articles"."title" = ?)',
    ],
    [
      'that nobody sees a row by a variable without a value',
      { filter: { id: '$CURRENT_USER' } },
      '(1 = 0 and "articles"."title" = ?)',
    ],
    [
      'on which rows a column is shown',
      [{ fields: ['id'] }, { fields: ['title'], filter: { id: 1 } }],
      'case when "articles"."id" = ? then "articles"."title" end = ?',
    ],
    [
      'which rows there are, and on which a column is shown',
      [
        { fields: ['id'], filter: { id: 2 } },
        { fields: ['id', 'title'], filter: { id: 1 } },
      ],
      '(("articles"."id" = ? or "articles"."id" = ?) and case when "articles"."id" = ? then "articles"."title" end = ?)',
    ],
  ])('is %s', (_, rules, sql) => {
    expect(compiled({ title: 'x' }, read(rules))).toBe(sql)
  })

  // Such a value was taken for a mistake in the rule, which left its condition out: every row was seen.
  it.each<[string, object, object]>([
    ['is the word for null', { author: '$CURRENT_USER' }, { user: 'null' }],
    ['is the word for null, under a negation', { author: { _neq: '$CURRENT_USER' } }, { user: 'null' }],
    ['is a list with null', { id: { _in: '$CURRENT_ROLES' } }, { roles: [1, null] }],
    ['is a list with the word for null', { id: { _nin: ['$CURRENT_ROLES'] } }, { roles: ['null'] }],
    ['has too few values for a pair', { id: { _between: ['$CURRENT_ROLES', 5] } }, { roles: [] }],
    ['has too many values for a pair', { id: { _between: ['$CURRENT_ROLES', 5] } }, { roles: [1, 2] }],
    [
      'is found to be a list with null',
      { id: { _in: ['$CURRENT_USER.teams'] } },
      { variables: { $CURRENT_USER: { teams: [null] } } },
    ],
    ['is an object', { id: '$CURRENT_USER.team' }, { variables: { '$CURRENT_USER.team': { id: 1 } } }],
    ['is a list in place of a text', { title: { _contains: '$CURRENT_ROLES' } }, { roles: ['a'] }],
    ['is a list in place of a value', { 'json(meta, a)': '$CURRENT_ROLES' }, { roles: [1, 'a'] }],
  ])('is that nobody sees a row where a variable %s', (_, filter, who) => {
    expect(compiled({ title: 'x' }, { ...who, ...read({ filter }) })).toBe(
      '(1 = 0 and "articles"."title" = ?)',
    )
  })

  it('is asked of related rows inside of the condition on them', () => {
    const rules = { articles: { read: true }, authors: { read: { filter: { id: 5 } } } }
    expect(compiled({ author: { name: 'Ada' } }, { rules })).toBe(
      'exists (select 1 from (select * from "press"."authors" as "_q2" where "_q2"."id" = ?) as "_q1" where "_q1"."id" = "articles"."author" and "_q1"."name" = ?)',
    )
  })

  it('shows a column of related rows where it may be seen', () => {
    const authors = { read: [{ fields: ['id'] }, { fields: ['name'], filter: { id: 5 } }] }
    expect(compiled({ author: { name: 'Ada' } }, { rules: { articles: { read: true }, authors } })).toBe(
      'exists (select 1 from (select "_q2"."id", case when "_q2"."id" = ? then "_q2"."name" end as "name" from "press"."authors" as "_q2") as "_q1" where "_q1"."id" = "articles"."author" and "_q1"."name" = ?)',
    )
  })

  it('is nothing for an admin, whatever rules there are', () => {
    expect(compiled({ title: 'x' }, { admin: true, ...read(false) })).toBe('"articles"."title" = ?')
  })

  it('is that what may not be read is not there', () => {
    expect(() => compiled({ title: 'x' }, read(false))).toThrow(
      'There is no collection "articles", or you may not see it.',
    )
    expect(() => compiled({ title: 'x' }, read({ fields: ['id'] }))).toThrow(
      'There is no field "title" in "articles", or you may not use it.',
    )
  })
})
