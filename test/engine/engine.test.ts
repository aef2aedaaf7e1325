import {
  CamelCasePlugin,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
} from 'kysely'
import { describe, expect, it } from 'vitest'
import { postgres } from '../../src/dialects/postgres.ts'
import { sqlite } from '../../src/dialects/sqlite.ts'
import { internalsOf } from '../../src/engine/engine.ts'
import { compileFilter, createEngine, defineSchema } from '../../src/index.ts'
import { key, text } from '../support/fields.ts'

const schema = defineSchema({ notes: { fields: { id: key, text, at: { type: 'timestamp' } } } })

class RenamedAdapter extends SqliteAdapter {}
class StrangeAdapter {
  readonly supportsReturning = false
}

/** A Kysely instance without a database behind it. */
function kysely(adapter: SqliteAdapter | PostgresAdapter | StrangeAdapter): Kysely<object> {
  const isSqlite = adapter instanceof SqliteAdapter
  return new Kysely<object>({
    dialect: {
      // Only its class is looked at.
      createAdapter: () => adapter as SqliteAdapter,
      createDriver: () => new DummyDriver(),
      createIntrospector: () => ({
        getSchemas: async () => [],
        getTables: async () => [],
        getMetadata: async () => ({ tables: [] }),
      }),
      createQueryCompiler: () => (isSqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
    plugins: [new CamelCasePlugin()],
  })
}

const db = kysely(new SqliteAdapter())

describe('an engine', () => {
  it.each([
    ['SQLite', new SqliteAdapter(), sqlite],
    ['a subclass of it', new RenamedAdapter(), sqlite],
    ['PostgreSQL', new PostgresAdapter(), postgres],
  ])('finds the dialect of %s', (_name, adapter, dialect) => {
    expect(internalsOf(createEngine({ db: kysely(adapter), schema })).dialect).toBe(dialect)
  })

  it('takes the dialect it is given, by name or in person', () => {
    expect(internalsOf(createEngine({ db, schema, dialect: 'postgres' })).dialect).toBe(postgres)
    expect(internalsOf(createEngine({ db, schema, dialect: sqlite })).dialect).toBe(sqlite)
  })

  it('asks for the dialect when it cannot find it', () => {
    const unknown = expect.objectContaining({
      code: 'INVALID_OPTIONS',
      path: ['dialect'],
      hint: 'Give the dialect as "sqlite" or "postgres".',
    })
    expect(() => createEngine({ db: kysely(new StrangeAdapter()), schema })).toThrow(unknown)
    // @ts-expect-error The name is refused in the editor too.
    expect(() => createEngine({ db, schema, dialect: 'oracle' })).toThrow(unknown)
  })

  it("works without the host's plugins", () => {
    const engine = createEngine({ db, schema })
    expect(engine.db.selectFrom('notesOfMine').selectAll().compile().sql).toBe('select * from "notesOfMine"')
  })

  it.each([
    [{}, ['db'], '"db" is an instance of Kysely, not undefined.'],
    [
      { db: 'postgres://localhost', schema },
      ['db'],
      '"db" is an instance of Kysely, not "postgres://localhost".',
    ],
    [{ db, schema, reads: {} }, ['reads'], '"reads" is an instance of Kysely, not an object.'],
    [{ db }, ['schema'], 'The schema is what defineSchema returns, not what it is given.'],
    [
      { db, schema: { articles: {} } },
      ['schema'],
      'The schema is what defineSchema returns, not what it is given.',
    ],
  ])('refuses %j in words, where types do not', (options: object, path, message) => {
    expect(() => createEngine(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', path, message }),
    )
  })

  it.each([
    [{ maxLimit: -1 }, 'The limit "maxLimit" is a whole number of 0 or more, not -1.'],
    [{ sorts: 1.5 }, 'The limit "sorts" is a whole number of 0 or more, not 1.5.'],
    [{ filterLeafs: 5 }, 'There is no limit "filterLeafs".'],
  ])('refuses the limits %j', (limits: object, message) => {
    expect(() => createEngine({ db, schema, limits })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTIONS', message }),
    )
  })

  it('holds filters to its limits', () => {
    const engine = createEngine({ db, schema, limits: { filterLeaves: 1 } })
    expect(() => compileFilter(engine, 'notes', { id: 1, text: 'x' })).toThrow('more than 1 condition')
  })

  it.each(['UTC', '+02:00', '-0530', 'Z'])('knows the time zone %s everywhere', (timezone) => {
    expect(internalsOf(createEngine({ db, schema, timezone })).zone.kind).toBe('offset')
  })

  it('knows time zones by name where the database does', () => {
    expect(
      internalsOf(createEngine({ db, schema, dialect: 'postgres', timezone: 'Europe/Oslo' })).zone,
    ).toEqual({ kind: 'named', name: 'Europe/Oslo' })
    expect(() => createEngine({ db, schema, timezone: 'Europe/Olso' })).toThrow(
      'There is no time zone "Europe/Olso".',
    )
  })

  it('compares text by code points when it is told to', () => {
    const engine = createEngine({ db, schema, dialect: 'postgres', collation: 'codepoint' })
    expect(compileFilter(engine, 'notes', { text: { _gt: 'a' } }).sql).toBe(
      '"notes"."text"::text collate "C" > $1',
    )
    // @ts-expect-error There is one such word.
    expect(() => createEngine({ db, schema, collation: 'german' })).toThrow(
      'The collation is "codepoint" or left out, not "german".',
    )
  })

  it('lets negations match rows without a value when it is told to', () => {
    const engine = createEngine({ db, schema, negationMatchesNull: true })
    expect(compileFilter(engine, 'notes', { text: { _neq: 'a' } }).sql).toBe(
      '(not ("notes"."text" = ?) or "notes"."text" is null)',
    )
  })

  it('asks its clock what time it is', () => {
    const engine = createEngine({ db, schema, clock: () => new Date('2024-02-29T12:00:00Z') })
    const { parameters } = compileFilter(engine, 'notes', { at: { _lt: '$NOW(-1 year)' } })
    expect(parameters).toContain('2023-02-28T12:00:00.000Z')
  })

  it('refuses a schema with a validation that means nothing', () => {
    const broken = defineSchema({
      notes: {
        fields: {
          id: key,
          text: { type: 'string', validation: { text: { _regex: '(' } } },
          size: { type: 'integer', validation: { size: { _contains: 'x' } } },
          fine: { type: 'string', validation: { fine: { _regex: '^a' }, id: { _eq: '$CURRENT_USER' } } },
        },
      },
    })
    expect(() => createEngine({ db, schema: broken })).toThrow(
      expect.objectContaining({
        code: 'INVALID_SCHEMA',
        errors: [
          expect.objectContaining({ path: ['notes', 'fields', 'text', 'validation', 'text', '_regex'] }),
          expect.objectContaining({ path: ['notes', 'fields', 'size', 'validation', 'size', '_contains'] }),
        ],
      }),
    )
  })
})
