// Binding of operands on PostgreSQL: always with a cast, so that the server never infers a type from a value.
import type { Family } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { type Decimal, decimalText } from '../../values/decimal.ts'
import { latest, momentText } from '../../values/moment.ts'
import { bytesOf, isOfBytes } from '../bytes.ts'
import { edge } from '../integer-range.ts'
import type { Sign } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { arrayText } from './array-text.ts'
import { isOther, otherCast, typeName } from './other-types.ts'

interface Binding {
  readonly type: Sql
  readonly encode: (operand: Operand, sign: Sign) => unknown
  /** The type of the elements, if a list is bound as one text. */
  readonly listed?: Sql
}

// Each encoder only gets values that its own family has read, hence the casts.
const bindings: Partial<Record<Family, Binding>> = {
  integer: { type: sql`bigint`, encode: (operand, sign) => wholeNumber(edge(operand, sign, 1n)) },
  float: { type: sql`float8`, encode: ({ at }) => at },
  decimal: { type: sql`numeric`, encode: ({ at }) => decimalText(at as Decimal) },
  uuid: { type: sql`uuid`, encode: ({ at }) => at },
  // Some drivers cannot bind lists of booleans, nor of bytes.
  boolean: { type: sql`boolean`, encode: ({ at }) => at, listed: sql`boolean` },
  // Some drivers convert a value compared with a date to one, by the process's time zone. They leave a text unchanged.
  date: moment(sql`date`, ({ at }) => orInfinity(Number(at), momentText.date)),
  time: moment(sql`time`, ({ at }) => timeText(Number(at))),
  dateTime: moment(sql`timestamp`, ({ at }) => orInfinity(Number(at), momentText.dateTime)),
  timestamp: moment(sql`timestamptz`, ({ at }) => orInfinity(Number(at), momentText.timestamp)),
}

function moment(type: Sql, encode: Binding['encode']): Binding {
  return { type: sql`text::${type}`, encode, listed: type }
}

const plainText: Binding = { type: sql`text`, encode: ({ at }) => at }

const bytes: Binding = { type: sql`bytea`, encode: ({ at }) => bytesOf(at), listed: sql`bytea` }

export function bindingOf(type: ValueType): Binding {
  if (isOther(type)) return { ...plainText, type: otherCast(type), listed: typeName(type) }
  return isOfBytes(type) ? bytes : (bindings[type.family] ?? plainText)
}

/** The binding of a list whose elements a column can have, with its cast. */
export function listBindingOf(value: ValueType): {
  readonly type: Sql
  readonly encode: (operands: readonly Operand[]) => unknown
} {
  const { type, encode, listed } = bindingOf(value)
  const each = (operands: readonly Operand[]) => operands.map((operand) => encode(operand, '='))
  if (!listed) return { type: sql`${type}[]`, encode: each }
  const cast = isOther(value) ? otherCast(value, sql`[]`) : sql`text::${listed}[]`
  return { type: cast, encode: (operands) => arrayText(each(operands)) }
}

// A text can be a number of any size; drivers bind numbers as text anyway.
const wholeNumber = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value))
const timeText = (at: number) => (at >= 86_400_000 ? '24:00:00' : momentText.time(at))
const orInfinity = (at: number, text: (at: number) => string) => (at > latest ? 'infinity' : text(at))
