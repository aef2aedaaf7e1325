// The target of a reference: joined, or in a subselect where there is no room for one more join.
import type { Reading } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { isAlways, type Predicate } from '../plan/filter/predicate.ts'
import type { ArmMember, OneMember } from '../plan/read/read-plan.ts'
import type { AnyReference, Collection } from '../schema/model.ts'
import { armKey, armTie } from './child-joins.ts'
import { filterSql, withinSql } from './filter.ts'
import { type Frame, innerFrame, refersTo, tableOf } from './frame.ts'
import { tupleTextReading } from './tuple.ts'

export interface Attached {
  /** The frame of the target; its values are selected from it. */
  readonly frame: Frame
  /** Wraps the selected values in a subselect. Undefined where the row is joined: then its key is null if there
   *  is no row. */
  readonly lookUp: ((selected: Sql) => Sql) | undefined
}

/** Attaches the target of a many-to-one field. */
export function attachOne({ field, condition }: OneMember, frame: Frame): Attached {
  const tie = (target: Frame) => refersTo(field, frame, target)
  if (!isAlways(condition)) return attach(field.target, tie, condition, frame)
  const joined = frame.joins?.to(frame, field)
  return joined ? { frame: joined, lookUp: undefined } : lookedUp(field.target, tie, condition, frame)
}

/** Attaches the target of a many-to-any reference, if it belongs to the arm's collection. */
export function attachArm(
  field: AnyReference,
  { target, within, condition }: ArmMember,
  frame: Frame,
): Attached {
  const tie = (inner: Frame) => sql`${armTie(field, inner, frame)}${withinSql(within, inner)}`
  return attach(target, tie, condition, frame)
}

/** The reference itself, as a key of the arm's collection. */
export function armReading(field: AnyReference, target: Collection, frame: Frame): Reading {
  const { dialect, byCodePoint, negationMatchesNull } = frame.setting
  const key = armKey(field, target, frame)
  if (key.type.parts) return tupleTextReading(key.sql)
  return dialect.reading({ ...key, byCodePoint, negationMatchesNull })
}

type Tie = (target: Frame) => Sql

function attach(collection: Collection, tie: Tie, condition: Predicate, frame: Frame): Attached {
  const joined = frame.joins?.add(frame, collection, (target) =>
    joinCondition(tie(target), condition, target),
  )
  return joined ? { frame: joined, lookUp: undefined } : lookedUp(collection, tie, condition, frame)
}

function lookedUp(collection: Collection, tie: Tie, condition: Predicate, frame: Frame): Attached {
  const inner = innerFrame(frame, collection)
  const lookUp = (selected: Sql) => {
    const where = joinCondition(tie(inner), condition, inner)
    return sql`(select ${selected} from ${tableOf(inner)}${inner.joins.text} where ${where})`
  }
  return { frame: inner, lookUp }
}

/** A condition inside ON cannot add joins of its own, so its relations are tested by EXISTS. */
function joinCondition(tie: Sql, condition: Predicate, target: Frame): Sql {
  return isAlways(condition) ? tie : sql`${tie} and ${filterSql(condition, { ...target, joins: undefined })}`
}
