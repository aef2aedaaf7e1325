// Mistakes of a first hour: what a beginner writes, and the hint that shows what to write.

import { describe, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteByQuery,
  deleteItem,
  deleteItems,
  isEngineError,
  listItems,
  toErrorBody,
  updateItem,
} from '../../src/index.ts'
import { createFeed, watchItems } from '../../src/realtime.ts'
import { databases, openSqlite } from '../support/databases.ts'
import { key, maybeOne, number, string } from '../support/fields.ts'
import { rejectionOf } from '../support/outcome.ts'

const { db } = await openSqlite()
const schema = defineSchema({ users: { fields: { id: key, name: string } } })
const engine = createEngine({ db, schema })
/** What JavaScript lets through. */
const loosely = <Made>(made: Made) => made as unknown as (...input: unknown[]) => unknown
const field = (input: object) => () => loosely(defineSchema)({ users: { fields: { id: key, field: input } } })

const mistakes: readonly (readonly [title: string, work: () => unknown, hint: string])[] = [
  [
    'a driver for a database',
    () => loosely(createEngine)({ db: new Map(), schema }),
    'Write createEngine({ db: new Kysely({ dialect }), schema }).',
  ],
  [
    'two arguments for an engine',
    () => loosely(createEngine)(db, schema),
    'Write createEngine({ db: new Kysely({ dialect }), schema }).',
  ],
  ['another name of a collection', () => loosely(listItems)(engine, 'user'), 'Did you mean "users"?'],
  [
    'rules without "rules"',
    () => loosely(engine.as)({ users: { read: true } }),
    'Rules by collection stand in "rules": { user, rules: { articles: { read: true } } }.',
  ],
  [
    'a feed without a source',
    () => loosely(createFeed)(engine),
    'Write createFeed(engine, { source: localSource() }).',
  ],
  [
    'a list watched without a feed',
    () => loosely(watchItems)(engine, 'users', {}),
    'Write feed.as(access), with a feed that createFeed(engine, { source: localSource() }) has made.',
  ],
  [
    'a list of the other end',
    field({ type: 'o2m', to: 'posts' }),
    `Here that is "from": { type: 'o2m', from: 'comments.article' }.`,
  ],
  [
    'an item in "data"',
    () => loosely(createItem)(engine, 'users', { data: { name: 'Ada' } }),
    'An item is sent as it is, without "data" around it.',
  ],
]

describe('a beginner is shown what to write', () => {
  it.each(mistakes)('instead of %s', async (_title, work, hint) => {
    const error: unknown = await Promise.resolve()
      .then(work)
      .catch((reason: unknown) => reason)
    expect(isEngineError(error) && error.hint).toBe(hint)
  })

  it('of paths', async () => {
    const handler = createHandler(engine, { prefix: '/api', authenticate: () => ({ admin: true }) })
    const hintOf = async (path: string) => {
      const answer = await handler(new Request(`http://localhost/api${path}`))
      const { errors }: { errors: { extensions: { hint?: string } }[] } = JSON.parse(await answer.text())
      return errors[0]?.extensions.hint
    }
    expect(await hintOf('/users')).toBe('Items of "users" are at "items/users".')
    expect(await hintOf('/items/user')).toBe('Did you mean "users"?')
    expect(await hintOf('/items/users?name=Ada')).toBe('A condition on a field is written filter[name].')
    expect(await hintOf('/items/users?sort=name&name[_eq]=Ada')).toBe(
      'A condition on a field is written filter[name].',
    )
  })

  it('of a way through a junction', () => {
    const wrong = { posts: { fields: { id: key, tags: { type: 'm2m', to: 'tags' } } } }
    expect(() => loosely(defineSchema)(wrong)).toThrow(
      `the option "through" takes collection.field: { through: 'articles_tags.article', to: 'tag' }.`,
    )
  })

  it('of nothing that they may not see', async () => {
    const blind = engine.as({ rules: {} })
    const unknown: unknown = await listItems(blind, 'user' as never).catch((reason: unknown) => reason)
    expect(isEngineError(unknown) && [unknown.code, unknown.hint]).toEqual(['NOT_FOUND', undefined])
    const handler = createHandler(engine, { authenticate: () => ({ rules: {} }) })
    expect(await (await handler(new Request('http://localhost/users'))).json()).toEqual({
      errors: [{ message: 'There is no such path.', extensions: { code: 'NOT_FOUND' } }],
    })
  })
})

