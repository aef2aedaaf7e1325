import { type Sql, sql } from '../sql.ts'

export function identifier(name: string): Sql {
  return sql.raw(`"${name.replaceAll('"', '""')}"`)
}
