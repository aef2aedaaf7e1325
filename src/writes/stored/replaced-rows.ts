// Rows that a later row of the same call takes away, where the table says so for a conflict: the call fails, because a verb returns only what is
// stored.

import { fault } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import { TableFacts, wholeTable } from '../../execution/table-facts.ts'
import { type Key, keyIdentities } from '../../plan/key.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection } from '../../schema/model.ts'
import { replacingStatement } from '../../sql/write/returning.ts'
import type { WriteContext } from '../context/write-context.ts'
import { existing, keysIn } from './rows-by-key.ts'

/** Tables known to replace rows or not. */
const replacing = new TableFacts()

/** Returns whether a row may take another one of its table away, if that is known already. */
export const knownToReplace = (collection: Collection, { engine }: WriteContext): boolean | undefined =>
  engine.dialect.mayReplace ? replacing.get(collection, wholeTable, engine) : false

/** True if a row may take another one of its table away. */
export async function mayReplace(collection: Collection, writing: WriteContext): Promise<boolean> {
  const { engine, options } = writing
  const found = knownToReplace(collection, writing)
  if (found !== undefined) return found
  const statement = replacingStatement(collection, engine.dialect)
  const [row] = statement ? await execute(engine, statement, options) : []
  return replacing.set(collection, wholeTable, writing.engine, Boolean(row?.[0]))
}

/** Refuses new rows, and others that are written with them, if one has taken another one away. */
export async function refuseReplaced(
  collection: Collection,
  created: readonly Key[],
  others: readonly Key[],
  writing: WriteContext,
): Promise<void> {
  if (created.length + others.length < 2 || !(await mayReplace(collection, writing))) return
  const isRepeated = keyIdentities(created).size < created.length
  const written = keyIdentities([...created, ...others])
  const left = await existing(collection, [...created, ...others], writing)
  if (!isRepeated && left.size === written.size) return
  const says = `Items of "${collection.name}" replace each other, so nothing was changed.`
  throw fault('RECORD_NOT_UNIQUE', says, { extensions: { collection: collection.name } })
}

/** Refuses stored items of which one has taken another one away. */
export const refuseReplacedItems = (
  collection: Collection,
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> => {
  const isNew = ({ action }: ItemWrite) => action === 'create'
  const others = items.filter((item) => !isNew(item))
  return refuseReplaced(collection, keysIn(items.filter(isNew)), keysIn(others), writing)
}
