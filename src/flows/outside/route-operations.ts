// Descriptions of the routes of flows, for the OpenAPI document.
import type { MountOperation } from '../../http/mounts/mount.ts'

const tags = ['flows']

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Key of the request, up to 255 characters: sent again, it starts nothing, and gets the same answer.',
  schema: { type: 'string', maxLength: 255 },
} as const

/** Response about a run, with members of its own. */
const runContent = (more: object) => ({
  'application/json': {
    schema: {
      type: 'object',
      required: ['id', 'state'],
      properties: { id: { type: 'string' }, state: { type: 'string' }, ...more },
    },
  },
})

const responses: MountOperation['responses'] = {
  200: { description: 'What the flow returns.', content: { 'application/json': { schema: {} } } },
  202: {
    description: 'The run has not ended yet: its id and state. `Location` says where to look for it.',
    content: runContent({}),
  },
  204: { description: 'The flow returns nothing.' },
}

export const routeOperations = {
  trigger: {
    GET: { operationId: 'open_flow', summary: 'Start a public flow.', tags, responses },
    POST: {
      operationId: 'start_flow',
      summary: 'Start a flow.',
      description: 'A flow of a user takes `{ "collection", "keys" }`, a webhook whatever it was made for.',
      tags,
      parameters: [idempotencyKey],
      requestBody: {
        required: false,
        content: {
          'application/json': { schema: {} },
          'application/x-www-form-urlencoded': { schema: { type: 'object' } },
          'text/plain': { schema: { type: 'string' } },
        },
      },
      responses,
    },
  },
  run: {
    GET: {
      operationId: 'read_run',
      summary: 'Read what has become of a run.',
      tags,
      responses: {
        200: {
          description: 'Its id and state, and once it has ended what the flow returns, or its errors.',
          content: runContent({ result: {}, errors: { type: 'array', items: { type: 'object' } } }),
        },
      },
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, MountOperation>>>>
