import { type Sql, sql } from '../dialects/sql.ts'
import type { Children } from '../plan/predicate.ts'
import { columnOf, type Frame, keyOf } from './frame.ts'

/** The condition that ties children to their item. */
export function linkOf({ owner, foreign }: Children, children: Frame, parent: Frame): Sql {
  const pointer = columnOf(children, foreign.column)
  if (foreign.kind === 'm2o') return sql`${pointer} = ${keyOf(parent)}`
  const { dialect } = parent.setting
  return sql`(${columnOf(children, foreign.by.column)} = ${sql.val(owner.name)} and ${pointer} = ${dialect.keyAsText(keyOf(parent))})`
}
