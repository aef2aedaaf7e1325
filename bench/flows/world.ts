// Measures the world outside: a request by connections that are looked at beside `fetch`, and scripts.
// npx tsx bench/flows/world.ts
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, BlockList } from 'node:net'
import { gzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { exchangeByNode } from '../../src/flows/world/exchange.ts'
import { followRedirects } from '../../src/flows/world/follow-redirects.ts'
import { readPublicAddresses } from '../../src/flows/world/public-addresses.ts'
import { quickScript } from '../../src/flows.ts'
import { createEngine, createItem, defineSchema } from '../../src/index.ts'
import { sqliteDialect } from '../../src/sqlite.ts'

const rounds = 1_000
const { signal } = new AbortController()

/** Milliseconds at the middle and at the 95th of a hundred. */
async function measured(work: () => Promise<unknown>, times = rounds): Promise<string> {
  for (let round = 0; round < times / 10; round++) await work()
  const all: number[] = []
  for (let round = 0; round < times; round++) {
    const start = performance.now()
    await work()
    all.push(performance.now() - start)
  }
  all.sort((one, other) => one - other)
  return [0.5, 0.95].map((share) => (all[Math.floor(all.length * share)] ?? 0).toFixed(2)).join(' / ')
}

const mebibyte = 1024 * 1024
/** 10 GiB in 10 MiB. */
const bomb = Buffer.concat(Array(160).fill(gzipSync(Buffer.alloc(64 * mebibyte), { level: 9 })))
const server = createServer(({ url: path }, response) =>
  path === '/bomb' ? response.setHeader('content-encoding', 'gzip').end(bomb) : response.end('{"a":1}'),
).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
const isPublic = readPublicAddresses(BlockList)
const exchange = exchangeByNode({
  resolve: async () => [],
  // The server of the measurement is on this machine.
  isPublic: (address) => isPublic(address) || address === '127.0.0.1',
})
const request = { url, method: 'GET', headers: {}, body: undefined }
const following = { exchange, signal, mayFollow: () => true, holdsSecret: () => false }

console.log('milliseconds, median / p95')
console.log('fetch                 ', await measured(async () => (await fetch(url)).json()))
console.log(
  'fetch, no connection  ',
  await measured(async () => (await fetch(url, { headers: { connection: 'close' } })).json()),
)
console.log('request, looked at    ', await measured(() => followRedirects(request, following)))
const before = process.memoryUsage()
let most = before
const looking = setInterval(() => {
  const now = process.memoryUsage()
  if (now.arrayBuffers > most.arrayBuffers) most = now
}, 1)
console.log(
  'body of 10 GiB, left  ',
  await measured(
    () => followRedirects({ ...request, url: `${url}bomb` }, following).catch(() => undefined),
    50,
  ),
  `with ${((most.arrayBuffers - before.arrayBuffers) / mebibyte).toFixed(0)} MiB held at most`,
)
clearInterval(looking)
server.close()
server.closeAllConnections()

const script = quickScript()
const data = { $trigger: { a: 1, b: 2 }, $last: null }
const code = 'module.exports = ({ $trigger: { a, b } }) => a + b'
console.log('script, warm          ', await measured(() => script.run(code, data, signal)))
// Milliseconds from the deadline to the rejection; without the start of the next thread, which runs a script before each.
const exported = (body: string) => `module.exports = ${body}`
const endless = {
  'endless loop': 'for (;;);',
  'endless promises': exported('async () => { for (;;) await 1 }'),
  'Array(1e9)': exported('() => new Array(1e9).join("ab")'),
  'native fills': 'const a = new Uint8Array(1.5e7); module.exports = () => { for (;;) a.fill(1) }',
  'great integers': exported('() => { let x = 3n; for (;;) x = x * x }'),
  recursion: exported('() => { const f = () => f() + 1; for (;;) try { f() } catch {} }'),
  'regex bomb': exported('() => /^(a+)+$/.test("a".repeat(40) + "!")'),
  'parsed texts': exported('() => { const t = "[" + "1,".repeat(1e6) + "1]"; for (;;) JSON.parse(t) }'),
  'a result of 5 MB': exported('() => "x".repeat(5e6)'),
}
console.log('\nmilliseconds from the deadline of a script to its end, median / most')
for (const [name, bomb] of Object.entries(endless)) {
  const all: number[] = []
  for (let round = 0; round < 15; round++) {
    await script.run(code, data, signal)
    const start = performance.now()
    await script.run(bomb, {}, signal).catch(() => undefined)
    all.push(performance.now() - start - 100)
  }
  all.sort((one, other) => one - other)
  console.log(name.padEnd(22), [all[7], all.at(-1)].map((one = 0) => one.toFixed(0)).join(' / '))
}

const database = new Database(':memory:')
database.exec('create table notes (id integer primary key)')
const schema = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })
const engine = createEngine({ db: new Kysely({ dialect: sqliteDialect({ database }) }), schema })
const create = () => createItem(engine, 'notes', {})
console.log('\nmilliseconds of a write, median / p95')
console.log('alone                 ', await measured(create))
let running = 100
const hundred = Array.from({ length: running }, () =>
  script
    .run(exported('() => { const end = Date.now() + 90; while (Date.now() < end); }'), {}, signal)
    .finally(() => running--),
)
console.log('beside 100 scripts    ', await measured(create), `of which ${running} are still there`)
await Promise.allSettled(hundred)
script.close()
