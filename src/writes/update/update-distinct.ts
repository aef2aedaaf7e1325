// Updates rows that get values of their own: by one statement for hundreds, where nothing shows in which order it writes them.

import { isEngineError } from '../../errors/errors.ts'
import { keyIdentities, valuesOfKey } from '../../plan/key.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import { bindStatement } from '../../prepared/templates/template.ts'
import { type Collection, keyFieldsOf, keyOf, type StoredField } from '../../schema/model.ts'
import type { Statement } from '../../sql/statement.ts'
import { givenRowsValue } from '../../sql/write/row-values.ts'
import { rowsUpdate } from '../../sql/write/rows-writes.ts'
import { slicesOf } from '../context/batches.ts'
import { groupBy } from '../context/group-by.ts'
import { ofRows } from '../context/in-halves.ts'
import { canUndo } from '../context/retry.ts'
import type { WriteContext } from '../context/write-context.ts'
import { keyOfItem, readKeys, run } from '../stored/rows-by-key.ts'
import { knownOrder, noteOrder } from '../stored/side-effects.ts'

/** Ends an attempt: not all rows were updated. */
class NotTogether extends Error {}

/** Updates the rows of items, each key once. `apart`: updates them one after the other. Where a statement fails, its items are halved, so that the one that
 *  fails is found by few statements, and reported by its own. */
export async function updateDistinct(
  collection: Collection,
  items: readonly ItemWrite[],
  apart: (some: readonly ItemWrite[]) => Promise<void>,
  writing: WriteContext,
): Promise<void> {
  const columns = [...new Set(items.flatMap(({ values }) => [...values.keys()].map(({ column }) => column)))]
  const isPlain = items.every(({ increments }) => increments.size === 0)
  const isApart = items.length === 1 || !isPlain || !canUndo(writing.caller)
  if (isApart || knownOrder(collection, { columns }, writing)) return apart(items)
  if (await updateTogether(collection, columns, items, writing)) return
  if (knownOrder(collection, { columns }, writing)) return apart(items)
  const middle = items.length >> 1
  for (const half of [items.slice(0, middle), items.slice(middle)])
    await updateDistinct(collection, half, apart, writing)
}

/** Updates rows behind a savepoint; false if nothing is updated. */
async function updateTogether(
  collection: Collection,
  columns: readonly string[],
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<boolean> {
  const shapes = groupBy(items, ({ values }) => [...values.keys()].map(({ name }) => name).join('\n'))
  try {
    await writing.caller.atomic(async (inside) => {
      for (const shape of shapes.values())
        await updateShape(collection, columns, shape, { ...writing, caller: inside, engine: inside.whole() })
    }, writing.options)
    return true
  } catch (error) {
    if (error instanceof NotTogether) await noteOrder(collection, { columns }, writing)
    else if (!isEngineError(error) || !ofRows.has(error.code)) throw error
    return false
  }
}

/** Updates items that get values of the same fields. `columns`: those of all items. */
async function updateShape(
  collection: Collection,
  columns: readonly string[],
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> {
  const fields = [...(items[0]?.values.keys() ?? [])]
  const statement = statementFor(collection, columns, fields, writing)
  if (!statement) throw new NotTogether()
  const { dialect } = writing.engine
  const all = [...keyFieldsOf(collection), ...fields]
  const storings = all.map(({ value }) => dialect.storing(value))
  for (const [from, until] of slicesOf(items.length)) {
    const some = items.slice(from, until)
    const rows = some.map((item) => {
      const values = new Map([...valuesOfKey(keyFieldsOf(collection), keyOfItem(item)), ...item.values])
      return all.map((field, at) => {
        const value = values.get(field) ?? null
        return value === null ? null : storings[at]?.encode(value)
      })
    })
    const found = await run(writing, bindStatement(statement, new Map([[givenRowsValue, rows]])))
    const keys = readKeys(found, collection, writing)
    if (keys.length < some.length || keyIdentities(keys).size < keys.length) throw new NotTogether()
  }
}

function statementFor(
  collection: Collection,
  columns: readonly string[],
  fields: readonly StoredField[],
  { engine }: WriteContext,
): Statement | undefined {
  const unless = engine.dialect.isOrderSeen?.(collection, columns)
  return unless && rowsUpdate({ collection, by: keyOf(collection), fields }, { unless }, undefined, engine)
}
