// A client of a server with lists that stay true: it watches as events and over a socket, beside another who upgrades connections of that server.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Feed } from '../../src/realtime.ts'
import { EventReader } from '../realtime/event-reader.ts'
import { SocketClient } from '../realtime/socket-client.ts'

interface Watching {
  next(): Promise<readonly [event: unknown, frame: unknown]>
  /** Returns what the end was, once the server has stopped: of the events, and the code of the socket. */
  end(): Promise<readonly [event: unknown, code: unknown]>
}

/** Watches titles of articles, below `/api`, as somebody with the token `secret`. */
export async function watchOverHttp(server: Server, feed: Pick<Feed, 'status'>): Promise<Watching> {
  if (!server.listening) await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  await refuseUnknown(server, host)
  answerElsewhere(server)
  const query = 'fields=title&filter[id]=1'
  const asked = { headers: { authorization: 'Bearer secret' } }
  const url = `http://${host}/api/live/articles?${query}`
  const { status } = await fetch(url, { ...asked, method: 'HEAD' })
  if (status !== 200 || feed.status().subscriptions > 0) throw new Error('HEAD watches something.')
  const response = await fetch(url, asked)
  const events = new EventReader(response)
  const socket = await connect(`ws://${host}/api/websocket`)
  await socket.ask({ type: 'auth', access_token: 'secret' })
  socket.send({
    type: 'subscribe',
    collection: 'articles',
    query: { fields: ['title'], filter: { id: 1 } },
  })
  const others = [await connect(`ws://${host}/elsewhere`)]
  if (server.listenerCount('upgrade') > 2) others.push(await connect(`ws://${host}/chat`))
  for (const other of others) {
    const { said } = await other.ask({ said: 'hello' })
    if (said !== 'hello') throw new Error('The other listener does not answer.')
  }
  // A server waits for the sockets of others, too.
  const ended = socket.end().finally(() => {
    for (const other of others) other.terminate()
  })
  return {
    next: async () => [(await events.next())?.data, await socket.next()],
    end: async () => [await events.next(), await ended],
  }
}

async function connect(url: string): Promise<SocketClient> {
  const client = new SocketClient(url)
  await client.ready
  if (client.refused) throw new Error(`${url}: ${client.refused.status} ${client.refused.body}`)
  return client
}

/** Where nobody else listens, a path that nobody owns is answered. */
async function refuseUnknown(server: Server, host: string): Promise<void> {
  if (server.listenerCount('upgrade') > 1) return
  const client = new SocketClient(`ws://${host}/nowhere`)
  await client.ready
  if (client.refused?.status !== 404) throw new Error('A path that nobody owns is not refused.')
}

/** Another listener, as hosts write one. */
function answerElsewhere(server: Server): void {
  const echo = new WebSocketServer({ noServer: true })
  server.on('upgrade', (message: IncomingMessage, stream: Duplex, head: Buffer) => {
    if (message.url !== '/elsewhere') return
    echo.handleUpgrade(message, stream, head, (socket) =>
      socket.on('message', (data) => socket.send(String(data))),
    )
  })
}
