// GeoJSON geometries (RFC 7946) as schemas.

import type { JsonSchema } from '../../types/family-row.ts'
import { geometryNamed } from '../../types/geometry.ts'
import type { ShapeType } from '../../values/geometry.ts'

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

/** Returns one schema for each kind, and one for all of them. */
export function geometrySchemas(): Readonly<Record<string, JsonSchema>> {
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

const geometryOf = (type: string, member: string, list: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['type', member],
  properties: { type: { const: type }, [member]: list },
})
