import { type Sql, sql } from '../dialects/sql.ts'
import type { Children } from '../plan/predicate.ts'
import type { AnyReference, Collection } from '../schema/model.ts'
import type { ValueType } from '../types/field-types.ts'
import { columnOf, type Frame, keyOf } from './frame.ts'

/** The condition that joins children to their item. */
export function linkOf({ owner, foreign }: Children, children: Frame, parent: Frame): Sql {
  const pointer = columnOf(children, foreign.column)
  if (foreign.kind === 'm2o') return sql`${pointer} = ${keyOf(parent)}`
  const { dialect } = parent.setting
  return sql`(${columnOf(children, foreign.by.column)} = ${sql.val(owner.name)} and ${pointer} = ${dialect.keyAsText(keyOf(parent), owner.key.value)})`
}

/** The condition that joins the target of a many-to-any reference to it. The collection is tested before the
 *  text is read as a key of that collection. */
export function armTie(field: AnyReference, target: Frame, from: Frame): Sql {
  const { dialect } = from.setting
  const { name, key } = target.collection
  const isMine = sql`${columnOf(from, field.by.column)} = ${sql.val(name)}`
  const text = armText(field, from)
  const read = dialect.keyFromText(text, key.value)
  const own = read ? keyOf(target) : dialect.keyAsText(keyOf(target), key.value)
  return sql`${own} = case when ${isMine} then ${read ?? text} end`
}

/** The reference as a key of the target's collection, and the type of that SQL. */
export function armKey(
  field: AnyReference,
  target: Collection,
  from: Frame,
): { readonly sql: Sql; readonly type: ValueType } {
  const { value } = target.key
  const text = armText(field, from)
  const read = from.setting.dialect.keyFromText(text, value)
  return read ? { sql: read, type: value } : { sql: text, type: { ...value, storage: 'text' } }
}

const armText = (field: AnyReference, from: Frame): Sql =>
  from.setting.dialect.keyAsText(columnOf(from, field.column), field.value)
