// The worst that callers without a name can ask of lists: 48 over a table of 20 MB, and one of them 64 times, of a server whose heap has 1 GB. It says what is answered, what the feed
// counts, and what the process takes. Behind bench/setup.ts: `npx tsx --tsconfig bench/tsconfig.run.json bench/realtime/bounded-lists.ts`.
import { fork } from 'node:child_process'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createEngine, defineSchema } from 'quernel'
import { createHandler, toNode } from 'quernel/http'
import { createFeed, createSocketHandler, localSource, realtime, toWs } from 'quernel/realtime'
import { sqliteDialect } from 'quernel/sqlite'
import { WebSocket } from 'ws'

/** Lists that are asked for: each another, or one again and again by readers who do not read. */
const [lists, times] = [48, 64]
const [rows, bytesOfRow] = [10_000, 2_000]

async function serve(): Promise<void> {
  const schema = defineSchema({
    rows: { fields: { id: { type: 'integer', key: true }, body: { type: 'text' } } },
  })
  const database = new BetterSqlite(':memory:')
  database.exec('create table rows (id integer primary key, body text not null)')
  const insert = database.prepare('insert into rows values (?, ?)')
  for (let id = 1; id <= rows; id++) insert.run(id, `row ${id} `.repeat(bytesOfRow).slice(0, bytesOfRow))
  const engine = createEngine({ db: new Kysely({ dialect: sqliteDialect({ database }) }), schema })
  const feed = createFeed(engine, { source: localSource() })
  const authenticate = () => ({ rules: { rows: { read: true } } }) as const
  const server = createServer(toNode(createHandler(engine, { authenticate, mounts: [realtime(feed)] })))
  await toWs(createSocketHandler(feed, { authenticate, mode: 'public' }), server)
  const most = { heap: 0, process: 0 }
  setInterval(() => {
    const { heapUsed, rss } = process.memoryUsage()
    most.heap = Math.max(most.heap, heapUsed)
    most.process = Math.max(most.process, rss)
  }, 20)
  process.on('message', () => process.send?.({ counted: feed.status().bytes, ...most }))
  process.on('disconnect', () => process.exit())
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
}

/** Asks for a list, and says what was answered first. Who does not read is answered nothing. */
type Door = (port: number, list: number, membership: string, reads: boolean) => Promise<string>

const doors: Readonly<Record<string, Door>> = {
  socket: (port, list, membership, reads) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/websocket`, { maxPayload: 2 ** 30 })
      const query = { limit: -1, filter: { id: { _gt: -list } } }
      socket.on('open', () => {
        socket.send(JSON.stringify({ type: 'subscribe', collection: 'rows', query, membership, uid: list }))
        if (reads) return
        socket.pause()
        resolve('not read')
      })
      socket.on('message', (data) =>
        resolve(/"code":"\w+"|"event":"\w+"/.exec(String(data))?.[0] ?? 'unknown'),
      )
      socket.on('close', (code) => resolve(`closed ${code}`))
      socket.on('error', ({ message }) => resolve(message))
    }),
  stream: (port, list, membership, reads) =>
    new Promise((resolve) => {
      const path = `/live/rows?limit=-1&membership=${membership}&filter[id][_gt]=${-list}`
      const request = get({ port, path }, (response) => {
        if (reads) response.resume()
        resolve(String(response.statusCode))
      })
      request.on('error', ({ message }) => resolve(message))
    }),
}

async function tryDoor(
  door: Door,
  membership: string,
  reads: boolean,
  isSame: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const server = fork(import.meta.filename, ['serve'], {
    execArgv: [...process.execArgv, '--max-old-space-size=1024'],
  })
  let isDead = false
  server.on('exit', () => {
    isDead = true
  })
  const answer = () => new Promise<unknown>((resolve) => server.once('message', resolve))
  const { port } = (await answer()) as AddressInfo // the server's first message
  const length = isSame ? times : lists
  const asked = Array.from({ length }, (_, list) => door(port, isSame ? 0 : list, membership, reads))
  const answers: Record<string, number> = {}
  // A stream that waits for room is not answered until there is some.
  const waits = new Promise<string>((resolve) => setTimeout(resolve, 20_000, 'waits'))
  const first = await Promise.all(asked.map((one) => Promise.race([one, waits])))
  for (const one of first) answers[one] = (answers[one] ?? 0) + 1
  // Lists that nobody reads are told all the same.
  await new Promise((resolve) => setTimeout(resolve, 10_000))
  if (isDead) return { isDead }
  const status = answer()
  server.send('status')
  const told = Object.entries(Object(await status)).map(([name, bytes]) => [
    `${name} MB`,
    Math.round(Number(bytes) / 1e6),
  ])
  server.disconnect()
  return { ...answers, ...Object.fromEntries(told) }
}

if (process.argv[2] === 'serve') await serve()
else {
  for (const [name, door] of Object.entries(doors))
    for (const membership of ['page', 'match'])
      for (const [what, reads, isSame] of [
        ['read', true, false],
        ['not read', false, false],
        ['one not read', false, true],
      ] as const)
        console.log(name, membership, what, JSON.stringify(await tryDoor(door, membership, reads, isSame)))
  process.exit(0)
}
