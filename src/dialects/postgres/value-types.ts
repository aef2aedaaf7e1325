// Types of bound values. A server keeps those of a prepared statement as they were inferred: one that was a float stays one in a column that has
// become a double, and is stored as that. The server refuses a statement whose result has other types than before, so a statement that
// writes shows the types of its columns.
import type { ValueType } from '../../types/field-types.ts'
import { type Sql, sql } from '../sql.ts'
import { storing } from './stored-values.ts'

/** A cell without a value that has the type of a column; undefined if a value stored there has a type of its own. The server computes nothing of it,
 *  and asks for no privilege. */
export function typeCell(table: Sql, column: Sql, type: ValueType): Sql | undefined {
  return storing(type).around ? undefined : sql`case when false then (select ${column} from ${table}) end`
}

/** True if a text changes, or locks, rows that it finds by values whose types are those of columns, and does not show these types. */
export const takesTypesUnseen = (text: string): boolean =>
  choosing.test(text) && uncast.test(text) && !text.includes('case when false then (select ')

const choosing = /\bdelete from | for (?:no key update|update|key share|share)$/
const uncast = /\$\d+(?![\d:])/
