import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Geometry } from '../../src/values/geometry.ts'
import { boundsIntersect, intersects } from '../../src/values/geometry-intersects.ts'
import {
  area,
  collection,
  line,
  lines,
  point,
  points,
  polygon,
  polygons,
  square,
  withHoles,
} from './geometries.ts'

const ring = withHoles(square(0, 9), square(3, 6))
// Its notch is open to the north: the box is full, the polygon is not.
const notched = area([0, 0], [9, 0], [9, 9], [6, 9], [6, 3], [3, 3], [3, 9], [0, 9])

// Each holds in both directions. What PostGIS 3.6 says about them was asked.
const cases: readonly { title: string; a: Geometry; b: Geometry; meets: boolean }[] = [
  { title: 'a point meets itself', a: point(1, 2), b: point(1, 2), meets: true },
  { title: 'a point meets no other', a: point(1, 2), b: point(2, 1), meets: false },
  { title: 'heights do not part', a: point(1, 2, 3), b: point(1, 2, 9), meets: true },
  { title: 'one of many points is enough', a: points([5, 5], [1, 2]), b: point(1, 2), meets: true },

  { title: 'a point on a line', a: point(1, 2), b: line([0, 0], [2, 4]), meets: true },
  { title: 'a point at the end of a line', a: point(2, 4), b: line([0, 0], [2, 4]), meets: true },
  { title: 'a point beside a line', a: point(1, 1), b: line([0, 0], [2, 4]), meets: false },
  { title: 'a point on the extension of a line', a: point(3, 6), b: line([0, 0], [2, 4]), meets: false },
  {
    title: 'a point between the ends of a bent line',
    a: point(1, 0),
    b: line([0, 0], [1, 2], [2, 0]),
    meets: false,
  },

  { title: 'lines that cross', a: line([0, 0], [2, 2]), b: line([0, 2], [2, 0]), meets: true },
  {
    title: 'lines that cross between grid points',
    a: line([0, 0], [3, 2]),
    b: line([0, 1], [3, 1]),
    meets: true,
  },
  { title: 'lines that form a T', a: line([0, 0], [4, 0]), b: line([2, 0], [2, 5]), meets: true },
  { title: 'a T that stops short', a: line([0, 0], [4, 0]), b: line([2, 1], [2, 5]), meets: false },
  { title: 'lines that share an end', a: line([0, 0], [1, 1]), b: line([1, 1], [5, 0]), meets: true },
  { title: 'lines that overlap', a: line([0, 0], [4, 4]), b: line([2, 2], [6, 6]), meets: true },
  { title: 'lines that follow one another', a: line([0, 0], [2, 2]), b: line([2, 2], [4, 4]), meets: true },
  { title: 'lines with a gap between', a: line([0, 0], [2, 2]), b: line([3, 3], [4, 4]), meets: false },
  { title: 'a line inside another', a: line([0, 0], [9, 0]), b: line([3, 0], [4, 0]), meets: true },
  { title: 'parallel lines', a: line([0, 0], [4, 4]), b: line([1, 0], [5, 4]), meets: false },
  { title: 'lines whose boxes alone cross', a: line([0, 0], [4, 4]), b: line([3, 1], [4, 0]), meets: false },
  { title: 'a line that returns', a: line([0, 0], [4, 0], [2, 0]), b: point(3, 0), meets: true },
  { title: 'a line with a place twice', a: line([0, 0], [0, 0], [4, 0]), b: point(2, 0), meets: true },
  {
    title: 'a closed line has no inside',
    a: line([0, 0], [4, 0], [0, 4], [0, 0]),
    b: point(1, 1),
    meets: false,
  },

  { title: 'a point in a polygon', a: point(1, 1), b: square(0, 2), meets: true },
  { title: 'a point on the edge of a polygon', a: point(1, 0), b: square(0, 2), meets: true },
  { title: 'a point at the corner of a polygon', a: point(2, 2), b: square(0, 2), meets: true },
  { title: 'a point outside', a: point(3, 1), b: square(0, 2), meets: false },
  {
    title: 'a point level with the tip of a triangle',
    a: point(0, 2),
    b: area([1, 0], [3, 0], [2, 2]),
    meets: false,
  },
  {
    title: 'a point inside, level with a corner',
    a: point(2, 2),
    b: area([0, 0], [4, 2], [0, 4]),
    meets: true,
  },
  {
    title: 'a point outside, level with an edge',
    a: point(0, 1),
    b: area([1, 1], [3, 1], [2, 4]),
    meets: false,
  },
  { title: 'a point in a hole', a: point(4, 4), b: ring, meets: false },
  { title: 'a point on the edge of a hole', a: point(3, 4), b: ring, meets: true },
  { title: 'a point at the corner of a hole', a: point(6, 6), b: ring, meets: true },
  { title: 'a point beside a hole', a: point(2, 4), b: ring, meets: true },
  { title: 'a point in a notch', a: point(4, 8), b: notched, meets: false },
  {
    title: 'a point on an island in a hole',
    a: point(4.5, 4.5),
    b: polygons(ring, square(4, 5)),
    meets: true,
  },
  {
    title: 'a point between island and shore',
    a: point(3.5, 4),
    b: polygons(ring, square(4, 5)),
    meets: false,
  },
  {
    title: 'a point where a hole touches the outer ring',
    a: point(0, 2),
    b: withHoles(square(0, 4), area([0, 2], [2, 1], [2, 3])),
    meets: true,
  },

  { title: 'a line inside a polygon', a: line([1, 1], [2, 3]), b: square(0, 4), meets: true },
  { title: 'a line through a polygon', a: line([-1, 2], [9, 2]), b: square(0, 4), meets: true },
  { title: 'a line along an edge', a: line([1, 0], [3, 0]), b: square(0, 4), meets: true },
  { title: 'a line along the extension of an edge', a: line([5, 0], [8, 0]), b: square(0, 4), meets: false },
  { title: 'a line that touches a corner', a: line([3, 5], [5, 3]), b: square(0, 4), meets: true },
  { title: 'a line past a corner', a: line([4, 5], [5, 4]), b: square(0, 4), meets: false },
  { title: 'a line inside a hole', a: line([4, 4], [5, 5]), b: ring, meets: false },
  { title: 'a line across a hole, edge to edge', a: line([3, 4], [6, 4]), b: ring, meets: true },
  { title: 'a line that touches a hole from inside', a: line([4, 4], [6, 4]), b: ring, meets: true },
  { title: 'a line in a notch', a: line([4, 9], [4, 4], [5, 9]), b: notched, meets: false },
  { title: 'a line over a notch', a: line([-1, 8], [10, 8]), b: notched, meets: true },

  { title: 'polygons that overlap', a: square(0, 4), b: square(2, 6), meets: true },
  { title: 'a polygon in a polygon', a: square(0, 9), b: square(2, 4), meets: true },
  { title: 'a polygon and itself', a: ring, b: ring, meets: true },
  { title: 'polygons that share a corner', a: square(0, 4), b: square(4, 6), meets: true },
  { title: 'polygons that share an edge', a: square(0, 4), b: area([4, 1], [6, 1], [6, 3]), meets: true },
  { title: 'a corner on an edge', a: square(0, 4), b: area([4, 2], [6, 1], [6, 3]), meets: true },
  { title: 'polygons apart', a: square(0, 4), b: square(5, 6), meets: false },
  {
    title: 'polygons whose boxes alone cross',
    a: area([0, 0], [4, 0], [0, 4]),
    b: square(3, 4),
    meets: false,
  },
  { title: 'a polygon in a hole', a: ring, b: square(4, 5), meets: false },
  { title: 'a polygon that fills a hole', a: ring, b: square(3, 6), meets: true },
  {
    title: 'a polygon that touches a hole from inside',
    a: ring,
    b: area([3, 4], [5, 4], [5, 5]),
    meets: true,
  },
  { title: 'a polygon around a hole', a: ring, b: square(2, 7), meets: true },
  {
    title: 'rings in one another',
    a: withHoles(square(0, 9), square(1, 8)),
    b: withHoles(square(2, 7), square(3, 6)),
    meets: false,
  },
  {
    title: 'crossing bars without a corner in the other',
    a: area([0, 3], [9, 3], [9, 4], [0, 4]),
    b: area([3, 0], [4, 0], [4, 9], [3, 9]),
    meets: true,
  },
  { title: 'a star of David', a: area([0, 2], [6, 2], [3, 7]), b: area([0, 5], [6, 5], [3, 0]), meets: true },

  {
    title: 'lines of which one crosses',
    a: lines(line([7, 7], [8, 8]), line([0, 0], [2, 2])),
    b: line([0, 2], [2, 0]),
    meets: true,
  },
  { title: 'points around a polygon', a: points([-1, 0], [5, 5], [2, 9]), b: square(0, 4), meets: false },
  {
    title: 'polygons around a line',
    a: polygons(square(0, 2), square(4, 6)),
    b: line([1, 5], [3, 3], [5, 1]),
    meets: false,
  },
  {
    title: 'a member of a collection',
    a: collection(point(9, 9), collection(square(0, 4))),
    b: point(1, 1),
    meets: true,
  },
  { title: 'no member of a collection', a: collection(point(9, 9), ring), b: point(4, 4), meets: false },
  {
    title: 'members of two collections',
    a: collection(line([0, 0], [2, 2])),
    b: collection(point(5, 5), point(1, 1)),
    meets: true,
  },

  { title: 'an empty point and a polygon', a: point(), b: square(0, 4), meets: false },
  { title: 'two empty points', a: point(), b: point(), meets: false },
  { title: 'an empty polygon and a point', a: polygon(), b: point(0, 0), meets: false },
  { title: 'an empty collection and a point', a: collection(), b: point(0, 0), meets: false },
  {
    title: 'a collection of empties and a point',
    a: collection(line(), points()),
    b: point(0, 0),
    meets: false,
  },
  { title: 'an empty member beside a full one', a: points([], [1, 1]), b: point(1, 1), meets: true },
]

