// All the ways on which a request reaches a handler.
import {
  Agent,
  request as ask,
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
} from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import { text } from 'node:stream/consumers'
import { createAdaptorServer } from '@hono/node-server'
import express from 'express'
import { Hono } from 'hono'
import Koa from 'koa'
import { type Handler, toNode } from '../../src/http.ts'
import { fuzzSeed } from '../property/seeded-random.ts'
import { atEnd } from '../support/at-end.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { portOf } from '../support/listening.ts'
import { fourthOf, isQuick, oneIn } from '../support/long-runs.ts'

export interface Sent {
  readonly method: string
  /** With its query, exactly as it stands in the request. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

export interface Wire {
  send(sent: Sent): Promise<Answer>
  close(): Promise<void>
}

export interface Transport {
  readonly title: string
  /** Something before us reads JSON, and says itself what is wrong with it. */
  readonly parses?: true
  open(handler: Handler): Promise<Wire>
}

const onExpress = (handler: Handler, ...before: readonly RequestListener[]): RequestListener => {
  const app = express()
  for (const one of before) app.use(one)
  return app.use('/api', toNode(handler))
}

function onKoa(handler: Handler): RequestListener {
  const app = new Koa()
  app.use((ctx) => {
    ctx.respond = false
    return toNode(handler)(ctx.req, ctx.res)
  })
  return app.callback()
}

export const transports: readonly Transport[] = [
  { title: 'as a Web request', open: overWeb },
  { title: 'over node:http', open: (handler) => overHttp(createServer(toNode(handler))) },
  { title: 'over Express', open: (handler) => overHttp(createServer(onExpress(handler))) },
  {
    title: 'over Express behind its body parser',
    parses: true,
    open: (handler) => overHttp(createServer(onExpress(handler, express.json() as RequestListener))),
  },
  { title: 'over Koa', open: (handler) => overHttp(createServer(onKoa(handler))) },
  { title: 'over Koa and HTTP/2', open: (handler) => overHttp2(onKoa(handler)) },
  {
    title: 'over Hono',
    open: (handler) => {
      const app = new Hono().all('*', (context) => handler(context.req.raw))
      return overHttp(createAdaptorServer(app) as ReturnType<typeof createServer>)
    },
  },
]

/** Those that a database is asked by: all with the first one, of which `npm test` has one in three, and some others each run with another, since
 *  neither knows of the other. */
export const transportsTo = ({ name }: TestDatabase): readonly Transport[] => {
  if (name !== databases[0]?.name) return fourthOf(transports, fuzzSeed)
  return isQuick ? oneIn(3, transports, 0) : transports
}

async function overWeb(handler: Handler): Promise<Wire> {
  const send = async ({ method, path, headers, body }: Sent): Promise<Answer> => {
    // Its type knows no bytes that could be shared.
    const bytes = body as Uint8Array<ArrayBuffer> | undefined
    const request = new Request(`http://localhost${path}`, { method, headers, ...(bytes && { body: bytes }) })
    const response = await handler(request)
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    }
  }
  return { send, close: async () => {} }
}

export interface Listening extends Wire {
  readonly port: number
  /** How many clients are connected. */
  connections(): Promise<number>
}

/** Lets a server listen, and asks it over connections that are kept. */
export async function overHttp(server: ReturnType<typeof createServer>): Promise<Listening> {
  const port = await portOf(server)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const close = () => {
    agent.destroy()
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  atEnd(close)
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  return { port, close, connections, send: (sent) => exchange(sent, { port, agent }) }
}

async function overHttp2(listener: RequestListener): Promise<Wire> {
  // Koa's listener takes the requests of both, which its types do not say.
  const server = createHttp2Server(listener as never)
  const client = connect(`http://127.0.0.1:${await portOf(server)}`)
  atEnd(() => client.destroy())
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const { 'transfer-encoding': _encoding, connection: _connection, ...others } = trimmed(headers)
        const asking = client.request({ ...others, ':method': method, ':path': path }, { endStream: !body })
        asking.once('error', reject)
        asking.once('response', ({ ':status': status = 0, ...got }) => {
          text(asking).then((read) => resolve({ status, headers: plain(got), text: read }), reject)
        })
        if (body) asking.end(body)
      }),
    close: async () => {
      await new Promise<void>((resolve) => client.close(resolve))
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** HTTP/2 knows no blanks around a value, and passes over one that has them. */
const trimmed = (headers: Sent['headers']): Sent['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.trim()]))

function exchange(
  { method, path, headers, body }: Sent,
  to: { readonly port: number; readonly agent: Agent },
): Promise<Answer> {
  const sized = body && !headers['transfer-encoding'] && { 'content-length': String(body.byteLength) }
  return new Promise((resolve, reject) => {
    const asking = ask({ ...to, host: '127.0.0.1', method, path, headers: { ...sized, ...headers } })
    asking.once('error', reject)
    asking.once('response', (response) => {
      text(response).then(
        (read) => resolve({ status: response.statusCode ?? 0, headers: plain(response.headers), text: read }),
        reject,
      )
    })
    asking.end(body)
  })
}

const plain = (headers: IncomingHttpHeaders): Answer['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
