import type { TransactionPhrases } from '../dialect.ts'
import { codeOf } from '../error-codes.ts'

/** After an error nothing is run until the transaction is rolled back, and `commit` rolls back without saying so. */
export const goingOn: TransactionPhrases = {
  // It fails outside of transactions, too.
  probe: 'savepoint quernel',
  isShownBy: (failure) => failure === undefined,
  isToldByEach: true,
  isOver: (error) => ['25P01', '25P02'].includes(codeOf(error) ?? ''),
}
