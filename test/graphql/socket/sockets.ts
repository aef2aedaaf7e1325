// Servers with GraphQL over sockets.

import { createServer } from 'node:http'
import { createGraphQLSocket, type GraphQLSocketOptions } from '../../../src/graphql.ts'
import type { Engine } from '../../../src/index.ts'
import { createFeed, type Feed, type FeedOptions, localSource, toWs } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { portOf } from '../../support/listening.ts'

export interface GraphQLServer {
  readonly url: string
  readonly feed: Feed
  readonly errors: unknown[]
}

export async function openSockets(
  engine: Engine,
  options: GraphQLSocketOptions,
  feedOptions: Partial<FeedOptions> = {},
): Promise<GraphQLServer> {
  const errors: unknown[] = []
  const feed = createFeed(engine, { source: localSource(), settleMs: 1, ...feedOptions })
  const server = createServer()
  const sockets = createGraphQLSocket(feed, { onError: (error) => errors.push(error), ...options })
  await toWs(sockets, server, { path: '/graphql' })
  const port = await portOf(server)
  atEnd(() => feed.stop())
  return { url: `ws://127.0.0.1:${port}/graphql`, feed, errors }
}

/** Waits until so many subscriptions hear of everything. */
export async function subscribed(feed: Pick<Feed, 'status'>, count: number): Promise<void> {
  const isSo = () => feed.status().subscriptions === count && feed.status().oldest === 0
  const end = performance.now() + 60_000
  for (let calm = 0; calm < 5; calm = isSo() ? calm + 1 : 0) {
    if (performance.now() > end) throw new Error(`There are ${feed.status().subscriptions} subscriptions.`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
