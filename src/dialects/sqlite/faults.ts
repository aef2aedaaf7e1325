import type { ErrorCode } from '../../errors.ts'
import { codeOf } from '../error-codes.ts'

/** By the code that drivers of SQLite give their errors. */
export function faultOf(error: unknown): ErrorCode | undefined {
  const code = codeOf(error) ?? ''
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'SERVICE_UNAVAILABLE'
  // Its only error about a computed value, a sum beyond 64 bits, has no code of its own.
  if (error instanceof Error && error.message === 'integer overflow') return 'VALUE_OUT_OF_RANGE'
  return code === 'SQLITE_INTERRUPT' ? 'OUT_OF_TIME' : undefined
}
