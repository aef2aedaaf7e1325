// Detects triggers, which may change rows again after a write to a table, and views. Each table is queried once; triggers that are added later
// are reported beside the rows.
import { execute } from '../../execution/execute.ts'
import { TableFacts, wholeTable } from '../../execution/table-facts.ts'
import type { Collection } from '../../schema/model.ts'
import {
  followedByUpdateStatement,
  followedStatement,
  type OrderedChange,
  orderStatement,
  viewStatement,
} from '../../sql/write/returning.ts'
import type { WriteContext } from '../context/write-context.ts'

/** Tables known to have triggers or none. */
const triggers = new TableFacts()

/** Returns whether a table has triggers, if that is known already. */
export const knownTriggers = (collection: Collection, writing: WriteContext): boolean | undefined =>
  triggers.get(collection, wholeTable, writing.engine)

export async function hasTriggers(collection: Collection, writing: WriteContext): Promise<boolean> {
  const { engine, options } = writing
  const [row] = await execute(engine, followedStatement(collection, engine.dialect), options)
  return noteTriggers(collection, writing, Boolean(row?.[0]))
}

export const noteTriggers = (collection: Collection, writing: WriteContext, is: boolean): boolean =>
  triggers.set(collection, wholeTable, writing.engine, is)

/** Tables known to be views or none. */
const views = new TableFacts()

/** True if a collection has no rows of its own. */
export async function isView(collection: Collection, { engine, options }: WriteContext): Promise<boolean> {
  const known = views.get(collection, wholeTable, engine)
  const statement = known === undefined ? viewStatement(collection, engine.dialect) : undefined
  if (!statement) return known ?? false
  const [row] = await execute(engine, statement, options)
  return views.set(collection, wholeTable, engine, Boolean(row?.[0]))
}

/** Updates known to be followed by triggers or foreign keys, or by none, by the columns that they write. */
const updates = new TableFacts()

/** Returns whether the row may change again after an update of some columns, if that is known already. */
export const knownUpdate = (
  collection: Collection,
  columns: readonly string[],
  writing: WriteContext,
): boolean | undefined => updates.get(collection, columns.join('\n'), writing.engine)

/** True if the row may change again after an update of some columns. */
export async function isUpdateFollowed(
  collection: Collection,
  columns: readonly string[],
  writing: WriteContext,
): Promise<boolean> {
  const known = knownUpdate(collection, columns, writing)
  if (known !== undefined) return known
  const { engine, options } = writing
  const statement = followedByUpdateStatement(collection, columns, engine.dialect)
  const [row] = await execute(engine, statement, options)
  return noteUpdate(collection, columns, writing, Boolean(row?.[0]))
}

export const noteUpdate = (
  collection: Collection,
  columns: readonly string[],
  writing: WriteContext,
  isFollowed: boolean,
): boolean => updates.set(collection, columns.join('\n'), writing.engine, isFollowed)

/** Tables known to show in which order some columns of their rows are updated, and the state of the catalogue that says so. */
const orders = new TableFacts<{ readonly isSeen: boolean; readonly state: unknown } | undefined>()

/** Returns whether it can be seen in which order some columns are updated, if that is known already. */
export const knownOrder = (
  collection: Collection,
  change: OrderedChange,
  writing: WriteContext,
): boolean | undefined => orders.get(collection, nameOf(change), writing.engine)?.isSeen

const nameOf = ({ columns, isAlike = false }: OrderedChange): string => [isAlike, ...columns].join('\n')

/** Returns the state of the catalogue in which nothing shows that order, for the statement to compare. */
export async function stateForOrder(
  collection: Collection,
  change: OrderedChange,
  writing: WriteContext,
): Promise<unknown> {
  if (change.columns.length === 0 || !writing.engine.dialect.catalogState?.(collection)) return undefined
  const known = orders.get(collection, nameOf(change), writing.engine)
  return (known ?? (await noteOrder(collection, change, writing))).state
}

/** Forgets a state in which a statement has not written all of its rows: the catalogue may be in another one. */
export function forgetOrder(collection: Collection, change: OrderedChange, { engine }: WriteContext): void {
  orders.set(collection, nameOf(change), engine, undefined)
}

/** Notes whether it can be seen in which order some columns are updated, where an update of several rows has not written all of them. */
export async function noteOrder(
  collection: Collection,
  change: OrderedChange,
  { engine, options }: WriteContext,
) {
  const statement = orderStatement(collection, change, engine.dialect)
  const [row] = statement ? await execute(engine, statement, options) : [[true]]
  const isSeen = Boolean(row?.[0])
  const known = { isSeen, state: isSeen ? undefined : row?.[1] }
  // The order may be seen by a trigger that was added, and these facts are older.
  if (isSeen) for (const facts of [triggers, updates]) facts.forgetDenials(collection, engine)
  const note = () => void orders.set(collection, nameOf(change), engine, known)
  // A rollback takes changes of the catalogue back, and its next state has the same number.
  if (isSeen || !engine.unit) note()
  else engine.unit.addConsequences([{ done: async () => note() }])
  return known
}
