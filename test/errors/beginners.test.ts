// Mistakes of a first hour: what a beginner writes, and the hint that shows what to write.
import { describe, expect, it } from 'vitest'
import { createHandler } from '../../src/http.ts'
import { createEngine, createItem, defineSchema, isEngineError, listItems } from '../../src/index.ts'
import { createFeed } from '../../src/realtime.ts'
import { openSqlite } from '../support/databases.ts'
import { key, string } from '../support/fields.ts'

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
