// Operations that reach the world outside: servers, what sends messages for the host, and what runs scripts for it.
import { z } from 'zod'
import { readJson } from '../chain/chain.ts'
import { defineOperation, type FlowContext } from '../operation-type.ts'
import { badValue, chosenError } from '../reject.ts'
import { controlOf } from '../run/run-operation.ts'
import { followRedirects } from '../world/follow-redirects.ts'
import { mayGetSecrets } from '../world/reach.ts'

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'SEARCH'] as const
/** Methods that change nothing, so that a repeated request does no harm. */
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
    const { run, operation } = controlOf(context)
    const { parts, reach } = run.start
    const text = bodyOf(body)
    if (text !== undefined && (method === 'GET' || method === 'HEAD'))
      throw badValue(`A request of the method ${method} has no body.`, ['body'])
    const sent = {
      url,
      method,
      headers: headersOf(headers, method, text, context),
      body: text === undefined ? undefined : Buffer.from(text),
    }
    const answer = await followRedirects(sent, {
      exchange: parts.world.exchange,
      mayFollow: (origin) => mayGetSecrets(operation, reach, origin),
      holdsSecret: (text) => parts.redact(text) !== text,
      signal: context.signal,
    })
    const { status, statusText, text: answered } = answer
    const result = { status, statusText, headers: answer.headers, data: readJson(answered) }
    if (status < 400) return result
    throw chosenError(
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
  ...[
    'connection',
    'content-length',
    'expect',
    'host',
    'keep-alive',
    'proxy-authorization',
    'proxy-connection',
  ],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'accept-encoding'],
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
    headers.set('content-type', readJson(body) === body ? 'text/plain; charset=utf-8' : 'application/json')
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

// A line break would begin another header of a mail.
const line = z
  .string()
  .min(1)
  .max(998)
  .regex(/^[^\p{Cc}\u2028\u2029]*$/u, 'it is one line')
const recipient = z.union([line, z.number().transform(String)])
const mostRecipients = 1_000

export const send = defineOperation({
  kind: 'outside',
  doc: 'Hands a message to `send` of the host, and answers what that returns.',
  options: {
    kind: {
      schema: z.enum(['mail', 'notification']).default('mail'),
      doc: '`mail` or `notification`. By default a mail.',
    },
    to: {
      schema: z.union([recipient.transform((one) => [one]), z.array(recipient).min(1).max(mostRecipients)]),
      doc: `Whom it is for: an address or a key, or a list of ${mostRecipients.toLocaleString('en')} at most.`,
    },
    subject: { schema: line, doc: 'Its subject: one line.' },
    body: { schema: z.string().default(''), doc: 'Its text.' },
    type: {
      schema: z.string().min(1).max(64).optional(),
      doc: 'The language of its text, such as `markdown`, as the host knows it.',
    },
  },
  run({ kind, to, subject, body, type }, context) {
    const { sender } = controlOf(context).run.start.parts.world
    if (!sender) throw badValue('This host has no function that sends messages.')
    return sender({ kind, to, subject, body, ...(type !== undefined && { type }) }, context)
  },
})

const longestCode = 100_000

export const script = defineOperation({
  kind: 'outside',
  doc: 'Runs a script, and answers what the function returns that it sets `module.exports` to: `module.exports = async (data) => data.$trigger.n + 1`. It gets the data chain without secrets, and reaches nothing else.',
  options: {
    code: {
      schema: z.string().min(1).max(longestCode),
      role: 'program',
      doc: `The script, of ${longestCode.toLocaleString('en')} characters at most. No template stands in it.`,
    },
  },
  run({ code }, context) {
    const { start, chain } = controlOf(context).run
    const { script: runner } = start.parts.world
    if (!runner) throw badValue('This host has no script engine.')
    return runner.run(code, chain.all, context.signal)
  },
})
