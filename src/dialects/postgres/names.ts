import { type Sql, sql } from '../sql.ts'

export function identifier(name: string): Sql {
  return sql.raw(`"${name.replaceAll('"', '""')}"`)
}

/** An enum's name may say its schema: `shop.status`. */
export const enumName = (name: string): Sql => sql.join(name.split('.').map(identifier), sql`.`)
