import type { EngineError } from '../errors/errors.ts'
import type { Requested } from './addresses.ts'
import { type ApiConnection, type Client, connection } from './connect.ts'
import { doubtOf, failureIn, parsed, unreached } from './failures.ts'
import { positive, type RequestOptions, refuseOptions, wrongOption } from './request-options.ts'
import { inTime, pause, type TimeLimit } from './time-limit.ts'

/** Sends a request, and returns the data of its answer, whose type the caller says; undefined for one without a body. */
export const ask = async <Data>(api: Client, requested: Requested, options?: RequestOptions): Promise<Data> =>
  (await send<{ readonly data: Data }>(api, requested, options)).data

export function connectionOf(api: Client): ApiConnection {
  const found: ApiConnection | undefined = Object(api)[connection]
  if (found) return found
  throw wrongOption('api', 'The first argument is what connect returns.')
}

/** Returns how long a call may take, and the signal that ends it. */
export function limitOf(api: Client, options: RequestOptions = {}): TimeLimit {
  const { signal, timeoutMs = connectionOf(api).timeoutMs, ...others } = options
  refuseOptions(others)
  return { signal, timeoutMs: positive(timeoutMs) }
}

/** Sends a request: once more with another token if the server does not take this one, and a read again where the server was not reached, is
 *  overloaded, or says when to come again. Returns the JSON of its answer, whose type the caller says: what the same verb returns there; or with
 *  `type`, for an answer that is read as it comes, the response if it is of this type. */
export async function send<Answer>(
  api: Client,
  requested: Requested,
  options?: RequestOptions,
  type?: RegExp,
): Promise<Answer> {
  const { retry, token } = connectionOf(api)
  const doubt = doubtOf(requested)
  // The time within which a read is sent again.
  const end = Date.now() + 30_000
  return inTime(limitOf(api, options), doubt, async (signal) => {
    let isRenewed = false
    for (let tries = 0; ; tries++) {
      const own = token()
      const init = initOf(requested, await own, signal)
      try {
        return (await sendOnce(api, requested, init, type)) as Answer
      } catch (cause) {
        const error = cause as EngineError // it throws no other
        isRenewed = error.status === 401 && !isRenewed && token(own) !== undefined
        if (isRenewed) continue
        const wait = waitBefore(error, tries)
        if (doubt.mayBeStored || tries >= retry || !(Date.now() + wait < end)) throw error
        await pause(wait, signal)
        signal.throwIfAborted()
      }
    }
  })
}

/** Returns the milliseconds to wait before the next try; NaN if it would be in vain. Clients that were refused together do not come again
 *  together. */
function waitBefore({ code, extensions }: EngineError, tries: number): number {
  const seconds = extensions.retryAfter ?? (code === 'SERVICE_UNAVAILABLE' ? 0.05 : undefined)
  return Number(seconds) * 1_000 + Math.random() * 250 * 2 ** tries
}

const initOf = (
  { method = 'GET', headers, body }: Requested,
  token: string | null | undefined,
  signal: AbortSignal,
): RequestInit => ({
  method,
  body: body ?? null,
  headers: {
    ...headers,
    ...(token && { authorization: `Bearer ${token}` }),
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
  },
  // A write that is sent on to another address would arrive as a read.
  redirect: method === 'GET' ? 'follow' : 'manual',
  signal,
})

async function sendOnce(
  api: Client,
  requested: Requested,
  init: RequestInit,
  type?: RegExp,
): Promise<unknown> {
  let response: Response
  let text: string
  try {
    response = await connectionOf(api).fetch(api.url + requested.path, init)
    if (response.ok && type?.test(response.headers.get('content-type') ?? '')) return response
    text = await response.text()
  } catch (cause) {
    throw unreached(cause, doubtOf(requested))
  }
  const body = Object(parsed(text))
  if (!type && (response.status === 204 || (response.ok && body.data !== undefined))) return body
  throw failureIn(response, text, body, requested)
}
