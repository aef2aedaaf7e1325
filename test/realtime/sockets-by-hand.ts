// Sockets without a library, which take frames when a test wants it to.
import { createSocketHandler, type SocketOptions } from '../../src/realtime.ts'
import type { TestDatabase } from '../support/databases.ts'
import type { TaskAccess } from './socket-server.ts'
import { admin, openTasks, type schema } from './tasks.ts'

/** Lets promises go on without the clock. */
export const turns = async (count = 50): Promise<void> => {
  for (let at = 0; at < count; at++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Opens sockets without a library over three tasks: a test says when they take something. */
export async function openLife(
  options: Partial<SocketOptions<typeof schema>> = {},
  engineOptions: Parameters<typeof openTasks>[1] = {},
  database?: TestDatabase,
  feedOptions: Parameters<typeof openTasks>[0] = {},
) {
  const opened = await openTasks(feedOptions, engineOptions, database)
  const errors: unknown[] = []
  const sockets = createSocketHandler(opened.feed, {
    authenticate: (token): TaskAccess | null => (token === 'admin' ? admin : null),
    onError: (error) => errors.push(error),
    ...options,
  })
  const open = (headers: Record<string, string> = {}) => {
    const frames: { readonly [name: string]: unknown }[] = []
    const connection = {
      buffered: 0,
      closed: undefined as number | undefined,
      isTerminated: false,
      send: (_: string) => {},
    }
    connection.send = (text) => void frames.push(JSON.parse(text))
    const socket = sockets.open({
      request: new Request('http://localhost/websocket', { headers: { host: 'localhost', ...headers } }),
      send: (text) => connection.send(text),
      close: (code) => {
        connection.closed = code
      },
      terminate: () => {
        connection.isTerminated = true
      },
      buffered: () => connection.buffered,
    })
    const send = (message: object) => socket.message(JSON.stringify(message))
    return { socket, connection, frames, send }
  }
  return { ...opened, errors, sockets, open }
}
