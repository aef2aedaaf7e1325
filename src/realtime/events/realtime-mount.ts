// Lists that stay true as server-sent events: a mount of the handler.

import type { Engine } from '../../engine/engine.ts'
import type { Outgoing } from '../../http/messages.ts'
import type {
  Mount,
  MountFactory,
  MountOperation,
  MountRequest,
  MountRoute,
} from '../../http/mounts/mount.ts'
import type { Schema } from '../../schema/model.ts'
import { anyFeed, coreOf, type Feed } from '../create-feed.ts'
import { eventStream } from './event-stream.ts'
import { type LiveRequest, openEvents, readBody, readQueryString, refuseEvents } from './live-request.ts'

/** Serves the lists of a feed as server-sent events at `/live/:collection`. A function returns the feed of an engine, for a handler with several.
 *  @example const feed = createFeed(engine, { source: localSource() })
 *  const handler = createHandler(engine, { authenticate: () => ({ admin: true }), mounts: [realtime(feed)] })
 *  const { headers, body } = await handler(new Request('http://localhost/live/tags?fields=name'))
 *  headers.get('content-type') // → 'text/event-stream; charset=utf-8'
 *  await body?.cancel()
 *  await feed.stop() */
export function realtime<S extends Schema>(feed: Feed<S>): Mount
export function realtime<S extends Schema>(feedOf: (engine: Engine) => Feed<S>): MountFactory
export function realtime<S extends Schema>(
  feed: Feed<S> | ((engine: Engine) => Feed<S>),
): Mount | MountFactory {
  if (typeof feed === 'function') return (engine) => mountOf(anyFeed(feed(engine)))
  return mountOf(anyFeed(feed))
}

function mountOf(feed: Feed): Mount {
  const { host } = coreOf(feed)
  return { engine: host, routes: () => [liveRoute(feed)] }
}

const responses = {
  200: {
    description: 'Events: "snapshot", "changes", "reset" and "failed", each with JSON.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  },
} as const

const shared = { tags: ['realtime'], responses }

/** The routes as OpenAPI describes them. */
const liveOperations: Readonly<Record<'GET' | 'SEARCH', MountOperation>> = {
  GET: {
    ...shared,
    operationId: 'watchItems',
    summary: 'Watch a list of items: its items, and every change of them',
    parameters: [
      {
        name: 'membership',
        in: 'query',
        description: 'Which items are reported: those of the page, or all that match the filter.',
        schema: { type: 'string', enum: ['page', 'match'], default: 'page' },
      },
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'The id of the last event: only what has changed since is sent.',
        schema: { type: 'string' },
      },
    ],
  },
  SEARCH: {
    ...shared,
    operationId: 'watchItemsByBody',
    summary: 'Watch a list of items by a query of any length',
    requestBody: {
      required: false,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              query: { type: 'object' },
              membership: { type: 'string', enum: ['page', 'match'], default: 'page' },
            },
            additionalProperties: false,
          },
        },
      },
    },
  },
}

const liveRoute = (feed: Feed): MountRoute => ({
  path: '/live/:collection',
  part: 'live',
  methods: {
    GET: (engine, request) => answer(feed, engine, request, readQueryString(request, engine)),
    SEARCH: async (engine, request) => answer(feed, engine, request, await readBody(request, engine)),
  },
  operations: liveOperations,
})

async function answer(
  feed: Feed,
  engine: Engine,
  request: MountRequest,
  watched: LiveRequest,
): Promise<Outgoing> {
  if (request.method === 'HEAD') {
    refuseEvents(feed, engine, watched)
    return { status: 200, headers }
  }
  const events = await openEvents(feed, engine, request, watched)
  return { status: 200, headers, body: eventStream(events, request.report) }
}

/** Headers by which proxies keep nothing of a stream, make nothing else of it, and hold nothing back. */
const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}
