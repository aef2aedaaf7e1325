// The server of H3, in a process of its own: the same answer on several roads. The first part of a path says which road.
import { createHash } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { Kysely } from 'kysely'
import pg from 'pg'
import { createEngine, listItems } from 'quernel'
import { createHandler, toNode } from 'quernel/http'
import { postgresDialect } from 'quernel/postgres'
import { sqliteDialect } from 'quernel/sqlite'
import type { Form, Party } from '../contestant.ts'
import { openHandPostgres } from '../hand/postgres.ts'
import { openHandSqlite } from '../hand/sqlite.ts'
import { schema } from '../schema.ts'
import { openSqlite } from '../sqlite-data.ts'
import { queries, type Turn } from '../workloads.ts'

export interface Road {
  readonly party: string
  readonly form: string
}

const turn: Turn = { page: 1, key: 0, most: 0, skipped: 0 }
const [database = '', place = ''] = process.argv.slice(2)
const isSqlite = database === 'sqlite'

const hand: Party = isSqlite ? openHandSqlite(place) : openHandPostgres(place)
const db = new Kysely<Record<string, never>>({
  dialect: isSqlite
    ? sqliteDialect({ database: openSqlite(place) })
    : postgresDialect({ pool: new pg.Pool({ connectionString: place }) }),
})
const engine = createEngine({ db, schema })
const own = toNode(createHandler(engine, { authenticate: () => ({ admin: true }) }))

/** Text as it came from the database, written to the connection. */
const textByHand =
  (form: Form, more: (text: string) => Readonly<Record<string, string>> = () => ({})): RequestListener =>
  async (_request, response) => {
    const text = String(await form(turn))
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      ...more(text),
    })
    response.end(text)
  }

/** The entity tag without which a client has to load a response again that it has already. Express adds the same. */
const entityTag = (text: string) => ({
  etag: `W/"${createHash('sha1').update(text).digest('base64url')}"`,
})

const withExpress = (listener: express.RequestHandler): RequestListener =>
  express().disable('x-powered-by').get('/{*any}', listener)

const answersOf = (kind: 'objects' | 'texts') => Object.entries(hand[kind]?.W3 ?? {})
const roads: readonly (Road & { readonly listener: RequestListener })[] = [
  ...answersOf('texts').map(([name, form]) => ({
    party: 'hand',
    form: `node:http, ${name}`,
    listener: textByHand(form),
  })),
  ...answersOf('texts').map(([name, form]) => ({
    party: 'hand, ETag',
    form: `node:http, ${name}`,
    listener: textByHand(form, entityTag),
  })),
  ...answersOf('objects').map(([name, form]) => ({
    party: 'hand, Express',
    form: name,
    listener: withExpress(async (_request, response) => {
      response.json(await form(turn))
    }),
  })),
  { party: 'quernel', form: 'node:http', listener: own },
  { party: 'quernel, Express', form: 'the handler', listener: express().disable('x-powered-by').use(own) },
  {
    party: 'quernel, stringified',
    form: 'node:http, listItems',
    listener: textByHand(async () => JSON.stringify(await listItems(engine, 'articles', queries.W3(turn)))),
  },
]

const server = createServer((request, response) => {
  const [, road = '', path = ''] = /^\/(\d+)(.*)$/.exec(request.url ?? '') ?? []
  request.url = path
  const found = roads[Number(road)]
  if (found) found.listener(request, response)
  else response.writeHead(404).end()
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

/** Each message is answered with the milliseconds that this process has used of a core. */
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1_000)
})
process.on('disconnect', () => process.exit())
process.send?.({
  port: (server.address() as AddressInfo).port,
  roads: roads.map(({ party, form }) => ({ party, form })),
})
