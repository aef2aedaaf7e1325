// Words that people bring from elsewhere: each is refused with the word that stands here, and an example that is accepted.
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type EngineError, isEngineError } from '../../src/errors/errors.ts'
import { foreignWords, type Translation, type WordPlace } from '../../src/errors/foreign-words.ts'
import { createHandler } from '../../src/http.ts'
import {
  compileFilter,
  createEngine,
  defineSchema,
  listItems,
  matchesFilter,
  parseQuery,
  type Schema,
} from '../../src/index.ts'
import type { SchemaDefinition } from '../../src/schema/definition.ts'
import { sqliteDialect } from '../../src/sqlite.ts'
import { integer, many, number, one, string } from '../support/fields.ts'

const id = { type: 'integer', key: true }
/** What examples of fields lead to. */
const around = {
  authors: { fields: { id, name: string } },
  comments: { fields: { id, text: string, article: one('articles') } },
  articles_tags: { fields: { id, article: one('articles'), tag: one('authors') } },
}
const define = (definition: unknown): Schema => defineSchema(definition as SchemaDefinition as never)
const articlesWith = (n: unknown, options: object = {}) =>
  define({ ...around, articles: { ...options, fields: { ...(isKey(n) ? {} : { id }), n } } })
const isKey = (field: unknown) => Reflect.get(Object(field), 'key') === true

const schema: Schema = define({
  ...around,
  articles: {
    fields: {
      id,
      title: string,
      status: string,
      views: integer,
      author: one('authors'),
      comments: many('comments.article'),
    },
  },
})
const db = new Kysely<object>({ dialect: sqliteDialect({ database: new Database(':memory:') }) })
const engine = createEngine({ db, schema })

const refusalsOf = async (work: () => unknown): Promise<readonly EngineError[]> => {
  try {
    await work()
  } catch (error) {
    if (isEngineError(error)) return error.errors ?? [error]
    throw error
  }
  return []
}
const hintOf = async (work: () => unknown) => (await refusalsOf(work))[0]?.hint

/** An example, as JavaScript reads it. */
const read = (example: string): never => new Function(`return (${example})`)() as never

interface Door {
  readonly refuse: (word: string) => unknown
  /** Writes what the example shows; undefined if it needs what only a host has. */
  readonly accept: ((example: string) => unknown) | undefined
}

const filterBy = (filter: Record<string, unknown>) =>
  compileFilter({ schema, dialect: 'sqlite' }, 'articles', filter)
const authenticate = () => null
const doors = {
  type: { refuse: (type) => articlesWith({ type }), accept: (example) => articlesWith(read(example)) },
  fieldOption: {
    refuse: (word) => articlesWith({ type: 'string', [word]: true }),
    accept: (example) => articlesWith(read(example)),
  },
  collectionOption: {
    refuse: (word) => articlesWith({ type: 'string' }, { [word]: true }),
    accept: (example) =>
      define({
        x: {
          fields: { order: id, product: number, position: integer },
          ...(example.includes('key: [') ? { fields: { order: integer, product: integer } } : {}),
          ...Object(read(example)),
        },
      }),
  },
  parameter: {
    refuse: (word) => parseQuery({ [word]: 1 }),
    accept: (example) =>
      example.includes('export')
        ? parseQuery(read(example))
        : listItems(engine, 'articles', parseQuery(read(example))),
  },
  operator: {
    refuse: (word) => filterBy({ title: { [/^\w/.test(word) ? `_${word}` : word]: 'x' } }),
    accept: (example) =>
      example.includes('_regex')
        ? matchesFilter({ schema }, 'articles', read(example), {})
        : filterBy(read(example)),
  },
  aggregate: {
    refuse: (word) => parseQuery({ aggregate: { [word]: 'views' } }),
    accept: (example) => parseQuery({ aggregate: read(example) }),
  },
  action: {
    refuse: (word) => engine.as({ rules: { articles: { [word]: true } } } as never),
    accept: (example) => engine.as({ rules: { articles: read(example) } }),
  },
  option: {
    refuse: (word) =>
      word === 'where'
        ? engine.as({ rules: { articles: { read: { where: {} } } } } as never)
        : word.startsWith('perm') || word === 'policy'
          ? engine.as({ [word]: {} })
          : [
                'basepath',
                'path',
                'base',
                'mountpath',
                'root',
                'auth',
                'authorize',
                'authorise',
                'getuser',
                'graphql',
                'plugins',
              ].includes(word)
            ? createHandler(engine, { authenticate, [word]: 1 } as never)
            : createEngine({ db, schema, [word]: 1 } as never),
    accept: undefined,
  },
  callOption: {
    refuse: (word) => listItems(engine, 'articles', {}, { [word]: 1 } as never),
    accept: undefined,
  },
} as const satisfies Readonly<Record<WordPlace, Door>>

const warned = vi.spyOn(console, 'warn')
afterEach(() => expect(warned).not.toHaveBeenCalled())

const rows = Object.entries(foreignWords).flatMap(([place, translations]) =>
  // The table says of each place what it holds.
  translations.map((one: Translation) => [place as WordPlace, one] as const),
)

