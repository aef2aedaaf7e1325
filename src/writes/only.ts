// A singleton has one item. Two who create it at the same time must not both succeed.
import { render } from '../dialects/sql.ts'
import { fault } from '../errors.ts'
import { always } from '../plan/predicate.ts'
import type { Storable } from '../plan/stored-value.ts'
import { execute } from '../run/execute.ts'
import type { Collection } from '../schema/model.ts'
import { tableName } from '../sql/frame.ts'
import { chosenKeys, wholeList } from './chosen.ts'
import type { Writing } from './writing.ts'

/** The key of the only item, which nobody else can create or change until the transaction ends. */
export async function onlyKey(collection: Collection, writing: Writing): Promise<Storable | undefined> {
  const { dialect } = writing.engine
  const hold = dialect.holdTable?.(tableName(collection, dialect))
  if (hold) await execute(writing.engine, render(hold, dialect), writing.options)
  const list = wholeList(collection, always)
  const [key] = await chosenKeys(
    { ...list, order: [firstKey(collection)], page: { ...list.page, limit: 1 } },
    writing,
  )
  return key
}

const firstKey = ({ key }: Collection) => ({
  kind: 'value' as const,
  value: { route: [], subject: { kind: 'field' as const, field: key, type: key.value }, path: [] },
  isDescending: false,
})

export async function refuseSecond(collection: Collection, more: number, writing: Writing): Promise<void> {
  const isThere = (await onlyKey(collection, writing)) !== undefined
  if (more > (isThere ? 0 : 1))
    throw fault('INVALID_PAYLOAD', `"${collection.name}" is a singleton and has one item.`, {
      hint: 'Change it with updateSingleton.',
    })
}
