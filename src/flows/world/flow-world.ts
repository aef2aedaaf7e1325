// Parts of the host for operations that reach the world outside.
import type { FlowContext } from '../operation-type.ts'
import { type Exchange, exchangeByFetch, exchangeByNode, type FlowFetch } from './exchange.ts'
import type { FlowScript } from './quick-script.ts'
import { type NamedHosts, type OutsideReach, readReach } from './reach.ts'

export interface FlowWorld {
  readonly exchange: Exchange
  readonly sender: FlowSender | undefined
  readonly jwt: JoseModule | undefined
  readonly script: FlowScript | undefined
  /** Returns how far the operations of a flow reach. */
  readonly reachOf: (flow: {
    readonly isRow: boolean
    readonly collection?: string | undefined
  }) => OutsideReach
}

/** Parts of the options of flows that are about the world outside. */
export interface WorldOptions {
  /** Calls servers, in place of connections of the package's own. It then decides which addresses may be called. */
  readonly fetch?: FlowFetch
  /** Hosts that values may name in the addresses of `request`, such as `api.example.com`. By default none: hosts are written out. */
  readonly hosts?: readonly string[]
  /** Sends the messages of `send`, and returns what it answers. */
  readonly send?: FlowSender
  /** The package jose, which signs and reads tokens: `import * as jose from 'jose'`. */
  readonly jwt?: JoseModule
  /** Runs scripts: `quickScript()`. */
  readonly script?: FlowScript
}

/** A message of a flow. */
export interface FlowMessage {
  readonly kind: 'mail' | 'notification'
  /** Addresses or keys, as the definition has them. */
  readonly to: readonly string[]
  readonly subject: string
  readonly body: string
  /** The language of the text. */
  readonly type?: string
}

/** Sends a message. */
export type FlowSender = (message: FlowMessage, context: FlowContext) => unknown

/** The package jose, with what tokens need of it. */
export interface JoseModule {
  readonly SignJWT: new (
    payload: Record<string, unknown>,
  ) => {
    setProtectedHeader(header: { alg: string; typ: string; kid?: string }): {
      sign(key: never): Promise<string>
    }
  }
  jwtVerify(token: string, key: never, options: object): Promise<{ readonly payload: object }>
  decodeJwt(token: string): object
  importPKCS8(pem: string, algorithm: string): Promise<unknown>
  importSPKI(pem: string, algorithm: string): Promise<unknown>
  importX509(pem: string, algorithm: string): Promise<unknown>
}

/** Returns what operations reach the world outside by. */
export function openWorld(
  { fetch, hosts, send, jwt, script }: WorldOptions,
  collections: ReadonlyMap<string, NamedHosts>,
): FlowWorld {
  return {
    sender: send,
    jwt,
    script,
    exchange: fetch ? exchangeByFetch(fetch) : exchangeByNode(),
    reachOf: readReach(hosts, collections),
  }
}
