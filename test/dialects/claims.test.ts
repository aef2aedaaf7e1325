// The database's time, and rows that are claimed by it, as statements of the engine's own use them.
import { sql as ofKysely } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { takesTypesUnseen } from '../../src/dialects/postgres/stored-values.ts'
import { postgres } from '../../src/dialects/postgres.ts'
import { render, type Sql, sql } from '../../src/dialects/sql.ts'
import { sqlite } from '../../src/dialects/sqlite.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'

const dialects = { sqlite, postgres }

describe.each(databases)('on $name', ({ name, open }) => {
  const dialect = dialects[name]
  let opened: OpenDatabase
  beforeEach(async () => {
    opened = await open()
  })

  const cellsOf = async (db: Pick<OpenDatabase['db'], 'executeQuery'>, select: Sql) => {
    const { sql: text } = render(select, dialect)
    const { rows } = await db.executeQuery<Record<string, unknown>>(ofKysely.raw(text).compile(opened.db))
    return rows.map((row) => row.cell)
  }
  const timeIn = async (db: Pick<OpenDatabase['db'], 'executeQuery'>) => {
    const [cell] = await cellsOf(db, sql`select ${dialect.now()} as cell`)
    return Number(cell)
  }

  it('the time is a whole number of milliseconds', async () => {
    const before = Date.now()
    const time = await timeIn(opened.db)
    expect(Number.isSafeInteger(time)).toBe(true)
    expect(time).toBeGreaterThanOrEqual(before - 1)
    expect(time).toBeLessThanOrEqual(Date.now() + 1)
    expect(await cellsOf(opened.db, sql`select ${dialect.now()} % 1 as cell`)).toEqual([
      name === 'postgres' ? '0' : 0,
    ])
  })

  it('the time goes on inside a transaction', async () => {
    await opened.db.transaction().execute(async (transaction) => {
      const first = await timeIn(transaction)
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect((await timeIn(transaction)) - first).toBeGreaterThanOrEqual(15)
    })
  })

  it('what is due by it is found by an index', async () => {
    await opened.run('create table runs (id integer primary key, due bigint)')
    await opened.run('create index runs_due on runs (due)')
    if (name === 'postgres') await opened.run('set enable_seqscan = off')
    const plan = render(sql`${dialect.explain}select id from runs where due <= ${dialect.now()}`, dialect)
    const rows = await opened.run(plan.sql)
    expect(JSON.stringify(rows)).toMatch(name === 'sqlite' ? /runs_due \(due<\?\)/ : /Index Cond: \(due <=/)
  })
})

describe('rows that are claimed', () => {
  const [, { open }] = databases
  let opened: OpenDatabase
  beforeEach(async () => {
    opened = await open()
  })

  it('are left to the one who has them, where there are several writers', async () => {
    await opened.run('create table runs (id integer primary key)', 'insert into runs values (1), (2), (3)')
    const claim = (limit: number) =>
      ofKysely.raw<{ id: number }>(
        postgres.lockRows?.(`select id from runs order by id limit ${limit}`, 'claim') ?? '',
      )
    await opened.db.transaction().execute(async (first) => {
      expect((await claim(2).execute(first)).rows).toEqual([{ id: 1 }, { id: 2 }])
      await opened.db.transaction().execute(async (second) => {
        expect((await claim(2).execute(second)).rows).toEqual([{ id: 3 }])
      })
    })
  })

  it('are not locked where one writer is alone', () => {
    expect(sqlite.lockRows).toBeUndefined()
  })

  it('are chosen by values whose types a prepared statement does not show', () => {
    const choosing = 'select "id" from "runs" where "due" <= $1'
    expect(takesTypesUnseen(postgres.lockRows?.(choosing, 'claim') ?? '')).toBe(true)
    expect(takesTypesUnseen(choosing)).toBe(false)
  })
})
