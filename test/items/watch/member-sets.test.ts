// Lists of one shape are read by one statement, each for its own caller and with its own operands.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Access } from '../../../src/access/access.ts'
import { internalsOf } from '../../../src/engine/engine.ts'
import { createEngine, defineSchema, type Engine, type EngineOptions } from '../../../src/index.ts'
import { type MembersRequest, memberShape, readMemberSets } from '../../../src/items/watch/member-sets.ts'
import { readMembers, type WatchedItem, type WatchedRequest } from '../../../src/items/watch/watched-list.ts'
import { storedKey } from '../../../src/plan/key.ts'
import { databases, insert, type OpenDatabase } from '../../support/databases.ts'
import { integer, key, many, maybeOne, one, string } from '../../support/fields.ts'

const schema = defineSchema({
  articles: {
    fields: {
      id: key,
      title: string,
      code: string,
      owner: integer,
      at: { type: 'timestamp' },
      author: maybeOne('authors'),
      comments: many('comments.article'),
    },
  },
  authors: { fields: { id: key, name: string, team: integer } },
  comments: { fields: { id: key, text: { type: 'text' }, by: integer, article: one('articles') } },
})

const own = { articles: { read: { filter: { owner: { _eq: '$CURRENT_USER' } } } } }

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  const statements: string[] = []
  let time = new Date('2024-06-01T00:00:00.000Z')
  const engineWith = (options: Partial<EngineOptions<typeof schema>> = {}): Engine =>
    createEngine({
      db: opened.db,
      schema,
      clock: () => time,
      onQuery: (query) => statements.push(query.sql),
      ...options,
    }) as unknown as Engine // the rules of a test have any names

  beforeAll(async () => {
    opened = await open()
    const { db, run } = opened
    const text = name === 'postgres' ? 'char(4)' : 'text collate nocase'
    const moment = name === 'postgres' ? 'timestamptz' : 'text'
    await run('create table authors (id integer primary key, name text, team integer)')
    await run(
      `create table articles (id integer primary key, title text, code ${text}, owner integer, at ${moment}, author integer)`,
    )
    await run('create table comments (id integer primary key, text text, by integer, article integer)')
    await insert(
      db,
      'authors',
      [1, 2, 3].map((id) => ({ id, name: `Author ${id}`, team: id })),
    )
    await insert(
      db,
      'articles',
      Array.from({ length: 40 }, (_, id) => ({
        id,
        title: `Title ${id}`,
        code: ['ab', 'AB', 'b', 'c'][id % 4],
        owner: id % 5,
        at: `2024-0${1 + (id % 9)}-01T00:00:00.000Z`,
        author: id % 4 === 0 ? null : id % 4,
      })),
    )
    await insert(
      db,
      'comments',
      Array.from({ length: 120 }, (_, id) => ({ id, text: `Text ${id}`, by: id % 5, article: id % 40 })),
    )
  })

  const read = (
    engine: Engine,
    query: object,
    keys: readonly number[] = [...Array(40).keys()],
  ): MembersRequest => {
    const internals = internalsOf(engine)
    const collection = internals.schema.collections.get('articles')
    if (!collection) throw new Error('no articles')
    const request = { collection: 'articles', query, part: 'members' } as WatchedRequest
    return { engine: internals, request, keys: keys.map((key) => storedKey(collection, key)) }
  }
  const callers = (
    rules: NonNullable<Access['rules']>,
    accesses: readonly Access[],
    engine = engineWith(),
  ): readonly Engine[] => accesses.map((access) => engine.as({ ...access, rules }))
  const shapeOf = ({ engine, request }: MembersRequest) => memberShape(engine, request)
  const inAnyOrder = (items: readonly WatchedItem[]) =>
    [...items].sort((one, other) => one.identity.localeCompare(other.identity))

  /** Compares what is read together with what each read alone returns, and returns the keys. */
  async function readAlike(
    requests: readonly MembersRequest[],
    count = 1,
  ): Promise<readonly (readonly unknown[])[]> {
    expect(new Set(requests.map(shapeOf)).size).toBe(1)
    expect(requests.map(shapeOf)).not.toContain(undefined)
    statements.length = 0
    const found = await readMemberSets(requests)
    expect(statements.length).toBe(count)
    const alone = await Promise.all(
      requests.map(({ engine, request, keys }) => readMembers(engine, request, keys)),
    )
    expect(found.map(inAnyOrder)).toEqual(alone.map(inAnyOrder))
    return found.map((items) => inAnyOrder(items).map(({ key }) => key))
  }

  it('callers of the same rules are read by one statement, each with its own rows', async () => {
    const engines = callers(own, [{ user: 1 }, { user: 2 }, { user: 99 }])
    const query = { fields: ['id'], filter: { title: { _in: ['Title 1', 'Title 2', 'Title 7'] } } }
    expect(await readAlike(engines.map((engine) => read(engine, query)))).toEqual([[1], [2, 7], []])
  })

  it('a thousand sets with many keys are read by as many statements as keep each of them small', async () => {
    const accesses = Array.from({ length: 1_000 }, (_, user) => ({ user: user % 7 }))
    const requests = callers(own, accesses).map((engine, at) =>
      read(engine, { fields: ['id'], filter: { id: { _gte: at % 30 } } }, [3, 4, 5, 11]),
    )
    await readAlike(requests)
    const more = requests.map((one) => ({ ...one, keys: read(engineWith(), {}).keys }))
    await readAlike(more.slice(0, 300), 2)
  })

  it('each gets what it asked for, and not what others have', async () => {
    const [engine = engineWith()] = callers(own, [{ user: 1 }])
    const query = (least: number) => ({ fields: ['id'], filter: { id: { _gte: least } } })
    const requests = [
      read(engine, query(0), [1, 6]),
      read(engine, query(2), [6, 11, 12]),
      read(engine, query(0), []),
    ]
    expect(await readAlike(requests)).toEqual([[1, 6], [11, 6], []])
  })

  it('fields that only some rows show, relations and lists have the operands of the caller, too', async () => {
    const rules = {
      articles: {
        read: [
          { fields: ['id', 'owner', 'author', 'comments'], filter: { id: { _lt: 30 } } },
          { fields: ['title'], filter: { owner: { _in: '$CURRENT_ROLES' } } },
        ],
      },
      authors: { read: { filter: { team: { _neq: '$CURRENT_USER' } } } },
      comments: { read: { filter: { by: { _eq: '$CURRENT_USER' } } } },
    }
    const engines = callers(rules, [
      { user: 1, roles: [1, 2] },
      { user: 2, roles: [0] },
      { user: 3, roles: [] },
    ])
    const query = (part: string) => ({
      fields: ['id', 'title', 'author.name', 'comments.by'],
      filter: { _or: [{ title: { _icontains: part } }, { author: { name: { _ends_with: '2' } } }] },
      deep: { comments: { _sort: 'id', _limit: 5, _filter: { id: { _gte: part.length } } } },
    })
    const found = await readAlike(
      engines.map((engine, at) => read(engine, query(['e 1', 'tle', 'é'][at] ?? ''))),
    )
    expect(found.map(({ length }) => length)).toEqual([12, 8, 7])
  })

  it('columns that compare in their own way do so with the operands of sets', async () => {
    const engine = engineWith()
    const filters = [
      ['_eq', 'ab', 'AB', 'b '],
      ['_in', ['ab', 'x'], ['c']],
      ['_lt', 'b', 'AC', 'ab  '],
    ]
    for (const [operator = '', ...operands] of filters)
      await readAlike(
        operands.map((operand) =>
          read(engine, { fields: ['id'], filter: { code: { [String(operator)]: operand } } }),
        ),
      )
  })

  it('the time is that of the read', async () => {
    const rules = {
      articles: { read: { filter: { at: { _lte: '$NOW' }, owner: { _eq: '$CURRENT_USER' } } } },
    }
    const requests = callers(rules, [{ user: 1 }, { user: 2 }]).map((engine) =>
      read(engine, { fields: ['id'] }),
    )
    const before = await readAlike(requests)
    time = new Date('2024-02-01T00:00:00.000Z')
    const after = await readAlike(requests)
    time = new Date('2024-06-01T00:00:00.000Z')
    expect(after.flat().length).toBeLessThan(before.flat().length)
  })

  it('lists of other pages, other rules or another transaction have another shape', async () => {
    const engine = engineWith()
    const deep = (limit: number) => ({ fields: ['id', 'comments.id'], deep: { comments: { _limit: limit } } })
    const [one, other] = [read(engine, deep(2)), read(engine, deep(3))]
    expect(shapeOf(one)).toBeDefined()
    expect(shapeOf(other)).toBeDefined()
    expect(shapeOf(one)).not.toBe(shapeOf(other))
    expect(shapeOf(read(engine, deep(2)))).toBe(shapeOf(one))
    const [mine = engine] = callers(own, [{ user: 1 }], engine)
    expect(shapeOf(read(mine, deep(2)))).not.toBe(shapeOf(one))
    await engine.transaction(async (inside) => {
      expect(shapeOf(read(inside, deep(2)))).not.toBe(shapeOf(one))
    })
    const within = (id: number) => shapeOf(read(engine, { filter: { id: { _lt: id } } }))
    expect(within(5)).toBe(within(6))
    // Beyond the range of the column, it is a word of the statement.
    expect(within(1e300)).not.toBe(within(5))
  })

  it('what depends on more than operands is read alone', async () => {
    const engine = engineWith()
    const query = { fields: ['id'], filter: { owner: { _eq: 1 } } }
    const denied = callers(own, [{}, { user: null }])
    expect(denied.map((one) => shapeOf(read(one, query)))).toEqual([undefined, undefined])
    const remove = engine.on('items.read', 'articles', () => undefined, { when: 'before' })
    expect(shapeOf(read(engine, query))).toBeUndefined()
    remove()
    expect(shapeOf(read(engine, query))).toBeDefined()
    expect(shapeOf(read(engine, { filter: { nobody: 1 } }))).toBeUndefined()
    const looking = engineWith({ variables: { $CURRENT_USER: 'authors' } })
    const byTeam = {
      articles: { read: { filter: { owner: { _eq: '$CURRENT_USER.team' } } } },
      authors: { read: true },
    }
    const [mine = looking] = callers(byTeam, [{ user: 1 }], looking)
    expect(shapeOf(read(mine, query))).toBeUndefined()
    const alone = await readMemberSets([
      read(mine, query),
      read(denied[0] ?? engine, query),
      read(engine, query),
    ])
    expect(alone.map(({ length }) => length > 0)).toEqual([expect.any(Boolean), false, true])
  })

  it('the limits of an engine hold for each', async () => {
    const query = (id: number) => ({ fields: ['id', 'comments.id'], filter: { id: { _gte: id } } })
    const few = engineWith({ limits: { nestedRows: 10 } })
    const many = [read(few, query(0)), read(few, query(1))]
    await expect(readMemberSets(many)).rejects.toThrow('There are more than 10 rows below the items')
    expect(
      (await readMemberSets(many.map((one) => ({ ...one, keys: one.keys.slice(0, 2) })))).flat().length,
    ).toBe(3)
    const short = engineWith({ limits: { answerBytes: 100 } })
    const titles = (id: number) => read(short, { fields: ['title'], filter: { id: { _gte: id } } })
    await expect(readMemberSets([titles(0), titles(1)])).rejects.toThrow('more than 100 bytes')
  })
})
