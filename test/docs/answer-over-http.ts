// Asks a listener of Node's, as the first page shows some, over a socket.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

/** What it answers as JSON to somebody with the token `secret`. */
export async function answerOverHttp(listener: RequestListener, path: string): Promise<unknown> {
  const [, body] = await exchangeOverHttp(listener, path, { headers: { authorization: 'Bearer secret' } })
  return body
}

/** The status and the JSON of an answer. */
export async function exchangeOverHttp(
  listener: RequestListener,
  path: string,
  sent: RequestInit,
): Promise<readonly [status: number, body: unknown]> {
  const server = createServer(listener).listen(0)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  try {
    const response = await fetch(`http://localhost:${port}${path}`, sent)
    return [response.status, await response.json()]
  } finally {
    server.close()
  }
}
