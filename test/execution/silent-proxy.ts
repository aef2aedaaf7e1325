// A network between a pool and its server that loses what is sent from some moment on, and says nothing of it.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Network {
  readonly port: number
  /** From now on nothing reaches anybody, on the connections that there are. */
  swallow(): void
  /** The same, once this was sent to the server; that still arrives, and its answer does not. */
  swallowAfter(text: string): void
  /** Lets new connections through again. */
  heal(): void
  close(): Promise<void>
}

/** @example const proxy = await proxyTo(5432) */
export async function proxyTo(port: number): Promise<Network> {
  const sockets = new Set<Socket>()
  let last: string | undefined
  let generation = { isDead: false }
  const server = createServer((near) => {
    const own = generation
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.setNoDelay(true)
    }
    near.on('close', () => far.destroy())
    far.on('close', () => {
      if (!own.isDead) near.destroy()
    })
    near.on('data', (data) => {
      if (own.isDead) return
      if (last !== undefined && data.includes(last)) own.isDead = true
      far.write(data)
    })
    far.on('data', (data) => {
      if (!own.isDead) near.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.')
  return {
    port: address.port,
    swallow: () => {
      generation.isDead = true
    },
    swallowAfter: (text) => {
      last = text
    },
    heal: () => {
      last = undefined
      generation = { isDead: false }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
