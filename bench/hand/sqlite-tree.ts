// W3, W3p and W6 on SQLite: articles with what hangs on them.
import type { Form, Forms } from '../contestant.ts'
import { type Turn, until } from '../workloads.ts'
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
import { arrays, type Database, texts } from './sqlite-statements.ts'

const own = 'a.id, a.title, a.status, a.published_at, a.views, u.id, u.name, u.email'
const page =
  '(select id from articles where status = +? order by published_at desc, id desc limit +? offset +?)'
const pastPage =
  '(select id from articles where published_at <= +? order by published_at desc, id desc limit +? offset +?)'
const pageOf = (columns: string, page: string) =>
  `select ${columns} from ${page} p cross join articles a on a.id = p.id left join authors u on u.id = a.author
  order by a.published_at desc, a.id desc`
const oneOf = (columns: string) =>
  `select ${columns} from articles a left join authors u on u.id = a.author where a.id = ?`

const commentCells = 'c.id, c.body, c.created_at, u.id, u.name'
const lastFive = 'order by created_at desc, id desc limit 5'
const commentsOfOne = `select ${commentCells} from comments c join authors u on u.id = c.author
  where c.article = ? order by c.created_at desc, c.id desc limit 5`
const tagsOfOne = `select t.id, t.name from articles_tags j join tags t on t.id = j.tags_id
  where j.articles_id = ? order by j.id limit 100`

/** Lists of children in one statement for all parents, whose keys come as one parameter. */
const commentsOfMany = {
  numbered: `select c.article, ${commentCells} from (
      select *, row_number() over (partition by article order by created_at desc, id desc) as place
      from comments where article in (select value from json_each(?))
    ) c join authors u on u.id = c.author where c.place <= 5 order by c.article, c.place`,
  chosen: `select c.article, ${commentCells} from json_each(?) k
    cross join comments c on c.id in (select id from comments where article = k.value ${lastFive})
    join authors u on u.id = c.author order by k.key, c.created_at desc, c.id desc`,
}
const tagsOfMany = `select j.articles_id, t.id, t.name from json_each(?) k cross join articles_tags j on j.articles_id = k.value
  join tags t on t.id = j.tags_id order by k.key, j.id`

type ChildRow<Cells extends unknown[]> = [number, ...Cells]
/** An item whose lists come as JSON text of arrays. */
type ListedRow = [...TreeRow, string, string]

/** Lists inside the statement. They select from a flat subquery, which SQLite need not sort outside. */
const commentList = (cells: (c: string) => string) =>
  `(select json_group_array(${cells('c')}) from (
    select c.id, c.body, c.created_at, u.id as by, u.name from comments c join authors u on u.id = c.author
    where c.article = a.id order by c.created_at desc, c.id desc limit 5) c)`
const tagList = (cells: string) =>
  `(select json_group_array(${cells}) from (select t.id, t.name from articles_tags j join tags t on t.id = j.tags_id
    where j.articles_id = a.id order by j.id limit 100) t)`
const listed = `${own}, ${commentList(() => 'json_array(c.id, c.body, c.created_at, c.by, c.name)')},
  ${tagList('json_array(t.id, t.name)')}`

const skipped = ({ page }: Turn) => (page - 1) * 100

export function sqliteTree(database: Database): Forms {
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
  const parents = arrays<TreeRow>(database, pageOf(own, page))
  const commentsOf = arrays<CommentCells>(database, commentsOfOne)
  const tagsOf = arrays<TagCells>(database, tagsOfOne)
  const tags = arrays<ChildRow<TagCells>>(database, tagsOfMany)
  const lists = arrays<ListedRow>(database, pageOf(listed, page))
  const positional = texts(database, pageOf(`json_array(${listed})`, page))

  const batches = (sql: string): Form => {
    const comments = arrays<ChildRow<CommentCells>>(database, sql)
    return (turn) => {
      const rows = parents(value, 100, skipped(turn))
      const keys = JSON.stringify(rows.map(([id]) => id))
      return { data: stitched(rows, comments(keys), tags(keys)) }
    }
  }
  return {
    'batches, numbered': batches(commentsOfMany.numbered),
    'batches, chosen': batches(commentsOfMany.chosen),
    'per parent': (turn) => ({
      data: parents(value, 100, skipped(turn)).map((row) =>
        treeItem(
          row,
          commentsOf(row[0]).map((cells) => comment(...cells)),
          tagsOf(row[0]).map((cells) => tag(...cells)),
        ),
      ),
    }),
    'lists as columns': (turn) => ({ data: lists(value, 100, skipped(turn)).map(listedItem) }),
    json_array: (turn) => ({
      data: readNested(positional(value, 100, skipped(turn))).map(nestedItem),
    }),
  }
}

