// Description of `GET /schema`.
import type { DescribedRoute } from './describe-operation.ts'

export const schemaRoute: DescribedRoute = {
  path: '/schema',
  methods: { GET: true },
  operations: {
    GET: {
      operationId: 'describeSchema',
      summary: 'Describes the collections and fields that the caller may name, and what they may do there.',
      parameters: [
        {
          name: 'as',
          in: 'query',
          description: 'With `text`, a line for each collection.',
          schema: { type: 'string', enum: ['json', 'text'], default: 'json' },
        },
      ],
      responses: {
        200: {
          description: 'The schema.',
          content: {
            'application/json': {
              schema: { type: 'object', required: ['data'], properties: { data: { type: 'object' } } },
            },
            'text/plain': { schema: { type: 'string' } },
          },
        },
        304: { description: 'Not modified.' },
      },
    },
  },
}
