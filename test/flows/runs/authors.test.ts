// Runs of flows that users write: they start for the items that their authors see.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectionFlows, createFlows, type Flows } from '../../../src/flows.ts'
import { createEngine, createItem, defineSchema, type Engine, listItems } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, number, string } from '../../support/fields.ts'

const schema = defineSchema({
  articles: { fields: { id: key, owner: number } },
  flows: {
    fields: {
      id: key,
      name: string,
      trigger: { type: 'json' },
      first: string,
      operations: { type: 'json' },
      saved_by: number,
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
    await opened.run(`create table articles (id ${key}, owner integer)`)
    await opened.run(
      `create table flows (id ${key}, name varchar(99) not null, "trigger" ${json} not null, first varchar(99) not null, operations ${json} not null, saved_by integer)`,
    )
    engine = createEngine({ db: opened.db, schema, flows: {} }) as unknown as Engine<typeof schema>
    flows = createFlows(engine, {
      access: (_, { user }) => rulesOf(user) as never,
      flows: [
        collectionFlows('flows', {
          access: ['author'],
          author: 'saved_by',
          collections: ['articles'],
          operations: ['log', 'trigger', 'item-read'],
        }),
      ],
    })
    await flows.install()
    await flows.start()
  })
  afterEach(() => flows.stop())

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
    const rows = await opened.run('select "trigger" from quernel_runs')
    const triggers = rows.map((row) => Object(row).trigger as unknown)
    expect(triggers.map((one) => Object(typeof one === 'string' ? JSON.parse(one) : one).key)).toEqual([1])
  })

  it('has the rights of its own author in each flow that starts another', async () => {
    await createItem(engine, 'articles', { id: 1, owner: 1 })
    await createItem(engine, 'articles', { id: 2, owner: 2 })
    const reading = {
      name: 'reading',
      trigger: { on: 'flow', returns: 'read' },
      first: 'read',
      operations: {
        read: { type: 'item-read', options: { collection: 'articles', query: { sort: ['id'] } } },
      },
    }
    const starting = {
      name: 'starting',
      trigger: { on: 'items.create', collections: ['articles'], when: 'after', returns: 'other' },
      first: 'mine',
      operations: {
        mine: {
          type: 'item-read',
          options: { collection: 'articles', query: { sort: ['id'] } },
          resolve: 'other',
        },
        other: { type: 'trigger', options: { flow: 'reading' } },
      },
    }
    const as = (user: number) => engine.as({ ...rulesOf(user), admin: false } as never)
    await createItem(as(2), 'flows', reading as never)
    await createItem(as(1), 'flows', starting as never)
    expect(flows.status().flows.map(({ state, problems }) => [state, problems])).toEqual([
      ['active', []],
      ['active', []],
    ])
    await createItem(engine, 'articles', { id: 3, owner: 1 })
    const runs = async () => (await listItems(untyped(), 'quernel_runs', { sort: ['number'] })).data
    await expect
      .poll(async () => (await runs()).map(({ flow, state }) => [flow, state]), { timeout: 60_000 })
      .toEqual([
        ['starting', 'succeeded'],
        ['reading', 'succeeded'],
      ])
    const query = { filter: { operation: { _eq: 'mine' } } } as const
    const [mine] = (await listItems(untyped(), 'quernel_steps', query)).data
    expect(mine?.result).toMatchObject([{ id: 1 }, { id: 3 }])
    expect((await runs()).map(({ result }) => result)).toMatchObject([[{ id: 2 }], [{ id: 2 }]])
  })

  const untyped = () => createEngine({ db: opened.db, schema, flows: {} })
})
