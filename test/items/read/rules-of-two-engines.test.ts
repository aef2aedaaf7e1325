// Rules are given to engines as objects, and one object may be given to several engines.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createEngine, defineSchema, type EngineOptions, listItems } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'

const schema = defineSchema({
  teas: { fields: { id: { type: 'integer', key: true }, name: { type: 'string', nullable: true } } },
})
const access = { rules: { teas: { read: { filter: { id: { _gt: 0 } } } } } }
const query = { fields: ['id'], filter: { name: { _neq: 'mint' } } } as const

async function found(database: (typeof databases)[number], options: Partial<EngineOptions<typeof schema>>) {
  const { db, close } = await database.open()
  await sql`create table teas (id integer primary key, name text)`.execute(db)
  await sql`insert into teas values (1, 'mint'), (2, 'green'), (3, null)`.execute(db)
  const { data } = await listItems(createEngine({ db, schema, ...options }).as(access), 'teas', query)
  await close()
  return data
}

it('two engines do not run the statements of each other for the same rules', async () => {
  for (const database of databases) {
    expect(await found(database, {})).toEqual([{ id: 2 }])
    expect(await found(database, { negationMatchesNull: true })).toEqual([{ id: 2 }, { id: 3 }])
  }
})
