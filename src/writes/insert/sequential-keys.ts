// Sequential keys: inserts rows whose keys the database counts up, so that none is returned: returning a row takes as long as inserting it. The
// count is verified at the end. A trigger may have added rows of its own, or the key may be another number than the counted one.

import type { Dialect } from '../../dialects/dialect.ts'
import { execute, lastInserted } from '../../execution/execute.ts'
import { countedFrom, countedKeys, type Key } from '../../plan/key.ts'
import { bindStatement } from '../../prepared/templates/template.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { insertText, silentInsert } from '../../sql/write/insert-statement.ts'
import { keysAboveStatement } from '../../sql/write/row-locks.ts'
import { rowValues } from '../../sql/write/row-values.ts'
import { readKeys } from '../rows-by-key.ts'
import type { WriteContext } from '../write-context.ts'
import { batchesOf, batchSize } from './batches.ts'

/** Error: the keys are not those that were counted. The whole write has to be undone. */
class NotCounted extends Error {
  readonly collection: Collection

  constructor(collection: Collection) {
    super()
    this.collection = collection
  }
}

/** Collections whose keys turned out not to be sequential. */
const uncounted = new WeakSet<Collection>()

/** True if the keys of new rows are counted, where the database makes them. */
export const countsKeys = (collection: Collection, dialect: Dialect): boolean =>
  dialect.countsKeys === true && !uncounted.has(collection)

/** Runs work that has no effect if it fails: again with keys that are returned, as long as counting them goes wrong. */
export async function withCountedKeys<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof NotCounted)) throw error
    uncounted.add(error.collection)
  }
  return withCountedKeys(work)
}

/** Maximum number of rows whose keys are returned in less time than they are counted. */
const few = 6

/** Inserts rows whose keys the database counts, and returns the keys. `rows`: their bound values of some fields. */
export async function insertCounted(
  { collection, fields }: { readonly collection: Collection; readonly fields: readonly StoredField[] },
  rows: readonly (readonly unknown[])[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  const { engine, options } = writing
  if (rows.length <= few) {
    const { sql } = insertText({ collection, fields }, rows.length, engine.dialect)
    const found = await execute(engine, { sql, parameters: rows.flat(), kind: 'write' }, options)
    if (found.length < rows.length) throw new NotCounted(collection)
    return readKeys(found, collection, writing)
  }
  const keys: Key[] = []
  for (const [from, until] of batchesOf(rows.length, batchSize(fields.length))) {
    const text = insertText({ collection, fields }, until - from, engine.dialect)
    const bound = { parameters: rows.slice(from, until).flat(), kind: 'write' } as const
    const last = await lastInserted(engine, until - from, { sql: silentInsert(text), ...bound }, options)
    if (last === undefined) throw new NotCounted(collection)
    for (const key of countedKeys(last, until - from)) keys.push(key)
  }
  await requireCounted(collection, keys, writing)
  return keys
}

/** Requires that some keys are those of all rows from the first on. No other transaction has written since, because this one has. */
async function requireCounted(
  collection: Collection,
  keys: readonly Key[],
  { engine, options }: WriteContext,
): Promise<void> {
  const before = countedFrom(keys)
  if (before === undefined) throw new NotCounted(collection)
  const statement = bindStatement(keysAboveStatement(collection, engine.dialect), rowValues(before, [], []))
  const [row] = await execute(engine, statement, options)
  if (Number(row?.[0]) !== keys.length || String(row?.[1]) !== String(keys.at(-1)))
    throw new NotCounted(collection)
}
