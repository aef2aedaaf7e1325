// Columns that take capitals for the same letters: comparisons are the database's own, matches are not.

import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, listItems } from '../../../src/index.ts'
import { takeCitext } from '../../support/citext.ts'
import { databases } from '../../support/databases.ts'

const schema = defineSchema({
  people: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
})

const cases: readonly {
  readonly filter: object
  readonly ids: readonly number[]
  readonly byCodePoint?: readonly number[]
}[] = [
  { filter: { _eq: 'ada' }, ids: [1, 2], byCodePoint: [2] },
  { filter: { _in: ['ada', 'x'] }, ids: [1, 2], byCodePoint: [2] },
  { filter: { _nin: ['ada', 'x'] }, ids: [3], byCodePoint: [1, 3] },
  { filter: { _between: ['ADA', 'ADB'] }, ids: [1, 2], byCodePoint: [] },
  { filter: { _contains: 'da' }, ids: [1, 2] },
  { filter: { _contains: 'Ad' }, ids: [1] },
  { filter: { _ncontains: 'Ad' }, ids: [2, 3] },
  { filter: { _starts_with: 'a' }, ids: [2] },
  { filter: { _ends_with: 'B' }, ids: [] },
  { filter: { _istarts_with: 'a' }, ids: [1, 2] },
  { filter: { _iends_with: 'OB' }, ids: [3] },
]

describe.each(databases)('on $name', ({ open, name }) => {
  it('a list compares like a single value, and a match knows capitals', async ({ skip }) => {
    if (name === 'postgres') await takeCitext()
    const { db, run } = await open()
    if (name === 'postgres') {
      const found = await sql`select 1 from pg_available_extensions where name = 'citext'`.execute(db)
      if (found.rows.length === 0) skip('this server has no citext')
      await run('create extension citext')
    }
    const type = sql.raw(name === 'postgres' ? 'citext' : 'text collate nocase')
    await sql`create table people (id integer primary key, name ${type})`.execute(db)
    await run("insert into people values (1, 'Ada'), (2, 'ada'), (3, 'Bob')")
    for (const collation of [undefined, 'codepoint'] as const)
      for (const { filter, ids, byCodePoint } of cases) {
        const engine = createEngine({ db, schema, ...(collation && { collation }) })
        const { data } = await listItems(engine, 'people', { fields: ['id'], filter: { name: filter } })
        const expected = (collation && byCodePoint) ?? ids
        expect([filter, data]).toEqual([filter, expected.map((id) => ({ id }))])
      }
  })
})
