import { mark } from '../array-rows.ts'
import { sql } from '../sql.ts'
import type { CursorPhrases } from '../transaction-phrases.ts'

/** Cursors belong to a transaction, so they need no name of their own but within it. */
export const cursor: CursorPhrases = {
  kind: 'cursor',
  begin: sql`begin read only`,
  // Nothing was written, and of one that has failed there is nothing to commit.
  end: sql`rollback`,
  open: (name, statement) => `declare ${name} no scroll cursor for ${statement}`,
  fetch: (name, rows) => `${mark}fetch ${rows} from ${name}`,
  close: (name) => `close ${name}`,
}
