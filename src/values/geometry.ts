// GeoJSON geometries (RFC 7946): their types, their reader and their equality.

/** A longitude, a latitude, and optionally a height. PostGIS writes an empty point without any number. */
export type Position = readonly number[]

export type PositionPath = readonly Position[]

export interface Coordinates {
  readonly Point: Position
  readonly LineString: PositionPath
  readonly Polygon: readonly PositionPath[]
  readonly MultiPoint: readonly Position[]
  readonly MultiLineString: readonly PositionPath[]
  readonly MultiPolygon: readonly (readonly PositionPath[])[]
}

export type ShapeType = keyof Coordinates

/** Any geometry except a collection. */
export type Shape<Type extends ShapeType = ShapeType> = {
  readonly [T in Type]: { readonly type: T; readonly coordinates: Coordinates[T] }
}[Type]

/** A GeoJSON geometry. */
export type Geometry =
  | Shape
  | { readonly type: 'GeometryCollection'; readonly geometries: readonly Geometry[] }

/** Reads a geometry without any other members; undefined if the value is none.
 *  @example readGeometry({ type: 'Point', coordinates: [1] }) // undefined */
export function readGeometry(value: unknown): Geometry | undefined {
  return read(value, 1, { positions: maxPositions })
}

const maxPositions = 100_000
const deepestCollection = 8

/** True if two geometries have the same type and the same positions in the same order, heights ignored.
 *  @example sameGeometry(place, { type: 'Point', coordinates: [1, 2] }) // true of the place [1, 2, 300] */
export function sameGeometry(a: Geometry, b: Geometry): boolean {
  // PostGIS has one empty geometry of each type, however many empty parts it was made of.
  if (isEmpty(a) && isEmpty(b)) return a.type === b.type
  if (a.type === 'GeometryCollection') {
    return b.type === a.type && sameList(a.geometries, b.geometries, sameGeometry)
  }
  return b.type === a.type && sameCoordinates(a.coordinates, b.coordinates)
}

/** The number of positions that may still follow; decremented while reading. */
interface Budget {
  positions: number
}

function read(value: unknown, depth: number, budget: Budget): Geometry | undefined {
  if (!isRecord(value)) return undefined
  const { type } = value
  if (type === 'GeometryCollection') {
    if (depth > deepestCollection) return undefined
    const geometries = listOf((member) => read(member, depth + 1, budget))(value.geometries, budget)
    return geometries && { type, geometries }
  }
  const coordinates = isShapeType(type) ? coordinateReaders[type](value.coordinates, budget) : undefined
  // The table reads the coordinates of each type by that type, which TypeScript cannot follow.
  return coordinates && ({ type, coordinates } as Shape)
}

type GeometryReader<Part> = (value: unknown, budget: Budget) => Part | undefined

const readLine = listOf(readPosition, 2)
const readPolygon = listOf(readRing)

const coordinateReaders = {
  Point: readPoint,
  LineString: readLine,
  Polygon: readPolygon,
  MultiPoint: listOf(readPoint),
  MultiLineString: listOf(readLine),
  MultiPolygon: listOf(readPolygon),
} satisfies { readonly [Type in ShapeType]: GeometryReader<Coordinates[Type]> }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isShapeType = (type: unknown): type is ShapeType =>
  typeof type === 'string' && Object.hasOwn(coordinateReaders, type)

/** Returns a reader of lists that are empty or have a minimum length. */
function listOf<Part>(readPart: GeometryReader<Part>, least = 1): GeometryReader<readonly Part[]> {
  return (value, budget) => {
    if (!Array.isArray(value) || (value.length > 0 && value.length < least)) return undefined
    const parts: Part[] = []
    for (const element of value) {
      const part = readPart(element, budget)
      if (part === undefined) return undefined
      parts.push(part)
    }
    return parts
  }
}

function readRing(value: unknown, budget: Budget): PositionPath | undefined {
  const ring = readLine(value, budget)
  if (!ring || ring.length < 4) return undefined
  return sameList(ring[0] ?? [], ring.at(-1) ?? [], isEqual) ? ring : undefined
}

function readPoint(value: unknown, budget: Budget): Position | undefined {
  return Array.isArray(value) && value.length === 0 ? [] : readPosition(value, budget)
}

function readPosition(value: unknown, budget: Budget): Position | undefined {
  if (!Array.isArray(value) || (value.length !== 2 && value.length !== 3)) return undefined
  if (budget.positions-- <= 0) return undefined
  const numbers: unknown[] = [...value] // not value itself, whose holes every() would skip
  return numbers.every(isCoordinate) ? numbers : undefined
}

const isCoordinate = (value: unknown): value is number => Number.isFinite(value)

const isEmpty = (geometry: Geometry): boolean =>
  geometry.type === 'GeometryCollection'
    ? geometry.geometries.every(isEmpty)
    : holdsNothing(geometry.coordinates)

const holdsNothing = (nested: NestedPositions): boolean =>
  typeof nested !== 'number' && nested.every(holdsNothing)

type NestedPositions = number | readonly NestedPositions[]

function sameCoordinates(a: NestedPositions, b: NestedPositions): boolean {
  if (typeof a === 'number' || typeof b === 'number') return isEqual(a, b)
  return sameList(withoutHeight(a), withoutHeight(b), sameCoordinates)
}

const withoutHeight = (list: readonly NestedPositions[]) =>
  typeof list[0] === 'number' ? list.slice(0, 2) : list

const isEqual = (a: unknown, b: unknown): boolean => a === b

function sameList<Item>(
  a: readonly Item[],
  b: readonly Item[],
  isSame: (a: Item, b: Item) => boolean,
): boolean {
  const isSameAt = (item: Item, place: number) => {
    const other = b[place]
    return other !== undefined && isSame(item, other)
  }
  return a.length === b.length && a.every(isSameAt)
}
