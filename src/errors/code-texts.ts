// Meanings of the codes, shown where no more may be disclosed. They stand apart, because browsers need none of them.
import { type EngineError, type ErrorCode, type FaultDetails, fault, unexpected } from './errors.ts'

export const codeTexts = {
  INVALID_QUERY: 'The query is not valid.',
  INVALID_OPTIONS: 'The options are not valid.',
  INVALID_PAYLOAD: 'The payload is not valid.',
  FAILED_VALIDATION: 'A value did not pass validation.',
  INVALID_CREDENTIALS: 'The credentials are missing or not valid.',
  TOKEN_EXPIRED: 'The token has expired.',
  FORBIDDEN: 'There is no such thing, or you may not use it.',
  NOT_FOUND: 'There is no such thing, or you may not see it.',
  METHOD_NOT_ALLOWED: 'This method is not supported here.',
  OUT_OF_TIME: 'The operation took longer than allowed.',
  PRECONDITION_FAILED: 'The item has changed since you read it.',
  PRECONDITION_REQUIRED: 'A write of this item needs If-Match.',
  CONTENT_TOO_LARGE: 'The content is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'This content type is not supported.',
  RANGE_NOT_SATISFIABLE: 'The range lies outside the content.',
  UNPROCESSABLE_CONTENT: 'The content cannot be read.',
  VERSION_HASH_MISMATCH: 'The item has changed since the version was compared.',
  TOO_MANY_REQUESTS: 'There were too many requests.',
  RECORD_NOT_UNIQUE: 'A value has to be unique, but already exists.',
  INVALID_FOREIGN_KEY: 'A key refers to no item, or another item refers to it.',
  NOT_NULL_VIOLATION: 'A value may not be null.',
  VALUE_TOO_LONG: 'A value is too long.',
  VALUE_OUT_OF_RANGE: 'A value is out of range.',
  ILLEGAL_ASSET_TRANSFORMATION: 'This transformation is not allowed.',
  SERVICE_UNAVAILABLE: 'The service is overloaded.',
  INTERNAL_SERVER_ERROR: unexpected,
  INVALID_SCHEMA: 'The schema is not valid.',
} as const satisfies Readonly<Record<ErrorCode, string>>

/** Returns an error that says no more than what its code means. */
export const plainFault = (code: ErrorCode, details?: FaultDetails): EngineError =>
  fault(code, codeTexts[code], details)
