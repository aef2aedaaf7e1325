// A write of many rows by one statement is all or nothing, also where SQLite keeps what a statement did before it failed.
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, deleteByQuery, updateByQuery } from '../../src/index.ts'
import { type OpenDatabase, openSqlite } from '../support/databases.ts'
import { key, string, text } from '../support/fields.ts'

const schema = defineSchema({
  notes: { fields: { id: key, code: text, state: string } },
})
const rows = [
  { id: 1, code: null, state: 'open' },
  { id: 2, code: null, state: 'open' },
  { id: 3, code: null, state: 'open' },
]
const fill = "insert into notes values (1, null, 'open'), (2, null, 'open'), (3, null, 'open')"
const open = { filter: { state: 'open' } } as const

describe('a statement that fails after some rows, on SQLite', () => {
  let opened: OpenDatabase
  beforeEach(async () => {
    opened = await openSqlite()
  })
  const stored = async () => await opened.run('select * from notes order by id')
  const prepared = async (code: string, trigger?: string) => {
    await opened.run(`create table notes (id integer primary key, code text ${code}, state text not null)`)
    await opened.run(fill)
    if (trigger)
      await opened.run(
        `create trigger keep before ${trigger} on notes when old.id = 3 begin select raise(fail, 'kept'); end`,
      )
    return createEngine({ db: opened.db, schema })
  }

  it('leaves no row updated where a conflict only fails', async () => {
    const engine = await prepared('unique on conflict fail')
    const update = updateByQuery(engine, 'notes', open, { code: 'one' }, { keys: false })
    await expect(update).rejects.toMatchObject({ code: 'RECORD_NOT_UNIQUE' })
    expect(await stored()).toEqual(rows)
  })

  it('leaves no row updated where a trigger fails', async () => {
    const engine = await prepared('', 'update')
    await expect(updateByQuery(engine, 'notes', open, { code: 'one' }, { keys: false })).rejects.toThrow()
    expect(await stored()).toEqual(rows)
  })

  it('leaves no row deleted where a trigger fails', async () => {
    const engine = await prepared('', 'delete')
    await expect(deleteByQuery(engine, 'notes', open, { keys: false })).rejects.toThrow()
    expect(await stored()).toEqual(rows)
  })

  it('writes the rows where the trigger keeps none of them', async () => {
    const engine = await prepared('unique on conflict fail', 'delete')
    const first = { filter: { id: 1 } } as const
    expect(await updateByQuery(engine, 'notes', first, { code: 'one' }, { keys: false })).toEqual({
      updated: 1,
    })
    expect(await deleteByQuery(engine, 'notes', first, { keys: false })).toEqual({ deleted: 1 })
    expect(await deleteByQuery(engine, 'notes', { filter: { id: 9 } }, { keys: false })).toEqual({
      deleted: 0,
    })
  })
})
