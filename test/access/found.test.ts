// Wrong answers to callers that random ones found, each in its smallest form.
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  type Filter,
  listItems,
  listItemsJson,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { json, key, many, maybeOne, number } from '../support/fields.ts'

const schema = defineSchema({
  authors: { fields: { id: key, articles: many('articles.author') } },
  articles: { fields: { id: key, author: maybeOne('authors'), views: number } },
  notes: { fields: { id: key, of: json } },
})

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    const { run } = opened
    await run('create table authors (id integer primary key)')
    await run('create table articles (id integer primary key, author integer, views integer)')
    await run('insert into authors values (1), (2), (3)')
    await run('create table notes (id integer primary key, of json)')
    await run(
      `insert into notes values (1, '{"user":7}'), (2, '{"user":"7"}'), (3, '{"user":"x"}'), (4, null)`,
    )
    await run('insert into articles values (1, 1, 0), (2, 1, 5), (3, 2, 0)')
  })

  const engine = () => createEngine({ db: opened.db, schema })

  it('a variable is compared with values inside JSON of its own type, whoever asked before', async () => {
    const shared = engine()
    const seen = async (operator: string, operand: unknown, access: object) => {
      const filter = { 'json(of, user)': { [operator]: operand } }
      const rules = { notes: { read: { filter } } }
      const byRule = (await listItems(shared.as({ ...access, rules }), 'notes')).data
      const mine = shared.as({ ...access, rules: { notes: { read: true } } })
      const byFilter = (await listItems(mine, 'notes', { filter: filter as never })).data
      expect(byFilter).toEqual(byRule)
      return byRule.map(({ id }) => id)
    }
    for (const [user, found] of [
      [7, [1]],
      ['7', [2]],
      ['x', [3]],
      [7, [1]],
      [8, []],
      [undefined, []],
    ] as const)
      expect(await seen('_eq', '$CURRENT_USER', { user })).toEqual(found)
    for (const [roles, found] of [
      [[7], [1]],
      [
        ['7', 'x'],
        [2, 3],
      ],
      [[], []],
      // Of two types at once it is of neither.
      [[7, 'x'], []],
    ] as const)
      for (const operand of ['$CURRENT_ROLES', ['$CURRENT_ROLES']])
        expect(await seen('_in', operand, { roles })).toEqual(found)
    expect(await seen('_in', ['$CURRENT_USER', 'x'], { user: 7 })).toEqual([1, 3])
    expect(await seen('_in', ['$CURRENT_USER', 'x'], { user: '7' })).toEqual([2, 3])
    expect(await seen('_nin', ['$CURRENT_USER', 'x'], { user: 7 })).toEqual([2])
    expect(await seen('_nin', ['$CURRENT_ROLES'], { roles: [7, 'x'] })).toEqual([])
  })

  it.each([{}, { defaultLimit: 1 }, { maxLimit: 1 }])(
    'a rule looked up no more than a list of items may have: %j',
    async (limits) => {
      const looking = createEngine({
        ...{ db: opened.db, schema, limits },
        variables: { $CURRENT_USER: 'authors', $CURRENT_ROLES: 'authors' },
      })
      const counted = async (filter: Filter<typeof schema, 'articles'>) => {
        const caller = looking.as({ user: 1, roles: [1, 2], rules: { articles: { read: { filter } } } })
        return (await listItems(caller, 'articles', { aggregate: { count: '*' } })).data
      }
      expect(await counted({ id: { _nin: '$CURRENT_USER.articles.id' } })).toEqual([{ count: 1 }])
      expect(await counted({ id: { _in: '$CURRENT_USER.articles.id' } })).toEqual([{ count: 2 }])
      expect(await counted({ author: { _in: '$CURRENT_ROLES.id' } })).toEqual([{ count: 3 }])
    },
  )

  it('what a query looks up is cut by the maximum of lists, and not by the default', async () => {
    const asked = async (limits: object) => {
      const looking = createEngine({
        ...{ db: opened.db, schema, limits },
        variables: { $CURRENT_USER: 'authors' },
      })
      const caller = looking.as({ user: 1, rules: { articles: { read: true }, authors: { read: true } } })
      const filter = { id: { _in: '$CURRENT_USER.articles.id' } } as const
      return (await listItems(caller, 'articles', { aggregate: { count: '*' }, filter })).data
    }
    expect(await asked({ defaultLimit: 1 })).toEqual([{ count: 2 }])
    expect(await asked({ maxLimit: 1 })).toEqual([{ count: 1 }])
  })

  it('items of which no field may be read are no syntax error', async () => {
    const caller = engine().as({ rules: { authors: { read: { fields: [], filter: { id: { _lt: 3 } } } } } })
    expect(await listItems(caller, 'authors')).toEqual({ data: [{}, {}] })
    expect(JSON.parse(await listItemsJson(caller, 'authors'))).toEqual({ data: [{}, {}] })
  })

  it('groups by a count of items with rules are no error of the database', async () => {
    const rules = { authors: { read: true }, articles: { read: { filter: { views: { _gt: 0 } } } } }
    const query = { groupBy: ['count(articles)'], aggregate: { count: ['*'] } }
    expect(await listItems(engine().as({ rules }), 'authors', query)).toEqual({
      data: [
        { articles_count: 0, count: 2 },
        { articles_count: 1, count: 1 },
      ],
    })
  })

  it('a field that may not be written is not told by what is wrong with its value', async () => {
    const rules = { articles: { read: true, create: { fields: ['id', 'author'] } } } as const
    const creation = createItem(engine().as({ rules }), 'articles', { id: 9, views: Number.NaN })
    await expect(creation).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'There is no field "views" in "articles", or you may not use it.',
    })
  })
})
