// Every code of an error, with the status that belongs to it.

import { codes, type ErrorCode } from '../../src/errors/errors.ts'
import { code, table } from './tables.ts'

/** The codes by status. */
export const codesTable = (): string => {
  const rows = Object.entries(codes).map(([name, { status }]) => [
    code(name),
    String(status),
    // The keys of the codes are those of their descriptions.
    codeDocs[name as ErrorCode],
  ])
  return table(
    ['code', 'status', 'when'],
    rows.sort(([, a = ''], [, b = '']) => Number(a) - Number(b)),
  )
}

const codeDocs: Readonly<Record<ErrorCode, string>> = {
  INVALID_QUERY: 'a query or a filter has a wrong shape, word, type or size',
  INVALID_PAYLOAD: 'what is to be written, or which items or files are meant, has a wrong shape',
  FAILED_VALIDATION:
    'a value is missing, null, of a wrong type, or does not pass a validation or a check of the database',
  INVALID_CREDENTIALS: 'over HTTP, nobody knows the token',
  TOKEN_EXPIRED: 'you say so: Quernel never does',
  FORBIDDEN:
    'a field or a collection inside a query or a payload does not exist or may not be used, an item may be seen and not be changed, the way to a file leads through a link, or the database does not allow a statement to the role that it is opened as',
  NOT_FOUND:
    'the collection, the item or the file of a call does not exist or may not be seen; over HTTP, there is no such path',
  METHOD_NOT_ALLOWED: 'over HTTP, a path knows no such method',
  OUT_OF_TIME: 'a statement or a picture took longer than `timeoutMs`',
  PRECONDITION_FAILED: 'over HTTP, the item or the file is no longer the one that a header names',
  CONTENT_TOO_LARGE: 'a body or a file is longer than it may be, or than its storage can take',
  UNSUPPORTED_MEDIA_TYPE: 'over HTTP, a body is of a type that is not read',
  RANGE_NOT_SATISFIABLE: 'a range begins behind the end of a file, or makes no sense',
  UNPROCESSABLE_CONTENT: 'a file that should become a picture is damaged',
  VERSION_HASH_MISMATCH: 'an item is no longer the one that a version was compared with',
  RECORD_NOT_UNIQUE: 'the database has another row with the same value',
  INVALID_FOREIGN_KEY: 'a key points to nothing, or something still points to an item that is to be deleted',
  NOT_NULL_VIOLATION: 'the database wants a value where the schema says there may be none',
  VALUE_TOO_LONG: 'a text is longer than the field or the column',
  VALUE_OUT_OF_RANGE:
    'a number, a sum or another computed value is beyond what the field or the database can hold',
  ILLEGAL_ASSET_TRANSFORMATION:
    'a picture may not be made, would be too large, or is asked of a file that is none',
  SERVICE_UNAVAILABLE:
    'no connection became free in time, too many pictures are being made, or a database or a storage is locked, full, damaged, closing down, opened to be read only, or not to be reached',
  INTERNAL_SERVER_ERROR: 'the database refused a statement, or a storage failed, for any other reason',
  INVALID_SCHEMA: '`defineSchema` found mistakes, or `createEngine` did in a validation',
  INVALID_OPTIONS: '`createEngine`, a storage, or the options of a call, were given something else',
}
