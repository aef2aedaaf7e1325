import type { Sign } from './phrase-types.ts'
import { type Sql, sql } from './sql.ts'

/** The comparison signs as SQL. */
export const signs = {
  '=': sql`=`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
} as const satisfies Record<Sign, Sql>
