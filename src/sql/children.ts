import { type Sql, sql } from '../dialects/sql.ts'
import type { Children } from '../plan/predicate.ts'
import type { AnyReference } from '../schema/model.ts'
import { columnOf, type Frame, keyOf } from './frame.ts'

/** The condition that ties children to their item. */
export function linkOf({ owner, foreign }: Children, children: Frame, parent: Frame): Sql {
  const pointer = columnOf(children, foreign.column)
  if (foreign.kind === 'm2o') return sql`${pointer} = ${keyOf(parent)}`
  const { dialect } = parent.setting
  return sql`(${columnOf(children, foreign.by.column)} = ${sql.val(owner.name)} and ${pointer} = ${dialect.keyAsText(keyOf(parent))})`
}

/** The condition that ties the target of a many-to-any reference to it. Which collection it belongs to is tested before its text is
 *  read as a key of that collection. */
export function armTie(field: AnyReference, target: Frame, from: Frame): Sql {
  const isMine = sql`${columnOf(from, field.by.column)} = ${sql.val(target.collection.name)}`
  return sql`${keyOf(target)} = case when ${isMine} then ${armKey(field, target, from)} end`
}

/** The text of a reference as a key of the target's collection. */
export function armKey(field: AnyReference, target: Frame, from: Frame): Sql {
  const { dialect } = from.setting
  return dialect.keyFromText(dialect.keyAsText(columnOf(from, field.column)), target.collection.key.value)
}
