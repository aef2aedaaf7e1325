// The only file that makes a comparable value of a field. It takes no strings, so no unresolved name can reach SQL.
import type { Column, Reading } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { type Path, unreachable } from '../errors/errors.ts'
import { usableFamily } from '../plan/filter/function-call.ts'
import type { AggregatedValue, Children, ComparedValue } from '../plan/filter/predicate.ts'
import { integerType, jsonType } from '../plan/write/value-types.ts'
import type { StoredField } from '../schema/model.ts'
import { countType } from '../schema/stored-fields.ts'
import type { ValueType } from '../types/field-types.ts'
import { type AggregateName, aggregates } from '../vocabulary/aggregates.ts'
import { linkOf } from './child-joins.ts'
import { columnOf, type Frame, homeOf, innerFrame, keyOf, tableOf } from './frame.ts'
import { constantOf } from './statement.ts'
import { phrasesOf, tupleColumn } from './tuple.ts'

export function comparedColumn(subject: ComparedValue, frame: Frame, path: Path): Column {
  switch (subject.kind) {
    case 'field':
      return stored(subject.field, frame)
    case 'tuple': {
      const { parts, value } = subject.field
      return tupleColumn(
        parts.map((part) => stored(part, frame)),
        value,
        frame.setting.dialect,
      )
    }
    case 'part': {
      const { dialect, zone } = frame.setting
      return computed(dialect.datePart(subject.part, stored(subject.field, frame), zone), integerType, frame)
    }
    case 'length':
      return computed(frame.setting.dialect.jsonLength(stored(subject.field, frame)), integerType, frame)
    case 'count':
      return computed(count(subject.children, frame), countType, frame)
    case 'json':
      return jsonValue(subject, frame, path)
    case 'aggregate':
      return comparedAggregate(subject, frame, path)
    default:
      throw unreachable(`a subject of kind ${String(subject satisfies never)}`)
  }
}

/** An aggregate of the rows of a group. */
export function aggregateColumn(
  name: AggregateName,
  of: ComparedValue | undefined,
  frame: Frame,
  path: Path,
): Column {
  if (!of) return computed(sql`count(*)`, countType, frame)
  const column = comparedColumn(of, frame, path)
  return aggregates[name].of(phrasesOf(column, frame.setting.dialect), column)
}

/** Nothing of the aggregated column is left but the type, which may be another one for the database than for operands. */
function comparedAggregate({ name, of, type }: AggregatedValue, frame: Frame, path: Path): Column {
  const { sql: value, type: made } = aggregateColumn(name, of, frame, path)
  const isSame = made.family === type.family
  return computed(value, isSame ? made : { ...made, type: type.type, family: type.family }, frame)
}

/** The reading of a value in a select list. A concealed value leaves the database as a mask. */
export function readingOf(subject: ComparedValue, frame: Frame, path: Path): Reading {
  const column = comparedColumn(subject, frame, path)
  const isMasked = usableFamily(subject) === 'hash'
  return phrasesOf(column, frame.setting.dialect).reading(
    isMasked ? { ...column, type: { ...column.type, family: 'hash', isArray: false } } : column,
  )
}

/** Replaces a key that may not be shown. Some databases cannot make a list of untyped nulls. */
export const withheld = ({ setting }: Frame): Sql => setting.dialect.castText(sql`null`)

function stored(field: StoredField, frame: Frame): Column {
  const { dialect } = frame.setting
  const value = computed(columnOf(frame, field.column), field.value, frame)
  const column = heard(field, { ...value, home: homeOf(field, dialect) }, frame)
  return dialect.losesValues(field.value) ? { ...column, presence: dialect.isPresent(column) } : column
}

function heard(field: StoredField, column: Column, { setting: { onLoss } }: Frame): Column {
  const { family } = field.value
  return onLoss && (family === 'text' || family === 'boolean')
    ? { ...column, onLoss: () => onLoss(field) }
    : column
}

function computed(value: Sql, type: ValueType, { setting }: Frame): Column {
  const { byCodePoint, negationMatchesNull } = setting
  return { sql: value, type, byCodePoint, negationMatchesNull }
}

/** The number of children. Without a row it is null, which is not the same as zero. */
function count(children: Children, frame: Frame): Sql {
  const inner = innerFrame(frame, children.target)
  const number = sql`(select count(*) from ${tableOf(inner)} where ${linkOf(children, inner, frame)})`
  return frame.isOptional ? sql`case when ${keyOf(frame)} is not null then ${number} end` : number
}

function jsonValue(subject: Extract<ComparedValue, { kind: 'json' }>, frame: Frame, path: Path): Column {
  const { dialect } = frame.setting
  const whole = {
    ...computed(
      columnOf(frame, subject.field.column),
      { ...jsonType, isArray: subject.field.value.isArray },
      frame,
    ),
    path: constantOf(subject.path, path),
  }
  if (subject.as === undefined) return whole
  // A value of another type is not null: it differs from every value it is compared with.
  return {
    ...computed(dialect.jsonScalar(whole, subject.as), subject.type, frame),
    presence: dialect.isPresent(whole),
  }
}
