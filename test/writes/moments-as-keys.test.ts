// Items whose keys are moments, which may be given as dates.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createEngine, createItem, defineSchema, updateItems } from '../../src/index.ts'
import { databases } from '../support/databases.ts'

const schema = defineSchema({
  days: { fields: { id: { type: 'timestamp', key: true }, name: { type: 'string' } } },
  notes: { fields: { id: { type: 'string', key: true }, day: { type: 'm2o', to: 'days' } } },
})

it.each(databases)('on $name a date was taken for the key of no item', async ({ name, open }) => {
  const { db } = await open()

  const moment = sql.raw(name === 'sqlite' ? 'text' : 'timestamptz')
  await sql`create table days (id ${moment} primary key, name text not null)`.execute(db)
  await sql`create table notes (id text primary key, day ${moment} not null)`.execute(db)
  const engine = createEngine({ db, schema })
  const id = new Date('2024-05-06T07:08:09.123Z')
  // Types know keys as text.
  const given = (values: object) => ({ id, ...values }) as unknown as { id: string; name: string }
  await createItem(engine, 'days', given({ name: 'Monday' }))
  const shown = { fields: ['name'] } as const
  expect(await updateItems(engine, 'days', [given({ name: 'May' })], shown)).toEqual([{ name: 'May' }])
  const nested = { id: 'a', day: given({ name: 'Spring' }) }
  const day = { id: id.toJSON(), name: 'Spring' }
  expect(await createItem(engine, 'notes', nested, { fields: ['day.*'] })).toEqual({ day })
})
