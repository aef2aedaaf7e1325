// Straight segments in the plane and their bounding boxes: all geometries are compared by them.

export interface Coordinate {
  readonly x: number
  readonly y: number
}

/** A bounding box, edges included. The box of nothing is inside out and touches no other. */
export interface BoundingBox {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** A segment between two places. A point is a segment that ends where it starts. */
export interface Segment extends BoundingBox {
  readonly from: Coordinate
  readonly to: Coordinate
}

export function segmentBetween(from: Coordinate, to: Coordinate): Segment {
  const [west, east] = from.x < to.x ? [from.x, to.x] : [to.x, from.x]
  const [south, north] = from.y < to.y ? [from.y, to.y] : [to.y, from.y]
  return { from, to, west, south, east, north }
}

export function boundsAround(boxes: readonly BoundingBox[]): BoundingBox {
  let [west, south, east, north] = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]
  for (const box of boxes) {
    west = Math.min(west, box.west)
    south = Math.min(south, box.south)
    east = Math.max(east, box.east)
    north = Math.max(north, box.north)
  }
  return { west, south, east, north }
}

export function boundsTouch(a: BoundingBox, b: BoundingBox): boolean {
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north
}

/** The sort order that `someTouching` needs. */
export const fromWestToEast = (a: BoundingBox, b: BoundingBox): number => a.west - b.west

/** True if a pair of items, one of each sorted list, passes a symmetric test; only pairs whose boxes touch are
 *  tested. The lists are walked together from west to east, so that distant items are never paired. */
export function someTouching<Item extends BoundingBox>(
  left: readonly Item[],
  right: readonly Item[],
  passes: (one: Item, other: Item) => boolean,
): boolean {
  let [leftPlace, rightPlace] = [0, 0]
  for (;;) {
    const [a, b] = [left[leftPlace], right[rightPlace]]
    if (!a || !b) return false
    const isLeftNext = a.west <= b.west
    const [next, others, start] = isLeftNext ? [a, right, rightPlace] : [b, left, leftPlace]
    for (let place = start; place < others.length; place++) {
      const other = others[place]
      if (!other || other.west > next.east) break
      if (boundsTouch(next, other) && passes(next, other)) return true
    }
    if (isLeftNext) leftPlace++
    else rightPlace++
  }
}

/** True if two segments whose boxes touch share a point: each has an end on either side of the other's line, or
 *  on it. If both lie on one line, it is enough that their boxes touch. */
export function segmentsMeet(a: Segment, b: Segment): boolean {
  return side(a, b.from) * side(a, b.to) <= 0 && side(b, a.from) * side(b, a.to) <= 0
}

/** Returns 1 for a place left of a segment's line, -1 right of it, 0 on it. Exact, because rounding would
 *  separate segments that only just touch. */
export function side({ from, to }: Segment, { x, y }: Coordinate): number {
  const left = (from.x - x) * (to.y - y)
  const right = (from.y - y) * (to.x - x)
  const estimate = left - right
  if (Math.abs(estimate) > largestError * (Math.abs(left) + Math.abs(right))) return Math.sign(estimate)
  const unit = Math.min(...[from.x, from.y, to.x, to.y, x, y].map(exponent))
  const exact = (number: number) => inUnits(number, unit)
  const difference =
    (exact(from.x) - exact(x)) * (exact(to.y) - exact(y)) -
    (exact(from.y) - exact(y)) * (exact(to.x) - exact(x))
  return difference > 0n ? 1 : difference < 0n ? -1 : 0
}

// Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997: https://www.cs.cmu.edu/~quake/robust.html
const largestError = (3 + 16 * 2 ** -53) * 2 ** -53

/** The exponent of a power of two of which the number is an integer multiple. */
function exponent(number: number): number {
  // Zero is a multiple of every power, and must not lower the minimum of the others.
  if (number === 0) return 971
  const biased = Number((bitsOf(number) >> 52n) & 0x7ffn)
  return Math.max(biased, 1) - 1075
}

/** The number as an integer multiple of a power of two, which is at most its exponent. */
function inUnits(number: number, power: number): bigint {
  const isSubnormal = Math.abs(number) < 2 ** -1022
  const significand = BigInt.asUintN(52, bitsOf(number)) + (isSubnormal ? 0n : 2n ** 52n)
  const size = significand << BigInt(exponent(number) - power)
  return number < 0 ? -size : size
}

const float = new DataView(new ArrayBuffer(8))

function bitsOf(number: number): bigint {
  float.setFloat64(0, number)
  return float.getBigUint64(0)
}
