// Sums that a statement stores. Where a type of the server has the range of a field, its cast refuses what is beyond.

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
    const sum = sql`(${column} + ${mark}::bigint)`
    if (type.type === 'bigInteger') return sql`${sum}::bigint`
    return type.isWide ? withinBounds(sum, type) : sql`${sum}::integer`
  },
  float: () => (column, mark) => sql`${column} + ${mark}::double precision`,
  decimal: (type) => (column, mark) => ofPrecision(sql`(${column} + ${mark}::numeric)`, type),
}

/** Beyond the bounds, the product is beyond 64 bits. */
function withinBounds(sum: Sql, type: ValueType): Sql {
  const [least, greatest] = integerBounds(type)
  return sql`case when ${sum} between ${sql.raw(String(least))} and ${sql.raw(String(greatest))} then ${sum}::bigint else ${sum}::bigint * 9223372036854775807::bigint end`
}

/** The greatest precision that the server knows. */
const greatestPrecision = 1_000

function ofPrecision(sum: Sql, { precision, scale }: ValueType): Sql {
  if (precision === undefined || precision > greatestPrecision) return sum
  if (scale !== undefined) return sql`${sum}::numeric(${sql.raw(`${precision}, ${scale}`)})`
  // Without a scale all digits behind the point are kept.
  return sql`case when trunc(abs(${sum})) < 1e${sql.raw(String(precision))} then ${sum} else ${sum}::numeric(${sql.raw(String(precision))}) end`
}