const tables = defineSchema({
  users: { fields: { id: key, name: string } },
  notes: { fields: { id: key, user: maybeOne('users'), stars: number } },
  ghosts: { fields: { id: key, name: string } },
  people: { table: 'users', fields: { id: key, nick: string } },
})

describe.each(databases)('on $name a beginner is told', ({ open }) => {
  const opened = async () => {
    const { db, run } = await open()
    await run('create table users (id integer primary key, name text not null)')
    await run(`create table notes (id integer primary key, "user" integer references users,
      stars integer, constraint few_stars check (stars < 6))`)
    const engine = createEngine({ db, schema: tables })
    await createItems(engine, 'users', [
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Bo' },
    ])
    await createItem(engine, 'notes', { id: 1, user: 1, stars: 5 })
    return { engine }
  }

  it('the table or the column that is missing, and a client is not', async () => {
    const { engine } = await opened()
    const lack = (kind: string, name: string) =>
      `The database has no ${kind} "${name}": "quernel check" compares a schema with it.`
    const works: readonly (readonly [work: () => Promise<unknown>, hint: string])[] = [
      [() => listItems(engine, 'ghosts'), lack('table', 'ghosts')],
      [() => createItem(engine, 'ghosts', { id: 1, name: 'Ada' }), lack('table', 'ghosts')],
      [() => listItems(engine, 'people'), lack('column', 'nick')],
      [() => createItem(engine, 'people', { id: 3, nick: 'Ada' }), lack('column', 'nick')],
    ]
    for (const [work, hint] of works) {
      const error = await rejectionOf(work())
      expect([error.code, error.message, error.hint]).toEqual([
        'INTERNAL_SERVER_ERROR',
        'An unexpected error occurred.',
        hint,
      ])
      expect(JSON.stringify(toErrorBody(error))).not.toMatch(/ghosts|nick/)
    }
  })

  it('which end of a foreign key is wrong', async () => {
    const { engine } = await opened()
    const messageOf = async (work: Promise<unknown>) => {
      const { code, message } = await rejectionOf(work)
      return [code, message]
    }
    const nowhere = [
      'INVALID_FOREIGN_KEY',
      '"user" of "notes" refers to no item, or to one that you may not see.',
    ]
    expect(await messageOf(createItem(engine, 'notes', { id: 2, user: 9 }))).toEqual(nowhere)
    expect(await messageOf(updateItem(engine, 'notes', 1, { user: 9 }))).toEqual(nowhere)
    expect(
      await messageOf(
        createItems(engine, 'notes', [
          { id: 3, user: 1 },
          { id: 4, user: 9 },
        ]),
      ),
    ).toEqual(nowhere)
    const seen = { users: { read: { filter: { id: 1 } } }, notes: { read: true, create: true } } as const
    const mine = engine.as({ rules: seen })
    expect(await messageOf(createItem(mine, 'notes', { id: 5, user: 2 }))).toEqual(nowhere)
    expect(await messageOf(createItem(mine, 'notes', { id: 2, user: 9 }))).toEqual(nowhere)
    const kept = ['INVALID_FOREIGN_KEY', 'Other items still refer to what is to be deleted.']
    expect(await messageOf(deleteItem(engine, 'users', 1))).toEqual(kept)
    expect(await messageOf(deleteItems(engine, 'users', [1, 2]))).toEqual(kept)
    expect(await messageOf(deleteByQuery(engine, 'users', { filter: { name: 'Ada' } }))).toEqual(kept)
    const deleter = engine.as({ rules: { users: { read: true, delete: true } } })
    expect(await messageOf(deleteItem(deleter, 'users', 1))).toEqual(kept)
  })

  it('which check an item does not pass, unless rules narrow what they see', async () => {
    const { engine } = await opened()
    const writer = engine.as({ rules: { notes: { read: true, create: true } } })
    expect((await rejectionOf(createItem(engine, 'notes', { id: 6, stars: 6 }))).message).toBe(
      'An item of "notes" does not pass the check "few_stars" of the database.',
    )
    const error = await rejectionOf(createItem(writer, 'notes', { id: 6, stars: 6 }))
    expect([error.code, error.message]).toEqual(['FAILED_VALIDATION', 'A value did not pass validation.'])
  })
})
