// Servers of tests on free ports.
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { atEnd } from './at-end.ts'

/** Lets a server listen on a free port until the test ends, and returns the port. */
export async function portOf(
  server: Server & { closeAllConnections?(): void },
  address = '127.0.0.1',
): Promise<number> {
  atEnd(() => {
    server.close()
    server.closeAllConnections?.()
  })
  await once(server.listen(0, address), 'listening')
  // It listens on a port, so its address is an object.
  return (server.address() as AddressInfo).port
}
