// Every code of an error, with the status that belongs to it.

import { codes, type ErrorCode } from '../../src/errors/errors.ts'
import { code, table } from './tables.ts'

/** The codes by status. */
export const codesTable = (): string => {
  const rows = Object.entries(codes).map(([name, status]) => [
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
  INVALID_PAYLOAD: 'a payload, or a selector of items or files, has a wrong shape',
  FAILED_VALIDATION:
    'a value is missing, null, of a wrong type, or does not pass a validation or a check of the database',
  INVALID_CREDENTIALS: 'over HTTP, the token is missing or not valid',
  TOKEN_EXPIRED: 'thrown by your code only, for an expired token',
  FORBIDDEN:
    'a field or a collection inside a query or a payload does not exist or may not be used, an item may be read and not changed, the path of a file leads through a link, or the database role has no permission for a statement',
  NOT_FOUND:
    'the collection, the item or the file of a call does not exist or may not be seen; over HTTP, the path does not exist',
  METHOD_NOT_ALLOWED: 'over HTTP, the path does not support the method',
  OUT_OF_TIME: 'a statement or an image took longer than `timeoutMs`',
  PRECONDITION_FAILED: 'over HTTP, the item or the file has changed since the version that a header names',
  PRECONDITION_REQUIRED:
    'over HTTP, an item whose key is the number of its row is written without `If-Match`',
  CONTENT_TOO_LARGE: 'a body or a file is longer than the limit, or than its storage can take',
  UNSUPPORTED_MEDIA_TYPE: 'over HTTP, the type of a body is not supported',
  RANGE_NOT_SATISFIABLE: 'a range begins after the end of a file, or is not valid',
  UNPROCESSABLE_CONTENT: 'an image file is damaged',
  VERSION_HASH_MISMATCH: 'an item has changed since a version was compared with it',
  TOO_MANY_REQUESTS: 'a user has more subscriptions than may be, or a socket sends more messages',
  RECORD_NOT_UNIQUE: 'the database has another row with the same value',
  INVALID_FOREIGN_KEY:
    'a reference has no target, or other rows still refer to an item that is to be deleted',
  NOT_NULL_VIOLATION: 'the database requires a value where the schema allows none',
  VALUE_TOO_LONG: 'a text is longer than the field or the column',
  VALUE_OUT_OF_RANGE:
    'a number, a sum or another computed value is beyond the range of the field or the database',
  ILLEGAL_ASSET_TRANSFORMATION:
    'an image transformation is not allowed, its result would be too large, or the file is not an image',
  SERVICE_UNAVAILABLE:
    'no connection became free in time, too many images are being made, or a database or a storage is locked, full, damaged, closing down, read-only, not reachable, or in a transaction that SQLite cannot roll back while an iterator or a stream is open',
  INTERNAL_SERVER_ERROR: 'the database refused a statement, or a storage failed, for any other reason',
  INVALID_SCHEMA: '`defineSchema` found mistakes, or `createEngine` did in a validation',
  INVALID_OPTIONS: 'the options of `createEngine`, a storage or a call are not valid',
}
