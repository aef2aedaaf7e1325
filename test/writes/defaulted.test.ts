// Fields that the database fills in by itself.
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, createItem, createItems, defineSchema, type Engine } from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { key, many } from '../support/fields.ts'

const schema = defineSchema({
  tickets: {
    fields: {
      code: { type: 'string', key: true, defaulted: true },
      state: { type: 'string', defaulted: true },
      owner: { type: 'm2o', to: 'owners', defaulted: true },
    },
  },
  owners: { fields: { id: key, tickets: many('tickets.owner') } },
})

const codes = {
  sqlite: '(lower(hex(randomblob(8))))',
  postgres: 'substr(md5(random()::text || clock_timestamp()::text), 1, 16)',
}

describe.each(databases)('what $name fills in', ({ name, open }) => {
  let engine: Engine<typeof schema>
  beforeEach(async () => {
    const database = await open()
    const { db, run } = database
    await run('create table owners (id integer primary key)')
    await run('insert into owners values (1), (2)')
    await run(`create table tickets (code varchar(16) primary key default ${codes[name]},
      state varchar(9) not null default 'open', owner integer not null default 1 references owners)`)
    engine = createEngine({ db, schema })
  })

  it('need not be given, not even where it is the key', async () => {
    const ticket = await createItem(engine, 'tickets', {})
    expect(ticket).toEqual({ code: expect.stringMatching(/^[0-9a-f]{16}$/), state: 'open', owner: 1 })
  })

  it('may be given, to some items and not to others, and each gets its own key', async () => {
    const tickets = await createItems(engine, 'tickets', [
      { state: 'one' },
      { owner: 2, code: 'x' },
      { state: 'two' },
      { state: 'three' },
    ])
    expect(tickets.map(({ state, owner }) => [state, owner])).toEqual([
      ['one', 1],
      ['open', 2],
      ['two', 1],
      ['three', 1],
    ])
    expect(new Set(tickets.map(({ code }) => code)).size).toBe(4)
  })

  it('still may not be null', async () => {
    await expect(
      createItem(engine, 'tickets', { state: null as unknown as string }), // which the types forbid
    ).rejects.toMatchObject({ code: 'FAILED_VALIDATION', path: ['state'] })
  })
})
