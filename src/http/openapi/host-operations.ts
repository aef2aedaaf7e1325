// Descriptions of what stands beside items: the schema, and the paths that the host allows by its options.
import { actions } from '../../access/access.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import type { HostPath } from '../overview/host-routes.ts'
import { mostSeconds } from '../signed/signed-address.ts'
import { headerNamed } from './component-names.ts'
import type { DescribedRoute } from './describe-operation.ts'
import { otherParameters } from './query-parameters.ts'
import { closed, inJson, objectOf, several } from './responses.ts'

const text: JsonSchema = { type: 'string' }
const texts = several(text)
const flag: JsonSchema = { type: 'boolean' }
const byName = (additionalProperties: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties })
const answer = (data: JsonSchema) => inJson(objectOf({ data }))

const oneOrTexts: JsonSchema = { anyOf: [text, texts] }

const fieldSchema = objectOf(
  { type: text },
  {
    ...Object.fromEntries(['array', 'nullable', 'conceal'].map((name) => [name, { const: true }])),
    ...Object.fromEntries(['note', 'from', 'through', 'may'].map((name) => [name, text])),
    ...{ values: texts, references: texts, to: oneOrTexts, by: oneOrTexts },
  },
)

const collectionSchema = objectOf(
  { may: text, fields: byName(fieldSchema) },
  { key: texts, singleton: { const: true }, versioned: { const: true }, note: text },
)

const etag = { ETag: headerNamed('ETag') }

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
        otherParameters.ifNoneMatch,
      ],
      responses: {
        200: {
          description: 'The schema.',
          headers: etag,
          content: {
            ...answer(objectOf({ installed: byName(text), collections: byName(collectionSchema) })),
            'text/plain': { schema: text },
          },
        },
        304: { description: 'Not modified.', headers: etag },
      },
    },
  },
}

const explanation = objectOf(
  { sql: text, parameters: several({}), plan: { type: 'object' } },
  { reader: { const: true }, because: text, databasePlan: texts },
)

const rule = objectOf(
  { fields: texts },
  Object.fromEntries(['filter', 'validation', 'presets'].map((name) => [name, { type: 'object' }])),
)

const rights = objectOf(
  { allowed: flag, fields: byName({ enum: ['always', 'sometimes'] }), rules: several(rule) },
  { refused: texts },
)

/** Paths that a handler has by its options. */
export const hostRoutes: Readonly<Record<HostPath, DescribedRoute>> = {
  explain: posted('explain', 'Explains how a query runs, or with an action what the caller may do.', {
    body: {
      anyOf: [
        closed({ collection: text }, { query: { type: 'object' }, database: flag }),
        closed({ collection: text, action: { enum: actions } }),
      ],
    },
    data: { anyOf: [explanation, rights] },
  }),
  sign: posted('sign', 'Signs a path, which GET answers without a token then, by the rights of the caller.', {
    body: closed(
      { path: { type: 'string', description: 'The path below the prefix, with its query.' } },
      { seconds: { type: 'integer', minimum: 1, maximum: mostSeconds, default: 60 } },
    ),
    data: objectOf({ path: text, expires: { type: 'string', format: 'date-time' } }),
  }),
}

function posted(
  operationId: HostPath,
  summary: string,
  { body, data }: { readonly body: JsonSchema; readonly data: JsonSchema },
): DescribedRoute {
  const requestBody = { required: true, content: inJson(body) }
  const responses = { 200: { description: 'The answer.', content: answer(data) } }
  const POST = { operationId, summary, requestBody, responses }
  return { path: `/${operationId}`, methods: { POST: true }, operations: { POST } }
}
