// Asks a listener of Node's, as the first page shows some, over a socket.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

/** What it answers as JSON to somebody with the token `secret`. */
export async function answerOverHttp(listener: RequestListener, path: string): Promise<unknown> {
  const server = createServer(listener).listen(0)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  try {
    const headers = { authorization: 'Bearer secret' }
    return await (await fetch(`http://localhost:${port}${path}`, { headers })).json()
  } finally {
    server.close()
  }
}
