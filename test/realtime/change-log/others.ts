// Writers of other processes, and a list that is watched while they write.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { listItems } from '../../../src/index.ts'
import { changeLogSource, createFeed, watchItems } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { type OpenedLog, until } from './tables.ts'

/** Statements of a writer, by its number: each of its own rows, and of those of all. */
const statements = (writer: number): readonly string[] =>
  Array.from({ length: 60 }, (_, at) => {
    const own = 1_000 * writer + at
    return [
      `insert into tasks values (${own}, 'of ${writer}', (select id from people where id = ${writer}))`,
      `update tasks set title = 'by ${writer} at ${at}' where id / 1000 = ${writer} and id % 7 = ${at % 7}`,
      `delete from tasks where id = ${own - 20}`,
      `update tasks set id = id + 500 where id = ${own - 5}`,
      at === 30
        ? `delete from people where id = ${writer}`
        : `update people set name = '${writer} ${at}' where id = ${writer}`,
    ]
  }).flat()

const writers = {
  sqlite: `
    const db = require('better-sqlite3')(process.argv[1])
    db.pragma('busy_timeout = 20000')
    db.pragma('foreign_keys = on')
    for (const text of JSON.parse(process.argv[2])) db.exec(text)`,
  postgres: `
    const { Client } = require('pg')
    const [url, path] = process.argv[1].split('#')
    // A pooler takes no options.
    const client = new Client({ connectionString: url, ...(path && { options: '-c search_path=' + path }) })
    ;(async () => {
      await client.connect()
      for (const text of JSON.parse(process.argv[2])) await client.query(text)
      await client.end()
    })()`,
} as const

/** Lets processes write at once, with a driver alone. */
export async function write(kind: keyof typeof writers, place: string): Promise<void> {
  const children = [1, 2].map((writer) =>
    spawn(process.execPath, ['-e', writers[kind], place, JSON.stringify(statements(writer))], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0]))
  expect(codes).toEqual([0, 0])
}

/** Watches tasks while others write, and compares what was told with what is there. */
export async function watched(
  { engine }: Pick<OpenedLog, 'engine'>,
  work: () => Promise<void>,
): Promise<void> {
  const feed = createFeed(engine, { source: changeLogSource({ everyMs: 10 }) })
  atEnd(() => feed.stop())
  const query = { fields: ['id', 'title', 'owner.name'], limit: -1 } as const
  const items = new Map<string, unknown>()
  const list = watchItems(feed.as({ admin: true }), 'tasks', query)
  const reading = (async () => {
    for await (const message of list) {
      if (message.kind === 'reset') continue
      if (message.kind === 'snapshot') {
        items.clear()
        for (const [at, id] of (message.ids ?? []).entries()) items.set(id, message.items[at])
        continue
      }
      for (const id of message.removed) items.delete(id)
      for (const { id, item } of message.set) items.set(id, item)
    }
  })()
  await until(() => items.size > 0)
  await work()
  const { data } = await listItems(engine, 'tasks', query)
  expect(data.length).toBeGreaterThan(10)
  const now = () => [...items.values()].map((item) => JSON.stringify(item)).sort()
  const there = data.map((item) => JSON.stringify(item)).sort()
  await until(() => JSON.stringify(now()) === JSON.stringify(there))
  await list.return()
  await reading
}
