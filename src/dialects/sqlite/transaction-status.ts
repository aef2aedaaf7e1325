import type { TransactionPhrases } from '../transaction-phrases.ts'
import { resultOf } from './result-codes.ts'

/** A full disk, `on conflict rollback` and others end a transaction. The only sign is that another one can begin then. */
export const transactionStatus: TransactionPhrases = {
  probe: 'begin',
  isShownBy: (failure) => says(failure, /^cannot start a transaction within a transaction$/),
  undo: 'rollback',
  isToldByEach: false,
  isOver: (error) => says(error, /^no such savepoint: /),
}

const says = (error: unknown, words: RegExp): boolean => words.test(resultOf(error).sentence)
