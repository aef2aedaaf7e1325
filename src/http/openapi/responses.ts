import { formats } from '../../export/formats.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { headerNamed, responseNamed, schemaNamed } from './component-names.ts'
import type { OpenApiContent, OpenApiHeader, OpenApiReference, OpenApiResponse } from './document.ts'
import { unique } from './item-schema.ts'

export type OperationResponses = Readonly<Record<string, OpenApiResponse | OpenApiReference>>

export const responseHeaders: Readonly<Record<string, OpenApiHeader>> = {
  ETag: { description: 'Identifies the content of the response.', schema: { type: 'string' } },
  'Content-Disposition': {
    description: 'The name of a file.',
    schema: { type: 'string' },
  },
  'Last-Modified': { description: 'When the bytes were stored.', schema: { type: 'string' } },
  'Cache-Control': { description: 'How caches may store them.', schema: { type: 'string' } },
  Vary: {
    description: 'With `format=auto`: the bytes depend on `Accept`.',
    schema: { const: 'Accept' },
  },
  'Content-Range': {
    description: 'The range of the bytes, and their total number.',
    schema: { type: 'string' },
  },
  'X-Truncated': {
    description: 'With `export`: true if a limit has cut the list, or one inside it.',
    schema: { const: 'true' },
  },
}

const headersNamed = (...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, headerNamed(name)]))

export const inJson = (schema: JsonSchema): OpenApiContent => ({ 'application/json': { schema } })

type Properties = Readonly<Record<string, JsonSchema>>

export const objectOf = (required: Properties, others: Properties = {}): JsonSchema => ({
  type: 'object',
  required: Object.keys(required),
  properties: { ...required, ...others },
})

/** Returns the schema of an object that has no other members. */
export const closed = (required: Properties, others?: Properties): JsonSchema => ({
  ...objectOf(required, others),
  additionalProperties: false,
})

const envelope = (data: JsonSchema, meta?: JsonSchema): JsonSchema => objectOf({ data }, meta && { meta })

const listOf = (...items: readonly JsonSchema[]): JsonSchema => ({ type: 'array', items: { anyOf: items } })

export const nothing: OperationResponses = { '204': { description: 'Done, without a body.' } }

/** Returns the response with a list, or with groups; with `export` a file. */
export function list(item: JsonSchema, isExported: boolean): OperationResponses {
  const items = listOf(item, schemaNamed('_group'))
  const reported = envelope(items, schemaNamed('_meta'))
  const files = Object.values(formats).map(({ type }) => {
    const [plain = ''] = type.split(';')
    const isJson = plain === 'application/json'
    return [plain, { schema: isJson ? { anyOf: [reported, items] } : { type: 'string' } }] as const
  })
  return {
    '200': {
      description: 'The items.',
      ...(isExported && { headers: headersNamed('Content-Disposition', 'X-Truncated') }),
      content: isExported ? Object.fromEntries(files) : inJson(reported),
    },
  }
}

/** Returns the response with one item. A version of it may have null anywhere, and in raw form anything. */
export function one(item: JsonSchema, isVersioned: boolean): OperationResponses {
  const others = [schemaNamed('_group'), ...(isVersioned ? [schemaNamed('_draft')] : [])]
  return {
    '200': {
      description: 'The item.',
      content: inJson(envelope({ anyOf: [item, ...others] }, schemaNamed('_meta'))),
    },
  }
}

/** Returns the response with the written items that the caller may see. */
export const written = (...forms: readonly JsonSchema[]): OperationResponses => {
  const [only = {}, ...others] = unique(forms)
  return data('The written items.', others.length === 0 ? only : { anyOf: forms })
}

/** Returns the response with the items of an upsert that the caller may see, and the numbers of those that were created, updated and left. */
export const upserted = (item: JsonSchema): OperationResponses => {
  const count = { type: 'integer', minimum: 0 }
  const meta = objectOf({ created: count, updated: count }, { unchanged: count })
  const schema = objectOf({ data: { anyOf: [item, several(item)] }, meta })
  return { '200': { description: 'The written items.', content: inJson(schema) } }
}

export const data = (description: string, schema: JsonSchema): OperationResponses => ({
  '200': { description, content: inJson(envelope(schema)) },
})

const anything = { '*/*': { schema: { description: 'The bytes.' } } }

const ofBytes = ['ETag', 'Last-Modified', 'Cache-Control', 'Vary']

export const bytes: OperationResponses = {
  '200': {
    description: 'The bytes.',
    headers: headersNamed(...ofBytes, 'Content-Disposition'),
    content: anything,
  },
  '206': {
    description: 'The requested part of the bytes.',
    headers: headersNamed(...ofBytes, 'Content-Disposition', 'Content-Range'),
    content: anything,
  },
}

/** Adds to the responses of a read how it is found unchanged. */
export function withEntityTag({ '200': found, ...others }: OperationResponses): OperationResponses {
  const tagged = found &&
    !('$ref' in found) && { ...found, headers: { ...headersNamed('ETag'), ...found.headers } }
  return { ...(tagged && { '200': tagged }), ...others, '304': responseNamed('unchanged') }
}

export const several = (item: JsonSchema): JsonSchema => ({ type: 'array', items: item })

export const draftSchema: JsonSchema = {
  type: 'object',
  description: 'With `version`: the item with the changes of the version. New related items have no key yet.',
}

const countOf = (word: string): JsonSchema =>
  closed({ [word]: { type: 'integer', minimum: 0 } }, { keys: several({}) })

/** Schemas of a number of items, with their keys if the caller sees them. */
export const countSchemas: Readonly<Record<string, JsonSchema>> = { _updated: countOf('updated') }

export const sharedResponses: Readonly<Record<string, OpenApiResponse>> = {
  deleted: {
    description: 'The number of deleted items, and their keys.',
    content: inJson(envelope(countOf('deleted'))),
  },
  unchanged: { description: 'Not modified.', headers: headersNamed('ETag') },
}

export const deleted: OperationResponses = { '200': responseNamed('deleted'), ...nothing }
