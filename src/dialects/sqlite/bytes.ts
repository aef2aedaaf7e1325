// Bytes on SQLite: blobs, and texts that a program has stored in their place.
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { fromHex } from '../../values/bytes.ts'
import { bytesOf, bytesReader, shownDigits, uuidParts } from '../bytes.ts'
import type { Column, Reading, Slot } from '../phrase-types.ts'
import { textFrom } from '../read-values.ts'
import { type Sql, sql } from '../sql.ts'

export function readBytes({ sql: column, type }: Column): Reading {
  const shown = shownDigits(type)
  const written = isWritable(type) ? bytesAsText(column, type) : undefined
  return {
    column: { sql: column, read: bytesReader(type) },
    // JSON cannot represent bytes.
    element: written
      ? { sql: written }
      : { sql: digitsOf(column), read: (digits) => shown(textFrom(digits).toLowerCase()) },
    ...(written && { json: written }),
  }
}

/** SQLite has no function for base64, and what takes its place is too slow for results. */
const isWritable = ({ family, encoding }: ValueType) => family === 'uuid' || encoding === 'hex'

const digitsOf = (column: Sql) => sql`case when ${column} is not null then hex(${column}) end`

/** Bytes in the form of results. */
export function bytesAsText(column: Sql, { family, encoding }: ValueType): Sql {
  if (family === 'uuid') return uuidAsText(column)
  const digits = sql`lower(hex(${column}))`
  return sql`case when ${column} is not null then ${encoding === 'hex' ? digits : asBase64(column)} end`
}

function uuidAsText(column: Sql): Sql {
  const digits = sql`lower(hex(${column}))`
  const parts = uuidParts.map(
    ([from, to]) => sql`substr(${digits}, ${sql.lit(from + 1)}, ${sql.lit(to - from)})`,
  )
  const uuid = sql`case when length(${column}) = 16 then ${sql.join(parts, sql` || '-' || `)} else ${digits} end`
  return sql`case typeof(${column}) when 'null' then null when 'blob' then ${uuid} else lower(${column}) end`
}

/** Base64, three bytes after the other. */
function asBase64(column: Sql): Sql {
  const digit = (place: number) => sql`(instr('123456789ABCDEF', substr(d, ${sql.lit(place)}, 1)))`
  const letter = (six: Sql) => sql`substr(${sql.lit(letters)}, 1 + ${six}, 1)`
  const orPad = (least: number, six: Sql) =>
    sql`case when n < ${sql.lit(least)} then '=' else ${letter(six)} end`
  const four = sql.join(
    [
      letter(sql`${digit(1)} * 4 + ${digit(2)} / 4`),
      letter(sql`${digit(2)} % 4 * 16 + ${digit(3)}`),
      orPad(2, sql`${digit(4)} * 4 + ${digit(5)} / 4`),
      orPad(3, sql`${digit(5)} % 4 * 16 + ${digit(6)}`),
    ],
    sql` || `,
  )
  const groups = sql`with recursive g(i) as (select 1 where length(b) > 0 union all select i + 3 from g where i + 3 <= length(b)) select substr(hex(substr(b, i, 3)) || '0000', 1, 6) as d, length(substr(b, i, 3)) as n from g`
  return sql`(select coalesce((select group_concat(${four}, '') from (${groups})), '') from (select cast(${column} as blob) as b))`
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** A text differs from a blob of its bytes. Naming both keeps an index usable. */
export function equalBytes({ sql: column, type }: Column, slot: Slot<Operand>): Sql {
  const bytes = () => slot(({ at }) => bytesOf(at))
  if (type.family === 'uuid') return sql`${column} = ${bytes()}`
  return sql`${column} in (${bytes()}, cast(${bytes()} as text))`
}

/** A list as one blob, and where each value begins and how long it is: JSON cannot represent bytes, and older versions cannot read digits. */
export function bytesAmong({ sql: column, type }: Column, list: Slot<readonly Operand[]>): Sql {
  const all = list((operands) => fromHex(before + operands.map(({ at }) => digitsOfValue(at)).join('')))
  const places = list((operands) => JSON.stringify(placesOf(operands)))
  const values = sql`select substr(${all}, value ->> 0, value ->> 1) as v from json_each(${places})`
  if (type.family === 'uuid') return sql`${column} in (${values})`
  return sql`${column} in (with _l(v) as (${values}) select v from _l union all select cast(v as text) from _l)`
}

/** A part of an empty blob would be null. */
const before = '00'

const digitsOfValue = (at: unknown): string => String(at).replaceAll('-', '')

function placesOf(operands: readonly Operand[]): readonly (readonly [from: number, length: number])[] {
  let from = 2
  return operands.map(({ at }) => {
    const length = digitsOfValue(at).length / 2
    from += length
    return [from - length, length]
  })
}
