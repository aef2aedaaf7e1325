// Runs of flows that users write: they start for the items that their authors see.
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectionFlows, createFlows, type Flows } from '../../../src/flows.ts'
import { createEngine, createItem, defineSchema, type Engine } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'

const schema = defineSchema({
  articles: {
    fields: { id: { type: 'integer', key: true }, owner: { type: 'integer', nullable: true } },
  },
  flows: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      trigger: { type: 'json' },
      first: { type: 'string' },
      operations: { type: 'json' },
      saved_by: { type: 'integer', nullable: true, special: ['user-created', 'user-updated'] },
    },
  },
})
const everything = { create: true, read: true, update: true, delete: true }
const rulesOf = (user: unknown) => ({
  user: user as number,
  rules: { articles: { read: { filter: { owner: { _eq: '$CURRENT_USER' } } } }, flows: everything },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>
  let flows: Flows
  beforeEach(async () => {
    opened = await open()
    const key = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
    const json = name === 'sqlite' ? 'text' : 'jsonb'
    await sql.raw(`create table articles (id ${key}, owner integer)`).execute(opened.db)
    await sql
      .raw(
        `create table flows (id ${key}, name varchar(99) not null, "trigger" ${json} not null, first varchar(99) not null, operations ${json} not null, saved_by integer)`,
      )
      .execute(opened.db)
    engine = createEngine({ db: opened.db, schema, flows: {} }) as unknown as Engine<typeof schema>
    flows = createFlows(engine, {
      access: (_, { user }) => rulesOf(user) as never,
      flows: [
        collectionFlows('flows', {
          access: ['author'],
          author: 'saved_by',
          collections: ['articles'],
          operations: ['log'],
        }),
      ],
    })
    await flows.install()
    await flows.start()
  })
  afterEach(async () => {
    await flows.stop()
    await opened.close()
  })

  it('has runs for new items that the author sees, and for no others', async () => {
    await createItem(engine.as(rulesOf(7) as never), 'flows', {
      name: 'mine',
      trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
      first: 'l',
      operations: { l: { type: 'log', options: { message: 'x' } } },
    } as never)
    expect(flows.status().flows).toMatchObject([{ name: 'mine', state: 'active', problems: [] }])
    await createItem(engine, 'articles', { id: 1, owner: 7 })
    await createItem(engine, 'articles', { id: 2, owner: 8 })
    const { rows } = await sql.raw('select "trigger" from quernel_runs').execute(opened.db)
    const triggers = rows.map((row) => Object(row).trigger as unknown)
    expect(triggers.map((one) => Object(typeof one === 'string' ? JSON.parse(one) : one).key)).toEqual([1])
  })
})
