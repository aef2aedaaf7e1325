// A network between a pool and its server.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Relay {
  readonly port: number
  close(): Promise<void>
}

/** Opens a port whose connections lead to that of a server. What goes over them, `join` says.
 *  @example const relay = await openRelay(5432, (near, far) => void near.pipe(far).pipe(near)) */
export async function openRelay(port: number, join: (near: Socket, far: Socket) => void): Promise<Relay> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    join(near, far)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.')
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { port: address.port, close }
}
