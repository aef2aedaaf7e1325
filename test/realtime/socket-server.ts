// Servers with sockets over the small database of tasks.

import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { createHandler, toNode } from '../../src/http.ts'
import type { Access } from '../../src/index.ts'
import {
  createSocketHandler,
  realtime,
  type SocketHandler,
  type SocketOptions,
  toWs,
} from '../../src/realtime.ts'
import { atEnd } from '../support/at-end.ts'
import { portOf } from '../support/listening.ts'
import { SocketClient } from './socket-client.ts'
import { admin, type Opened, openTasks, type schema } from './tasks.ts'

export type TaskAccess = Access<typeof schema>

const ownTasks = { tasks: { read: { filter: { owner: '$CURRENT_USER' } } } } as const

export interface SocketWorld extends Opened {
  readonly server: Server
  readonly sockets: SocketHandler
  readonly url: string
  /** Who is known, by token. */
  readonly who: Record<string, TaskAccess | null>
  /** Opens a socket. */
  readonly connect: (
    options?: ConstructorParameters<typeof SocketClient>[1] & { path?: string },
  ) => Promise<SocketClient>
  /** Breaks all connections. */
  readonly breakAll: () => void
  /** Opens a socket of somebody. */
  readonly as: (token: string) => Promise<SocketClient>
}

export async function openSockets(
  options: Partial<SocketOptions<typeof schema>> = {},
  feedOptions: Parameters<typeof openTasks>[0] = {},
  engineOptions: Parameters<typeof openTasks>[1] = {},
): Promise<SocketWorld> {
  const opened = await openTasks(feedOptions, engineOptions)
  const who: Record<string, TaskAccess | null> = {
    admin,
    ada: { user: 1, rules: ownTasks },
    bob: { user: 2, rules: ownTasks },
  }
  const authenticate = (token: string | null): TaskAccess | null => who[token ?? ''] ?? null
  const handler = createHandler(opened.engine, { authenticate, mounts: [realtime(opened.feed)] })
  const server = createServer(toNode(handler))
  const sockets = createSocketHandler(opened.feed, { authenticate, ...options })
  await toWs(sockets, server)
  const url = `127.0.0.1:${await portOf(server)}`
  const clients: SocketClient[] = []
  const connections = new Set<Socket>()
  server.on('connection', (connection) => {
    connections.add(connection)
    connection.on('close', () => connections.delete(connection))
  })
  const breakAll = () => {
    for (const connection of connections) connection.destroy()
  }
  atEnd(() => {
    for (const client of clients) client.terminate()
    breakAll()
    return new Promise((resolve) => server.close(resolve))
  })
  const connect: SocketWorld['connect'] = async ({ path = '/websocket', ...more } = {}) => {
    const client = new SocketClient(`ws://${url}${path}`, more)
    clients.push(client)
    await client.ready
    return client
  }
  const as = async (token: string) => {
    const client = await connect()
    await client.ask({ type: 'auth', access_token: token })
    return client
  }
  return { ...opened, who, server, sockets, url, connect, as, breakAll }
}
