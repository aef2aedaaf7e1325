// Sequential keys: inserts rows whose keys the database counts up, so that only the first are returned one by one; returning a row takes as
// long as inserting it. The count is verified at the end. A trigger may have added rows of its own, or the key may be another number than
// the counted one.

import type { Dialect } from '../../dialects/dialect.ts'
import { affect, execute, lastInserted } from '../../execution/execute.ts'
import { countedKeys, isCountedOn, type Key } from '../../plan/key.ts'
import { bindStatement } from '../../prepared/templates/template.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { insertText, silentInsert } from '../../sql/write/insert-statement.ts'
import { keysAboveStatement } from '../../sql/write/row-locks.ts'
import { rowValues } from '../../sql/write/row-values.ts'
import { batchesOf, batchSize } from '../context/batches.ts'
import type { WriteContext } from '../context/write-context.ts'
import { readKeys } from '../stored/rows-by-key.ts'

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

interface CountedRows {
  readonly collection: Collection
  readonly fields: readonly StoredField[]
  /** True if no key is asked for. */
  readonly isSilent: boolean | undefined
}

/** Inserts rows whose keys the database counts, and returns the keys. The first batch returns the start of the count. `rows`: their bound values of
 *  some fields. */
export async function insertCounted(
  { collection, fields, isSilent }: CountedRows,
  rows: readonly (readonly unknown[])[],
  writing: WriteContext,
): Promise<readonly Key[]> {
  const { engine, options } = writing
  let returned: readonly Key[] | undefined
  const counted: Key[] = []
  for (const [from, until] of batchesOf(rows.length, batchSize(fields.length))) {
    const text = insertText({ collection, fields }, until - from, engine.dialect)
    const parameters: unknown[] = []
    for (const row of rows.slice(from, until)) parameters.push(...row)
    const bound = { parameters, kind: 'write' } as const
    if (isSilent) {
      const sql = silentInsert(text)
      if ((await affect(engine, { sql, ...bound }, options)) < until - from) throw new NotCounted(collection)
    } else if (returned) {
      const last = await lastInserted(engine, until - from, { sql: silentInsert(text), ...bound }, options)
      if (last === undefined) throw new NotCounted(collection)
      for (const key of countedKeys(last, until - from)) counted.push(key)
    } else {
      const first = await execute(engine, { sql: text.sql, ...bound }, options)
      if (first.length < until - from) throw new NotCounted(collection)
      returned = readKeys(first, collection, writing)
    }
  }
  if (counted.length > 0) await requireCounted(collection, returned?.at(-1), counted, writing)
  return [...(returned ?? []), ...counted]
}

/** Requires that some keys are those of all rows behind another one. No other transaction has written since, because this one has. */
async function requireCounted(
  collection: Collection,
  before: Key | undefined,
  keys: readonly Key[],
  { engine, options }: WriteContext,
): Promise<void> {
  if (before === undefined || !isCountedOn(before, keys)) throw new NotCounted(collection)
  const statement = bindStatement(keysAboveStatement(collection, engine.dialect), rowValues(before, [], []))
  const [row] = await execute(engine, statement, options)
  if (Number(row?.[0]) !== keys.length || String(row?.[1]) !== String(keys.at(-1)))
    throw new NotCounted(collection)
}
