// Flows whose tables stand in another schema of the database than the one in which a bare name is looked up.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { collectionFlows, createFlows, defineFlow, type Flows } from '../../../src/flows.ts'
import {
  createEngine,
  createItem,
  defineSchema,
  listItems,
  runDefinitions,
  updateItem,
} from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { key, number, string } from '../../support/fields.ts'

const far = 'flows_elsewhere'

const { quernel_runs, quernel_steps, quernel_flows } = runDefinitions
const schema = defineSchema({
  quernel_runs: { ...quernel_runs, dbSchema: far },
  quernel_steps: { ...quernel_steps, dbSchema: far },
  quernel_flows: { ...quernel_flows, dbSchema: far },
  articles: { dbSchema: far, fields: { id: key, title: string } },
  automations: {
    dbSchema: far,
    fields: {
      id: key,
      name: string,
      trigger: { type: 'json' },
      access: string,
      first: string,
      operations: { type: 'json' },
      saved_by: number,
    },
  },
})

it.each(databases)('on $name: flows, rows of flows and runs are found there', async ({ name, open }) => {
  const { db, run } = await open()
  let flows: Flows | undefined
  try {
    await run(name === 'sqlite' ? `attach ':memory:' as ${far}` : `create schema ${far}`)
    await run(`create table ${far}.articles (id integer primary key, title text not null)`)
    await run(
      `create table ${far}.automations (id integer primary key, name text not null, "trigger" json not null, access text not null, first text not null, operations json not null, saved_by integer)`,
    )
    const engine = createEngine({ db, schema, flows: {} })
    flows = createFlows(engine, {
      pollMs: 50,
      access: () => ({ admin: true }),
      flows: [
        defineFlow({
          name: 'after',
          trigger: { on: 'items.create', collections: ['articles'], when: 'after' },
          access: 'full',
          first: 'asleep',
          operations: {
            asleep: { type: 'sleep', options: { milliseconds: 1 }, resolve: 'renamed' },
            renamed: {
              type: 'item-update',
              options: {
                collection: 'articles',
                key: '{{ $trigger.key }}',
                payload: { title: '{{ $trigger.payload.title }}!' },
              },
            },
          },
          lane: '{{ $trigger.key }}',
        }),
        defineFlow({
          name: 'called',
          trigger: { on: 'flow' },
          access: 'full',
          first: 'a',
          operations: { a: { type: 'throw-error', options: {} } },
        }),
        collectionFlows('automations', {
          access: ['author'],
          author: 'saved_by',
          collections: ['articles'],
          operations: ['transform'],
        }),
      ],
    })
    await flows.install()
    await flows.install()
    await flows.start()
    const editor = engine.as({ admin: true, user: 1 })
    await createItem(editor, 'automations', {
      id: 1,
      name: 'shout',
      trigger: { on: 'items.create', collections: ['articles'], when: 'before', returns: 'loud' },
      access: 'author',
      first: 'loud',
      operations: {
        loud: { type: 'transform', options: { json: { id: 1, title: 'LOUD {{ $trigger.payload.title }}' } } },
      },
    })
    await createItem(engine, 'articles', { id: 1, title: 'tea' })
    const called = await flows.run('called', {}, { waitMs: 60_000 })
    expect(called.state).toBe('failed')
    await flows.retry(called.id)
    const titles = async () => (await listItems(engine, 'articles', {})).data.map(({ title }) => title)
    await expect.poll(titles, { timeout: 60_000 }).toEqual(['LOUD tea!'])
    const states = async () => {
      const { data } = await listItems(engine, 'quernel_runs', {
        fields: ['flow', 'state', 'steps.operation'],
        sort: ['number'],
      })
      return data
    }
    await expect.poll(states, { timeout: 60_000 }).toMatchObject([
      { flow: 'after', state: 'succeeded', steps: [{ operation: 'asleep' }, { operation: 'renamed' }] },
      { flow: 'called', state: 'failed' },
    ])
    // A row that cannot be right is disabled there, too.
    await updateItem(editor, 'automations', 1, { trigger: {} })
    await expect
      .poll(() => flows?.status().flows.find(({ collection }) => collection)?.state, { timeout: 60_000 })
      .toBe('disabled')
    const { rows } = await sql<{ found: unknown }>`
      select ${name === 'sqlite' ? sql`(select max(name) from main.sqlite_master where name like 'quernel%')` : sql`to_regclass(format('%I.quernel_runs', current_schema()))`} as found`.execute(
      db,
    )
    expect(rows).toEqual([{ found: null }])
  } finally {
    await flows?.stop()
    if (name === 'postgres') await run(`drop schema if exists ${far} cascade`)
  }
})
