// W1, W2, W7 and W8 on PostgreSQL: rows without lists in them.
import type { Forms } from '../contestant.ts'
import { until } from '../workloads.ts'
import { type Database, isoOf } from './postgres-statements.ts'
import { type AuthoredRow, authoredItem, type FlatRow, flatItem, type NarrowRow, narrowItem } from './rows.ts'

const flat = 'a.id, a.title, a.body, a.status, a.published_at, a.views, a.meta, a.author'
const authored = 'a.id, a.title, a.published_at, a.views, u.id, u.name, u.email'
const narrow = 'id, title, status, published_at, views, author'
const moment = `to_char(published_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

// Qualified, because a column of the answer may have the same name.
const latest = 'where a.status = $1 order by a.published_at desc, a.id desc limit $2 offset $3'
const whole = (columns: string) => `select ${columns} from articles a ${latest}`
const pageFirst = (columns: string, more = '') =>
  `select ${columns} from (select a.id from articles a ${latest}) p join articles a on a.id = p.id ${more}
  order by a.published_at desc, a.id desc`
/** As above, with the planner kept from turning the two around. */
const pageFenced = (columns: string) =>
  `with p as materialized (select a.id from articles a ${latest})
  select ${columns} from p join articles a on a.id = p.id order by a.published_at desc, a.id desc`
/** Finds the first and last moment of the page in the index, and how many of the same first moment are on earlier pages. */
const keyRange = (columns: string) =>
  `with edge as materialized (select min(published_at) as low, max(published_at) as high from (
    select published_at from articles where status = $1 order by published_at desc limit $2 offset $3) p)
  select ${columns} from articles a
  where a.status = $1 and a.published_at between (select low from edge) and (select high from edge)
  order by a.published_at desc, a.id desc limit $2 offset $3
    - (select count(*) from articles where status = $1 and published_at > (select high from edge))`
const past = 'where a.published_at <= $1 order by a.published_at desc, a.id desc limit $2'
const withAuthor = 'left join authors u on u.id = a.author'
const wholeAuthored = (columns: string) =>
  `select ${columns} from articles a ${withAuthor}
  where a.status = $1 order by a.published_at desc, a.id desc limit $2 offset $3`
const pastAuthored = (columns: string) => `select ${columns} from articles a ${withAuthor} ${past}`
const pastPage = (columns: string) =>
  `select ${columns} from (select a.id from articles a ${past}) p join articles a on a.id = p.id ${withAuthor}
  order by a.published_at desc, a.id desc`
const wide = (columns: string) => `select ${columns} from articles order by id limit $1`

export function postgresFlat({ arrays, objects, text, uncut }: Database): Forms {
  const items = objects(whole(flat))
  const rows = arrays<FlatRow>(whole(flat))
  const pageRows = arrays<FlatRow>(pageFirst(flat))
  const fencedRows = arrays<FlatRow>(pageFenced(flat))
  const rangeRows = arrays<FlatRow>(keyRange(flat))
  const authoredRows = arrays<AuthoredRow>(wholeAuthored(authored))
  const authoredPage = arrays<AuthoredRow>(pageFirst(authored, withAuthor))
  const pastRows = arrays<AuthoredRow>(pastAuthored(authored))
  const pastPageRows = arrays<AuthoredRow>(pastPage(authored))
  const authoredAll = text(
    `select json_agg(json_build_array(id, title, published_at, views, by, name, email)) from (${wholeAuthored(
      `a.id, a.title, a.published_at at time zone 'UTC' as published_at, a.views, u.id as by, u.name, u.email`,
    )}) t`,
  )
  const narrowItems = objects(wide(narrow))
  const narrowRows = arrays<NarrowRow>(wide(narrow))
  const narrowTexts = uncut<NarrowRow>(wide(narrow))
  const narrowAll = text(
    `select json_agg(json_build_array(id, title, status, published_at at time zone 'UTC', views, author))
    from (${wide(narrow)}) t`,
  )
  return {
    W1: {
      objects: async ({ page }) => ({ data: await items('published', 100, (page - 1) * 100) }),
      arrays: async ({ page }) => ({ data: (await rows('published', 100, (page - 1) * 100)).map(flatItem) }),
      'page first': async ({ page }) => ({
        data: (await pageRows('published', 100, (page - 1) * 100)).map(flatItem),
      }),
    },
    W2: {
      arrays: async () => ({ data: (await authoredRows('published', 100, 0)).map(authoredItem) }),
      'page first': async () => ({ data: (await authoredPage('published', 100, 0)).map(authoredItem) }),
      json_build_array: async () => ({
        data: (JSON.parse(await authoredAll('published', 100, 0)) as AuthoredRow[]).map(
          ([id, title, moment, ...others]) =>
            authoredItem([id, title, moment === null ? null : isoOf(moment), ...others]),
        ),
      }),
    },
    W2r: {
      arrays: async () => ({ data: (await pastRows(until, 100)).map(authoredItem) }),
      'page first': async () => ({ data: (await pastPageRows(until, 100)).map(authoredItem) }),
    },
    W7: {
      objects: async ({ most }) => ({ data: await narrowItems(most) }),
      arrays: async ({ most }) => ({ data: (await narrowRows(most)).map(narrowItem) }),
      'arrays, cut': async ({ most }) => ({ data: (await narrowTexts(most)).map(narrowItemOfText) }),
      json_build_array: async ({ most }) => ({
        data: (JSON.parse(await narrowAll(most)) as NarrowRow[]).map(
          ([id, title, status, moment, ...others]) =>
            narrowItem([id, title, status, moment === null ? null : isoOf(moment), ...others]),
        ),
      }),
    },
    W8: {
      arrays: async ({ skipped }) => ({ data: (await rows('published', 100, skipped)).map(flatItem) }),
      'page first': async ({ skipped }) => ({
        data: (await pageRows('published', 100, skipped)).map(flatItem),
      }),
      'page first, fenced': async ({ skipped }) => ({
        data: (await fencedRows('published', 100, skipped)).map(flatItem),
      }),
      'key range': async ({ skipped }) => ({
        data: (await rangeRows('published', 100, skipped)).map(flatItem),
      }),
    },
  }
}

/** Cuts the text of a timestamp by position where it has three digits after the point. */
function narrowItemOfText(row: NarrowRow) {
  const text = row[3]
  const item = narrowItem(row)
  if (text !== null)
    item.published_at = text.length === 26 ? `${text.slice(0, 10)}T${text.slice(11, 23)}Z` : isoOf(text)
  return item
}

export function postgresFlatTexts({ arrays, text }: Database): Forms {
  const columns = `id, title, body, status, ${moment} as published_at, views, meta, author`
  const all = text(`select json_agg(t) from (${whole(columns)}) t`)
  const each = arrays<[string]>(`select row_to_json(t)::text from (${whole(columns)}) t`)
  const authoredAll = text(
    `select json_agg(t) from (${wholeAuthored(
      `a.id, a.title, ${moment} as published_at, a.views,
      case when u.id is not null then json_build_object('id', u.id, 'name', u.name, 'email', u.email) end as author`,
    )}) t`,
  )
  const narrowColumns = `id, title, status, ${moment} as published_at, views, author`
  const narrowAll = text(`select json_agg(t) from (${wide(narrowColumns)}) t`)
  return {
    W1: {
      json_agg: async ({ page }) => `{"data":${await all('published', 100, (page - 1) * 100)}}`,
      row_to_json: async ({ page }) =>
        `{"data":[${(await each('published', 100, (page - 1) * 100)).join()}]}`,
    },
    W2: {
      json_agg: async () => `{"data":${await authoredAll('published', 100, 0)}}`,
    },
    W7: {
      json_agg: async ({ most }) => `{"data":${await narrowAll(most)}}`,
    },
  }
}
