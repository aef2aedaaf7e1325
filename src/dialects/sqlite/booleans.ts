// Booleans on SQLite, which stores numbers for them: 0 is false, and any other number is true.
import type { Operand } from '../../types/family-row.ts'
import type { Column, Slot } from '../phrase-types.ts'
import { flagFrom, type PresentValue } from '../read-values.ts'
import { type Sql, sql } from '../sql.ts'

/** Tests whether a column is true, or false. Ranges leave an index usable; texts are in none of them. */
export function compareBoolean({ sql: column }: Column, slot: Slot<Operand>): Sql {
  const flag = () => slot(({ at }) => (at === true ? 1 : 0))
  // In a column of text a bound number is "1.0".
  return sql`(${column} = case when ${flag()} then 1 else 0 end or ${isOtherTruth(column, flag)})`
}

/** Tests whether a column is one of some booleans. */
export function amongBooleans({ sql: column }: Column, list: Slot<readonly Operand[]>): Sql {
  const flags = list((operands) => JSON.stringify(operands.map(({ at }) => (at === true ? 1 : 0))))
  const hasTrue = () => list((operands) => (operands.some(({ at }) => at === true) ? 1 : 0))
  return sql`(${column} in (select value from json_each(${flags})) or ${isOtherTruth(column, hasTrue)})`
}

/** Tests whether a column is a number other than 0, if what is looked for is true; nothing sorts before the least number, or between bytes and
 *  numbers. */
function isOtherTruth(column: Sql, isTrue: () => Sql): Sql {
  const below = sql`${column} >= -9e999 and ${column} < case when ${isTrue()} then 0 else -9e999 end`
  const above = sql`${column} > case when ${isTrue()} then 0 else x'' end and ${column} <= 9e999`
  return sql`(${below}) or (${above})`
}

/** A column as 0 or 1. Texts are what they are read as. */
export const truth = (column: Sql): Sql =>
  sql`case when ${column} in (0, '', '0', 'f', 'false') then 0 when ${column} is not null then 1 end`

/** Returns a reader of booleans that reports numbers other than 0 and 1. */
export const flagReader =
  (onLoss: (() => void) | undefined) =>
  (value: PresentValue): boolean => {
    if (onLoss && isOtherNumber(value)) onLoss()
    return flagFrom(value)
  }

const isOtherNumber = (value: PresentValue) =>
  (typeof value === 'number' || typeof value === 'bigint') && Number(value) !== 0 && Number(value) !== 1
