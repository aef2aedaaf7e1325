// Clients who leave while a statement of theirs runs.

import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { createEngine, createItem, defineSchema, type Engine } from '../../../src/index.ts'
import { SocketClient } from '../../realtime/socket-client.ts'
import { atEnd } from '../../support/at-end.ts'
import { openPostgres } from '../../support/databases.ts'
import { key, maybeOne } from '../../support/fields.ts'
import { subscribe } from './by-hand.ts'
import { openSockets, subscribed } from './sockets.ts'

const schema = defineSchema({
  tasks: { fields: { id: key, tag: maybeOne('tags') } },
  tags: { fields: { id: key } },
})

async function open() {
  const { db, run } = await openPostgres()
  await run('create table tags (id integer primary key)')
  await run('create table tasks (id integer primary key, tag integer)')
  const engine = createEngine({ db, schema }) as unknown as Engine
  const served = await openSockets(engine, { authenticate: () => ({ admin: true }) })
  const clientOf = async () => {
    const client = new SocketClient(served.url, { protocols: ['graphql-transport-ws'] })
    await client.ready
    atEnd(() => client.close())
    await client.ask({ type: 'connection_init', payload: { access_token: 'any' } })
    return client
  }
  /** Runs a work while whoever reads or writes tags waits. */
  const whileLocked = (work: () => Promise<void>) =>
    db.transaction().execute(async (transaction) => {
      await sql`lock table tags in access exclusive mode`.execute(transaction)
      await work()
    })
  const oneWaits = () =>
    vi.waitFor(async () => {
      const waiting = await sql`select 1 from pg_locks where not granted
        and relation = 'tags'::regclass`.execute(db)
      expect(waiting.rows.length).toBeGreaterThan(0)
    }, 60_000)
  return { db, engine, ...served, clientOf, whileLocked, oneWaits }
}

it('leave the events that others read with them whole', async () => {
  const { engine, feed, errors, clientOf, whileLocked, oneWaits } = await open()
  const [leaving, staying] = [await clientOf(), await clientOf()]
  for (const client of [leaving, staying])
    client.send(subscribe('1', 'subscription { tasks_mutated { key data { tag { id } } } }'))
  await subscribed(feed, 2)
  await whileLocked(async () => {
    await createItem(engine, 'tasks', { id: 1 })
    await oneWaits()
    leaving.send({ id: '1', type: 'complete' })
    // An answer says that the message before it was heard.
    expect(await leaving.ask({ type: 'ping' })).toEqual({ type: 'pong' })
  })
  expect(await staying.next()).toEqual({
    ...{ id: '1', type: 'next' },
    payload: { data: { tasks_mutated: { key: '1', data: { tag: null } } } },
  })
  expect(leaving.frames.length).toBe(2)
  expect(errors).toEqual([])
})

it('take their mutations back, which is no error of the host', async () => {
  const { db, feed, errors, clientOf, whileLocked, oneWaits } = await open()
  const client = await clientOf()
  await whileLocked(async () => {
    client.send(subscribe('1', 'mutation { create_tags_item(data: { id: 1 }) { id } }'))
    await oneWaits()
    client.terminate()
    await vi.waitFor(async () => {
      const waiting = await sql`select 1 from pg_locks where not granted
        and relation = 'tags'::regclass`.execute(db)
      expect(waiting.rows).toEqual([])
    }, 60_000)
  })
  expect((await sql`select * from tags`.execute(db)).rows).toEqual([])
  expect(feed.status().subscriptions).toBe(0)
  expect(errors).toEqual([])
})
