// An order by a sum of related items, and a relation with a condition, beside the same by hand: run it with `npx tsx bench/related.ts`.
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { createEngine, defineSchema, listItems } from '../src/index.ts'
import { median } from './median.ts'

const id = { type: 'integer', key: true } as const
const number = { type: 'integer', nullable: true } as const
const schema = defineSchema({
  articles: {
    fields: {
      id,
      title: { type: 'string' },
      comments: { type: 'o2m', from: 'comments.article' },
      live: { type: 'o2m', from: 'comments.article', filter: { deleted: { _null: true } } },
    },
  },
  comments: {
    fields: { id, likes: number, deleted: number, article: { type: 'm2o', to: 'articles' } },
  },
})

const database = new Database(':memory:')
database.exec(`create table articles (id integer primary key, title text not null);
  create table comments (id integer primary key, likes integer, deleted integer, article integer not null);
  with recursive n (i) as (select 1 union all select i + 1 from n where i < 10000) insert into articles select i, 'title ' || i from n;
  with recursive n (i) as (select 1 union all select i + 1 from n where i < 100000)
    insert into comments select i, i * 7919 % 1000, case when i % 3 = 0 then 1 end, i * 104729 % 10000 + 1 from n;
  create index comments_article on comments (article); analyze;`)
const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) })
const engine = createEngine({ db, schema })
const byHand = database.prepare(
  'select id, title from articles as a order by (select sum(likes) from comments where article = a.id) desc nulls first, id desc limit 20',
)

const filter = { comments: { deleted: { _null: true }, likes: { _gt: 990 } } }
const fields = ['id', 'title'] as const
const tasks: Readonly<Record<string, () => unknown>> = {
  'order by a sum, by hand': () => byHand.all(),
  'order by a sum': () => listItems(engine, 'articles', { fields, sort: '-sum(comments.likes)', limit: 20 }),
  'a filter with the condition': () => listItems(engine, 'articles', { fields, filter, limit: 100 }),
  'a relation with the condition': () =>
    listItems(engine, 'articles', { fields, filter: { live: { likes: { _gt: 990 } } }, limit: 100 }),
}

const times = new Map<string, number[]>()
for (let round = 0; round < 40; round++)
  for (const [name, task] of Object.entries(tasks)) {
    const before = process.cpuUsage()
    await task()
    const { user, system } = process.cpuUsage(before)
    if (round >= 10) times.set(name, [...(times.get(name) ?? []), (user + system) / 1_000])
  }
const [hand = 0, sum = 0, filtered = 0, conditional = 0] = [...times.values()].map(median)
console.log(
  `order by a sum: ${sum.toFixed(1)} ms of the processor, by hand ${hand.toFixed(1)}: ${(sum / hand).toFixed(2)}`,
)
console.log(
  `a relation with a condition: ${conditional.toFixed(1)} ms, the same filter ${filtered.toFixed(1)}: ${(conditional / filtered).toFixed(2)}`,
)
