// Inserts rows of one form, a few hundred at a time, and answers their keys.
import type { Form, Insertion } from '../plan/form.ts'
import { readPayload } from '../plan/payload.ts'
import type { Storable } from '../plan/stored-value.ts'
import { lastInserted } from '../run/execute.ts'
import type { Row } from '../run/row.ts'
import { next, type Soon } from '../run/soon.ts'
import type { Collection } from '../schema/model.ts'
import { insertText } from '../sql/write.ts'
import { keepingRules, pathOf } from './breach.ts'
import { keysUpTo, requireCounted } from './counted.ts'
import { danglingField } from './dangling.ts'
import type { Intent } from './decide.ts'
import { keysOf, refuseLost, requireEach, run } from './rows.ts'
import type { Writing } from './writing.ts'

/** An item as it was asked for, and where it stands in the request. */
export type NewItem = Pick<Intent, 'given' | 'path'>

/** Items of a collection in one form, and what is bound for them. */
export interface Rows {
  readonly collection: Collection
  readonly form: Form
  readonly items: readonly NewItem[]
  readonly bound: readonly unknown[]
}

export function partOf(rows: Rows, from: number, until: number): Rows {
  const { items, bound, form } = rows
  const width = form.fields.length
  return { ...rows, items: items.slice(from, until), bound: bound.slice(from * width, until * width) }
}

export async function insertTelling(parts: readonly Rows[], writing: Writing): Promise<readonly Storable[]> {
  const keys: Storable[] = []
  for (const part of parts) for (const key of await insertTold(part, writing)) keys.push(key)
  return keys
}

/** The first rows tell where the database counts from. */
export async function insertCounted(
  [first, ...others]: readonly Rows[],
  writing: Writing,
): Promise<readonly Storable[]> {
  if (!first) return []
  const told = await insertTold(first, writing)
  const counted: bigint[] = []
  for (const part of others)
    for (const key of keysUpTo(await insertSilently(part, writing), part.items.length)) counted.push(key)
  if (counted.length > 0) await requireCounted(first.collection, told.at(-1), counted, writing)
  return [...told, ...counted]
}

/** Inserts rows, and answers their keys. */
export function insertTold(rows: Rows, writing: Writing): Soon<readonly Storable[]> {
  const { collection, items, bound: parameters } = rows
  const { sql } = textOf(rows, writing)
  const told = keeping(rows, writing, () => keysOf({ sql, parameters }, collection, writing))
  return next(told, (keys) => {
    requireEach(keys, collection, items)
    return keys
  })
}

/** A statement that inserts an item of a form and tells it, and what is answered of its row. */
export interface Returning<Answer> {
  readonly sql: string
  readonly answer: (row: Row) => Answer
  /** Whether the row may have been changed since by what follows the statement. */
  readonly isFollowed: (row: Row) => boolean
}

/** Inserts one row, and gives what the statement tells of it. */
export function insertReturned<Answer>(rows: Rows, { sql }: Returning<Answer>, writing: Writing): Soon<Row> {
  const { collection, items, bound: parameters } = rows
  return next(
    keeping(rows, writing, () => run(writing, { sql, parameters })),
    ([row]) => row ?? refuseLost(collection, items),
  )
}

/** Inserts rows, and answers the number of the last one. */
function insertSilently(rows: Rows, writing: Writing): Soon<bigint | undefined> {
  const statement = { sql: textOf(rows, writing).silent, parameters: rows.bound }
  return keeping(rows, writing, () => lastInserted(writing.engine, statement, writing.options))
}

export function textOf({ collection, form: { fields, texts }, items }: Rows, { engine }: Writing): Insertion {
  const text = texts.get(items.length) ?? insertText(collection, fields, items.length, engine.dialect)
  texts.set(items.length, text)
  return text
}

function keeping<Result>(
  { collection, items }: Rows,
  writing: Writing,
  work: () => Soon<Result>,
): Soon<Result> {
  const { problems } = writing
  const values = () =>
    items.map(({ given, path }) => readPayload(given, { collection, path, problems, isKeyed: false }).values)
  return keepingRules(collection, pathOf(items), writing, work, () => danglingField(values(), writing))
}
