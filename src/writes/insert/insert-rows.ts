// Inserts rows of one layout, a few hundred at a time, and returns their keys.

import type { Database, Options } from '../../execution/database.ts'
import { affect, executeSoon, lastInserted } from '../../execution/execute.ts'
import type { BoundStatement } from '../../execution/statement.ts'
import type { Key } from '../../plan/key.ts'
import { readPayload } from '../../plan/write/payload.ts'
import type { Insertion, RowLayout } from '../../plan/write/row-layout.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import { insertText } from '../../sql/write/insert-statement.ts'
import { constraintErrorOf, pathOf } from '../constraint-error.ts'
import type { Intent } from '../create-or-update.ts'
import { missingTargetField } from '../missing-target.ts'
import { readKeys, refuseLost, requireEach } from '../rows-by-key.ts'
import type { WriteContext } from '../write-context.ts'
import { generatedKey } from './keys-by-statement.ts'
import { keysUpTo, requireCounted } from './sequential-keys.ts'

/** A new item as requested, and its path in the request. */
export type ItemToInsert = Pick<Intent, 'payload' | 'path'>

/** Items of a collection in one layout, and their bound values. */
export interface NewRows {
  readonly collection: Collection
  readonly layout: RowLayout
  readonly items: readonly ItemToInsert[]
  readonly bound: readonly unknown[]
}

export function partOf(rows: NewRows, from: number, until: number): NewRows {
  const { items, bound, layout } = rows
  const width = layout.fields.length
  return { ...rows, items: items.slice(from, until), bound: bound.slice(from * width, until * width) }
}

export async function insertTelling(
  parts: readonly NewRows[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  const keys: Key[] = []
  for (const part of parts) for (const key of await insertReturningKeys(part, writing)) keys.push(key)
  return keys
}

/** Inserts rows whose keys the database counts. The first batch returns the start of the count. */
export async function insertCounted(
  [first, ...others]: readonly NewRows[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  if (!first) return []
  const returned = await insertReturningKeys(first, writing)
  const counted: Key[] = []
  for (const part of others)
    for (const key of keysUpTo(await insertSilently(part, writing, lastInserted), part.items.length))
      counted.push(key)
  if (counted.length > 0) await requireCounted(first.collection, returned.at(-1), counted, writing)
  return [...returned, ...counted]
}

/** Inserts rows and returns their keys. */
export function insertReturningKeys(
  rows: NewRows,
  writing: WriteContext,
): readonly Key[] | Promise<readonly Key[]> {
  const { collection, items } = rows
  const each = (keys: readonly Key[]) => {
    requireEach(keys, collection, items)
    return keys
  }
  if (!writing.engine.dialect.returning.insert) return insertOneByOne(rows, writing).then(each)
  const keysOf = (returned: readonly Row[]) => each(readKeys(returned, collection, writing))
  // A promise takes longer than a small insert of a database that responds synchronously.
  const returned = insert(rows, textOf(rows, writing).sql, writing)
  return returned instanceof Promise ? returned.then(keysOf) : keysOf(returned)
}

/** Inserts rows one by one, because only the key of the last one can be read. */
async function insertOneByOne(rows: NewRows, writing: WriteContext): Promise<readonly Key[]> {
  const keys: Key[] = []
  for (const at of rows.items.keys()) {
    const row = partOf(rows, at, at + 1)
    if ((await insertSilently(row, writing, affect)) === 0) return keys
    keys.push(await generatedKey(rows.collection, writing))
  }
  return keys
}

/** A statement that inserts an item and returns its row, and the function that makes a result of the row. */
export interface Returning<Answer> {
  readonly sql: string
  readonly answer: (row: Row) => Answer
  /** True if the row may have been changed since by a trigger of the statement. */
  readonly isFollowed: (row: Row) => boolean
}

/** Inserts one row and returns it. */
export async function insertReturned<Answer>(
  rows: NewRows,
  { sql }: Returning<Answer>,
  writing: WriteContext,
): Promise<Row> {
  const [row] = await insert(rows, sql, writing)
  return row ?? refuseLost(rows.collection, rows.items)
}

function insert(rows: NewRows, sql: string, writing: WriteContext): readonly Row[] | Promise<readonly Row[]> {
  const { engine, options } = writing
  const fail = async (error: unknown): Promise<never> => {
    throw await errorOf(error, rows, writing)
  }
  try {
    const returned = executeSoon(engine, { sql, parameters: rows.bound, kind: 'write' }, options)
    return returned instanceof Promise ? returned.catch(fail) : returned
  } catch (error) {
    return fail(error)
  }
}

/** Inserts rows without returning any, and returns what else the driver knows of them. */
async function insertSilently<Known>(
  rows: NewRows,
  writing: WriteContext,
  send: (database: Database, statement: BoundStatement, options: Options) => Known,
): Promise<Awaited<Known>> {
  const { engine, options } = writing
  try {
    return await send(
      engine,
      { sql: textOf(rows, writing).silent, parameters: rows.bound, kind: 'write' },
      options,
    )
  } catch (error) {
    throw await errorOf(error, rows, writing)
  }
}

export function textOf(
  { collection, layout: { fields, texts }, items }: NewRows,
  { engine }: WriteContext,
): Insertion {
  const text = texts.get(items.length) ?? insertText({ collection, fields }, items.length, engine.dialect)
  texts.set(items.length, text)
  return text
}

function errorOf(error: unknown, { collection, items }: NewRows, writing: WriteContext): Promise<unknown> {
  const { problems } = writing
  const values = () =>
    items.map(
      ({ payload, path }) => readPayload(payload, { collection, path, problems, isKeyed: false }).values,
    )
  return constraintErrorOf(
    error,
    {
      collection,
      path: pathOf(items),
      dangling: () => missingTargetField(collection, values(), writing),
    },
    writing,
  )
}
