// Parameters of queries, each as a component, and the parameters of each kind of operation.
import { formats } from '../../export/formats.ts'
import { shaping } from '../../items/read/answer-shape.ts'
import { idle, refining } from '../../items/selector.ts'
import { refused } from '../../prepared/limits/unsupported-parameters.ts'
import type { Limits } from '../../query/limits.ts'
import { type MetaName, metaNames } from '../../query/meta.ts'
import { isParameter, type ParameterName, parameters, rootOnly } from '../../query/parameters.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { aggregateDocs } from '../../vocabulary/docs.ts'
import { componentName, parameterNamed, schemaNamed } from './component-names.ts'
import type { OpenApiParameter, OpenApiReference } from './document.ts'

interface ParameterRow {
  readonly doc: string
  /** Form of the parameter. `names`: comma text. `json`: JSON text; brackets mean the same. */
  readonly form?: 'names' | 'json'
  /** Absent = any value of its form. */
  readonly schema?: (limits: Limits) => JsonSchema
}

const namesUpTo = (maxItems?: number): JsonSchema => ({
  type: 'array',
  items: { type: 'string' },
  ...(maxItems !== undefined && { maxItems }),
})
const byForm = { names: namesUpTo(), json: { type: 'object' }, plain: { type: 'string' } }
const finite = (max: number) => (Number.isFinite(max) ? { maximum: max } : {})
const flag = () => ({ type: 'boolean' })

const described: Readonly<Record<ParameterName, ParameterRow>> = {
  fields: {
    doc: 'Fields of the result: names, `*`, names of related items with dots, and functions of fields.',
    form: 'names',
  },
  filter: { doc: 'Conditions on the items.', form: 'json' },
  search: { doc: 'A text that one of the text fields has to contain.' },
  sort: {
    doc: 'Names of fields; `-` before one is descending.',
    form: 'names',
    schema: ({ sorts }) => namesUpTo(sorts),
  },
  limit: {
    doc: 'Maximum number of items; -1 is as many as allowed.',
    schema: ({ defaultLimit, maxLimit }) => ({
      type: 'integer',
      minimum: -1,
      ...finite(maxLimit),
      default: Math.min(defaultLimit, maxLimit),
    }),
  },
  offset: { doc: 'Number of items to skip.', schema: () => ({ type: 'integer', minimum: 0 }) },
  page: {
    doc: 'Page of `limit` items, from 1; not together with `offset`.',
    schema: () => ({ type: 'integer', minimum: 1 }),
  },
  after: {
    doc: 'Cursor of the item after which the page begins, as `meta=cursors` or `fields=$cursor` gives it; not together with `offset` or `page`.',
  },
  before: { doc: 'Cursor of the item before which the page ends; not together with `after`.' },
  aggregate: {
    doc: 'Names of fields by aggregate. The result has groups instead of items.',
    form: 'json',
    schema: () => ({
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(aggregateDocs).map(([name, doc]) => [
          name,
          { ...inLevel(namesUpTo()), description: doc },
        ]),
      ),
      additionalProperties: false,
    }),
  },
  groupBy: {
    doc: 'Fields, functions of fields, or aliases to group by.',
    form: 'names',
    schema: ({ groups }) => namesUpTo(groups),
  },
  having: {
    doc: 'Conditions on groups: on aggregates by their names, such as `{ "count": { "_gt": 1 } }`.',
    form: 'json',
  },
  deep: {
    doc: 'Parameters for related items, with an underscore, by the name of their relation or alias.',
    form: 'json',
    schema: () => schemaNamed('_deep'),
  },
  alias: {
    doc: 'New names, each with its field. One that is named like a field replaces it.',
    form: 'json',
    schema: () => ({ type: 'object', additionalProperties: { type: 'string' } }),
  },
  export: {
    doc: 'Returns a file of this format.',
    schema: () => ({ type: 'string', enum: Object.keys(formats) }),
  },
  meta: {
    doc: 'Numbers about the list, such as its total count; `*` is all of them.',
    form: 'names',
    schema: () => ({ type: 'array', items: { type: 'string', enum: ['*', ...metaNames] } }),
  },
  backlink: {
    doc: 'With false, `*` does not follow a relation back to where it came from.',
    schema: flag,
  },
  version: { doc: 'The version of the item to read.' },
  versionRaw: {
    doc: 'With true, the changes of the version are returned as they were saved.',
    schema: flag,
  },
}

function schemaOf(name: ParameterName, limits: Limits): JsonSchema {
  const { form = 'plain', schema } = described[name]
  return schema?.(limits) ?? byForm[form]
}

const names: readonly ParameterName[] = Object.keys(parameters).filter(isParameter)

