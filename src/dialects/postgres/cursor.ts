import type { CursorPhrases } from '../dialect.ts'
import { sql } from '../sql.ts'

/** Cursors belong to a transaction, so they need no name of their own but within it. */
export const cursor: CursorPhrases = {
  open: (name, statement) => sql`declare ${sql.raw(name)} no scroll cursor for ${statement}`,
  fetch: (name, rows) => sql`fetch ${sql.lit(rows)} from ${sql.raw(name)}`,
  close: (name) => sql`close ${sql.raw(name)}`,
}
