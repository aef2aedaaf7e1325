import { type Permissions, viewIn } from '../../access/caller-scope.ts'
import { allOf, decided, type Predicate } from '../../plan/filter/predicate.ts'
import { ownTouches } from '../../plan/filter/validate-row.ts'
import { ownFields } from '../../plan/touches.ts'
import { fieldsTested } from '../../plan/walk.ts'
import { storedFieldsOf } from '../../plan/write/defaults.ts'
import { type Collection, keyFieldsOf } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'

/** Returns the condition of the visible rows, whatever of them is visible. */
export function visibleRows(
  collection: Collection,
  permissions: Permissions,
  circumstances: Circumstances,
): Predicate | undefined {
  return viewOf(collection, permissions, circumstances)?.rows
}

/** Returns the condition of the visible rows on which some fields are visible, too. */
export function rowsShowing(
  names: ReadonlySet<string>,
  collection: Collection,
  permissions: Permissions,
  circumstances: Circumstances,
): Predicate | undefined {
  const view = viewOf(collection, permissions, circumstances)
  const columns = new Set(
    storedFieldsOf(collection).flatMap((one) => (names.has(one.name) ? [one.column] : [])),
  )
  const shown = view?.partly.flatMap(({ column, where }) => (columns.has(column) ? [where] : []))
  return view && shown && decided(allOf([view.rows, ...shown]))
}

/** Returns the condition of the visible rows, if all of their fields are visible on each of them. */
export function seenRows(
  collection: Collection,
  permissions: Permissions,
  circumstances: Circumstances,
): Predicate | undefined {
  const view = viewOf(collection, permissions, circumstances)
  return view && view.partly.length === 0 ? view.rows : undefined
}

/** A query that chooses rows, and the names of other fields whose stored values count. */
export interface ChosenRows {
  readonly condition: Predicate
  readonly names: readonly string[]
}

/** Returns the condition of the visible rows among which a query chooses; undefined if fields count that are visible on some of them only. */
export function rowsChosen(
  { condition, names }: ChosenRows,
  collection: Collection,
  permissions: Permissions,
  circumstances: Circumstances,
): Predicate | undefined {
  const view = viewOf(collection, permissions, circumstances)
  const looked = [
    ...fieldsTested(condition),
    ...ownTouches(condition).flatMap(ownFields),
    ...keyFieldsOf(collection),
    ...storedFieldsOf(collection).filter(({ name }) => names.includes(name)),
  ].map(({ column }) => column)
  return view?.partly.some(({ column }) => looked.includes(column)) ? undefined : view?.rows
}

function viewOf(collection: Collection, permissions: Permissions, circumstances: Circumstances) {
  const seen = permissions.seen.of.get(collection)
  return seen && viewIn(seen, permissions, circumstances)
}
