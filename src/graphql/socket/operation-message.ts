// Messages of the protocol graphql-transport-ws.

import { type Credentials, credentialTexts } from '../../realtime/socket/socket-credentials.ts'
import { isRecord, parseJson } from '../../values/guards.ts'

export const protocolName = 'graphql-transport-ws'

export type ClientMessage =
  | { readonly type: 'connection_init'; readonly credentials: Credentials }
  | { readonly type: 'ping'; readonly answer: string }
  | { readonly type: 'pong' }
  | { readonly type: 'complete'; readonly id: string }
  | SubscribeMessage

/** A message that asks for an operation, not checked yet. */
export interface SubscribeMessage {
  readonly type: 'subscribe'
  readonly id: string
  /** Reads the request. It waits as text, for what it means takes many times as much memory. */
  readonly payload: () => Readonly<Record<string, unknown>>
}

export function readClientMessage(text: string): ClientMessage | undefined {
  const message = parseJson(text)
  if (!isRecord(message)) return undefined
  const { type, id, payload } = message
  switch (type) {
    case 'connection_init':
      return payload === undefined || payload === null || isRecord(payload)
        ? { type, credentials: credentialTexts(payload ?? {}) }
        : undefined
    case 'ping':
      return pingOf(payload)
    case 'pong':
      return { type }
    case 'subscribe':
      return isId(id) && isRecord(payload) ? { type, id, payload: () => payloadIn(text) } : undefined
    case 'complete':
      return isId(id) ? { type, id } : undefined
    default:
      return undefined
  }
}

function payloadIn(text: string): Readonly<Record<string, unknown>> {
  const message = parseJson(text)
  return isRecord(message) && isRecord(message.payload) ? message.payload : {}
}

/** Returns a ping with its answer; undefined for one that nests too deep to be answered. */
function pingOf(payload: unknown): ClientMessage | undefined {
  try {
    return { type: 'ping', answer: JSON.stringify({ type: 'pong', payload }) }
  } catch {
    return undefined
  }
}

const isId = (id: unknown): id is string => typeof id === 'string' && id !== ''

export const asksForProtocol = ({ headers }: Request): boolean =>
  (headers.get('sec-websocket-protocol') ?? '').split(',').some((name) => name.trim() === protocolName)

export const closings = {
  invalid: { code: 4400, reason: 'Invalid message received' },
  unauthorized: { code: 4401, reason: 'Unauthorized' },
  forbidden: { code: 4403, reason: 'Forbidden' },
  expired: { code: 4403, reason: 'The token has expired.' },
  otherProtocol: { code: 4406, reason: 'Subprotocol not acceptable' },
  initTimeout: { code: 4408, reason: 'Connection initialisation timeout' },
  subscriberExists: { code: 4409, reason: 'Subscriber already exists' },
  tooManyInits: { code: 4429, reason: 'Too many initialisation requests' },
  flood: { code: 1008, reason: 'This socket sends too much.' },
  unavailable: { code: 1013, reason: 'It is not known now what this caller may see.' },
} as const satisfies Readonly<Record<string, { readonly code: number; readonly reason: string }>>
export type Closing = keyof typeof closings
