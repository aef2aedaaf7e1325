import {
  callback,
  checkOptions,
  flag,
  list,
  type OptionKind,
  optionNames,
} from '../../errors/check-options.ts'
import { reporter } from '../../execution/report-errors.ts'
import { checkOrigins } from '../../http/cors.ts'
import { requireAuthenticate } from '../../http/handler-options.ts'
import { limitsOf, record } from '../feed/feed-options.ts'
import type { SocketLimits, SocketMode, SocketOptions } from './socket-handler.ts'

export interface SocketSettings extends Omit<SocketOptions, 'limits' | 'onError'> {
  readonly mode: SocketMode
  readonly origins: readonly string[]
  readonly trustProxy: boolean
  readonly urlTokens: boolean
  readonly limits: Required<SocketLimits>
  readonly onError: (error: unknown) => void
}

const modes: readonly unknown[] = ['handshake', 'public', 'strict'] satisfies readonly SocketMode[]
const mode: OptionKind = {
  says: 'is "handshake", "public" or "strict"',
  holds: (input) => modes.includes(input),
}

export const socketKinds = {
  authenticate: callback,
  mode,
  origins: list,
  trustProxy: flag,
  urlTokens: flag,
  login: callback,
  limits: record,
  onError: callback,
}
const socketOptions = optionNames<SocketOptions>(socketKinds)

const usualLimits: Required<SocketLimits> = {
  sockets: 20_000,
  unnamed: 10_000,
  subscriptions: 100,
  messageBytes: 65_536,
  messages: 500,
  messagesPerSecond: 50,
}

/** Checks the options of sockets. `onError`: that of the feed. */
export function socketSettings(options: SocketOptions, onError: (error: unknown) => unknown): SocketSettings {
  checkOptions(options, socketOptions)
  const limits = limitsOf(options.limits, usualLimits)
  requireAuthenticate(options)
  checkOrigins({ origins: options.origins ?? [] }, ['origins'])
  const { authenticate, login, onError: hears = onError } = options
  return {
    authenticate,
    ...(login && { login }),
    mode: options.mode ?? 'handshake',
    origins: options.origins ?? [],
    trustProxy: options.trustProxy ?? false,
    urlTokens: options.urlTokens ?? false,
    onError: reporter(hears),
    limits,
  }
}
