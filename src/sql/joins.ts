// The row that a reference leads to: joined, or by a subselect where there is no room for one more join.
import type { Reading } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { isAlways, type Predicate } from '../plan/predicate.ts'
import type { ArmMember, OneMember } from '../plan/read-plan.ts'
import type { AnyReference, Collection } from '../schema/model.ts'
import { armKey, armTie } from './child-joins.ts'
import { filterSql } from './filter.ts'
import { columnOf, type Frame, innerFrame, keyOf, tableOf } from './frame.ts'

export interface Attached {
  /** What is selected of the row is selected from here. */
  readonly frame: Frame
  /** Looks up what was selected. Undefined where the row is joined: then its key is null where there is none. */
  readonly lookUp: ((selected: Sql) => Sql) | undefined
}

/** The target of a many-to-one field. */
export function attachOne({ field, condition }: OneMember, frame: Frame): Attached {
  const tie = (target: Frame) => sql`${keyOf(target)} = ${columnOf(frame, field.column)}`
  if (!isAlways(condition)) return attach(field.target, tie, condition, frame)
  const joined = frame.joins?.to(frame, field)
  return joined ? { frame: joined, lookUp: undefined } : lookedUp(field.target, tie, condition, frame)
}

/** The target of a many-to-any reference, where it belongs to the arm's collection. */
export function attachArm(field: AnyReference, { target, condition }: ArmMember, frame: Frame): Attached {
  return attach(target, (inner) => armTie(field, inner, frame), condition, frame)
}

/** The reference itself, as a key of the arm's collection. */
export function armReading(field: AnyReference, target: Collection, frame: Frame): Reading {
  const { dialect, byCodePoint, negationMatchesNull } = frame.setting
  return dialect.reading({ ...armKey(field, target, frame), byCodePoint, negationMatchesNull })
}

type Tie = (target: Frame) => Sql

function attach(collection: Collection, tie: Tie, condition: Predicate, frame: Frame): Attached {
  const joined = frame.joins?.add(frame, collection, (target) => tied(tie(target), condition, target))
  return joined ? { frame: joined, lookUp: undefined } : lookedUp(collection, tie, condition, frame)
}

function lookedUp(collection: Collection, tie: Tie, condition: Predicate, frame: Frame): Attached {
  const inner = innerFrame(frame, collection)
  const lookUp = (selected: Sql) => {
    const where = tied(tie(inner), condition, inner)
    return sql`(select ${selected} from ${tableOf(inner)}${inner.joins.text} where ${where})`
  }
  return { frame: inner, lookUp }
}

/** A condition inside ON cannot bring joins of its own, so its relations are looked up by EXISTS. */
function tied(tie: Sql, condition: Predicate, target: Frame): Sql {
  return isAlways(condition) ? tie : sql`${tie} and ${filterSql(condition, { ...target, joins: undefined })}`
}
