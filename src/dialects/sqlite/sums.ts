// Sums that a statement stores. SQLite makes a floating-point number of an integer beyond 64 bits, and an infinity of one beyond the greatest, without
// a word, so the range of a field is a condition.

import type { Family } from '../../types/families.ts'
import type { ValueType } from '../../types/field-types.ts'
import { integerBounds } from '../../types/integer.ts'
import { type Sql, sql } from '../sql.ts'
import type { Storing } from '../stored-values.ts'

type Add = NonNullable<Storing['add']>

/** Returns undefined for values that are no numbers, or texts. */
export const addOf = (type: ValueType): Add | undefined =>
  type.storage === 'text' ? undefined : sums[type.family]?.(type)

const sums: Partial<Record<Family, (type: ValueType) => Add>> = {
  integer: (type) => (column, mark) => {
    // Some drivers bind every number as a floating-point one.
    const sum = sql`(${column} + cast(${mark} as integer))`
    const [least, greatest] = integerBounds(type)
    const isWithin = sql`${sum} between ${integerText(least)} and ${integerText(greatest)}`
    // A sum below the least integer may become that very number, as a floating-point one.
    const isExact = sql`(typeof(${sum}) = 'integer' or ${sum} > -9223372036854775808.0)`
    return added(column, least < -(2n ** 62n) ? sql`${isWithin} and ${isExact}` : isWithin, sum)
  },
  float: () => (column, mark) => {
    const sum = sql`(${column} + ${mark})`
    return added(column, sql`abs(${sum}) <= 1.7976931348623157e308`, sum)
  },
  decimal:
    ({ precision, scale = 0 }) =>
    (column, mark) => {
      const sum = sql`(${column} + ${mark})`
      const most = precision === undefined ? '1.7976931348623157e308' : `1e${precision - scale}`
      const isWithin =
        precision === undefined ? sql`abs(${sum}) <= ${sql.raw(most)}` : sql`abs(${sum}) < ${sql.raw(most)}`
      // A column of numbers keeps 15 digits: more of them would not be what was added.
      const exact = sql`case typeof(${sum}) when 'integer' then ${sum} else cast(printf('%.15g', ${sum}) as numeric) end`
      return added(column, isWithin, exact)
    },
}

/** The least integer is no literal: the digits behind the sign are beyond the range. */
const integerText = (bound: bigint): Sql =>
  sql.raw(bound < -(2n ** 62n) ? `(${bound + 1n} - 1)` : String(bound))

/** A text is added to if it is a number, and whatever else is no number fails, as a sum out of range does: nothing has the opposite of the least integer. */
function added(column: Sql, isWithin: Sql, stored: Sql): Sql {
  const isNumber = sql`(${column} < '' or ${column} glob '*[0-9]*' and ${column} not glob '*[^-+.0-9eE]*')`
  const fails = sql`abs(-9223372036854775807 - (${column} is not null))`
  return sql`case when ${isNumber} and ${isWithin} then ${stored} when ${column} is not null then ${fails} end`
}
