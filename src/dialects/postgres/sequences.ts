import { type Sql, sql } from '../sql.ts'
import { identifier } from './names.ts'

/** A sequence does not see keys that others have given. It is moved forward only, and only by who may do so. */
export function countOn(table: Sql, column: string): Sql {
  const name = sql.lit(table.texts.join(''))
  const sequence = sql`pg_get_serial_sequence(${name}, ${sql.lit(column)})::regclass`
  const highest = sql`(select max(${identifier(column)}) from ${table})`
  const found = sql`select ${sequence} as sequence, ${highest} as highest`
  return sql`select setval(sequence, highest) as "0" from (${found}) as found where sequence is not null and highest > coalesce(pg_sequence_last_value(sequence), 0) and has_sequence_privilege(sequence, 'UPDATE')`
}
