// Error responses, from the table of error codes.
import { codeTexts } from '../../errors/code-texts.ts'
import { codes, type ErrorCode } from '../../errors/errors.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { headerNamed, responseNamed, schemaNamed } from './component-names.ts'
import type { OpenApiHeader, OpenApiReference, OpenApiResponse } from './document.ts'
import { objectOf } from './responses.ts'

/** Codes that a caller may get. Mistakes of the host are reported with one code. */
const reported = (Object.keys(codes) as ErrorCode[]).filter(
  (code) => code !== 'INVALID_SCHEMA' && code !== 'INVALID_OPTIONS',
)

const statuses = [...new Set(reported.map((code) => codes[code]))].sort()

/** Headers that accompany a status. */
const headersOf: Readonly<Record<number, string>> = {
  401: 'WWW-Authenticate',
  405: 'Allow',
  416: 'Content-Range',
  503: 'Retry-After',
}

export const faultHeaders: Readonly<Record<string, OpenApiHeader>> = {
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { const: 'Bearer' } },
  Allow: { description: 'The methods of the path.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which to retry.', schema: { type: 'integer' } },
}

const extensions = objectOf(
  { code: { type: 'string', enum: reported } },
  {
    path: {
      type: 'array',
      items: { type: ['string', 'integer'] },
      description: 'Where in the request: names and positions from the outside in.',
    },
    hint: { type: 'string', description: 'What to do instead, or the nearest name.' },
    collection: { type: 'string' },
    field: { type: 'string' },
  },
)

export const errorSchema: JsonSchema = {
  ...objectOf({
    errors: { type: 'array', minItems: 1, items: objectOf({ message: { type: 'string' }, extensions }) },
  }),
  description: 'All problems of a request together.',
}

const content = { 'application/json': { schema: schemaNamed('_error') } }

/** Returns a response for each status, and one for all others. */
export function faultResponses(): Readonly<Record<string, OpenApiResponse>> {
  return {
    ...Object.fromEntries(statuses.map((status) => [nameOf(status), responseOf(status)])),
    error: { description: 'Any other error; 405 for methods that the path does not have.', content },
  }
}

const nameOf = (status: number): string => `error${status}`

function responseOf(status: number): OpenApiResponse {
  const mine = reported.filter((code) => codes[code] === status)
  const header = headersOf[status]
  return {
    description: mine.map((code) => `\`${code}\`: ${codeTexts[code]}`).join('\n\n'),
    ...(header !== undefined && { headers: { [header]: headerNamed(header) } }),
    content,
  }
}

/** Errors that any request may cause, besides its own ones. */
const anywhere: readonly ErrorCode[] = [
  'INVALID_QUERY',
  'INVALID_CREDENTIALS',
  'FORBIDDEN',
  'NOT_FOUND',
  'OUT_OF_TIME',
  'SERVICE_UNAVAILABLE',
]

export function errorResponsesOf(own: readonly ErrorCode[]): Readonly<Record<string, OpenApiReference>> {
  const met = new Set([...anywhere, ...own].map((code) => codes[code]))
  const responses = [...met].map((status) => [status, responseNamed(nameOf(status))] as const)
  return { ...Object.fromEntries(responses), default: responseNamed('error') }
}
