// W1, W2, W7 and W8 on SQLite: rows without lists in them.
import type { Forms } from '../contestant.ts'
import { until } from '../workloads.ts'
import {
  type AuthoredRow,
  authoredItem,
  type FlatRow,
  flatItemOfText,
  type NarrowRow,
  narrowItem,
} from './rows.ts'
import { arrays, type Database, objects, texts } from './sqlite-statements.ts'

const flat = 'a.id, a.title, a.body, a.status, a.published_at, a.views, a.meta, a.author'
const authored = 'a.id, a.title, a.published_at, a.views, u.id, u.name, u.email'
const narrow = 'id, title, status, published_at, views, author'

const latest = 'where status = +? order by published_at desc, id desc limit +? offset +?'
const whole = (columns: string) => `select ${columns} from articles a ${latest}`
/** Chooses the rows of a page in the index alone, and looks up the others' columns afterwards. */
const pageFirst = (columns: string, more = '') =>
  `select ${columns} from (select id from articles ${latest}) p cross join articles a on a.id = p.id ${more}
  order by a.published_at desc, a.id desc`
/** Finds the first and last moment of the page in the index, and how many of the same first moment are on earlier pages. */
const keyRange = (columns: string) =>
  `with edge as materialized (select min(published_at) as low, max(published_at) as high from (
    select published_at from articles where status = +@status order by published_at desc limit +@limit offset +@offset))
  select ${columns} from articles a
  where a.status = +@status and a.published_at between (select low from edge) and (select high from edge)
  order by a.published_at desc, a.id desc limit +@limit offset +@offset
    - (select count(*) from articles where status = +@status and published_at > (select high from edge))`
const past = 'where published_at <= +? order by published_at desc, id desc limit +?'
const withAuthor = 'left join authors u on u.id = a.author'
const wholeAuthored = (columns: string) =>
  `select ${columns} from articles a ${withAuthor}
  where a.status = +? order by a.published_at desc, a.id desc limit +? offset +?`
const pastAuthored = (columns: string) =>
  `select ${columns} from articles a ${withAuthor}
  where a.published_at <= +? order by a.published_at desc, a.id desc limit +?`
const pastPage = (columns: string) =>
  `select ${columns} from (select id from articles ${past}) p cross join articles a on a.id = p.id ${withAuthor}
  order by a.published_at desc, a.id desc`

export function sqliteFlat(database: Database): Forms {
  const rows = arrays<FlatRow>(database, whole(flat))
  const items = objects<{ meta: string | null }>(database, whole(flat))
  const pageRows = arrays<FlatRow>(database, pageFirst(flat))
  const rangeRows = arrays<FlatRow>(database, keyRange(flat))
  const authoredRows = arrays<AuthoredRow>(database, wholeAuthored(authored))
  const authoredPage = arrays<AuthoredRow>(database, pageFirst(authored, withAuthor))
  const authoredText = texts(database, wholeAuthored(`json_array(${authored})`))
  const pastRows = arrays<AuthoredRow>(database, pastAuthored(authored))
  const pastPageRows = arrays<AuthoredRow>(database, pastPage(authored))
  const pastText = texts(database, pastAuthored(`json_array(${authored})`))
  const narrowRows = arrays<NarrowRow>(database, `select ${narrow} from articles order by id limit +?`)
  const narrowItems = objects(database, `select ${narrow} from articles order by id limit +?`)
  const read = ({ meta, ...item }: { readonly meta: string | null }) => ({
    ...item,
    meta: meta === null ? null : JSON.parse(meta),
  })
  return {
    W1: {
      objects: ({ page }) => ({ data: items('published', 100, (page - 1) * 100).map(read) }),
      arrays: ({ page }) => ({ data: rows('published', 100, (page - 1) * 100).map(flatItemOfText) }),
      'page first': ({ page }) => ({
        data: pageRows('published', 100, (page - 1) * 100).map(flatItemOfText),
      }),
    },
    W2: {
      arrays: () => ({ data: authoredRows('published', 100, 0).map(authoredItem) }),
      'page first': () => ({ data: authoredPage('published', 100, 0).map(authoredItem) }),
      json_array: () => ({
        data: (JSON.parse(`[${authoredText('published', 100, 0).join()}]`) as AuthoredRow[]).map(
          authoredItem,
        ),
      }),
    },
    W2r: {
      arrays: () => ({ data: pastRows(until, 100).map(authoredItem) }),
      'page first': () => ({ data: pastPageRows(until, 100).map(authoredItem) }),
      json_array: () => ({
        data: (JSON.parse(`[${pastText(until, 100).join()}]`) as AuthoredRow[]).map(authoredItem),
      }),
    },
    W7: {
      objects: ({ most }) => ({ data: narrowItems(most) }),
      arrays: ({ most }) => ({ data: narrowRows(most).map(narrowItem) }),
    },
    W8: {
      arrays: ({ skipped }) => ({ data: rows('published', 100, skipped).map(flatItemOfText) }),
      'page first': ({ skipped }) => ({ data: pageRows('published', 100, skipped).map(flatItemOfText) }),
      'key range': ({ skipped }) => ({
        data: rangeRows({ status: 'published', limit: 100, offset: skipped }).map(flatItemOfText),
      }),
    },
  }
}

const flatObject = `json_object('id', a.id, 'title', a.title, 'body', a.body, 'status', a.status,
  'published_at', a.published_at, 'views', a.views, 'meta', json(a.meta), 'author', a.author)`
const authoredObject = `json_object('id', a.id, 'title', a.title, 'published_at', a.published_at, 'views', a.views, 'author',
  case when u.id is not null then json_object('id', u.id, 'name', u.name, 'email', u.email) end)`
const narrowObject = `json_object('id', id, 'title', title, 'status', status, 'published_at', published_at,
  'views', views, 'author', author)`
/** Text with the JSON of a column put in as it is stored. */
const flatPieces = `'{"id":' || a.id || ',"title":' || json_quote(a.title) || ',"body":' || json_quote(a.body)
  || ',"status":' || json_quote(a.status) || ',"published_at":' || json_quote(a.published_at) || ',"views":' || a.views
  || ',"meta":' || coalesce(a.meta, 'null') || ',"author":' || coalesce(a.author, 'null') || '}'`

export function sqliteFlatTexts(database: Database): Forms {
  const rows = texts(database, whole(flatObject))
  const pieces = texts(database, whole(flatPieces))
  const authoredTexts = texts(database, wholeAuthored(authoredObject))
  const narrowTexts = texts(database, `select ${narrowObject} from articles order by id limit +?`)
  const narrowAll = texts(
    database,
    `select json_group_array(${narrowObject}) from (select ${narrow} from articles order by id limit +?)`,
  )
  return {
    W1: {
      json_object: ({ page }) => envelope(rows('published', 100, (page - 1) * 100)),
      pieces: ({ page }) => envelope(pieces('published', 100, (page - 1) * 100)),
    },
    W2: {
      json_object: () => envelope(authoredTexts('published', 100, 0)),
    },
    W7: {
      json_object: ({ most }) => envelope(narrowTexts(most)),
      json_group_array: ({ most }) => `{"data":${narrowAll(most)[0]}}`,
    },
  }
}

const envelope = (items: readonly string[]) => `{"data":[${items.join()}]}`