describe('intersects', () => {
  it.each(cases)('$title: $meets', ({ a, b, meets }) => {
    expect([intersects(a, b), intersects(b, a)]).toEqual([meets, meets])
  })

  it('tells the nearest numbers beside a line from those on it', () => {
    const wrong: string[] = []
    for (let x = 0; x < 16; x++) {
      for (let y = 0; y < 16; y++) {
        const place = point(0.5 + x * 2 ** -53, 0.5 + y * 2 ** -53)
        const isOn = place.coordinates[0] === place.coordinates[1]
        if (intersects(place, line([0, 0], [24, 24])) !== isOn) wrong.push(`${x} ${y}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('stays right at both ends of the range of numbers', () => {
    const [huge, tiny] = [Number.MAX_VALUE, Number.MIN_VALUE]
    const diagonal = line([-huge, -huge], [huge, huge])
    expect(intersects(diagonal, point(tiny, tiny))).toBe(true)
    expect(intersects(diagonal, point(0, tiny))).toBe(false)
    expect(intersects(diagonal, line([-huge, huge], [huge, -huge]))).toBe(true)
  })

  it('takes outlines of many positions', () => {
    const wave = (height: number) =>
      line(...Array.from({ length: 50_000 }, (_, x) => [x, Math.sin(x) + height]))
    expect(intersects(wave(0), wave(0.001))).toBe(false)
    expect(intersects(wave(0), wave(0))).toBe(true)
  })
})

const boundsCases = [
  { title: 'boxes that touch at a corner', a: square(0, 2), b: square(2, 4), meets: true },
  {
    title: 'boxes that cross where the lines do not',
    a: line([0, 0], [4, 4]),
    b: line([3, 1], [4, 0]),
    meets: true,
  },
  { title: 'a point in a hole', a: ring, b: point(4, 4), meets: true },
  { title: 'a point between two points', a: points([0, 0], [4, 4]), b: point(2, 3), meets: true },
  { title: 'a box beside another', a: square(0, 2), b: square(3, 4), meets: false },
  { title: 'a box above another', a: line([0, 0], [4, 1]), b: line([0, 2], [4, 3]), meets: false },
  { title: 'neighbouring numbers', a: point(1, 1), b: point(1 + Number.EPSILON, 1), meets: false },
  { title: 'an empty line and a box', a: line(), b: square(0, 2), meets: false },
  { title: 'two empty collections', a: collection(), b: collection(point()), meets: false },
]

describe('boundsIntersect', () => {
  it.each(boundsCases)('$title: $meets', ({ a, b, meets }) => {
    expect([boundsIntersect(a, b), boundsIntersect(b, a)]).toEqual([meets, meets])
  })
})

const coordinate = fc.integer({ min: 0, max: 6 })
const place = fc.tuple(coordinate, coordinate)
const anyLine = fc.array(place, { minLength: 2, maxLength: 5 }).map((path) => line(...path))
const anyBox = fc.tuple(place, place).map(([[x, y], [width, height]]) => {
  const [east, north] = [x + width + 1, y + height + 1]
  return area([x, y], [east, y], [east, north], [x, north])
})
const anyRing = anyBox.map((box) => withHoles(area([-1, -1], [15, -1], [15, 15], [-1, 15]), box))
const single = fc.oneof(
  place.map((position) => point(...position)),
  anyLine,
  anyBox,
  anyRing,
)
const geometry: fc.Arbitrary<Geometry> = fc.oneof(
  single,
  fc.array(place, { maxLength: 3 }).map((path) => points(...path)),
  fc.array(anyLine, { maxLength: 3 }).map((parts) => lines(...parts)),
  fc.array(single, { maxLength: 3 }).map((members) => collection(...members)),
)

describe('any geometries on a small grid', () => {
  it('meet in both directions or in none', () => {
    fc.assert(fc.property(geometry, geometry, (a, b) => intersects(a, b) === intersects(b, a)))
  })

  it('meet themselves', () => {
    fc.assert(fc.property(single, (a) => intersects(a, a)))
  })

  it('meet only where their boxes do', () => {
    fc.assert(fc.property(geometry, geometry, (a, b) => !intersects(a, b) || boundsIntersect(a, b)))
  })

  it('meet a collection exactly when they meet a member', () => {
    const members = fc.array(single, { maxLength: 4 })
    fc.assert(
      fc.property(members, geometry, (parts, b) => {
        expect(intersects(collection(...parts), b)).toBe(parts.some((part) => intersects(part, b)))
      }),
    )
  })

  it('meet a box exactly when they meet a point in it, where the grid is fine enough', () => {
    // Two boxes with whole corners share a point with whole coordinates, or none.
    fc.assert(
      fc.property(anyBox, anyBox, (a, b) => {
        const shared = grid.some(
          (position) => intersects(a, point(...position)) && intersects(b, point(...position)),
        )
        expect(intersects(a, b)).toBe(shared)
      }),
    )
  })
})

const grid = Array.from({ length: 15 * 15 }, (_, index) => [index % 15, Math.floor(index / 15)])
