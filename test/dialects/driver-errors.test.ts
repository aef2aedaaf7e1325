// Errors as drivers were seen to throw them, and what becomes of each.
import { describe, expect, it } from 'vitest'
import { postgres } from '../../src/dialects/postgres.ts'
import { sqlite } from '../../src/dialects/sqlite.ts'

const thrown = (message: string, members: object = {}) => Object.assign(new Error(message), members)

/** One thing that went wrong, as different drivers of SQLite say it. */
const said = (sentence: string, number: number, name: string) => {
  const [plain = ''] = /^SQLITE_[A-Z]+/.exec(name) ?? []
  return [
    ['better-sqlite3', thrown(sentence, { code: name })],
    ['bun:sqlite', thrown(sentence, { code: name, errno: number })],
    ['node:sqlite', thrown(sentence, { code: 'ERR_SQLITE_ERROR', errcode: number })],
    ['libSQL', thrown(`${plain}: ${sentence}`, { code: plain, extendedCode: name, rawCode: number })],
    [
      'libSQL, with a number that it does not know',
      thrown(sentence, { code: `UNKNOWN_SQLITE_ERROR_${number}`, rawCode: number }),
    ],
    ['libSQL over HTTP', thrown(`${plain}: SQLite error: ${sentence}`, { code: plain })],
    ['D1', thrown(`D1_ERROR: ${sentence}: ${plain} (extended: ${name})`)],
    ['D1 of before', thrown(`D1_ERROR: ${sentence}: ${plain}`)],
    ['sql.js', thrown(sentence)],
    ['Turso', thrown(`Runtime error: ${sentence} (${number & 0xff})`)],
    ['another that wraps one', thrown('it failed', { cause: thrown(sentence, { code: name }) })],
  ] as const
}

