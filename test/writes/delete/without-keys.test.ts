// Deletions by a query whose keys are not wanted: one statement, unless something has to be known before.
import { type Kysely, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, deleteByQuery, type Engine } from '../../../src/index.ts'
import { type AnyTables, databases } from '../../support/databases.ts'

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

describe.each(databases)('without keys, on $name', ({ open }) => {
  let db: Kysely<AnyTables>
  let engine: Engine<typeof schema>
  const statements: string[] = []

  beforeEach(async () => {
    const database = await open()
    db = database.db
    await sql`create table notes (id integer primary key, text text not null)`.execute(db)
    const rows = ['a', 'a', 'b'].map((text, index) => ({ id: index + 1, text }))
    await db.insertInto('notes').values(rows).execute()
    engine = createEngine({ db, schema, onQuery: ({ sql }) => statements.push(sql) })
    statements.length = 0
  })

  const left = async () =>
    (await db.selectFrom('notes').select('id').orderBy('id').execute()).map(({ id }) => id)
  const filter = { text: 'a' }

  it('a deletion is one statement that returns no row', async () => {
    expect(await deleteByQuery(engine, 'notes', { filter }, { keys: false })).toEqual({ deleted: 2 })
    expect(statements).toHaveLength(1)
    expect(statements[0]).toMatch(/^(?:\/\* quernel \*\/ )?delete from "notes" /)
    expect(statements[0]).not.toContain('returning')
    expect(await left()).toEqual([3])
  })

  it('hooks still run for each item', async () => {
    const heard: unknown[] = []
    engine.on('items.delete', 'notes', ({ keys }) => heard.push(...keys), { when: 'after' })
    expect(await deleteByQuery(engine, 'notes', { filter }, { keys: false })).toEqual({ deleted: 2 })
    expect(heard).toEqual([1, 2])
  })

  it('rules still protect what a caller may not delete', async () => {
    const rules = { notes: { read: true, delete: { filter: { id: { _gt: 1 } } } } } as const
    const caller = engine.as({ user: 1, rules })
    await expect(deleteByQuery(caller, 'notes', { filter }, { keys: false })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(await left()).toEqual([1, 2, 3])
  })

  it('too many items stay', async () => {
    const call = deleteByQuery(engine, 'notes', { filter }, { keys: false, maxAffected: 1 })
    await expect(call).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' })
    expect(await left()).toEqual([1, 2, 3])
  })
})
