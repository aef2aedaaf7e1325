// Cross-origin resource sharing: which other origins' pages a browser lets read the responses. It is no access control: a client that is
// not a browser, or not on the list, gets the same response without these headers.
import { checkOptions, flag, list, type OptionKind, optionNames } from '../errors/check-options.ts'
import { fault, type Path, quote } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { allowedMethods, type ChunkedReply, type RequestHead } from './messages.ts'
import { subjects } from './routes.ts'

/** Options of cross-origin resource sharing. */
export interface CorsOptions {
  /** Origins whose pages may read the responses, as browsers send them: `https://app.example.org`, without a path. `['*']` for any. */
  readonly origins: readonly string[]
  /** True if browsers may send a user's credentials, such as cookies, from these origins. Then their pages may send forms, too, as with
   *  `trustedOrigins`. Not with `*`. By default false. */
  readonly credentials?: boolean | undefined
  /** Time in seconds for which a browser keeps the answer to a preflight. By default the browser decides, mostly 5 seconds. */
  readonly maxAge?: number | undefined
}

const seconds: OptionKind = {
  says: 'is a number of seconds',
  holds: (input) => Number.isSafeInteger(input) && Number(input) >= 0,
}

const corsOptions = optionNames<CorsOptions>({ origins: list, credentials: flag, maxAge: seconds })

export function checkCors(input: unknown): void {
  if (input === undefined) return
  checkOptions(input, corsOptions, ['cors'])
  const { origins, credentials } = input as CorsOptions // its kinds are checked
  if (origins === undefined)
    throw fault('INVALID_OPTIONS', '"cors" needs "origins": a list of origins.', {
      path: ['cors', 'origins'],
      hint: "cors: { origins: ['https://app.example.org'] }",
    })
  checkOrigins({ origins, credentials }, ['cors', 'origins'])
}

/** Rejects values in the list that are not origins: they would never match. */
export function checkOrigins(options: Pick<CorsOptions, 'origins' | 'credentials'>, path: Path): void {
  const problems = new Problems('INVALID_OPTIONS')
  for (const [index, origin] of options.origins.entries()) {
    const trouble = troubleWith(origin, options)
    if (trouble) problems.add([...path, index], trouble.message, () => trouble.hint)
  }
  problems.throwIfAny()
}

function troubleWith(
  origin: unknown,
  { origins, credentials }: Pick<CorsOptions, 'origins' | 'credentials'>,
): { readonly message: string; readonly hint: string } | undefined {
  if (origin === '*') {
    if (credentials)
      return {
        message: '"*" cannot be combined with "credentials": any page could act as its visitor.',
        hint: 'Name the origins.',
      }
    if (origins.length === 1) return undefined
    return { message: '"*" means all origins, so it has to stand alone.', hint: "origins: ['*']" }
  }
  const hint = nearest(origin)
  return hint === origin
    ? undefined
    : { message: `An origin is a scheme, a host and a port, not ${quote(origin)}.`, hint }
}

/** Returns an origin as browsers send it; an example if the input is not an origin. `null` is not one: every sandboxed page sends it. */
function nearest(origin: unknown): string {
  const [, scheme = '', host = ''] = typeof origin === 'string' ? (hierarchical.exec(origin) ?? []) : []
  if (!URL.canParse(`${scheme}://${host}`)) return 'https://app.example.org'
  const { origin: own } = new URL(`${scheme}://${host}`)
  // Schemes of applications, such as `capacitor:`, have no origin in the standard of URLs.
  return own === 'null' ? `${scheme}://${host}`.toLowerCase() : own
}

// A pattern of hosts is none: `*` would be part of a name.
const hierarchical = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/?#@\s]*@)?([^/?#@\s*]+)(?=$|[/?#])/i

/** Methods of all routes. Which of them a path has is not disclosed to unauthenticated callers. */
const methods = allowedMethods([...new Set(Object.values(subjects).flatMap(Object.keys))])

/** Request headers that routes read, besides those that need no permission. */
const taken = [
  'Accept',
  'Authorization',
  'Content-Type',
  'If-Match',
  'If-Modified-Since',
  'If-None-Match',
  'If-Range',
  'If-Unmodified-Since',
  'Prefer',
  'Quernel-Position',
  'Range',
]

/** Headers that clients read, and that a browser hides without permission. */
const exposed = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Preference-Applied',
  'Quernel-Position',
  'Retry-After',
  'WWW-Authenticate',
  'X-Truncated',
].join(', ')

/** Settings that responses to other origins depend on. */
interface CorsSettings {
  readonly cors: CorsOptions
  /** Headers that identify a caller. */
  readonly vary?: readonly string[] | undefined
}

/** Responds with the headers for the origin of a request. A preflight is answered before authentication. */
export async function respondAcrossOrigins(
  head: RequestHead,
  settings: CorsSettings,
  respond: () => Promise<ChunkedReply>,
): Promise<ChunkedReply> {
  const reply = isPreflight(head) ? preflightReply(head, settings) : await respond()
  return withCorsHeaders(reply, head, settings.cors)
}

/** True for the question of a browser whether a page may send a request. It has no credentials. */
const isPreflight = ({ method, header }: RequestHead): boolean =>
  method === 'OPTIONS' && header('origin') !== null && header('access-control-request-method') !== null

/** Returns the answer to a preflight. An origin that is not listed gets it, too, without the permission. */
function preflightReply({ header }: RequestHead, { cors, vary = [] }: CorsSettings): ChunkedReply {
  const allowed = {
    'access-control-allow-methods': methods,
    'access-control-allow-headers': allHeaders([
      ...taken,
      ...vary,
      ...wanted(header('access-control-request-headers')),
    ]),
    ...(cors.maxAge !== undefined && { 'access-control-max-age': String(cors.maxAge) }),
  }
  return {
    status: 204,
    headers: {
      vary: 'Access-Control-Request-Headers',
      ...(allowedOrigin(header('origin'), cors) !== undefined && allowed),
    },
  }
}

/** Returns the names of headers that a page wants to send. Others than ours do nothing here: tracing adds them, and callbacks of the host
 *  may read them. */
const wanted = (names: string | null): readonly string[] =>
  (names ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => token.test(name))

const token = /^[\w!#$%&'*+.^`|~-]{1,100}$/

function allHeaders(names: readonly string[]): string {
  const byName = new Map(names.map((name) => [name.toLowerCase(), name]))
  return [...byName.values()].join(', ')
}

function withCorsHeaders(reply: ChunkedReply, { header }: RequestHead, cors: CorsOptions): ChunkedReply {
  const { vary, ...others } = reply.headers
  const origin = allowedOrigin(header('origin'), cors)
  return {
    ...reply,
    headers: {
      ...others,
      // Also without an origin: a cache must not give a page what a program got.
      vary: vary === undefined ? 'Origin' : `${vary}, Origin`,
      ...(origin !== undefined && {
        'access-control-allow-origin': origin,
        'access-control-expose-headers': exposed,
        ...(cors.credentials && { 'access-control-allow-credentials': 'true' }),
      }),
    },
  }
}

function allowedOrigin(origin: string | null, { origins }: CorsOptions): string | undefined {
  if (origin === null) return undefined
  if (origins.includes('*')) return '*'
  return origins.includes(origin) ? origin : undefined
}

/** Returns the origins whose pages may send forms with credentials. */
export const originsOfForms = ({
  trustedOrigins = [],
  cors,
}: {
  readonly trustedOrigins?: readonly string[] | undefined
  readonly cors?: CorsOptions | undefined
}): readonly string[] => (cors?.credentials ? [...trustedOrigins, ...cors.origins] : trustedOrigins)
