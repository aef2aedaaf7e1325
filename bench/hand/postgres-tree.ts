// W3, W3p and W6 on PostgreSQL: articles with what hangs on them.
import type { Form, Forms } from '../contestant.ts'
import { type Turn, until } from '../workloads.ts'
import { type Database, isoOf } from './postgres-statements.ts'
import {
  type Comment,
  type CommentCells,
  comment,
  type Tag,
  type TagCells,
  type TreeRow,
  tag,
  treeItem,
} from './rows.ts'

const own = 'a.id, a.title, a.status, a.published_at, a.views, u.id, u.name, u.email'
const page =
  '(select id from articles where status = $1 order by published_at desc, id desc limit $2 offset $3) p'
const pastPage =
  '(select id from articles where published_at <= $1 order by published_at desc, id desc limit $2 offset $3) p'
const pageOf = (columns: string, more = '') => pageFrom(page, columns, more)
const pageFrom = (page: string, columns: string, more = '') =>
  `select ${columns} from ${page} join articles a on a.id = p.id left join authors u on u.id = a.author ${more}
  order by a.published_at desc, a.id desc`
const oneOf = (columns: string, more = '') =>
  `select ${columns} from articles a left join authors u on u.id = a.author ${more} where a.id = $1`

const fiveComments = (parent: string) =>
  `select c.id, c.body, c.created_at, u.id as by, u.name from comments c join authors u on u.id = c.author
  where c.article = ${parent} order by c.created_at desc, c.id desc limit 5`
const itsTags = `select t.id, t.name from articles_tags j join tags t on t.id = j.tags_id
  where j.articles_id = a.id order by j.id limit 100`

const commentArray = `json_build_array(c.id, c.body, c.created_at at time zone 'UTC', c.by, c.name)`
const tagArray = 'json_build_array(t.id, t.name)'
const listsOf = (tags: string) =>
  `(select json_agg(${commentArray}) from (${fiveComments('a.id')}) c) as comments,
  (select json_agg(${tagArray}) from (${tags}) t) as tags`
const lateral = `cross join lateral (select json_agg(${commentArray}) as comments from (${fiveComments('a.id')}) c) c
  cross join lateral (select json_agg(${tagArray}) as tags from (${itsTags}) t) t`
const correlated = listsOf(itsTags)
/** For each of the few links the planner would rather read all tags than look up theirs; OFFSET keeps it from that. */
const tagsLookedUp = `select t.id, t.name from articles_tags j
  cross join lateral (select id, name from tags where id = j.tags_id offset 0) t
  where j.articles_id = a.id order by j.id limit 100`
const lookedUp = listsOf(tagsLookedUp)

type ChildRow<Cells extends unknown[]> = [number, ...Cells]
/** An item whose lists come as JSON text of arrays; null where there is nothing. */
type ListedRow = [...TreeRow, string | null, string | null]
type NestedRow = [...TreeRow, CommentCells[] | null, TagCells[] | null]

const skipped = ({ page }: Turn) => (page - 1) * 100

export function postgresTree(database: Database): Forms {
  const forms = treeForms(database, page, 'published')
  return {
    W3: onFirstPage(forms),
    W3p: forms,
    W3r: onFirstPage(treeForms(database, pastPage, until)),
    W3u: onFirstPage(forms),
    W3pu: forms,
  }
}

const onFirstPage = (forms: Readonly<Record<string, Form>>) => {
  const first: Turn = { page: 1, key: 0, most: 0, skipped: 0 }
  return Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, () => form(first)]))
}

/** The forms with a page that is chosen by a value. */
function treeForms(database: Database, page: string, value: string): Readonly<Record<string, Form>> {
  const { arrays, text } = database
  const pageOf = (columns: string, more?: string) => pageFrom(page, columns, more)
  const listed = [
    ['correlated', pageOf(`${own}, ${correlated}`)],
    ['looked up', pageOf(`${own}, ${lookedUp}`)],
    ['lateral', pageOf(`${own}, c.comments, t.tags`, lateral)],
  ] as const
  const nested = text(
    `select json_agg(json_build_array(id, title, status, published_at, views, by, name, email, comments, tags))
    from (${pageOf(
      `a.id, a.title, a.status, a.published_at at time zone 'UTC' as published_at, a.views,
      u.id as by, u.name, u.email, ${lookedUp}`,
    )}) t`,
  )
  const forms: Record<string, Form> = {
    json_build_array: async (turn) => ({
      data: (JSON.parse(await nested(value, 100, skipped(turn))) as NestedRow[]).map(nestedItem),
    }),
    batches: batches(database, page, value),
  }
  for (const [name, sql] of listed) {
    const lists = arrays<ListedRow>(sql)
    forms[name] = async (turn) => ({ data: (await lists(value, 100, skipped(turn))).map(listedItem) })
  }
  return forms
}

