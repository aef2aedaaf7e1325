import { fault } from '../../errors/errors.ts'

export const tooDeep = (error: unknown) =>
  error instanceof RangeError && /call stack/.test(error.message)
    ? fault('INVALID_QUERY', 'The document, or a variable, nests too deeply to be read.', { cause: error })
    : undefined
