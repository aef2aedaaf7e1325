// A call of the client beside `fetch` and `JSON.parse` of the same address, in processor time of the caller: run it with `npx tsx bench/client.ts`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, getItem, listItems } from '../src/client.ts'
import { median } from './median.ts'

/** A server that answers every request with the same items. It is a process of its own, whose time is not counted. */
const server = `
const items = Array.from({ length: 20 }, (_, at) => ({ id: at + 1, title: 'title ' + at, views: at * 7, author: { name: 'Ada' } }))
const texts = { list: JSON.stringify({ data: items }), item: JSON.stringify({ data: items[0] }) }
const served = require('node:http').createServer((request, response) => {
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(/articles\\/9/.test(request.url) ? texts.item : texts.list)
})
served.listen(0, '127.0.0.1', () => process.send(served.address().port))
process.on('disconnect', () => process.exit())`

const child = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
const [port] = await once(child, 'message')
const url = `http://127.0.0.1:${port}`
const api = connect(url)
const fields = ['id', 'title', 'views', 'author.name'] as const
const query = new URLSearchParams({ fields: JSON.stringify(fields) })
const fetched = async (path: string) => JSON.parse(await (await fetch(`${url}${path}?${query}`)).text())

const tasks: Readonly<Record<string, readonly [() => Promise<unknown>, () => Promise<unknown>]>> = {
  list: [() => listItems(api, 'articles', { fields }), () => fetched('/items/articles')],
  item: [() => getItem(api, 'articles', 9, { fields }), () => fetched('/items/articles/9')],
}

/** Microseconds of a call, of which so many are made one behind the other. */
async function timeOf(call: () => Promise<unknown>, calls: number): Promise<number> {
  const start = process.cpuUsage()
  for (let at = 0; at < calls; at++) await call()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / calls
}

for (const [name, [own, hand]] of Object.entries(tasks)) {
  await timeOf(own, 2_000)
  await timeOf(hand, 2_000)
  const times: (readonly [number, number])[] = []
  for (let round = 0; round < 15; round++) times.push([await timeOf(own, 300), await timeOf(hand, 300)])
  const ratio = median(times.map(([one, other]) => one / other))
  const [client, fetched] = [0, 1].map((at) => median(times.map((pair) => pair[at] ?? Number.NaN)))
  console.log(
    `${name}: ${client?.toFixed(0)} µs, by fetch and JSON.parse ${fetched?.toFixed(0)} µs, ratio ${ratio.toFixed(2)}`,
  )
}
child.disconnect()