describe('an error of SQLite', () => {
  it.each(said('too many references to "articles": max 65535', 1, 'SQLITE_ERROR'))(
    'of %s about a statement that is too large is the fault of the query',
    (_, error) => {
      expect(sqlite.faultOf(error)?.code).toBe('INVALID_QUERY')
      expect(sqlite.breachOf(error)).toBeUndefined()
    },
  )

  it.each(
    [
      'parser stack overflow',
      'Expression tree is too large (maximum depth 1000)',
      'VIEWs and/or subqueries nested too deep',
      'at most 64 tables in a join',
    ].flatMap((sentence) =>
      said(sentence, 1, 'SQLITE_ERROR').map(([driver, error]) => [sentence, driver, error] as const),
    ),
  )('"%s" by %s is the fault of the query', (_, __, error) => {
    expect(sqlite.faultOf(error)).toEqual({
      code: 'INVALID_QUERY',
      says: 'This is more than the database takes in one statement.',
    })
  })

  it.each(said('LIKE or GLOB pattern too complex', 1, 'SQLITE_ERROR'))(
    'of %s about a long pattern is the fault of the query',
    (_, error) => {
      expect(sqlite.faultOf(error)?.code).toBe('INVALID_QUERY')
    },
  )

  it('of D1 about an integer that it cannot bind says so', () => {
    const error = thrown(`D1_TYPE_ERROR: Type 'bigint' not supported for value '9007199254740993'`)
    expect(sqlite.faultOf(error)).toEqual({
      code: 'VALUE_OUT_OF_RANGE',
      says: 'The driver of this database takes no integer beyond 2^53.',
    })
  })

  it.each(said('UNIQUE constraint failed: articles.slug, articles.site', 2067, 'SQLITE_CONSTRAINT_UNIQUE'))(
    'of %s about a value that is taken names the columns',
    (_, error) => {
      const columns = ['slug', 'site']
      expect(sqlite.breachOf(error)).toEqual({ code: 'RECORD_NOT_UNIQUE', table: 'articles', columns })
      expect(sqlite.faultOf(error)).toEqual({ code: 'RECORD_NOT_UNIQUE' })
    },
  )

  it.each(said('NOT NULL constraint failed: articles.slug', 1299, 'SQLITE_CONSTRAINT_NOTNULL'))(
    'of %s about a value that lacks names the column',
    (_, error) => {
      const where = { table: 'articles', columns: ['slug'] }
      expect(sqlite.breachOf(error)).toEqual({ code: 'NOT_NULL_VIOLATION', ...where })
    },
  )

  it.each(said('CHECK constraint failed: views > 0', 275, 'SQLITE_CONSTRAINT_CHECK'))(
    'of %s about a check names what was checked',
    (_, error) => {
      expect(sqlite.breachOf(error)).toEqual({
        code: 'FAILED_VALIDATION',
        columns: ['views', '0'],
        check: '',
      })
    },
  )

  it.each(said('no such table: ghosts', 1, 'SQLITE_ERROR'))(
    'of %s about a missing table names it',
    (_, error) => {
      expect(sqlite.faultOf(error)).toEqual({
        code: 'INTERNAL_SERVER_ERROR',
        hint: 'The database has no table "ghosts": "quernel check" compares a schema with it.',
      })
    },
  )

  it.each([
    ...said('FOREIGN KEY constraint failed', 787, 'SQLITE_CONSTRAINT_FOREIGNKEY'),
    // Where deletion is restricted.
    ...said('FOREIGN KEY constraint failed', 1811, 'SQLITE_CONSTRAINT_TRIGGER'),
  ])('of %s about a key that leads nowhere is known', (_, error) => {
    expect(sqlite.breachOf(error)).toEqual({ code: 'INVALID_FOREIGN_KEY' })
  })

  it.each(said('database is locked', 5, 'SQLITE_BUSY'))('of %s about a lock may pass', (_, error) => {
    expect(sqlite.isTransient(error)).toBe(true)
    expect(sqlite.faultOf(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    expect(sqlite.breachOf(error)).toBe(undefined)
  })

  it.each([
    ['database or disk is full', 13, 'SQLITE_FULL', 'SERVICE_UNAVAILABLE', 'no room'],
    ['attempt to write a readonly database', 8, 'SQLITE_READONLY', 'SERVICE_UNAVAILABLE', 'only be read'],
    [
      'attempt to write a readonly database',
      1032,
      'SQLITE_READONLY_DBMOVED',
      'SERVICE_UNAVAILABLE',
      'only be read',
    ],
    ['disk I/O error', 10, 'SQLITE_IOERR', 'SERVICE_UNAVAILABLE', 'cannot be read'],
    ['disk I/O error', 4874, 'SQLITE_IOERR_SHMSIZE', 'SERVICE_UNAVAILABLE', 'cannot be read'],
    ['unable to open database file', 14, 'SQLITE_CANTOPEN', 'SERVICE_UNAVAILABLE', 'cannot be read'],
    ['database disk image is malformed', 11, 'SQLITE_CORRUPT', 'SERVICE_UNAVAILABLE', 'damaged'],
    ['file is not a database', 26, 'SQLITE_NOTADB', 'SERVICE_UNAVAILABLE', 'damaged'],
    ['not authorized', 23, 'SQLITE_AUTH', 'FORBIDDEN', 'does not allow'],
  ] as const)('"%s" (%i) is no unexpected error, whoever says it', (sentence, number, name, code, words) => {
    for (const [driver, error] of said(sentence, number, name)) {
      const fault = sqlite.faultOf(error)
      expect(fault, driver).toMatchObject({ code, says: expect.stringContaining(words) })
      expect(sqlite.isTransient(error), driver).toBe(false)
    }
  })

  it('of a mistake in a statement is nobody else’s', () => {
    for (const [, error] of said('near "selec": syntax error', 1, 'SQLITE_ERROR'))
      expect([sqlite.faultOf(error), sqlite.breachOf(error)]).toEqual([undefined, undefined])
    for (const other of [undefined, null, 'text', 5, new Error('no more'), { code: 5 }])
      expect([sqlite.faultOf(other), sqlite.breachOf(other)]).toEqual([undefined, undefined])
  })
})

describe('an error of PostgreSQL', () => {
  it.each([
    ['25006', 'SERVICE_UNAVAILABLE', 'only be read'],
    ['42501', 'FORBIDDEN', 'does not allow'],
    ['53100', 'SERVICE_UNAVAILABLE', 'no room'],
    ['58030', 'SERVICE_UNAVAILABLE', 'cannot be read'],
    ['XX001', 'SERVICE_UNAVAILABLE', 'damaged'],
  ])('%s is no unexpected error', (code, known, words) => {
    const error = thrown('the server says so', { code })
    expect(postgres.faultOf(error)).toMatchObject({ code: known, says: expect.stringContaining(words) })
    expect(postgres.breachOf(error)).toBe(undefined)
  })

  it.each([
    ['CONNECTION_CLOSED', 'The connection to the database broke.'],
    ['CONNECTION_DESTROYED', 'The connection to the database broke.'],
    ['CONNECTION_ENDED', 'The connection to the database broke.'],
    ['CONNECT_TIMEOUT', 'The database cannot be reached.'],
    ['ECONNRESET', 'The connection to the database broke.'],
  ])('%s of a driver is told as a database that is away', (code, says) => {
    expect(postgres.faultOf(thrown('it is gone', { code }))).toEqual({ code: 'SERVICE_UNAVAILABLE', says })
  })

  it.each([
    ['pg', { table: 'articles', constraint: 'articles_slug_key' }],
    ['postgres.js', { table_name: 'articles', constraint_name: 'articles_slug_key' }],
  ])('of %s about a value that is taken names the columns', (_, members) => {
    const detail = 'Key (slug, "Site")=(a, b) already exists.'
    const error = thrown('duplicate key', { code: '23505', detail, ...members })
    const columns = ['slug', 'Site']
    expect(postgres.breachOf(error)).toEqual({ code: 'RECORD_NOT_UNIQUE', table: 'articles', columns })
  })
})

describe('a driver without transactions', () => {
  it.each([
    ['kysely-d1', 'Transactions are not supported yet.'],
    [
      'kysely-neon over HTTP',
      "NeonDialect doesn't support interactive transactions, while Kysely doesn't support batch requests (yet).",
    ],
    [
      'D1 by the statement',
      'D1_ERROR: To execute a transaction, please use the state.storage.transaction() API instead of BEGIN TRANSACTION.',
    ],
  ])('is told so: %s', (_, message) => {
    for (const { faultOf } of [sqlite, postgres])
      expect(faultOf(thrown(message))).toEqual({
        code: 'FORBIDDEN',
        says: 'The driver of this database has no transactions, and this takes one.',
        lacksTransactions: true,
      })
  })
})
