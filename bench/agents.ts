// A call of an agent's tool beside its verb, which may be aborted, too, and the JSON of its answer, in processor time: run it with `npx tsx bench/agents.ts`.
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createEngine, defineSchema, getItem, listItems } from '../src/index.ts'
import { mcpSettings } from '../src/mcp/mcp-options.ts'
import { readTools } from '../src/mcp/tools.ts'

const schema = defineSchema({
  authors: { fields: { id: { type: 'integer', key: true }, name: { type: 'string' } } },
  articles: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      views: { type: 'integer' },
      author: { type: 'm2o', to: 'authors' },
    },
  },
  texts: {
    fields: { id: { type: 'integer', key: true }, one: { type: 'text' }, other: { type: 'text' } },
  },
})
const database = new Database(':memory:')
database.exec(`create table authors (id integer primary key, name text not null);
  create table articles (id integer primary key, title text not null, views integer not null, author integer not null);
  insert into authors values (1, 'Ada'), (2, 'Ben');
  with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000)
    insert into articles select i, 'title ' || i, i * 7919 % 1000, i % 2 + 1 from n;
  create table texts (id integer primary key, one text not null, other text not null);
  insert into texts select id, printf('%.450c', 'x'), printf('%.450c', 'y') from articles limit 100; analyze;`)
const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) })
const engine = createEngine({ db, schema }).as({
  rules: {
    articles: { read: { filter: { views: { _gte: 10 } } } },
    authors: { read: true },
    texts: { read: true },
  },
})
const options = { signal: new AbortController().signal }
const call = { engine, settings: mcpSettings({}), ...options }
const tool = (name: string, input: object) => readTools[name]?.run({ ...input }, call)

const fields = ['id', 'title', 'author.name'] as const
const filter = { views: { _lt: 100 } }
const groups = { aggregate: { count: '*', sum: ['views'] }, groupBy: ['author'] } as const
const meta = ['filter_count', 'cursors'] as const
const json = async (answer: Promise<unknown>) => JSON.stringify(await answer)
const tasks: Readonly<Record<string, readonly [verb: () => unknown, tool: () => unknown]>> = {
  get: [
    () => json(getItem(engine, 'articles', 9, { fields }, options).then((data) => ({ data }))),
    () => tool('get', { collection: 'articles', key: 9, fields }),
  ],
  list: [
    () => json(listItems(engine, 'articles', { fields, filter, limit: 25, meta }, options)),
    () => tool('list', { collection: 'articles', fields, filter }),
  ],
  'list without a filter': [
    () => json(listItems(engine, 'articles', { fields, limit: 25, meta }, options)),
    () => tool('list', { collection: 'articles', fields }),
  ],
  'list that is cut': [
    () => json(listItems(engine, 'texts', { limit: 25, meta }, options)),
    () => tool('list', { collection: 'texts' }),
  ],
  aggregate: [
    () => json(listItems(engine, 'articles', groups, options)),
    () => tool('aggregate', { collection: 'articles', ...groups }),
  ],
}

const times = new Map<() => unknown, number[]>()
for (let round = 0; round < 60; round++)
  for (const task of Object.values(tasks).flat()) {
    const start = process.cpuUsage()
    for (let at = 0; at < 50; at++) await task()
    const { user, system } = process.cpuUsage(start)
    if (round >= 10) times.set(task, [...(times.get(task) ?? []), (user + system) / 50])
  }
const middle = (all: readonly number[] = []): number =>
  [...all].sort((one, other) => one - other)[all.length >> 1] ?? 0
for (const [name, both] of Object.entries(tasks)) {
  const [verb = 0, made = 0] = both.map((task) => middle(times.get(task)))
  console.log(
    `${name}: ${verb.toFixed(1)} µs by the verb, ${made.toFixed(1)} by the tool, ${(made / verb).toFixed(2)}`,
  )
}
