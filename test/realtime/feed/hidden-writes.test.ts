// Writes that change nothing of an item as a caller sees it: nobody learns when they happen.
import { createServer } from 'node:http'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createGraphQLSocket } from '../../../src/graphql.ts'
import { createEngine, defineSchema, updateItem } from '../../../src/index.ts'
import {
  createFeed,
  createSocketHandler,
  localSource,
  type Source,
  type SourceChange,
  toWs,
  watchItems,
} from '../../../src/realtime.ts'
import { subscribed } from '../../graphql/socket/sockets.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases } from '../../support/databases.ts'
import { key, number, string } from '../../support/fields.ts'
import { portOf } from '../../support/listening.ts'
import { SocketClient } from '../socket-client.ts'
import { bare } from '../tasks.ts'

const schema = defineSchema({
  notes: { fields: { id: key, title: string, secret: number } },
})
/** The rules look at a field that nobody may read. */
const access = {
  rules: { notes: { read: { fields: ['id', 'title'], filter: { secret: { _nnull: true } } } } },
} as const

describe.each(databases)('on $name', ({ open }) => {
  const openNotes = async (source: Source = localSource()) => {
    const { db } = await open()
    const run = async (statement: string) => void (await sql.raw(statement).execute(db))
    await run('create table notes (id integer primary key, title varchar(9) not null, secret integer)')
    await run(`insert into notes values (1, 'one', 1), (2, 'two', 1)`)
    const engine = createEngine({ db, schema })
    const feed = createFeed(engine, { source, settleMs: 1 })
    atEnd(() => feed.stop())
    const watch = (membership: 'page' | 'match') =>
      watchItems(feed.as(access), 'notes', { sort: 'id', limit: 9 }, { membership })
    return { engine, feed, run, watch }
  }

  /** Serves sockets, and opens one. */
  const connect = async (
    make: (authenticate: () => typeof access) => Parameters<typeof toWs>[0],
    protocols: string[],
  ) => {
    const server = createServer()
    await toWs(
      make(() => access),
      server,
    )
    const port = await portOf(server)
    const client = new SocketClient(`ws://127.0.0.1:${port}/websocket`, { protocols })
    await client.ready
    atEnd(() => client.terminate())
    return client
  }

  it.each(['page', 'match'] as const)('tell nothing to a %s', async (membership) => {
    const { engine, watch } = await openNotes()
    const list = watch(membership)
    await list.next()
    await updateItem(engine, 'notes', 1, { secret: 2 })
    await updateItem(engine, 'notes', 2, { title: 'new' })
    expect(await bare(list)).toEqual({
      kind: 'changes',
      set: [{ id: '2', item: { id: 2, title: 'new' } }],
      removed: [],
    })
    // What names a field that is seen is told, as in the installed base.
    if (membership === 'match') {
      await updateItem(engine, 'notes', 2, { title: 'new' })
      expect(await bare(list)).toMatchObject({ set: [{ id: '2' }] })
    }
  })

  it('tell nothing where the source does not say what was written', async () => {
    let tell = (_changes: readonly SourceChange[]) => {}
    const { run, watch } = await openNotes({
      async *read() {
        yield { position: 0, changes: [] }
        const changes = await new Promise<readonly SourceChange[]>((resolve) => {
          tell = resolve
        })
        yield { position: 1, changes }
        await new Promise(() => {})
      },
    })
    const list = watch('match')
    await list.next()
    await run('update notes set secret = 2 where id = 1')
    await run(`update notes set title = 'new' where id = 2`)
    tell([{ collection: 'notes', keys: [1, 2], operation: 'update' }])
    expect(await bare(list)).toMatchObject({ set: [{ id: '2' }], removed: [] })
  })

  it.each(['page', 'match'] as const)(
    'tell nothing to a slow reader of a %s, where an item has gone and come back',
    async (membership) => {
      const { engine, watch } = await openNotes()
      const [slow, fast] = [watch(membership), watch(membership)]
      await Promise.all([slow.next(), fast.next()])
      await updateItem(engine, 'notes', 2, { secret: null })
      expect(await bare(fast)).toMatchObject({ removed: ['2'] })
      await updateItem(engine, 'notes', 2, { secret: 3 })
      expect(await bare(fast)).toMatchObject({ set: [{ id: '2' }] })
      const message = bare(slow)
      await updateItem(engine, 'notes', 1, { title: 'new' })
      expect(await message).toMatchObject({ set: [{ id: '1' }], removed: [] })
    },
  )

  it('are no frames of a socket', async () => {
    const { engine, feed } = await openNotes()
    const client = await connect(
      (authenticate) => createSocketHandler(feed, { authenticate, mode: 'public' }),
      [],
    )
    await client.ask({ type: 'subscribe', collection: 'notes', uid: 'a' })
    await updateItem(engine, 'notes', 1, { secret: 2 })
    await updateItem(engine, 'notes', 2, { title: 'new' })
    expect(await client.next()).toMatchObject({ event: 'update', data: [{ id: 2, title: 'new' }] })
  })

  it('are no events of GraphQL', async () => {
    const { engine, feed } = await openNotes()
    const client = await connect(
      (authenticate) => createGraphQLSocket(feed, { authenticate, mode: 'public' }),
      ['graphql-transport-ws'],
    )
    await client.ask({ type: 'connection_init' })
    client.send({ id: '1', type: 'subscribe', payload: { query: 'subscription { notes_mutated { key } }' } })
    await subscribed(feed, 1)
    await updateItem(engine, 'notes', 1, { secret: 2 })
    await updateItem(engine, 'notes', 2, { title: 'new' })
    expect(await client.next()).toMatchObject({ payload: { data: { notes_mutated: { key: '2' } } } })
  })
})
