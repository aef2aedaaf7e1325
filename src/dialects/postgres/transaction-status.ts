import { codeOf } from '../error-codes.ts'
import type { TransactionPhrases } from '../transaction-phrases.ts'
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
