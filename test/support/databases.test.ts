import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { databases, type OpenDatabase, openPostgres } from './databases.ts'

describe.each(databases)('a test database on $name', ({ open }) => {
  it('keeps what is written to it', async () => {
    const { db, close } = await open()
    await createNotes(db)
    await db.insertInto('notes').values({ id: 1, text: "it's" }).execute()
    expect(await db.selectFrom('notes').selectAll().execute()).toEqual([{ id: 1, text: "it's" }])
    await close()
  })

  it('shares nothing with another one', async () => {
    const [one, other] = [await open(), await open()]
    await createNotes(one.db)
    await createNotes(other.db)
    await one.db.insertInto('notes').values({ id: 1, text: 'mine' }).execute()
    expect(await other.db.selectFrom('notes').selectAll().execute()).toEqual([])
    await Promise.all([one.close(), other.close()])
  })
})

describe('the two databases of the PostgreSQL server', () => {
  it.each([
    { database: 'c', order: ['B', 'a', 'é'] },
    { database: 'language', order: ['a', 'B', 'é'] },
  ] as const)('$database orders text as $order', async ({ database, order }) => {
    const { db, close } = await openPostgres({ database })
    const { rows } = await sql<{ text: string }>`
      SELECT text FROM (VALUES ('é'), ('B'), ('a')) AS letters (text) ORDER BY text`.execute(db)
    expect(rows.map(({ text }) => text)).toEqual(order)
    await close()
  })
})

function createNotes(db: OpenDatabase['db']): Promise<void> {
  return db.schema
    .createTable('notes')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('text', 'text')
    .execute()
}