export function sqliteOne(database: Database): Forms {
  const one = arrays<TreeRow>(database, oneOf(own))
  const commentsOf = arrays<CommentCells>(database, commentsOfOne)
  const tagsOf = arrays<TagCells>(database, tagsOfOne)
  const lists = arrays<ListedRow>(database, oneOf(listed))
  const positional = texts(database, oneOf(`json_array(${listed})`))
  const forms: Readonly<Record<string, Form>> = {
    'three statements': ({ key }) =>
      one(key).map((row) =>
        treeItem(
          row,
          commentsOf(key).map((cells) => comment(...cells)),
          tagsOf(key).map((cells) => tag(...cells)),
        ),
      )[0],
    'lists as columns': ({ key }) => lists(key).map(listedItem)[0],
    json_array: ({ key }) => readNested(positional(key)).map(nestedItem)[0],
  }
  return { W6: forms, W6u: forms }
}

function stitched(
  rows: readonly TreeRow[],
  comments: readonly ChildRow<CommentCells>[],
  tags: readonly ChildRow<TagCells>[],
) {
  const lists = new Map(rows.map(([id]) => [id, { comments: [] as Comment[], tags: [] as Tag[] }]))
  for (const [article, ...cells] of comments) lists.get(article)?.comments.push(comment(...cells))
  for (const [article, ...cells] of tags) lists.get(article)?.tags.push(tag(...cells))
  return rows.map((row) => {
    const own = lists.get(row[0])
    return treeItem(row, own?.comments ?? [], own?.tags ?? [])
  })
}

function listedItem(row: ListedRow) {
  const [id, title, status, moment, views, by, name, email, comments, tags] = row
  return treeItem(
    [id, title, status, moment, views, by, name, email],
    (JSON.parse(comments) as CommentCells[]).map((cells) => comment(...cells)),
    (JSON.parse(tags) as TagCells[]).map((cells) => tag(...cells)),
  )
}

type NestedRow = [...TreeRow, CommentCells[], TagCells[]]
const readNested = (rows: readonly string[]) => JSON.parse(`[${rows.join()}]`) as NestedRow[]

function nestedItem([id, title, status, moment, views, by, name, email, comments, tags]: NestedRow) {
  return treeItem(
    [id, title, status, moment, views, by, name, email],
    comments.map((cells) => comment(...cells)),
    tags.map((cells) => tag(...cells)),
  )
}

const treeObject = `json_object('id', a.id, 'title', a.title, 'status', a.status, 'published_at', a.published_at,
  'views', a.views, 'author', case when u.id is not null then json_object('id', u.id, 'name', u.name, 'email', u.email) end,
  'comments', ${commentList(
    () => `json_object('id', c.id, 'body', c.body, 'created_at', c.created_at,
      'author', json_object('id', c.by, 'name', c.name))`,
  )}, 'tags', ${tagList(`json_object('tags_id', json_object('id', t.id, 'name', t.name))`)})`

export function sqliteTreeTexts(database: Database): Forms {
  const rows = texts(database, pageOf(treeObject, page))
  return { W3: { json_object: () => `{"data":[${rows('published', 100, 0).join()}]}` } }
}

export function sqliteOneTexts(database: Database): Forms {
  const rows = texts(database, oneOf(treeObject))
  return { W6: { json_object: ({ key }) => `{"data":[${rows(key).join()}]}` } }
}
