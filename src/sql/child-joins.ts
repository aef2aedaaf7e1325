import { type Sql, sql } from '../dialects/sql.ts'
import type { Children } from '../plan/filter/predicate.ts'
import {
  type AnyReference,
  type Collection,
  isByValue,
  keyOf as keyOfCollection,
  type ManyToOne,
  partsOf,
} from '../schema/model.ts'
import type { ValueType } from '../types/field-types.ts'
import { areEqual, columnOf, columnsOf, type Frame, keyOf, referencedColumns } from './frame.ts'
import { tupleColumn } from './tuple.ts'

/** The condition that joins children to their item. */
export function linkOf({ owner, foreign }: Children, children: Frame, parent: Frame): Sql {
  if (foreign.kind === 'm2o') {
    const [own, pointers] = [referencedColumns(foreign, parent), pointersIn(foreign, children)]
    // The collation on the left decides, and by that of the child several items could be equal.
    return isByValue(foreign) ? areEqual(own, pointers) : areEqual(pointers, own)
  }
  const pointer = columnOf(children, foreign.column)
  return sql`(${columnOf(children, foreign.by.column)} = ${sql.val(owner.name)} and ${pointer} = ${keyText(parent)})`
}

/** The columns in which children hold their reference to their item. */
export const pointersIn = (foreign: ManyToOne, children: Frame): readonly Sql[] =>
  columnsOf(partsOf(foreign), children)

/** The key of a row as text, as a many-to-any reference stores it. */
function keyText(frame: Frame): Sql {
  const { dialect, byCodePoint, negationMatchesNull } = frame.setting
  const key = keyOfCollection(frame.collection)
  if (key.kind !== 'key') return dialect.keyAsText(keyOf(frame), key.value)
  const parts = key.parts.map(({ column, value }) => ({
    sql: columnOf(frame, column),
    type: value,
    byCodePoint,
    negationMatchesNull,
  }))
  return tupleColumn(parts, key.value, dialect).sql
}

/** The condition that joins the target of a many-to-any reference to it. The collection is tested before the
 *  text is read as a key of that collection. */
export function armTie(field: AnyReference, target: Frame, from: Frame): Sql {
  const { dialect } = from.setting
  const { name } = target.collection
  const key = keyOfCollection(target.collection)
  const isMine = sql`${columnOf(from, field.by.column)} = ${sql.val(name)}`
  const text = armText(field, from)
  const read = key.kind === 'key' ? undefined : dialect.keyFromText(text, key.value)
  const own = read ? keyOf(target) : keyText(target)
  return sql`${own} = case when ${isMine} then ${read ?? text} end`
}

export function armKey(
  field: AnyReference,
  target: Collection,
  from: Frame,
): { readonly sql: Sql; readonly type: ValueType } {
  const { kind, value } = keyOfCollection(target)
  const text = armText(field, from)
  const read = kind === 'key' ? undefined : from.setting.dialect.keyFromText(text, value)
  return read ? { sql: read, type: value } : { sql: text, type: { ...value, storage: 'text' } }
}

const armText = (field: AnyReference, from: Frame): Sql =>
  from.setting.dialect.keyAsText(columnOf(from, field.column), field.value)
