// What the host has for operations that reach the world outside.
import type { Exchange, FlowFetch } from './exchange.ts'
import { exchangeByFetch, exchangeByNode } from './exchange.ts'
import { type NamedHosts, type OutsideReach, readReach } from './reach.ts'

/** What operations reach the world outside by. */
export interface FlowWorld {
  readonly exchange: Exchange
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
}

/** Returns what operations reach the world outside by. */
export function openWorld(
  { fetch, hosts }: WorldOptions,
  collections: ReadonlyMap<string, NamedHosts>,
): FlowWorld {
  return {
    exchange: fetch ? exchangeByFetch(fetch) : exchangeByNode(),
    reachOf: readReach(hosts, collections),
  }
}
