// A statement says by itself whether it writes: a text may hold any word, as a name.
import { describe, expect, it } from 'vitest'
import { postgres } from '../../src/dialects/postgres.ts'
import { sql } from '../../src/dialects/sql.ts'
import { sqlite } from '../../src/dialects/sqlite.ts'
import { fault } from '../../src/errors/errors.ts'
import type { Database } from '../../src/execution/database.ts'
import type { BoundStatement } from '../../src/execution/statement.ts'
import { statementError } from '../../src/execution/transaction/uncertain-commit.ts'
import { bindStatement } from '../../src/prepared/templates/template.ts'
import { writeOf, writtenWith } from '../../src/sql/statement.ts'

const lost = Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
const broken = fault('SERVICE_UNAVAILABLE', 'The connection to the database broke.', { cause: lost })
const database: Pick<Database, 'dialect' | 'unit'> = { dialect: postgres, unit: undefined }
const told = (statement: BoundStatement) =>
  // Only these parts of a database are looked at.
  statementError(broken, database as Database, statement, { isSent: true, signal: undefined })

describe.each([
  ['sqlite', sqlite],
  ['postgres', postgres],
] as const)('a statement of %s', (_, dialect) => {
  const read = sql`select "last update " from "insert into "`
  const write = sql`with "moved" as (select 1) merge into "notes"`

  it('that writes says so, also with the values of a call', () => {
    expect(writeOf(write, dialect).kind).toBe('write')
    expect(bindStatement(writeOf(write, dialect), new Map()).kind).toBe('write')
  })

  it('that reads does not, whatever the names in it', () => {
    expect(writtenWith(read, dialect).kind).toBeUndefined()
    expect(bindStatement(writtenWith(read, dialect), new Map()).kind).toBeUndefined()
  })

  it('may be stored after its connection broke only if it writes', () => {
    expect(told(writeOf(write, dialect))).toMatchObject({ extensions: { mayBeStored: true } })
    expect(told(writtenWith(read, dialect))).toBe(broken)
  })
})
