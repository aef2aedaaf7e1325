// The routes of lists that stay true, as OpenAPI describes them.

import type { MountOperation } from '../../http/mounts/mount.ts'

const responses = {
  200: {
    description: 'Events: "snapshot", "changes", "reset" and "failed", each with JSON.',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  },
} as const

const shared = { tags: ['realtime'], responses }

export const liveOperations: Readonly<Record<'GET' | 'SEARCH', MountOperation>> = {
  GET: {
    ...shared,
    operationId: 'watchItems',
    summary: 'Watch a list of items: its items, and every change of them',
    parameters: [
      {
        name: 'membership',
        in: 'query',
        description: 'Which items are told: those of the page, or all that match the filter.',
        schema: { type: 'string', enum: ['page', 'match'], default: 'page' },
      },
      {
        name: 'Last-Event-ID',
        in: 'header',
        description: 'The id of the last event: what has changed since is told.',
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
