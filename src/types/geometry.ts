// GeoJSON geometries: of any shape, or of the one that the field type names.

import { type Geometry, readGeometry, type Shape, sameGeometry } from '../values/geometry.ts'
import { isRecord } from '../values/guards.ts'
import {
  accepted,
  exactly,
  type FamilyRow,
  type FieldTypeRow,
  type JsonSchema,
  type ValueTypes,
  wrongType,
} from './family-row.ts'
import { parseOr } from './json.ts'

const expects = 'a GeoJSON geometry'
const fieldTypes = {
  geometry: {},
  'geometry.Point': { shape: 'Point' },
  'geometry.LineString': { shape: 'LineString' },
  'geometry.Polygon': { shape: 'Polygon' },
  'geometry.MultiPoint': { shape: 'MultiPoint' },
  'geometry.MultiLineString': { shape: 'MultiLineString' },
  'geometry.MultiPolygon': { shape: 'MultiPolygon' },
} as const

/** Returns the schema of a shape, or of any. The components stand in the document's own file. */
export const geometryNamed = (shape: string | undefined): JsonSchema => ({
  $ref: `#/components/schemas/${shape === undefined ? '_geometry' : `_geometry.${shape}`}`,
})

const input: JsonSchema = {
  anyOf: [geometryNamed(undefined), { type: 'string', description: 'The same as JSON text.' }],
}

export const geometry = {
  fieldTypes,
  groups: [],
  expects,
  operand,
  compare: (left, right) => (sameGeometry(left, right) ? 0 : 1),
  store: (value, { type }) => {
    const read = operand(value)
    if (!read) return wrongType(expects)
    const shape = shapeOf(type)
    return shape !== undefined && isRecord(read.at) && read.at.type !== shape
      ? wrongType(`a GeoJSON ${shape}`)
      : accepted(read.at)
  },
  storages: [],
  inputSchemas: { geometry: input },
  operandSchema: input,
  outputSchema: ({ type }) => geometryNamed(shapeOf(type)),
  elementSchema: () => ({}),
  exportKind: 'json',
} as const satisfies FamilyRow<Geometry>

export interface GeometryTypes {
  geometry: ValueTypes<Geometry, Geometry>
  'geometry.Point': ValueTypes<Shape<'Point'>, Geometry>
  'geometry.LineString': ValueTypes<Shape<'LineString'>, Geometry>
  'geometry.Polygon': ValueTypes<Shape<'Polygon'>, Geometry>
  'geometry.MultiPoint': ValueTypes<Shape<'MultiPoint'>, Geometry>
  'geometry.MultiLineString': ValueTypes<Shape<'MultiLineString'>, Geometry>
  'geometry.MultiPolygon': ValueTypes<Shape<'MultiPolygon'>, Geometry>
}

function operand(value: unknown) {
  const read = readGeometry(typeof value === 'string' ? parseOr(value, () => undefined) : value)
  return read && exactly(read)
}

/** The only shape that a field type allows. */
export function shapeOf(type: string): string | undefined {
  const rows: Readonly<Record<string, FieldTypeRow>> = fieldTypes
  return rows[type]?.shape
}
