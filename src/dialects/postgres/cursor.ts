import { sql } from '../sql.ts'
import { statementMark } from '../statement-mark.ts'
import type { CursorPhrases } from '../transaction-phrases.ts'

/** Cursors belong to a transaction, so their names only have to be unique within it. */
export const cursor: CursorPhrases = {
  kind: 'cursor',
  begin: sql`begin read only`,
  // Nothing was written, and a failed one has nothing to commit.
  end: sql`rollback`,
  open: (name, statement) => `declare ${name} no scroll cursor for ${statement}`,
  fetch: (name, rows) => `${statementMark}fetch ${rows} from ${name}`,
  close: (name) => `close ${name}`,
}
