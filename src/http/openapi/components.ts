// Components that operations share, and those of each collection.

import type { VisibleActions } from '../../access/visible-actions.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Limits } from '../../query/limits.ts'
import { keyOf, targetNames } from '../../schema/model.ts'
import { outputSchema } from '../../schema/output-schema.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { geometryNamed } from '../../types/geometry.ts'
import type { ShapeType } from '../../values/geometry.ts'
import { componentName, partName, partOf } from './component-names.ts'
import type { Around } from './describe-operation.ts'
import type { OpenApiComponents, OpenApiParameter } from './document.ts'
import { errorSchema, faultHeaders, faultResponses } from './error-responses.ts'
import { filterSchemas } from './filter-schema.ts'
import { imageParameterComponents, transformSchemas } from './image-parameters.ts'
import { schemasOfInput } from './input-schema.ts'
import { absentSchema, groupSchema, itemSchema } from './item-schema.ts'
import { conditionSchemas } from './operator-schemas.ts'
import { payloadSchemas, type VisibleByName } from './payload-schema.ts'
import { choiceSchema, deepSchema, metaSchema, parameterComponents, parameterOf } from './query-parameters.ts'
import { countSchemas, draftSchema, objectOf, responseHeaders, sharedResponses } from './responses.ts'

/** The engine's own collections, which need not be in the schema. */
export interface OwnVisible {
  readonly versions: VisibleActions | undefined
  readonly files: VisibleActions | undefined
}

/** The collections that may be named, and those that a document describes. */
interface Selection {
  readonly all: VisibleByName
  readonly selected: readonly VisibleActions[]
}

export function componentsOf(
  { all, selected }: Selection,
  { versions, files }: OwnVisible,
  { limits }: Pick<EngineInternals, 'limits'>,
  { pictures, isSigned }: Pick<Around, 'pictures' | 'isSigned'>,
): OpenApiComponents {
  // Of the two only files are written like items.
  const byName: VisibleByName = files ? new Map([[files.name, files], ...all]) : all
  const written = new Map([...(files ? [files] : []), ...selected].map((visible) => [visible.name, visible]))
  const table = versions ?? files
  const seen = [...written.values(), ...(versions ? [versions] : [])].flatMap((visible) => visible.seen ?? [])
  const targets = targetNames(seen)
  return {
    schemas: {
      ...ofNoCollection(limits),
      ...(files?.seen && transformSchemas(pictures)),
      ...joined(
        seen.map((collection) => ({
          [partName(collection.name)]: itemSchema(collection),
          ...filterSchemas(collection, targets.has(collection.name)),
          [partName(collection.name, 'choice')]: choiceSchema(partOf(collection.name, 'filter'), limits),
        })),
      ),
      ...joined([...written.values()].map((visible) => payloadSchemas(visible, byName))),
    },
    responses: { ...faultResponses(), ...sharedResponses },
    parameters: {
      ...parameterComponents(limits),
      ...(files?.seen && imageParameterComponents(pictures)),
      ...(table && { id: keyParameter('id', outputSchema(keyOf(table.whole))) }),
      ...joined(
        seen.map(({ name, key }) => ({
          [`${componentName(name)}.filter`]: parameterOf('filter', partOf(name, 'filter')),
          ...(key && { [`${componentName(name)}.key`]: keyParameter('key', outputSchema(key)) }),
        })),
      ),
    },
    headers: { ...responseHeaders, ...faultHeaders },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      ...(isSigned && { signed: { type: 'apiKey', in: 'query', name: 'signed', description: signature } }),
    },
  }
}

const signature =
  'The end of an address that "sign" has returned. It is exact, so nothing is added to the address.'

const ofNoCollection = (limits: Limits): Readonly<Record<string, JsonSchema>> => ({
  _error: errorSchema,
  _meta: metaSchema,
  _group: groupSchema,
  _absent: absentSchema,
  _draft: draftSchema,
  ...countSchemas,
  _deep: deepSchema(limits),
  ...geometrySchemas(),
  ...schemasOfInput(),
  ...conditionSchemas(),
})

const joined = <Part>(parts: readonly Readonly<Record<string, Part>>[]): Readonly<Record<string, Part>> =>
  Object.fromEntries(parts.flatMap((part) => Object.entries(part)))

const keyParameter = (name: string, schema: JsonSchema): OpenApiParameter => ({
  name,
  in: 'path',
  required: true,
  description: 'The key of the item.',
  schema,
})

// GeoJSON geometries (RFC 7946) as schemas.
const listOf = (items: JsonSchema, least = 1): JsonSchema =>
  least > 1
    ? { type: 'array', items, anyOf: [{ maxItems: 0 }, { minItems: least }] }
    : { type: 'array', items }

const position = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 3 }
/** PostGIS writes an empty point without any number. */
const point = { type: 'array', items: { type: 'number' }, maxItems: 3, not: { minItems: 1, maxItems: 1 } }
const line = listOf(position, 2)
/** A schema cannot express that a ring ends where it begins. */
const ring = { type: 'array', items: position, minItems: 4 }

const coordinates: Readonly<Record<ShapeType, JsonSchema>> = {
  Point: point,
  LineString: line,
  Polygon: listOf(ring),
  MultiPoint: listOf(point),
  MultiLineString: listOf(line),
  MultiPolygon: listOf(listOf(ring)),
}

function geometrySchemas(): Readonly<Record<string, JsonSchema>> {
  const shapes = Object.entries(coordinates).map(
    ([type, list]) => [type, geometryOf(type, 'coordinates', list)] as const,
  )
  const collection = geometryOf('GeometryCollection', 'geometries', listOf(geometryNamed(undefined)))
  const all = [...shapes, ['GeometryCollection', collection] as const]
  return {
    _geometry: { description: 'A GeoJSON geometry.', anyOf: all.map(([type]) => geometryNamed(type)) },
    ...Object.fromEntries(all.map(([type, schema]) => [`_geometry.${type}`, schema])),
  }
}

const geometryOf = (type: string, member: string, list: JsonSchema): JsonSchema =>
  objectOf({ type: { const: type }, [member]: list })
