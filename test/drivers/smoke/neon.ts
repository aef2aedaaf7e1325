// Neon's driver over WebSockets, which a proxy hands on to the server of the tests, as Neon's own proxy does.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PostgresPool } from 'kysely'

const load = createRequire(import.meta.url)

interface Neon {
  readonly Pool: new (options: { readonly connectionString: string; readonly max?: number }) => PostgresPool
  readonly neonConfig: Record<string, unknown>
}

interface WebSockets {
  readonly WebSocket: unknown
  readonly WebSocketServer: new (options: object) => NodeJS.EventEmitter
  createWebSocketStream(socket: unknown): Duplex
}

/** Opens a pool of connections to a URL. */
export async function neonPool(
  address: string,
  options: { readonly max?: number } = {},
): Promise<PostgresPool> {
  const { Pool, neonConfig }: Neon = load('@neondatabase/serverless')
  const { WebSocket, WebSocketServer, createWebSocketStream }: WebSockets = load('ws')
  const url = new URL(address)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  new WebSocketServer({ server }).on('connection', (socket) => {
    const wire = createWebSocketStream(socket)
    const upstream = connect(Number(url.port), url.hostname)
    for (const stream of [wire, upstream]) {
      stream.on('error', () => undefined)
      // A pipe hands on an end, and no break.
      stream.on('close', () => {
        wire.destroy()
        upstream.destroy()
      })
    }
    wire.pipe(upstream).pipe(wire)
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  // It goes with the process.
  server.unref()
  Object.assign(neonConfig, {
    webSocketConstructor: WebSocket,
    wsProxy: `127.0.0.1:${port}`,
    useSecureWebSocket: false,
    pipelineTLS: false,
    pipelineConnect: false,
  })
  return new Pool({ connectionString: address, ...options })
}
