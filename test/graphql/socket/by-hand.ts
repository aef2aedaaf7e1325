// A connection to GraphQL over sockets that a test makes by hand, which takes frames when the test wants it to.

import { createGraphQLSocket, type GraphQLSocketOptions } from '../../../src/graphql.ts'
import { createEngine, defineSchema, type Engine } from '../../../src/index.ts'
import { createFeed, localSource } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { openSqlite } from '../../support/databases.ts'
import { key, number, text } from '../../support/fields.ts'

const schema = defineSchema({ tasks: { fields: { id: key, title: text, price: number } } })

/** Opens a connection, which has said that it is there. */
export async function openByHand(options: Partial<GraphQLSocketOptions> = {}) {
  const { db, run } = await openSqlite()
  await run('create table tasks (id integer primary key, title text, price integer)')
  await run("insert into tasks values (1, 'one', 777)")
  const engine = createEngine({ db, schema }) as unknown as Engine
  const errors: unknown[] = []
  const feed = createFeed(engine, { source: localSource(), settleMs: 1 })
  atEnd(() => feed.stop())
  const connection = { frames: [] as string[], closes: [] as unknown[], isBlocked: false }
  const onError = (error: unknown) => errors.push(error)
  const handler = createGraphQLSocket(feed, {
    ...{ authenticate: () => ({ admin: true }) as const, mode: 'public', onError },
    ...options,
  })
  const socket = handler.open({
    request: new Request('http://x/', { headers: { 'sec-websocket-protocol': 'graphql-transport-ws' } }),
    send: (text) => void connection.frames.push(text),
    close: (...closing) => void connection.closes.push(closing),
    buffered: () => (connection.isBlocked ? 1_000_000 : 0),
  })
  const send = (message: object) => socket.message(JSON.stringify(message))
  send({ type: 'connection_init' })
  await until(() => connection.frames.length === 1)
  connection.frames.length = 0
  const drain = () => {
    connection.isBlocked = false
    socket.drained()
  }
  return { engine, feed, errors, handler, connection, socket, send, drain }
}

export const subscribe = (id: string, query: string) => ({ id, type: 'subscribe', payload: { query } })

/** Waits until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo() && turns < 2_000; turns++)
    await new Promise((resolve) => setTimeout(resolve, 1))
}

/** Waits until whatever goes on has had its time. */
export const calm = () => new Promise((resolve) => setTimeout(resolve, 30))
