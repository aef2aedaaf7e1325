// The only file that makes a comparable value of an item's fields. It takes no strings, so no unresolved name can reach SQL.
import type { Column } from '../dialects/phrase-types.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import { type Path, unreachable } from '../errors/errors.ts'
import type { ComparedValue, FieldOperand } from '../plan/filter/predicate.ts'
import { integerType, jsonType } from '../plan/write/value-types.ts'
import type { StoredField } from '../schema/model.ts'
import type { ValueType } from '../types/field-types.ts'
import { columnOf, type Frame, homeOf, innerFrame, refersTo, tableOf } from './frame.ts'
import { constantOf } from './statement.ts'
import { tupleColumn } from './tuple.ts'

type ValueOfRow = Exclude<ComparedValue, { readonly kind: 'related' | 'aggregate' }>

export function plainColumn(subject: ValueOfRow, frame: Frame, path: Path): Column {
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
    case 'json':
      return jsonValue(subject, frame, path)
    default:
      throw unreachable(`a subject of kind ${String(subject satisfies never)}`)
  }
}

export function fieldBehind(
  { route: [step, ...route], field, kind }: FieldOperand,
  frame: Frame,
  path: Path,
): Column {
  if (!step) return plainColumn({ kind, field, type: field.value }, frame, path)
  const joined = frame.joins?.to(frame, step)
  if (joined) return fieldBehind({ route, field, kind }, joined, path)
  const inner = innerFrame(frame, step.target)
  const column = fieldBehind({ route, field, kind }, inner, path)
  const from = sql`${tableOf(inner)}${inner.joins.text} where ${refersTo(step, frame, inner)}`
  return { ...column, sql: sql`(select ${column.sql} from ${from})` }
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

export function computed(value: Sql, type: ValueType, { setting }: Frame): Column {
  const { byCodePoint, negationMatchesNull } = setting
  return { sql: value, type, byCodePoint, negationMatchesNull }
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
