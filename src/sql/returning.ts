// A new row, returned by the statement that inserts it in the form of a list's item.

import { mark } from '../dialects/array-rows.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { render, sql } from '../dialects/sql.ts'
import type { ListPlan, Member } from '../plan/read-plan.ts'
import type { Insertion } from '../plan/row-layout.ts'
import type { Collection } from '../schema/model.ts'
import { readingOf } from './column.ts'
import type { Frame, Setting } from './frame.ts'
import { itemOf } from './item-rows.ts'
import type { ItemRecipe } from './recipe.ts'
import { SelectList } from './select-list.ts'
import { rootFrame } from './statements.ts'

export interface InsertReturning {
  readonly sql: string
  readonly recipe: ItemRecipe
  /** The cell that is true if a trigger follows the statement and may have changed the row. */
  readonly followedAt: number
}

/** Returns undefined if an item has more than its own columns. */
export function insertReturning(
  { silent }: Insertion,
  list: ListPlan,
  setting: Setting,
): InsertReturning | undefined {
  const { dialect } = setting
  const { collection, rows } = list
  if (rows.kind !== 'items' || !rows.members.every(isOwn)) return undefined
  const cells = new SelectList('column')
  const frame = insertedFrame(list, setting)
  // The key comes first, as in every result of a statement that writes.
  cells.value(readingOf({ kind: 'field', field: collection.key, type: collection.key.value }, frame, []))
  const recipe = itemOf(rows.members, frame, cells, { probe: 0 })
  const followedAt = cells.at(dialect.isFollowed(collection))
  // Only columns are returned, so no value is bound behind those of the row.
  const returned = render(sql` returning ${cells.columns(dialect)}`, dialect)
  return { sql: `${mark}${silent}${returned.sql}`, recipe, followedAt }
}

/** Queries whether triggers follow writes to a table. */
export function followedStatement(collection: Collection, dialect: Dialect) {
  return render(sql`select ${dialect.isFollowed(collection)} as ${dialect.identifier('0')}`, dialect)
}

const isOwn = (member: Member): boolean => member.kind === 'value' && member.subject.kind === 'field'

/** The inserted row, under the name of its table. */
function insertedFrame(list: ListPlan, setting: Setting): Frame {
  const alias = setting.dialect.identifier(list.collection.table)
  return { ...rootFrame(list, setting), alias, joins: undefined }
}
