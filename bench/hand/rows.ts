// The shapes of rows that hand-written SQL gives, and how they become items.

export type FlatRow = [number, string, string, string, string | null, number, unknown, number | null]
export type AuthoredRow = [number, string, string | null, number, ...AuthorCells]
export type TreeRow = [number, string, string, string | null, number, ...AuthorCells]
export type AuthorCells = [number | null, string | null, string | null]
export type CommentCells = [number, string, string, number, string]
export type TagCells = [number, string]
export type NarrowRow = [number, string, string, string | null, number, number | null]
export type FoundRow = [number, string, string | null, number, number | null, string | null]
export type GroupRow = [number | null, string, number, number]
export type ManyRow = [number | null, number, number]

export const flatItem = (row: FlatRow) => ({
  id: row[0],
  title: row[1],
  body: row[2],
  status: row[3],
  published_at: row[4],
  views: row[5],
  meta: row[6],
  author: row[7],
})

/** SQLite gives JSON as text. */
export function flatItemOfText(row: FlatRow): ReturnType<typeof flatItem> {
  const item = flatItem(row)
  if (typeof item.meta === 'string') item.meta = JSON.parse(item.meta)
  return item
}

export const authoredItem = (row: AuthoredRow) => ({
  id: row[0],
  title: row[1],
  published_at: row[2],
  views: row[3],
  author: author(row[4], row[5], row[6]),
})

export const narrowItem = (row: NarrowRow) => ({
  id: row[0],
  title: row[1],
  status: row[2],
  published_at: row[3],
  views: row[4],
  author: row[5],
})

export const foundItem = (row: FoundRow) => ({
  id: row[0],
  title: row[1],
  published_at: row[2],
  views: row[3],
  author: row[4] === null ? null : { id: row[4], name: row[5] },
})

export const treeItem = (row: TreeRow, comments: readonly Comment[], tags: readonly Tag[]) => ({
  id: row[0],
  title: row[1],
  status: row[2],
  published_at: row[3],
  views: row[4],
  author: author(row[5], row[6], row[7]),
  comments,
  tags,
})

const author = (...[id, name, email]: AuthorCells) => (id === null ? null : { id, name, email })

export const comment = (...[id, body, created_at, by, name]: CommentCells) => ({
  id,
  body,
  created_at,
  author: { id: by, name },
})
export type Comment = ReturnType<typeof comment>

export const tag = (...[id, name]: TagCells) => ({ tags_id: { id, name } })
export type Tag = ReturnType<typeof tag>

/** Groups in the order of a query that names none, which is quicker here than in SQL. */
export const groups = (rows: readonly GroupRow[]) =>
  rows
    .toSorted(([year, status], [otherYear, otherStatus]) =>
      year !== otherYear ? (year ?? 9_999) - (otherYear ?? 9_999) : status < otherStatus ? -1 : 1,
    )
    .map(([year, status, count, views]) => ({ published_at_year: year, status, count, avg: { views } }))

/** Groups by author, in the order of the database. */
export const manyOf = (rows: readonly ManyRow[]) =>
  rows.map(([author, count, views]) => ({ author, count, sum: { views } }))
