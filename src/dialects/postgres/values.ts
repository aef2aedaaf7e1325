// How operands are bound on PostgreSQL: always with a cast, so that the server never guesses a type from a value.
import type { Family } from '../../schema/field-types.ts'
import type { ValueType } from '../../schema/model.ts'
import { type Decimal, decimalText } from '../../values/decimal.ts'
import { latest, momentText } from '../../values/moment.ts'
import type { Operand, Sign } from '../dialect.ts'
import { edge } from '../reach.ts'
import { type Sql, sql } from '../sql.ts'

interface Binding {
  readonly type: Sql
  readonly encode: (operand: Operand, sign: Sign) => unknown
}

// Each encoder is given only what its own family has read, hence the casts.
const bindings: Partial<Record<Family, Binding>> = {
  integer: { type: sql`bigint`, encode: (operand, sign) => wholeNumber(edge(operand, sign, 1n)) },
  float: { type: sql`float8`, encode: ({ at }) => at },
  decimal: { type: sql`numeric`, encode: ({ at }) => decimalText(at as Decimal) },
  uuid: { type: sql`uuid`, encode: ({ at }) => at },
  boolean: { type: sql`boolean`, encode: ({ at }) => at },
  binary: { type: sql`bytea`, encode: ({ at }) => Buffer.from(at as string, 'base64') },
  date: { type: sql`date`, encode: ({ at }) => orInfinity(Number(at), momentText.date) },
  time: { type: sql`time`, encode: ({ at }) => timeText(Number(at)) },
  dateTime: { type: sql`timestamp`, encode: ({ at }) => orInfinity(Number(at), momentText.dateTime) },
  timestamp: { type: sql`timestamptz`, encode: ({ at }) => orInfinity(Number(at), momentText.timestamp) },
}

const plainText: Binding = { type: sql`text`, encode: ({ at }) => at }

export function bindingOf({ family }: ValueType): Binding {
  return bindings[family] ?? plainText
}

// Text says a number of any size; drivers write it out anyway.
const wholeNumber = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value))
const timeText = (at: number) => (at >= 86_400_000 ? '24:00:00' : momentText.time(at))
const orInfinity = (at: number, text: (at: number) => string) => (at > latest ? 'infinity' : text(at))
