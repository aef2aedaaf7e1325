import { fault } from '../../errors/errors.ts'

/** Returns the error for a document, or a variable, that nests deeper than this process can read; undefined for any other error. */
export const tooDeep = (error: unknown) =>
  error instanceof RangeError && /call stack/.test(error.message)
    ? fault('INVALID_QUERY', 'The document, or a variable, nests too deeply to be read.', { cause: error })
    : undefined
