// Binding of operands on PostgreSQL: with a cast, so that the server never infers a type from a value.
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
import { isOther, otherCast } from './other-types.ts'

interface Binding {
  /** Stands behind a bound value; nothing where a value takes the type of the column. */
  readonly cast: Sql
  /** Stands behind a list of them. */
  readonly castOfList: Sql
  readonly encode: (operand: Operand, sign: Sign) => unknown
  /** True if a list is bound as one text. */
  readonly isListText?: true
}

// Each encoder only gets values that its own family has read, hence the casts.
const bindings: Partial<Record<Family, Binding>> = {
  integer: as(sql`bigint`, (operand, sign) => wholeNumber(edge(operand, sign, 1n))),
  float: as(sql`float8`, ({ at }) => at),
  decimal: as(sql`numeric`, ({ at }) => decimalText(at as Decimal)),
  uuid: as(sql`uuid`, ({ at }) => at),
  // Some drivers cannot bind lists of booleans, nor of bytes.
  boolean: asTextInLists(sql`boolean`, ({ at }) => at),
  // Some drivers convert a value compared with a date to one, by the process's time zone. They leave a text unchanged.
  date: asText(sql`date`, ({ at }) => orInfinity(Number(at), momentText.date)),
  time: asText(sql`time`, ({ at }) => timeText(Number(at))),
  dateTime: asColumn(({ at }) => orInfinity(Number(at), (time) => `${momentText.dateTime(time)}Z`)),
  timestamp: asColumn(({ at }) => orInfinity(Number(at), momentText.timestamp)),
}

function as(type: Sql, encode: Binding['encode']): Binding {
  return { cast: sql`::${type}`, castOfList: sql`::${type}[]`, encode }
}

function asTextInLists(type: Sql, encode: Binding['encode']): Binding {
  return { cast: sql`::${type}`, castOfList: sql`::text::${type}[]`, encode, isListText: true }
}

function asText(type: Sql, encode: Binding['encode']): Binding {
  return { cast: sql`::text::${type}`, castOfList: sql`::text::${type}[]`, encode, isListText: true }
}

/** Columns of the family may have a zone or not. A cast to the other type would compare by the session's zone; without
 *  one, the zone in the text counts where the column has a zone, and no driver reads the text in another. */
function asColumn(encode: Binding['encode']): Binding {
  return { cast: sql``, castOfList: sql``, encode, isListText: true }
}

const plainText = as(sql`text`, ({ at }) => at)

const bytes = asTextInLists(sql`bytea`, ({ at }) => bytesOf(at))

const ofOther = (type: ValueType): Binding => ({
  cast: sql`::${otherCast(type)}`,
  castOfList: sql`::${otherCast(type, sql`[]`)}`,
  encode: plainText.encode,
  isListText: true,
})

export function bindingOf(type: ValueType): Binding {
  if (isOther(type)) return ofOther(type)
  return isOfBytes(type) ? bytes : (bindings[type.family] ?? plainText)
}

/** The binding of a list whose elements a column can have, with its cast. */
export function listBindingOf(value: ValueType): {
  readonly cast: Sql
  readonly encode: (operands: readonly Operand[]) => unknown
} {
  const { castOfList, encode, isListText } = bindingOf(value)
  const each = (operands: readonly Operand[]) => operands.map((operand) => encode(operand, '='))
  return { cast: castOfList, encode: isListText ? (operands) => arrayText(each(operands)) : each }
}

// A text can be a number of any size; drivers bind numbers as text anyway.
const wholeNumber = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value))
const timeText = (at: number) => (at >= 86_400_000 ? '24:00:00' : momentText.time(at))
const orInfinity = (at: number, text: (at: number) => string) => (at > latest ? 'infinity' : text(at))
