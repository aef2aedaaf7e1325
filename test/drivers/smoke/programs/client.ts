// Reads, writes and watches by the client, over a socket and over an event stream, and prints what it has seen.
import process from 'node:process'
import { connect, createItem, isEngineError, listItems, liveList } from '../../../../src/client.ts'

const url = process.argv[2] ?? ''
const query = { fields: ['title'], sort: 'title' } as const
const seen: unknown[] = []
for (const socket of [true, false]) {
  const api = connect(url, { token: 'admin', socket })
  const list = liveList(api, 'tasks', query as object)
  const leave = list.subscribe(() => undefined)
  await createItem(api, 'tasks', { title: socket ? 'Cook' : 'Bake' })
  const { data } = await listItems(api, 'tasks', query as object)
  for (let now = ''; now !== JSON.stringify(data); now = JSON.stringify(list.getSnapshot().items))
    await new Promise((resolve) => setTimeout(resolve, 10))
  seen.push(list.getSnapshot())
  leave()
}
const refusal: unknown = await listItems(connect(url), 'tasks').catch((error: unknown) => error)
seen.push(isEngineError(refusal) && refusal.status)
process.stdout.write(`${JSON.stringify(seen)}\n`)
process.exit(0)
