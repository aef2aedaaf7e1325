import type { Column } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { targetOf } from '../plan/field-path.ts'
import type { RelationStep, Value } from '../plan/read/read-plan.ts'
import { armTie } from './child-joins.ts'
import { tieOf as childrenTie, comparedColumn, withinSql } from './filter.ts'
import { type Frame, innerFrame, refersTo, tableOf } from './frame.ts'

/** The value of a row behind relations. Of many it is the first in the requested order: nothing multiplies rows. */
export function reachedValue({ route, subject, path }: Value, frame: Frame, isDescending: boolean): Column {
  let place = frame
  for (const [index, step] of route.entries()) {
    const next = step.kind === 'one' ? place.joins?.to(place, step.field) : undefined
    if (!next) return firstOf({ route: route.slice(index), subject, path }, place, isDescending)
    place = next
  }
  return comparedColumn(subject, place, path)
}

function firstOf({ route, subject, path }: Value, outer: Frame, isDescending: boolean): Column {
  const [first, ...others] = route
  if (!first) return comparedColumn(subject, outer, path)
  let place = frameBehind(first, outer)
  const tie = tieOf(first, place, outer)
  let from = tableOf(place)
  for (const step of others) {
    const next = frameBehind(step, place)
    from = sql`${from} join ${tableOf(next)} on ${tieOf(step, next, place)}`
    place = next
  }
  const column = comparedColumn(subject, place, path)
  const { dialect } = outer.setting
  const order = dialect.orderKey(column, isDescending, false)
  const isThere = dialect.isPresent(column)
  const value = sql`(select ${column.sql} from ${from} where ${tie} and ${isThere} order by ${order}${dialect.page(sql`1`, undefined)})`
  const { presence: _presence, ...plain } = column
  return { ...plain, sql: value }
}

function frameBehind(step: RelationStep, outer: Frame): Frame {
  return { ...innerFrame(outer, targetOf(step)), joins: undefined }
}

function tieOf(step: RelationStep, inner: Frame, outer: Frame): Sql {
  if (step.kind === 'one') return refersTo(step.field, outer, inner)
  if (step.kind === 'children') return childrenTie(step.children, inner, outer)
  return sql`${armTie(step.field, inner, outer)}${withinSql(step.within, inner)}`
}
