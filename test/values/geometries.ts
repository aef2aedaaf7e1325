// Short ways to write geometries down.
import type { Geometry, Position, PositionPath, Shape } from '../../src/values/geometry.ts'

export const point = (...coordinates: Position): Shape<'Point'> => ({ type: 'Point', coordinates })
export const points = (...coordinates: PositionPath): Shape<'MultiPoint'> => ({
  type: 'MultiPoint',
  coordinates,
})
export const line = (...coordinates: PositionPath): Shape<'LineString'> => ({
  type: 'LineString',
  coordinates,
})
export const polygon = (...coordinates: readonly PositionPath[]): Shape<'Polygon'> => ({
  type: 'Polygon',
  coordinates,
})

export const lines = (...parts: readonly Shape<'LineString'>[]): Shape<'MultiLineString'> => ({
  type: 'MultiLineString',
  coordinates: parts.map(({ coordinates }) => coordinates),
})

export const polygons = (...parts: readonly Shape<'Polygon'>[]): Shape<'MultiPolygon'> => ({
  type: 'MultiPolygon',
  coordinates: parts.map(({ coordinates }) => coordinates),
})

export const collection = (...geometries: readonly Geometry[]) =>
  ({ type: 'GeometryCollection', geometries }) satisfies Geometry

export const area = (...corners: PositionPath): Shape<'Polygon'> =>
  polygon([...corners, ...corners.slice(0, 1)])

/** From the corner [from, from] to the corner [to, to]. */
export const square = (from: number, to: number): Shape<'Polygon'> =>
  area([from, from], [to, from], [to, to], [from, to])

/** A polygon with the outlines of others for holes. */
export const withHoles = (outer: Shape<'Polygon'>, ...holes: readonly Shape<'Polygon'>[]): Shape<'Polygon'> =>
  polygon(...[outer, ...holes].flatMap(({ coordinates }) => coordinates))
