// Measures the world outside: a request by connections that are looked at beside `fetch`, and scripts.
// npx tsx bench/flows/world.ts
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, BlockList } from 'node:net'
import { exchangeByNode } from '../../src/flows/world/exchange.ts'
import { followRedirects } from '../../src/flows/world/follow-redirects.ts'
import { readPublicAddresses } from '../../src/flows/world/public-addresses.ts'
import { quickScript } from '../../src/flows.ts'

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

const server = createServer((_, response) => response.end('{"a":1}')).listen(0, '127.0.0.1')
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
server.close()
server.closeAllConnections()

const script = quickScript()
const data = { $trigger: { a: 1, b: 2 }, $last: null }
const code = 'module.exports = ({ $trigger: { a, b } }) => a + b'
console.log('script, warm          ', await measured(() => script.run(code, data, signal)))
console.log(
  'script, to its end    ',
  await measured(() => script.run('for (;;);', data, signal).catch(() => undefined), 20),
  'of a deadline of 100',
)
console.log(
  'script, native fill   ',
  await measured(
    () =>
      script
        .run('const a = new Uint8Array(1.5e7); module.exports = () => { for (;;) a.fill(1) }', data, signal)
        .catch(() => undefined),
    20,
  ),
  'of a deadline of 100',
)
script.close()