describe('a word of others', () => {
  it('has at least forty rows, each word once in its place', () => {
    expect(rows.length).toBeGreaterThan(40)
    for (const translations of Object.values(foreignWords)) {
      const words = translations.flatMap(({ from }) => from.split(' '))
      expect(words).toEqual([...new Set(words)])
    }
  })

  it.each(rows.flatMap(([place, row]) => row.from.split(' ').map((word) => [place, word, row] as const)))(
    'as %s: %s is refused with what it is here',
    async (place, word, { to, example, says }) => {
      const hint = await hintOf(() => doors[place].refuse(word))
      expect(hint).toBe(`${says ?? `Here that is "${to}"`}: ${example}.`)
    },
  )

  it.each(rows)('as %s is accepted as the example of $to shows it', async (place, { example }) => {
    const { accept } = doors[place]
    if (!accept) return expect(example).toMatch(/\w/)
    const problems = await refusalsOf(() => accept(example))
    // There are no tables here.
    expect(problems.filter(({ code }) => code !== 'INTERNAL_SERVER_ERROR')).toEqual([])
    return undefined
  })

  it.each([
    ['$eq', 'Did you mean "_eq"?'],
    ['$gt', 'Did you mean "_gt"?'],
    ['$in', 'Did you mean "_in"?'],
    ['$nope', undefined],
    ['contains', 'Did you mean "_contains"?'],
    ['startsWith', 'Did you mean "_starts_with"?'],
    ['like', 'Here that is "_contains": { title: { _contains: "tea" } }.'],
    ['nothing', undefined],
  ])('in the place of an operator: %s', async (word, hint) => {
    expect(await hintOf(() => filterBy({ title: { [word]: 'x' } }))).toBe(hint)
    expect(
      await hintOf(() => matchesFilter({ schema }, 'articles', { title: { [word]: 'x' } } as never, {})),
    ).toBe(hint)
    const rules = { articles: { read: { filter: { title: { [word]: 'x' } } } } }
    expect(await hintOf(() => engine.as({ rules } as never))).toBe(hint)
  })

  it.each(['OR', 'or', '$or'])('in the place of _or: %s', async (word) => {
    expect(await hintOf(() => filterBy({ [word]: [{ title: 'x' }] }))).toBe('Did you mean "_or"?')
    expect(await hintOf(() => filterBy({ author: { [word]: [{ id: 1 }] } }))).toBe('Did you mean "_or"?')
  })

  it('below the root has the mark of the parameters there', async () => {
    const deep = { comments: { _where: {} } }
    expect(await hintOf(() => parseQuery({ deep }))).toBe('Here that is "_filter".')
    expect(await hintOf(() => parseQuery({ deep: { comments: { _include: 'x' } } }))).toBeUndefined()
  })

  it('in the place of a field is the type that was left out', async () => {
    expect(await hintOf(() => articlesWith('integer'))).toBe("Write { type: 'integer' }.")
    expect(await hintOf(() => articlesWith('int'))).toBe("Write { type: 'string' }.")
  })
})

describe('an order with its direction in a word', () => {
  const sorted = (sort: unknown) => hintOf(() => listItems(engine, 'articles', { sort } as never))

  it.each([
    ['views desc', '-views'],
    ['views DESC', '-views'],
    ['views asc', 'views'],
    ['views:desc', '-views'],
    ['views.desc', '-views'],
    ['desc(views)', '-views'],
    ['author.id descending', '-author.id'],
  ])('%s', async (sort, meant) => {
    expect(await sorted(sort)).toBe(`Write "${meant}": a minus is for descending.`)
  })

  it.each([[{ views: 'desc' }], [[{ views: 'desc' }]], [[['views', 'desc']]], [['views', 'desc']]])(
    '%j',
    async (sort) => {
      expect(await sorted(sort)).toBe('Write ["-views", "title"]: a minus is for descending.')
    },
  )
})

it.each(['description', 'author.description', 'ascii', 'desc(', `desc(${' '.repeat(50_000)}`, 'desc()'])(
  'what only begins like a direction is none: %#',
  async (sort) => {
    expect(await hintOf(() => listItems(engine, 'articles', { sort } as never))).toBeUndefined()
  },
)

describe('a name of the schema that is a word of others', () => {
  const text = { type: 'string' }
  const named = define({
    notes: {
      fields: {
        id,
        ...Object.fromEntries(['like', 'contains', 'OR', 'views desc', 'likes'].map((name) => [name, text])),
      },
    },
  })
  const own = createEngine({ db, schema: named })
  const seen = own.as({ rules: { notes: { read: { fields: ['id', 'likes'] } } } })
  const without = createEngine({ db, schema: define({ notes: { fields: { id, likes: text } } }) })

  it('is that name', () => {
    const filter = { like: 'x', contains: 'x', OR: 'x', 'views desc': 'x' }
    expect(compileFilter(own, 'notes', filter).parameters).toEqual(['x', 'x', 'x', 'x'])
  })

  it('that is hidden gets the answer of one that is not there', async () => {
    for (const filter of [{ like: 'x' }, { contains: 'x' }, { OR: 'x' }, { 'views desc': 'x' }]) {
      const [hidden] = await refusalsOf(() => compileFilter(seen, 'notes', filter))
      const [missing] = await refusalsOf(() => compileFilter(without, 'notes', filter))
      expect(hidden?.message).toBe(missing?.message)
      expect(hidden?.hint).toBe(missing?.hint)
    }
    const query = { sort: 'views desc' }
    const [hidden] = await refusalsOf(() => listItems(seen, 'notes', query as never))
    const [missing] = await refusalsOf(() => listItems(without, 'notes', query as never))
    expect([hidden?.message, hidden?.hint]).toEqual([missing?.message, missing?.hint])
  })

  it('without its last letter is rather that name', async () => {
    expect(await hintOf(() => compileFilter(without, 'notes', { like: 'x' }))).toBe('Did you mean "likes"?')
  })
})
