import { sql } from 'kysely'
import type { Sign, Sql } from './dialect.ts'

/** The comparison signs as SQL. */
export const signs = {
  '=': sql`=`,
  '<': sql`<`,
  '<=': sql`<=`,
  '>': sql`>`,
  '>=': sql`>=`,
} as const satisfies Record<Sign, Sql>
