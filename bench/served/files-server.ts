// The server of F1 to F4, in a process of its own: the same files by hand and by Quernel. The first part of a path says which road.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createEngine, defineSchema, filesDefinition, transformAsset, uploadFile } from 'quernel'
import { createHandler, toNode } from 'quernel/http'
import { sqliteDialect } from 'quernel/sqlite'
import { fileStorage } from 'quernel/storage'
import sharp from 'sharp'
import { readingByHand, receivingByHand } from './files-by-hand.ts'

export interface FileRoad {
  readonly workload: string
  readonly party: string
  readonly form: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

const root = realpathSync(mkdtempSync(join(tmpdir(), 'quernel-bench-served-')))
const database = new Database(':memory:')
const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) })
const storage = fileStorage({ root })
const schema = defineSchema({ files: filesDefinition })
const engine = createEngine({ db, schema, storage })
await engine.install()
const own = toNode(createHandler(engine, { authenticate: () => ({ admin: true }) }))

const bytesOf = (length: number) => Buffer.alloc(length, 'All work and no play. ')
const text = { type: 'text/plain' }
const small = await uploadFile(engine, bytesOf(10_000), { filename: 'small.txt', ...text })
const large = await uploadFile(engine, bytesOf(10_000_000), { filename: 'large.txt', ...text })
const photo = await sharp({ create: { width: 1_200, height: 900, channels: 3, background: '#456' } })
  .jpeg()
  .toBuffer()
const picture = await uploadFile(engine, photo, { filename: 'photo.jpg' })
const look = { width: 400, height: 300, format: 'webp', quality: 75 } as const
const { body } = await transformAsset(engine, picture.id, look)
await storage.write('variant-by-hand.webp', body)
const parameters = 'width=400&height=300&format=webp&quality=75'

const range = { range: 'bytes=5000000-5065535' }
const form = { 'content-type': 'multipart/form-data; boundary=x' }
const byHand = readingByHand(database, root)
const reading = { method: 'GET', headers: {} } as const
const both = (
  road: Omit<FileRoad, 'party' | 'form'>,
  listener: RequestListener,
): readonly (FileRoad & { readonly listener: RequestListener })[] => [
  { ...road, party: 'hand', form: 'node:http', listener },
  { ...road, party: 'quernel', form: 'node:http', listener: own },
]
const roads = [
  ...both(
    { workload: 'F1', ...reading, path: `/assets/${picture.id}?${parameters}` },
    readingByHand(database, root, 'variant-by-hand.webp'),
  ),
  ...both({ workload: 'F2', ...reading, path: `/assets/${small.id}` }, byHand),
  ...both({ workload: 'F3', ...reading, path: `/assets/${large.id}`, headers: range }, byHand),
  ...both({ workload: 'F4', method: 'POST', path: '/files', headers: form }, receivingByHand(database, root)),
]

const server = createServer((request, response) => {
  const [, road = '', path = ''] = /^\/(\d+)(.*)$/.exec(request.url ?? '') ?? []
  request.url = path
  roads[Number(road)]?.listener(request, response)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

/** Each message is answered with the milliseconds that this process has used of a core. */
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1_000)
})
process.on('disconnect', () => {
  rmSync(root, { recursive: true })
  process.exit()
})
process.send?.({
  port: (server.address() as AddressInfo).port,
  roads: roads.map(({ listener: _, ...road }) => road),
})
