// Servers of tests: one that answers what it is told to, and one that says which addresses a name has.
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answering = (request: IncomingMessage, response: ServerResponse, body: string) => void

export interface TestServer {
  readonly port: number
  readonly requests: readonly string[]
  close(): Promise<void>
}

/** Starts a server on an address of this machine. */
export async function serve(answer: Answering, address = '127.0.0.2', port = 0): Promise<TestServer> {
  const requests: string[] = []
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()))
  })
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers with what a request was: a server that hands out whatever it is sent. */
export const echo: Answering = ({ method, url, headers }, response, body) => {
  response.setHeader('content-type', 'application/json')
  response.setHeader('x-echo', headers.authorization ?? 'none')
  response.end(JSON.stringify({ method, url, headers, body }))
}

export interface TestNames {
  readonly queries: readonly string[]
  readonly resolve: (name: string) => Promise<readonly { address: string; family: number }[]>
  close(): void
}

/** Starts a server of names. Each query of a name gets the next of its lists of addresses, the last one again and again. */
export async function serveNames(
  names: Readonly<Record<string, readonly (readonly string[])[]>>,
): Promise<TestNames> {
  const queries: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query)
    const lists = names[name] ?? []
    const count = queries.filter((one) => one === name).length
    queries.push(name)
    const addresses = lists[Math.min(count, lists.length - 1)] ?? []
    socket.send(answerTo(query.subarray(0, end + 4), addresses), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    queries,
    resolve: async (name) => (await resolver.resolve4(name)).map((address) => ({ address, family: 4 })),
    close: () => socket.close(),
  }
}

function nameIn(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString())
    at += length + 1
  }
  return { name: labels.join('.'), end: at + 1 }
}

function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(addresses.length === 0 ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt16BE(0, 10)
  const records = addresses.map((address) => {
    const record = Buffer.alloc(16)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(1, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(0, 6)
    record.writeUInt16BE(4, 10)
    record.set(address.split('.').map(Number), 12)
    return record
  })
  return Buffer.concat([head, ...records])
}
