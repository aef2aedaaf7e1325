// Values on their way into JSON. SQLite's functions of JSON take a blob for its own binary form of JSON and copy its texts unchecked, so
// no blob may reach one of them.
import { type Sql, sql } from '../sql.ts'

/** JSON of a column, in whose place bytes are refused as values that JSON cannot hold: then the careful statement runs. No other value
 *  sorts behind the empty bytes, and `ff` is the binary form of nothing. */
export const unlessBytes = (column: Sql, json = column): Sql =>
  sql`case when ${column} >= x'' then x'ff' else ${json} end`

/** JSON of a column of numbers, in whose place texts are refused as well. */
export const unlessText = (column: Sql, json = column): Sql =>
  sql`case when ${column} >= '' then x'ff' else ${json} end`

/** A value, of which bytes become the text that they spell. */
export const bytesAsText = (value: Sql): Sql =>
  sql`case when ${value} >= x'' then cast(${value} as text) else ${value} end`

/** A value in a list of two: bytes as their digits, or anything else. */
export const pair = (column: Sql, json = column): Sql =>
  sql`json_array(case when ${column} >= x'' then hex(${column}) end, case when ${column} < x'' then ${json} end)`
