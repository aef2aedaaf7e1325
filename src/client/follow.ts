// A list that is watched over an event stream, which goes on from its last message when its connection is lost.

import { type EngineError, type ErrorCode, failure, isEngineError } from '../errors/errors.ts'
import type { FeedMessage } from '../realtime/messages.ts'
import { longestQuery, type Requested, withQuery } from './addresses.ts'
import type { Client } from './connect.ts'
import { ownFailure, parsed, unreached } from './failures.ts'
import { jsonOf, parametersOf } from './json.ts'
import { linesOf } from './lines.ts'
import type { WatchedList } from './live-types.ts'
import { connectionOf, send } from './request.ts'
import { pause } from './time-limit.ts'

/** Milliseconds after which a silent stream is given up. A server shows every 15 s that it is alive. */
const silenceMs = 40_000
const maxPauseMs = 30_000

/** Yields the messages of a list until the signal is aborted. What would fail again throws. `notify`: called when the list is as it was,
 *  and with the error when its connection is lost. */
export async function* follow(
  api: Client,
  list: WatchedList,
  signal: AbortSignal,
  notify: (lost?: EngineError) => void,
): AsyncGenerator<FeedMessage, undefined, undefined> {
  const now = { ...list, query: parametersOf(list.query) }
  for (let tries = 0; !signal.aborted; tries++) {
    let lost = unreached('The stream has ended.')
    try {
      for await (const message of messagesOf(api, now, signal)) {
        if (message) {
          // Behind a reset there is nothing to go on from.
          now.token = message.kind === 'reset' ? undefined : message.token
          yield message
        } else if (message === undefined && !signal.aborted) notify()
        tries = 0
      }
    } catch (error) {
      if (signal.aborted) break
      if (!isEngineError(error) || !mayPass(error)) throw error
      lost = error.code === 'OUT_OF_TIME' ? silent(error) : error
    }
    if (signal.aborted) break
    notify(lost)
    await pause(Math.min(maxPauseMs, 1_000 * 2 ** tries) * (0.5 + Math.random() / 2), signal)
  }
  return undefined
}

const mayPass = ({ code, extensions }: EngineError): boolean =>
  code === 'SERVICE_UNAVAILABLE' || code === 'OUT_OF_TIME' || extensions.isRenewable === true

const silent = (cause: EngineError) =>
  failure('OUT_OF_TIME', 'Nothing came for 40 s. Does a proxy hold event streams back?', {
    status: 408,
    cause,
  })

/** Yields the messages of one stream, undefined where it shows that the list is as it was, and null where it is alive. */
async function* messagesOf(
  api: Client,
  list: WatchedList,
  signal: AbortSignal,
): AsyncGenerator<FeedMessage | undefined | null, void, undefined> {
  const there = connectionOf(api)
  const { streams = 0, socket = streams > 3 } = there
  if (socket) {
    // Without its file there is no socket.
    const file = await import('./socket.ts').catch(() => undefined)
    const opened = await file?.socketOf(there, api.url, signal)
    if (opened && (yield* opened.messages(list, signal))) return
  }
  const options = { signal, timeoutMs: silenceMs }
  there.streams = (there.streams ?? 0) + 1
  try {
    const response = await send<Response>(api, requestOf(list), options, /event-stream/)
    let event: Record<string, string> = {}
    for await (const line of linesOf(api, response, options)) {
      const [, name, text = ''] = /^(event|id|data): ?(.*)/.exec(line) ?? []
      if (name) event[name] = text
      else if (line) yield null
      // A part that is cut off has no empty line behind it, and is no event.
      if (line.trim() !== '') continue
      yield messageOf(event)
      event = {}
    }
  } finally {
    there.streams -= 1
  }
}

function messageOf({
  event: kind,
  id: token,
  data = '',
}: Partial<Record<string, string>>): FeedMessage | undefined {
  if (kind !== 'snapshot' && kind !== 'changes' && kind !== 'reset' && kind !== 'failed') return undefined
  const body = parsed(data)
  if (kind === 'failed' || typeof body !== 'object') throw failureOf(body)
  // The server sends messages of this kind.
  return { kind, ...body, ...(token && { token }) } as FeedMessage
}

/** Returns the error by which a server ends a stream. A token that has ended may be renewed. */
function failureOf(body: unknown): EngineError {
  const error = ownFailure(body, 500) ?? unreached(body)
  const status = statuses[error.code] ?? error.status
  return Object.assign(error, { status, ...(status === 401 && { extensions: { isRenewable: true } }) })
}

const statuses: { readonly [Code in ErrorCode]?: number } = {
  INVALID_CREDENTIALS: 401,
  TOKEN_EXPIRED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  SERVICE_UNAVAILABLE: 503,
}

function requestOf({ collection, query, membership, token }: WatchedList): Requested {
  const path = `/live/${encodeURIComponent(collection)}`
  const address = withQuery(path, { ...query, membership })
  const headers = token === undefined ? {} : { 'last-event-id': token }
  return address.length - path.length > longestQuery
    ? { method: 'SEARCH', path, body: jsonOf({ query, membership }), headers, isRead: true }
    : { path: address, headers }
}