/** Returns the parameters that all collections share. Filters differ. */
export function parameterComponents(limits: Limits): Readonly<Record<string, OpenApiParameter>> {
  const shared = names.filter((name) => name !== 'filter')
  return {
    ...Object.fromEntries(shared.map((name) => [name, parameterOf(name, schemaOf(name, limits))])),
    ...otherParameters,
  }
}

export const otherParameters = {
  ifMatch: textParameter('If-Match', 'Changes the item only if it still has this ETag.'),
  ifNoneMatch: textParameter('If-None-Match', 'Returns 304 if the response still has this ETag.'),
  ifModifiedSince: textParameter('If-Modified-Since', 'Returns 304 if the bytes are not newer.'),
  prefer: textParameter(
    'Prefer',
    'With return=representation, the response to a deletion or an update by query has the number of items and their keys.',
  ),
  range: textParameter('Range', 'Requests a part of the bytes, such as bytes=0-99.'),
  ifRange: textParameter('If-Range', 'Returns all bytes if they no longer have this ETag or date.'),
  download: textParameter('download', 'Downloads the file instead of showing it, with any value.', 'query'),
  on: {
    name: 'on',
    in: 'query',
    description:
      'Names of fields that are unique together, by whose values an item is found. By default the key.',
    style: 'form',
    explode: false,
    schema: namesUpTo(),
  },
  where: {
    name: 'where',
    in: 'query',
    description:
      'Conditions under which an item that exists is updated, in JSON text or brackets; one that does not meet them is left as it is. Needs `on`.',
    content: { 'application/json': { schema: { type: 'object' } } },
  },
  filename: { ...textParameter('filename', 'The name of the downloaded file.', 'path'), required: true },
} as const satisfies Readonly<Record<string, OpenApiParameter>>

function textParameter(
  name: string,
  description: string,
  place: OpenApiParameter['in'] = 'header',
): OpenApiParameter {
  return { name, in: place, description, schema: byForm.plain }
}

export function parameterOf(name: ParameterName, schema: JsonSchema): OpenApiParameter {
  const { doc, form } = described[name]
  const own = { name, in: 'query', description: doc } as const
  if (form === 'json')
    return {
      ...own,
      description: `${doc} JSON text, or brackets.`,
      content: { 'application/json': { schema } },
    }
  return form === 'names' ? { ...own, style: 'form', explode: false, schema } : { ...own, schema }
}

export function deepSchema(limits: Limits): JsonSchema {
  const own = names.filter((name) => !Object.hasOwn(rootOnly, name))
  return {
    type: 'object',
    properties: inLevels(own, limits, '_'),
    additionalProperties: schemaNamed('_deep'),
  }
}

/** Inside JSON a value may still be given as text. */
const inLevel = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, byForm.plain] })

const inLevels = (all: readonly ParameterName[], limits: Limits, prefix = '') =>
  Object.fromEntries(all.map((name) => [`${prefix}${name}`, inLevel(schemaOf(name, limits))]))

/** Returns the schema of a query in a body that selects items. */
export function choiceSchema(filter: JsonSchema, limits: Limits): JsonSchema {
  const others = choosing.filter((name) => name !== 'filter')
  return {
    type: 'object',
    properties: { filter, ...inLevels(others, limits) },
    additionalProperties: false,
  }
}

const choosing = [...refining, ...idle].filter(isParameter)

const without = (words: object, ...but: readonly ParameterName[]) =>
  names.filter((name) => !Object.hasOwn(words, name) || but.includes(name))
const ofVersions: readonly ParameterName[] = ['version', 'versionRaw']
const single = without(refused.single)

/** Parameters of each kind of operation. */
export const taken = {
  list: without(refused.list, 'export'),
  ownList: without(refused.list),
  one: single.filter((name) => !ofVersions.includes(name)),
  versioned: single,
  written: names.filter((name) => shaping.has(name)),
  chosen: choosing,
} as const satisfies Readonly<Record<string, readonly ParameterName[]>>

export function queryOf(kind: keyof typeof taken, collection: string): readonly OpenApiReference[] {
  return taken[kind].map((name) =>
    parameterNamed(name === 'filter' ? `${componentName(collection)}.filter` : name),
  )
}

const counts: Readonly<Record<MetaName, JsonSchema>> = {
  total_count: { type: 'integer' },
  filter_count: { type: 'integer' },
  limit: { type: 'integer' },
  offset: { type: 'integer' },
  page: { type: 'integer' },
  page_count: { type: 'integer' },
  truncated: {
    type: 'array',
    items: { type: 'string' },
    description: 'The lists that a default or maximum limit has cut.',
  },
  cursors: {
    type: 'object',
    properties: {
      first: { type: ['string', 'null'], description: 'The cursor of the first item, for `before`.' },
      last: { type: ['string', 'null'], description: 'The cursor of the last item, for `after`.' },
      has_more: { type: 'boolean', description: 'Whether there are more items beyond this page.' },
    },
  },
}

export const metaSchema: JsonSchema = { type: 'object', properties: counts }