/** Parents first; then their children, on two connections at once. */
function batches({ arrays }: Database, page: string, value: string): Form {
  const parents = arrays<TreeRow>(pageFrom(page, own))
  const comments = arrays<ChildRow<CommentCells>>(
    `select k, c.* from unnest($1::int[]) k cross join lateral (${fiveComments('k')}) c`,
  )
  const tags = arrays<ChildRow<TagCells>>(
    `select j.articles_id, t.id, t.name from articles_tags j join tags t on t.id = j.tags_id
    where j.articles_id = any ($1::int[]) order by j.id`,
  )
  return async (turn) => {
    const rows = await parents(value, 100, skipped(turn))
    const keys = rows.map(([id]) => id)
    const [commentRows, tagRows] = await Promise.all([comments(keys), tags(keys)])
    const lists = new Map(keys.map((id) => [id, { comments: [] as Comment[], tags: [] as Tag[] }]))
    for (const [article, ...cells] of commentRows) lists.get(article)?.comments.push(comment(...cells))
    for (const [article, ...cells] of tagRows) lists.get(article)?.tags.push(tag(...cells))
    return {
      data: rows.map((row) => {
        const own = lists.get(row[0])
        return treeItem(row, own?.comments ?? [], own?.tags ?? [])
      }),
    }
  }
}

export function postgresOne({ arrays }: Database): Forms {
  const correlatedOne = arrays<ListedRow>(oneOf(`${own}, ${correlated}`))
  const lookedUpOne = arrays<ListedRow>(oneOf(`${own}, ${lookedUp}`))
  const lateralOne = arrays<ListedRow>(oneOf(`${own}, c.comments, t.tags`, lateral))
  const forms: Readonly<Record<string, Form>> = {
    correlated: async ({ key }) => (await correlatedOne(key)).map(listedItem)[0],
    'looked up': async ({ key }) => (await lookedUpOne(key)).map(listedItem)[0],
    lateral: async ({ key }) => (await lateralOne(key)).map(listedItem)[0],
  }
  return { W6: forms, W6u: forms }
}

const commentOf = ([id, body, moment, by, name]: CommentCells) => comment(id, body, isoOf(moment), by, name)

function listedItem(row: ListedRow) {
  const [id, title, status, moment, views, by, name, email, comments, tags] = row
  return treeItem(
    [id, title, status, moment, views, by, name, email],
    comments === null ? [] : (JSON.parse(comments) as CommentCells[]).map(commentOf),
    tags === null ? [] : (JSON.parse(tags) as TagCells[]).map((cells) => tag(...cells)),
  )
}

function nestedItem([id, title, status, moment, views, by, name, email, comments, tags]: NestedRow) {
  return treeItem(
    [id, title, status, moment === null ? null : isoOf(moment), views, by, name, email],
    comments === null ? [] : comments.map(commentOf),
    tags === null ? [] : tags.map((cells) => tag(...cells)),
  )
}

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const objectOf = (rows: (columns: string) => string) =>
  rows(
    `a.id, a.title, a.status, ${iso('a.published_at')} as published_at, a.views,
    case when u.id is not null then json_build_object('id', u.id, 'name', u.name, 'email', u.email) end as author,
    coalesce((select json_agg(json_build_object('id', c.id, 'body', c.body, 'created_at', ${iso('c.created_at')},
      'author', json_build_object('id', c.by, 'name', c.name))) from (${fiveComments('a.id')}) c), '[]') as comments,
    coalesce((select json_agg(json_build_object('tags_id', json_build_object('id', t.id, 'name', t.name)))
      from (${tagsLookedUp}) t), '[]') as tags`,
  )

export function postgresTreeTexts({ arrays, text }: Database): Forms {
  const all = text(`select json_agg(t) from (${objectOf(pageOf)}) t`)
  const each = arrays<[string]>(`select row_to_json(t)::text from (${objectOf(pageOf)}) t`)
  return {
    W3: {
      json_agg: async () => `{"data":${await all('published', 100, 0)}}`,
      row_to_json: async () => `{"data":[${(await each('published', 100, 0)).join()}]}`,
    },
  }
}

export function postgresOneTexts({ text }: Database): Forms {
  const all = text(`select json_agg(t) from (${objectOf(oneOf)}) t`)
  return { W6: { json_agg: async ({ key }) => `{"data":${await all(key)}}` } }
}
