// Intersection of GeoJSON geometries in the plane, as PostGIS defines it.
import type { Coordinates, Geometry, PositionPath, Shape, ShapeType } from './geometry.ts'
import {
  type BoundingBox,
  boundsAround,
  boundsTouch,
  type Coordinate,
  fromWestToEast,
  type Segment,
  segmentBetween,
  segmentsMeet,
  side,
  someTouching,
} from './geometry-segments.ts'

/** True if two geometries share a point. An area includes its edges, but not its holes.
 *  @example intersects(square, { type: 'Point', coordinates: [0, 0] }) // true at a corner of the square */
export function intersects(a: Geometry, b: Geometry): boolean {
  return someTouching(partsOf(a), partsOf(b), partsMeet)
}

/** True if the bounding boxes of two geometries share a point. */
export function boundsIntersect(a: Geometry, b: Geometry): boolean {
  return boundsTouch(boundsAround(partsOf(a)), boundsAround(partsOf(b)))
}

/** A connected part of a geometry: a point, a line or an area. Its segments are sorted from west to east. */
interface ShapePart extends BoundingBox {
  readonly segments: readonly Segment[]
  readonly isArea: boolean
}

function partsOf(geometry: Geometry): ShapePart[] {
  const parts =
    geometry.type === 'GeometryCollection' ? geometry.geometries.flatMap(partsOf) : shapeParts(geometry)
  return parts.sort(fromWestToEast)
}

function shapeParts<Type extends ShapeType>({ type, coordinates }: Shape<Type>): ShapePart[] {
  return partTable[type](coordinates)
}

const partTable: { readonly [Type in ShapeType]: (coordinates: Coordinates[Type]) => ShapePart[] } = {
  Point: (position) => line([position]),
  LineString: line,
  Polygon: area,
  MultiPoint: (positions) => positions.flatMap((position) => line([position])),
  MultiLineString: (lines) => lines.flatMap(line),
  MultiPolygon: (polygons) => polygons.flatMap(area),
}

function line(path: PositionPath): ShapePart[] {
  return part(segmentsAlong(path), { isArea: false })
}

function area(rings: readonly PositionPath[]): ShapePart[] {
  return part(rings.flatMap(segmentsAlong), { isArea: true })
}

/** A list of one part, or an empty one without segments. */
function part(segments: readonly Segment[], { isArea }: { readonly isArea: boolean }): ShapePart[] {
  if (segments.length === 0) return []
  // Spread here, the box would make objects that V8 compares forty times slower.
  const { west, south, east, north } = boundsAround(segments)
  return [{ west, south, east, north, segments: segments.toSorted(fromWestToEast), isArea }]
}

/** The segments of a path. Its first place counts as a segment too, so that a point is a path. */
function segmentsAlong(path: PositionPath): Segment[] {
  const places = path.flatMap(([x, y]) => (x === undefined || y === undefined ? [] : [{ x, y }]))
  return places.map((place, index) => segmentBetween(places[index - 1] ?? place, place))
}

/** True if two parts share a point. Where no edges meet, one lies wholly inside or wholly outside the other:
 *  any of its places decides. */
function partsMeet(a: ShapePart, b: ShapePart): boolean {
  return isAround(a, b) || isAround(b, a) || someTouching(a.segments, b.segments, segmentsMeet)
}

function isAround(outer: ShapePart, inner: ShapePart): boolean {
  const place = inner.segments[0]?.from
  return outer.isArea && place !== undefined && liesInside(place, outer.segments)
}

/** True if a place lies inside an area: a ray from it to the east crosses the edges, those of holes too, an odd
 *  number of times. For a place on an edge the result may be either. */
function liesInside(place: Coordinate, edges: readonly Segment[]): boolean {
  const crossed = edges.filter((edge) => {
    const isUpward = edge.to.y > place.y
    return isUpward !== edge.from.y > place.y && side(edge, place) === (isUpward ? 1 : -1)
  })
  return crossed.length % 2 === 1
}
