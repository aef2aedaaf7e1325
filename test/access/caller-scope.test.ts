// Callers who share their rules share statements, and nothing else.

import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import {
  type Access,
  compileFilter,
  createEngine,
  createItem,
  type Engine,
  type ItemChange,
  listItems,
  matchesFilter,
  type Schema,
  updateItem,
} from '../../src/index.ts'
import { schema as typed } from '../conformance/writes/collections.ts'
import { createWriteTables, restored } from '../conformance/writes/tables.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const schema: Schema = typed
type Who = Omit<Access<Schema>, 'rules'>

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<Schema>
  let now = new Date('2024-03-01T12:00:00Z')
  beforeAll(async () => {
    opened = await open()
    await createWriteTables(name, opened.db)
    engine = createEngine({ db: opened.db, schema, clock: () => now })
  })
  beforeEach(() => restored[name](opened.db))

  const idsOf = async (of: string, who: Who, rules: NonNullable<Access<Schema>['rules']>) => {
    const { data } = await listItems(engine.as({ ...who, rules }), of, { fields: ['id'] })
    return data.map((item) => Reflect.get(item, 'id'))
  }
  const reading = (filter: object) => ({ articles: { read: { filter } } })

  // A user whose key no column can hold made the condition a word of the statement, which then served everybody.
  it.each([
    { title: 'one who is no whole number', user: 1.5 },
    { title: 'one beyond all numbers', user: '99999999999999999999' },
    { title: 'one who is no number at all', user: 'x' },
    { title: 'one who is nobody', user: undefined },
  ])('the statement of $title serves nobody else', async ({ user }) => {
    const not = reading({ author: { _neq: '$CURRENT_USER' } })
    const own = reading({ author: { _eq: '$CURRENT_USER' } })
    const among = reading({ author: { _nin: ['$CURRENT_USER', 9] } })
    const who = user === undefined ? {} : { user }
    for (const rules of [not, own, among]) await idsOf('articles', who, rules)
    expect(await idsOf('articles', { user: 1 }, not)).toEqual([2])
    expect(await idsOf('articles', { user: 1 }, own)).toEqual([1])
    expect(await idsOf('articles', { user: 2 }, among)).toEqual([1])
    for (const rules of [not, own, among]) expect(await idsOf('articles', {}, rules)).toEqual([])
  })

  it('a variable in a filter is no word of the statement either', async () => {
    const rules = { articles: { read: true } }
    const ask = async (user: number) => {
      const query = { fields: ['id'], filter: { author: { _neq: '$CURRENT_USER' } } }
      return (await listItems(engine.as({ user, rules }), 'articles', query)).data
    }
    expect(await ask(1.5)).toHaveLength(2)
    expect(await ask(1)).toEqual([{ id: 2 }])
  })

  it('everyone gets their own rows by one set of rules, with every verb', async () => {
    const rules = { articles: { read: { filter: { author: '$CURRENT_USER' } }, update: true } }
    for (const user of [1, 2, 1]) {
      const mine = engine.as({ user, rules })
      expect(await idsOf('articles', { user }, rules)).toEqual([user])
      expect(await updateItem(mine, 'articles', user, { title: 'x' }, { fields: ['id'] })).toEqual({
        id: user,
      })
      await expect(updateItem(mine, 'articles', 3 - user, {}, { fields: ['id'] })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    }
  })

  it('lists of roles may be of any length, and none denies', async () => {
    const rules = reading({ id: { _in: '$CURRENT_ROLES' } })
    const others = reading({ id: { _nin: '$CURRENT_ROLES' } })
    expect(await idsOf('articles', { roles: [] }, rules)).toEqual([])
    expect(await idsOf('articles', { roles: [3, 1] }, rules)).toEqual([1, 3])
    expect(await idsOf('articles', {}, rules)).toEqual([])
    expect(await idsOf('articles', { roles: [] }, others)).toEqual([1, 2, 3])
    expect(await idsOf('articles', { roles: [2] }, others)).toEqual([1, 3])
    expect(await idsOf('articles', {}, others)).toEqual([])
  })

  it('paths lead into the variables of an access', async () => {
    const rules = reading({ status: '$CURRENT_ROLE.sees' })
    expect(await idsOf('articles', { variables: { '$CURRENT_ROLE.sees': 'draft' } }, rules)).toEqual([2, 3])
    expect(await idsOf('articles', { variables: { $CURRENT_ROLE: { sees: 'published' } } }, rules)).toEqual([
      1,
    ])
    expect(await idsOf('articles', { role: 1 }, rules)).toEqual([])
  })

  it.each([
    ['a negated operator', { author: { _neq: '$CURRENT_USER' } }],
    ['none of the children', { notes: { _none: { id: '$CURRENT_USER' } } }],
    ['a list', { id: { _nin: [9, '$CURRENT_USER'] } }],
    ['what is around it', { _and: [{ id: { _gt: 0 } }, { author: { name: { _neq: '$CURRENT_USER' } } }] }],
  ])('a variable without value denies under %s', async (_, filter) => {
    expect(await idsOf('articles', {}, reading(filter))).toEqual([])
    expect(await idsOf('articles', { user: null }, reading(filter))).toEqual([])
    expect(await idsOf('articles', {}, reading({ _or: [filter, { id: 3 }] }))).toEqual([3])
  })

  it('$NOW is the moment of each call', async () => {
    const rules = { people: { read: { filter: { made: { _lt: '$NOW' } } } } }
    expect(await idsOf('people', {}, rules)).toHaveLength(1)
    now = new Date('2019-01-01T00:00:00Z')
    expect(await idsOf('people', {}, rules)).toEqual([])
    now = new Date('2024-03-01T12:00:00Z')
  })

  it('engines of one schema that mean other things by words do not share statements', async () => {
    const rules = { articles: { read: true } }
    const ask = async (options: object) => {
      const one = createEngine({ db: opened.db, schema, ...options }).as({ rules })
      return (await listItems(one, 'articles', { fields: ['id'], filter: { author: { _neq: 1 } } })).data
    }
    expect(await ask({ negationMatchesNull: true })).toEqual([{ id: 2 }, { id: 3 }])
    expect(await ask({})).toEqual([{ id: 2 }])
  })

  it('handlers get the engine of the caller, and what they add needs no rule', async () => {
    const own = createEngine({ db: opened.db, schema })
    const seen: unknown[] = []
    const look = async ({
      engine: inside,
      user,
    }: Pick<ItemChange, 'user'> & { readonly engine: Engine<Schema> }) => {
      seen.push([user, [...inside.schema.collections.keys()]])
    }
    own.on(
      'items.create',
      'articles',
      async (change) => {
        await look(change)
        return { ...change.payload, status: 'handled' }
      },
      { when: 'before' },
    )
    own.on('items.create', 'articles', look, { when: 'after' })
    const rules = { articles: { read: true, create: { fields: ['title'] } } }
    const mine = own.as({ user: 2, rules })
    expect(await createItem(mine, 'articles', { title: 'x' }, { fields: ['status'] })).toEqual({
      status: 'handled',
    })
    expect(seen).toEqual([
      [2, ['articles']],
      [2, ['articles']],
    ])
  })

  describe('a compiled filter', () => {
    const rules = {
      articles: {
        read: [
          { filter: { author: '$CURRENT_USER' }, fields: ['id', 'title'] },
          { filter: { status: 'draft' }, fields: ['*'] },
        ],
      },
    }
    const found = async (filter: Readonly<Record<string, unknown>>, access: Access<Schema>) => {
      const { expression } = compileFilter(engine.as(access), 'articles', filter)
      const rows = await opened.db
        .selectFrom('tbl_articles')
        .select('id')
        .where(expression)
        .orderBy('id')
        .execute()
      return rows.map(({ id }) => id)
    }

    it('finds what the caller sees', async () => {
      expect(await found({ id: { _gt: 0 } }, { user: 1, rules })).toEqual([1, 2, 3])
      expect(await found({ id: { _gt: 0 } }, { rules })).toEqual([2, 3])
      expect(await found({ views: { _null: true } }, { user: 1, rules })).toEqual([1, 3])
    })

    it('knows no more names than the caller', () => {
      const mine = engine.as({ rules: { articles: { read: { fields: ['id'] } } } })
      const refused = expect.objectContaining({ code: 'FORBIDDEN' })
      expect(() => compileFilter(mine, 'articles', { title: 'x' })).toThrow(refused)
      expect(() => matchesFilter(mine, 'articles', { title: 'x' }, { title: 'x' })).toThrow(refused)
      expect(() => compileFilter(mine, 'authors', { id: 1 })).toThrow(
        expect.objectContaining({ code: 'NOT_FOUND' }),
      )
      expect(matchesFilter(mine, 'articles', { id: '$CURRENT_USER' }, { id: 1 })).toBe(false)
      expect(
        matchesFilter(engine.as({ user: 1, rules }), 'articles', { id: '$CURRENT_USER' }, { id: 1 }),
      ).toBe(true)
    })

    it('takes the rules of an access beside a schema', () => {
      const given = { schema, dialect: internalsOf(engine).dialect }
      const { sql } = compileFilter(
        given,
        'articles',
        { id: 3 },
        { access: { user: 1, rules: reading({ author: '$CURRENT_USER' }) } },
      )
      expect(sql).toContain('author_id')
    })
  })

  it('are read without an engine, too, whatever collections of its own they name', () => {
    const rules = {
      articles: { read: { filter: { id: 1 } } },
      files: { read: true },
      quernel_runs: { read: { fields: ['state'] } },
    } as const
    const given = { schema, dialect: 'sqlite' } as const
    const access = { rules: rules as never }
    expect(compileFilter(given, 'articles', {}, { access }).parameters).toEqual(
      compileFilter(given, 'articles', {}, { access: { rules: { articles: rules.articles } as never } })
        .parameters,
    )
    const wrong = { rules: { ...rules, fils: { read: true } } as never }
    expect(() => compileFilter(given, 'articles', {}, { access: wrong })).toThrow('fils')
    const mistaken = { rules: { files: { read: { fields: ['nonsense'] } } } as never }
    expect(() => compileFilter(given, 'articles', {}, { access: mistaken })).toThrow('nonsense')
  })
})
