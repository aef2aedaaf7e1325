// Transactions and cursors of PostgreSQL, and what a server is asked about them.
import { codeOf } from '../error-codes.ts'
import { sql } from '../sql.ts'
import { statementMark } from '../statement-mark.ts'
import type {
  CursorPhrases,
  IsolationPhrases,
  ServerPhrases,
  TransactionPhrases,
} from '../transaction-phrases.ts'
import { isAborted } from './driver-errors.ts'

/** After an error no statement runs until the transaction is rolled back, and `commit` rolls back silently. */
export const transactionStatus: TransactionPhrases = {
  // It fails outside of transactions, too.
  probe: 'savepoint quernel',
  isShownBy: (failure) => failure === undefined,
  isToldByEach: true,
  isOver: (error) => isAborted(error) || codeOf(error) === '25P01',
  // Whatever the server refuses. Other errors are those of the driver.
  isEndedBy: (error) => /^[0-9A-Z]{5}$/.test(codeOf(error) ?? ''),
}

export const isolation: IsolationPhrases = {
  ofThis: sql`select current_setting('transaction_isolation') as "0"`,
  become: (level) => become[level],
}

const become = {
  'read committed': sql`set transaction isolation level read committed`,
  serializable: sql`set transaction isolation level serializable`,
} as const

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

export const server: ServerPhrases = {
  ask: sql`select version() as "0", current_setting('default_transaction_isolation') as "1"`,
  // Other databases that speak the protocol of PostgreSQL have versions of their own.
  refusal: (name) => {
    const [, version = ''] = /^PostgreSQL (\d+)(?!\S*-YB-)/.exec(name) ?? []
    return version !== '' && Number(version) < oldest
      ? `PostgreSQL ${version} is too old: version ${oldest} is the oldest that works.`
      : undefined
  },
  // Compiled to WebAssembly it runs in the calling thread, where no timer fires.
  endsStatements: (name) => !name.includes('emscripten'),
}

const oldest = 14
