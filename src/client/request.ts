// Sends requests, and reads their answers.

import { EngineError } from '../errors/errors.ts'
import type { Repeatable, Requested } from './addresses.ts'
import { type ApiConnection, type Client, connection } from './connect.ts'
import { doubtOf, faultIn, parsed, unreached } from './failures.ts'
import { checkNames, checkTimeout, type RequestOptions } from './request-options.ts'
import { inTime, pause, type TimeLimit } from './time-limit.ts'

/** The JSON of an answer. */
export interface Envelope {
  readonly data: unknown
  readonly meta?: unknown
}

/** Sends a request, and returns its answer; undefined for one without a body. */
export async function ask(
  client: Client,
  requested: Requested,
  options: RequestOptions,
): Promise<Envelope | undefined> {
  return sendInTime(client, requested, options, async (response) => {
    const text = await reached(response.text(), requested)
    const body = parsed(text)
    if (response.status === 204) return undefined
    if (response.ok && isEnvelope(body)) return body
    throw faultIn(response, text, requested)
  })
}

/** Sends a request whose answer is read as it comes, and returns it if it is of a type. */
export const open = (
  client: Client,
  requested: Requested,
  options: RequestOptions,
  type: RegExp,
): Promise<Response> =>
  sendInTime(client, requested, options, async (response) => {
    if (response.ok && type.test(response.headers.get('content-type') ?? '')) return response
    throw faultIn(response, await reached(response.text(), requested), requested)
  })

async function sendInTime<Result>(
  client: Client,
  requested: Requested,
  options: RequestOptions,
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  const sender = connectionOf(client)
  return inTime(limitOf(sender, options), doubtOf(requested), (signal) =>
    repeated(sender, requested, signal, async () => read(await send(sender, requested, signal))),
  )
}

/** Returns how long a call may take, and the signal that ends it. */
export function limitOf({ timeoutMs }: ApiConnection, options: RequestOptions): TimeLimit {
  checkTimeout(options.timeoutMs)
  return { signal: options.signal, timeoutMs: options.timeoutMs ?? timeoutMs }
}

/** Refuses unknown options of a call. */
export const checkOptions = (options: object, ...more: readonly string[]): void =>
  checkNames(options, ['signal', 'timeoutMs', ...more])

export function connectionOf(client: Client): ApiConnection {
  const found: ApiConnection | undefined = Object(client)[connection]
  if (found) return found
  throw new EngineError('INVALID_OPTIONS', 'The first argument is what connect returns.', { path: ['api'] })
}

const isEnvelope = (body: unknown): body is Envelope => Object(body).data !== undefined

/** Sends a request once, and once more with another token if the server does not take this one. */
async function send(sender: ApiConnection, requested: Requested, signal: AbortSignal): Promise<Response> {
  const token = sender.token.current()
  const response = await sendWith(await token, sender, requested, signal)
  const renewed = response.status === 401 ? sender.token.renewed(token) : undefined
  if (!renewed) return response
  await response.body?.cancel()
  return sendWith(await renewed, sender, requested, signal)
}

function sendWith(
  token: string | null,
  { url, fetch }: ApiConnection,
  requested: Requested,
  signal: AbortSignal,
): Promise<Response> {
  const { method, path, body } = requested
  const headers = {
    ...requested.headers,
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  }
  // A write that is sent on to another address would arrive as a read.
  const redirect = method === 'GET' ? 'follow' : 'manual'
  const request = { method, headers, signal, redirect, ...(body !== undefined && { body }) } as const
  const sent = requested.fetch ? requested.fetch(url + path, request, fetch) : fetch(url + path, request)
  return reached(sent, requested)
}

/** Waits for what breaks with the connection. */
export const reached = <Result>(coming: Promise<Result>, requested: Repeatable): Promise<Result> =>
  coming.catch((cause: unknown) => {
    throw unreached(cause, requested)
  })

/** Milliseconds within which a read is sent again. */
const maxRepeatMs = 30_000

/** Repeats a read where the server was not reached, is overloaded, or says when to come again. */
async function repeated<Result>(
  { retry }: ApiConnection,
  { isRead }: Repeatable,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const end = Date.now() + maxRepeatMs
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const mayRepeat = isRead && tries < retry && !signal.aborted
      const wait = mayRepeat && error instanceof EngineError ? waitBefore(error, tries) : undefined
      if (wait === undefined || Date.now() + wait > end) throw error
      await pause(wait, signal)
    }
  }
}

/** Returns the milliseconds to wait before the next try; undefined if it would be in vain. Clients that were refused together do not come again
 *  together. */
function waitBefore({ code, extensions }: EngineError, tries: number): number | undefined {
  const { retryAfter } = extensions
  const jitter = Math.random() * 250 * 2 ** tries
  if (typeof retryAfter === 'number') return retryAfter * 1_000 + jitter
  return code === 'SERVICE_UNAVAILABLE' ? 50 + jitter : undefined
}
