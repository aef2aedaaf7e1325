// WM and WS: a tag of a million links, and a text in a million rows, on SQLite. PostgreSQL plans both forms of such filters alike.
import Database from 'better-sqlite3'
import { Kysely } from 'kysely'
import { createEngine, defineSchema, listItems } from 'quernel'
import { sqliteDialect } from 'quernel/sqlite'
import { contest, type Entrant, type Result } from './contest.ts'
import { arrays } from './hand/sqlite-statements.ts'
import type { Options } from './options.ts'
import { printResults } from './tables.ts'
import type { MillionWorkload } from './workloads.ts'

export interface MillionOutcome {
  readonly workload: MillionWorkload
  readonly results: readonly Result[]
}

export async function measureMillion(options: Options): Promise<readonly MillionOutcome[]> {
  const database = new Database(':memory:')
  database.exec(tables)
  const db = new Kysely<Record<string, never>>({ dialect: sqliteDialect({ database }) })
  const engine = createEngine({ db, schema })
  const outcomes: MillionOutcome[] = []
  try {
    for (const workload of options.million) {
      const { hand, query } = asked[workload]
      const byHand = arrays<readonly unknown[]>(database, hand.sql)
      const entrants = [
        entrant('hand', () => byHand(...hand.values)),
        entrant('quernel', () => listItems(engine, 'articles', query)),
      ]
      await checkAlike(workload, entrants)
      const results = await contest(entrants, () => noTurn, options.seconds)
      printResults(workload, results)
      outcomes.push({ workload, results })
    }
  } finally {
    await db.destroy()
  }
  return outcomes
}

const entrant = (party: string, run: () => unknown): Entrant => ({ party, form: 'objects', run })

const schema = defineSchema({
  articles: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      published_at: { type: 'timestamp', storage: 'canonical', searchable: false },
      tags: { type: 'm2m', through: 'links.article', to: 'tag' },
    },
  },
  tags: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string', unique: true },
      label: { type: 'string' },
    },
  },
  links: {
    fields: {
      id: { type: 'integer', key: true },
      article: { type: 'm2o', to: 'articles' },
      tag: { type: 'm2o', to: 'tags' },
    },
  },
})

const series = (count: number) =>
  `with recursive s (n) as (select 1 union all select n + 1 from s where n < ${count})`

const tables = `
create table articles (id integer primary key, title text not null, published_at text not null);
create table tags (id integer primary key, name text not null unique, label text not null);
create table links (id integer primary key, article integer not null, tag integer not null);
${series(1_000_000)} insert into articles
  select n, 'Title ' || (n * 7919 % 1000000) || ' of all that the Splendid House has printed', strftime('%Y-%m-%dT%H:%M:%S.000Z', 1500000000 + n * 7919 % 1000000 * 60, 'unixepoch') from s;
${series(1_000)} insert into tags select n, 'Tag ' || n, 'Label ' || n from s;
${series(1_000_000)} insert into links select n, n * 31 % 1000000 + 1, n % 1000 + 1 from s;
create index articles_published on articles (published_at);
create index links_article on links (article);
create index links_tag on links (tag);
analyze;`

const newest = 'order by a.published_at desc, a.id desc limit 20'
const tagged = 'a.id in (select l.article from links l where l.tag = +?)'
const named = 'a.id in (select l.article from tags t cross join links l on l.tag = t.id where t.name = +?)'
const labelled = named.replace('t.name', 't.label')
const found = "a.title like '%title 7777%'"
const latest = { fields: ['id', 'title'], sort: '-published_at', limit: 20 } as const

const asked = {
  WMl: {
    hand: { sql: `select a.id, a.title from articles a where ${tagged} ${newest}`, values: [77] },
    query: { ...latest, filter: { tags: { tag: { _eq: 77 } } } },
  },
  WMn: {
    hand: { sql: `select a.id, a.title from articles a where ${named} ${newest}`, values: ['Tag 77'] },
    query: { ...latest, filter: { tags: { tag: { name: { _eq: 'Tag 77' } } } } },
  },
  WMt: {
    hand: { sql: `select a.id, a.title from articles a where ${labelled} ${newest}`, values: ['Label 77'] },
    query: { ...latest, filter: { tags: { tag: { label: { _eq: 'Label 77' } } } } },
  },
  WMc: {
    hand: { sql: `select count(*) from articles a where ${tagged}`, values: [77] },
    query: { aggregate: { count: '*' }, filter: { tags: { tag: { _eq: 77 } } } },
  },
  WS: {
    hand: { sql: `select count(*) from articles a where ${found}`, values: [] },
    query: { aggregate: { count: '*' }, search: 'title 7777' },
  },
} as const satisfies Record<MillionWorkload, unknown>

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

async function checkAlike(workload: MillionWorkload, entrants: readonly Entrant[]): Promise<void> {
  const told = await Promise.all(
    entrants.map(async ({ run }) => JSON.stringify(await run(noTurn)).replace(/[^\d,]+/g, '')),
  )
  if (told[0] !== told[1]) throw new Error(`${workload}: ${told.join(' and ')}.`)
}
