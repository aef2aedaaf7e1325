// What a singleton without a row answers is what it would answer once it had one.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, getSingleton, updateSingleton } from '../../../src/index.ts'
import { lanes } from '../../support/lanes.ts'

const id = { type: 'integer', key: true } as const
const schema = defineSchema({
  settings: {
    singleton: true,
    fields: {
      id,
      count: { type: 'integer', default: '5' },
      big: { type: 'bigInteger', default: 7 },
      price: { type: 'decimal', scale: 2, default: 5 },
      day: { type: 'date', default: '2024-02-29T10:00:00Z' },
      moment: { type: 'timestamp', default: '2024-02-29' },
      isNew: { type: 'boolean', default: 1, column: 'is_new' },
      code: { type: 'uuid', default: '6F9619FF-8B86-4D01-B42D-00CF4FC964FF' },
      words: { type: 'csv', default: 'a,b' },
      meta: { type: 'json', default: { a: [1] } },
      token: { type: 'string', default: 'abc', conceal: true },
      password: { type: 'hash', default: 'abc' },
      none: { type: 'string', nullable: true, default: null },
    },
  },
})

describe.each(lanes)('on $title', ({ open, name }) => {
  it('a default is shown as its value would be, and no secret is', async () => {
    const { db } = await open()

    const type = (own: string) => sql.raw(name === 'sqlite' ? 'text' : own)
    await sql`create table settings (id integer primary key, "count" integer, big bigint, price numeric(10, 2),
        "day" ${type('date')}, moment ${type('timestamptz')}, is_new boolean, code ${type('uuid')}, words text,
        meta ${type('jsonb')}, token text, password text, none text)`.execute(db)
    const engine = createEngine({ db, schema })
    const before = await getSingleton(engine, 'settings')
    expect(before).toMatchObject({ id: null, price: '5.00', token: '**********', password: '**********' })
    await updateSingleton(engine, 'settings', { id: 1 })
    expect(await getSingleton(engine, 'settings')).toEqual({ ...before, id: 1 })
  })
})

it('a default that its field cannot hold is a mistake of the schema', () => {
  const fields = { id, day: { type: 'date', default: 'secret' } } as const
  expect(() => defineSchema({ settings: { singleton: true, fields } })).toThrow(
    expect.objectContaining({
      code: 'INVALID_SCHEMA',
      message: 'Field "day" of collection "settings": it cannot hold its option "default".',
    }),
  )
})
