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
const cases: readonly [title: string, a: Geometry, b: Geometry, meets: boolean][] = [
  ['a point meets itself', point(1, 2), point(1, 2), true],
  ['a point meets no other', point(1, 2), point(2, 1), false],
  ['heights do not part', point(1, 2, 3), point(1, 2, 9), true],
  ['one of many points is enough', points([5, 5], [1, 2]), point(1, 2), true],

  ['a point on a line', point(1, 2), line([0, 0], [2, 4]), true],
  ['a point at the end of a line', point(2, 4), line([0, 0], [2, 4]), true],
  ['a point beside a line', point(1, 1), line([0, 0], [2, 4]), false],
  ['a point on the extension of a line', point(3, 6), line([0, 0], [2, 4]), false],
  ['a point between the ends of a bent line', point(1, 0), line([0, 0], [1, 2], [2, 0]), false],

  ['lines that cross', line([0, 0], [2, 2]), line([0, 2], [2, 0]), true],
  ['lines that cross between grid points', line([0, 0], [3, 2]), line([0, 1], [3, 1]), true],
  ['lines that form a T', line([0, 0], [4, 0]), line([2, 0], [2, 5]), true],
  ['a T that stops short', line([0, 0], [4, 0]), line([2, 1], [2, 5]), false],
  ['lines that share an end', line([0, 0], [1, 1]), line([1, 1], [5, 0]), true],
  ['lines that overlap', line([0, 0], [4, 4]), line([2, 2], [6, 6]), true],
  ['lines that follow one another', line([0, 0], [2, 2]), line([2, 2], [4, 4]), true],
  ['lines with a gap between', line([0, 0], [2, 2]), line([3, 3], [4, 4]), false],
  ['a line inside another', line([0, 0], [9, 0]), line([3, 0], [4, 0]), true],
  ['parallel lines', line([0, 0], [4, 4]), line([1, 0], [5, 4]), false],
  ['lines whose boxes alone cross', line([0, 0], [4, 4]), line([3, 1], [4, 0]), false],
  ['a line that returns', line([0, 0], [4, 0], [2, 0]), point(3, 0), true],
  ['a line with a place twice', line([0, 0], [0, 0], [4, 0]), point(2, 0), true],
  ['a closed line has no inside', line([0, 0], [4, 0], [0, 4], [0, 0]), point(1, 1), false],

  ['a point in a polygon', point(1, 1), square(0, 2), true],
  ['a point on the edge of a polygon', point(1, 0), square(0, 2), true],
  ['a point at the corner of a polygon', point(2, 2), square(0, 2), true],
  ['a point outside', point(3, 1), square(0, 2), false],
  ['a point level with the tip of a triangle', point(0, 2), area([1, 0], [3, 0], [2, 2]), false],
  ['a point inside, level with a corner', point(2, 2), area([0, 0], [4, 2], [0, 4]), true],
  ['a point outside, level with an edge', point(0, 1), area([1, 1], [3, 1], [2, 4]), false],
  ['a point in a hole', point(4, 4), ring, false],
  ['a point on the edge of a hole', point(3, 4), ring, true],
  ['a point at the corner of a hole', point(6, 6), ring, true],
  ['a point beside a hole', point(2, 4), ring, true],
  ['a point in a notch', point(4, 8), notched, false],
  ['a point on an island in a hole', point(4.5, 4.5), polygons(ring, square(4, 5)), true],
  ['a point between island and shore', point(3.5, 4), polygons(ring, square(4, 5)), false],
  [
    'a point where a hole touches the outer ring',
    point(0, 2),
    withHoles(square(0, 4), area([0, 2], [2, 1], [2, 3])),
    true,
  ],

  ['a line inside a polygon', line([1, 1], [2, 3]), square(0, 4), true],
  ['a line through a polygon', line([-1, 2], [9, 2]), square(0, 4), true],
  ['a line along an edge', line([1, 0], [3, 0]), square(0, 4), true],
  ['a line along the extension of an edge', line([5, 0], [8, 0]), square(0, 4), false],
  ['a line that touches a corner', line([3, 5], [5, 3]), square(0, 4), true],
  ['a line past a corner', line([4, 5], [5, 4]), square(0, 4), false],
  ['a line inside a hole', line([4, 4], [5, 5]), ring, false],
  ['a line across a hole, edge to edge', line([3, 4], [6, 4]), ring, true],
  ['a line that touches a hole from inside', line([4, 4], [6, 4]), ring, true],
  ['a line in a notch', line([4, 9], [4, 4], [5, 9]), notched, false],
  ['a line over a notch', line([-1, 8], [10, 8]), notched, true],

  ['polygons that overlap', square(0, 4), square(2, 6), true],
  ['a polygon in a polygon', square(0, 9), square(2, 4), true],
  ['a polygon and itself', ring, ring, true],
  ['polygons that share a corner', square(0, 4), square(4, 6), true],
  ['polygons that share an edge', square(0, 4), area([4, 1], [6, 1], [6, 3]), true],
  ['a corner on an edge', square(0, 4), area([4, 2], [6, 1], [6, 3]), true],
  ['polygons apart', square(0, 4), square(5, 6), false],
  ['polygons whose boxes alone cross', area([0, 0], [4, 0], [0, 4]), square(3, 4), false],
  ['a polygon in a hole', ring, square(4, 5), false],
  ['a polygon that fills a hole', ring, square(3, 6), true],
  ['a polygon that touches a hole from inside', ring, area([3, 4], [5, 4], [5, 5]), true],
  ['a polygon around a hole', ring, square(2, 7), true],
  [
    'rings in one another',
    withHoles(square(0, 9), square(1, 8)),
    withHoles(square(2, 7), square(3, 6)),
    false,
  ],
  [
    'crossing bars without a corner in the other',
    area([0, 3], [9, 3], [9, 4], [0, 4]),
    area([3, 0], [4, 0], [4, 9], [3, 9]),
    true,
  ],
  ['a star of David', area([0, 2], [6, 2], [3, 7]), area([0, 5], [6, 5], [3, 0]), true],

  [
    'lines of which one crosses',
    lines(line([7, 7], [8, 8]), line([0, 0], [2, 2])),
    line([0, 2], [2, 0]),
    true,
  ],
  ['points around a polygon', points([-1, 0], [5, 5], [2, 9]), square(0, 4), false],
  ['polygons around a line', polygons(square(0, 2), square(4, 6)), line([1, 5], [3, 3], [5, 1]), false],
  ['a member of a collection', collection(point(9, 9), collection(square(0, 4))), point(1, 1), true],
  ['no member of a collection', collection(point(9, 9), ring), point(4, 4), false],
  [
    'members of two collections',
    collection(line([0, 0], [2, 2])),
    collection(point(5, 5), point(1, 1)),
    true,
  ],

  ['an empty point and a polygon', point(), square(0, 4), false],
  ['two empty points', point(), point(), false],
  ['an empty polygon and a point', polygon(), point(0, 0), false],
  ['an empty collection and a point', collection(), point(0, 0), false],
  ['a collection of empties and a point', collection(line(), points()), point(0, 0), false],
  ['an empty member beside a full one', points([], [1, 1]), point(1, 1), true],
]

describe('intersects', () => {
  it.each(cases)('%s', (_title, a, b, meets) => {
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
