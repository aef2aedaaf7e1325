// The operation that calls a server.
import { z } from 'zod'
import { defineOperation, type FlowContext } from '../operation-type.ts'
import { badValue, lastingError } from '../reject.ts'
import { followRedirects } from '../world/follow-redirects.ts'
import { controlOf } from './control.ts'

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'SEARCH'] as const
/** Methods that change nothing: whoever is asked twice has done nothing twice. */
const safe: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'SEARCH']

const header = z.strictObject({
  header: z.string().regex(/^[\w!#$%&'*+.^`|~-]{1,256}$/, 'a name of a header has letters, digits and "-"'),
  value: z.union([z.string(), z.number(), z.boolean()]).transform(String),
})

export const request = defineOperation({
  kind: 'outside',
  doc: 'Calls a server on the internet, and answers `{ status, statusText, headers, data }`. From the status 400 on it fails with SERVICE_UNAVAILABLE, with these as `extensions`.',
  options: {
    url: {
      schema: z.string().min(1).max(8_192),
      role: 'url',
      isSecret: true,
      doc: 'The address. Values in it are encoded; a host that comes from a template is one of `hosts`.',
    },
    method: {
      schema: z
        .string()
        .transform((text) => text.toUpperCase())
        .pipe(z.enum(methods))
        .default('GET'),
      doc: `${methods.join(', ')}. By default GET.`,
    },
    headers: {
      schema: z.array(header).max(100).default([]),
      isSecret: true,
      doc: 'A list of `{ header, value }`.',
    },
    body: {
      schema: z.unknown(),
      isSecret: true,
      doc: 'The body: a text as it is, all else as JSON.',
    },
  },
  async run({ url, method, headers, body }, context) {
    const { world, mayFollow, holdsSecret } = controlOf(context)
    const { exchange } = world
    const text = bodyOf(body)
    if (text !== undefined && (method === 'GET' || method === 'HEAD'))
      throw badValue(`A request of the method ${method} has no body.`, ['body'])
    const sent = {
      url,
      method,
      headers: headersOf(headers, method, text, context),
      body: text === undefined ? undefined : Buffer.from(text),
    }
    const answer = await followRedirects(sent, { exchange, mayFollow, holdsSecret, signal: context.signal })
    const { status, statusText, text: answered } = answer
    const result = { status, statusText, headers: answer.headers, data: jsonOr(answered) }
    if (status < 400) return result
    throw lastingError(
      {
        code: 'SERVICE_UNAVAILABLE',
        status: 503,
        message: `The server has answered with the status ${status}.`,
        extensions: result,
      },
      status < 500 && status !== 408 && status !== 429,
    )
  },
})

/** Headers of a connection, which is not the definition's, and the name of the host that is called. */
const notWritten: readonly string[] = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'accept-encoding',
]

function headersOf(
  written: readonly { readonly header: string; readonly value: string }[],
  method: string,
  body: string | undefined,
  { idempotencyKey }: FlowContext,
): Readonly<Record<string, string>> {
  const headers = new Map([
    ['accept', '*/*'],
    ['user-agent', 'quernel'],
  ])
  if (body !== undefined)
    headers.set('content-type', jsonOr(body) === body ? 'text/plain; charset=utf-8' : 'application/json')
  if (idempotencyKey !== undefined && !safe.includes(method)) headers.set('idempotency-key', idempotencyKey)
  const own = new Set<string>()
  for (const [at, { header, value }] of written.entries()) {
    const name = header.toLowerCase()
    const refuse = (says: string) => badValue(says, ['headers', at])
    if (notWritten.includes(name)) throw refuse(`The header "${name}" is not written by a flow.`)
    if (own.has(name)) throw refuse(`The header "${name}" is written twice.`)
    // Line breaks would begin another header.
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw refuse(`The header "${name}" holds a character that no header may have.`)
    own.add(name)
    headers.set(name, value)
  }
  return Object.fromEntries(headers)
}

function bodyOf(body: unknown): string | undefined {
  if (body === undefined || body === null || body === '') return undefined
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** Returns the value of a text that is JSON, and of others the text. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
