import { describe, expect, it } from 'vitest'
import { readGeometry, sameGeometry } from '../../src/values/geometry.ts'
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

const nested = (levels: number) => {
  let value: object = point(1, 2)
  for (let level = 0; level < levels; level++) value = { type: 'GeometryCollection', geometries: [value] }
  return value
}

const places = (count: number) => Array.from({ length: count }, (_, index) => [index, 0])

const geometries = [
  { title: 'a point', value: point(1, 2) },
  { title: 'a point with a height', value: point(1, 2, 3) },
  { title: 'an empty point', value: point() },
  { title: 'a line', value: line([0, 0], [1, 1]) },
  { title: 'a line of no length', value: line([0, 0], [0, 0]) },
  { title: 'a line that gains height', value: line([0, 0], [1, 1, 1]) },
  { title: 'an empty line', value: line() },
  { title: 'a triangle', value: area([0, 0], [1, 0], [0, 1]) },
  { title: 'a polygon with a hole', value: withHoles(square(0, 9), square(1, 2)) },
  { title: 'an empty polygon', value: polygon() },
  { title: 'points, one of them empty', value: points([1, 2], []) },
  { title: 'lines, one of them empty', value: lines(line([0, 0], [1, 1]), line()) },
  { title: 'polygons, one of them empty', value: polygons(square(0, 1), polygon()) },
  { title: 'a collection', value: collection(point(1, 2), collection()) },
  { title: 'a collection eight deep', value: nested(8) },
  { title: 'a line of 100,000 positions', value: line(...places(100_000)) },
]

const others = [
  { title: 'nothing', value: undefined },
  { title: 'null', value: null },
  { title: 'text', value: '{"type":"Point","coordinates":[1,2]}' },
  { title: 'a list', value: [1, 2] },
  { title: 'an object without type', value: { coordinates: [1, 2] } },
  { title: 'an unknown type', value: { type: 'Circle', coordinates: [1, 2] } },
  { title: 'a type in another case', value: { type: 'point', coordinates: [1, 2] } },
  { title: 'a type that every object has as a member', value: { type: 'toString', coordinates: [1, 2] } },
  { title: 'a feature', value: { type: 'Feature', geometry: point(1, 2), properties: {} } },
  { title: 'a point without coordinates', value: { type: 'Point' } },
  { title: 'a point of one number', value: point(1) },
  { title: 'a point of four numbers', value: point(1, 2, 3, 4) },
  { title: 'a point of texts', value: { type: 'Point', coordinates: ['1', '2'] } },
  { title: 'a point of null', value: { type: 'Point', coordinates: [1, null] } },
  { title: 'a point of gaps', value: { type: 'Point', coordinates: Array(2) } },
  { title: 'a point at infinity', value: point(1, Number.POSITIVE_INFINITY) },
  { title: 'a point that is not a number', value: point(Number.NaN, 1) },
  {
    title: 'a point of a list-like object',
    value: { type: 'Point', coordinates: { 0: 1, 1: 2, length: 2 } },
  },
  { title: 'a point nested like a line', value: { type: 'Point', coordinates: [[1, 2]] } },
  { title: 'a line of one place', value: line([0, 0]) },
  { title: 'a line with an empty place', value: line([0, 0], []) },
  { title: 'a line of numbers', value: { type: 'LineString', coordinates: [0, 0] } },
  { title: 'an open ring', value: polygon(line([0, 0], [1, 0], [1, 1], [0, 1]).coordinates) },
  { title: 'a ring open in height', value: polygon(line([0, 0, 1], [1, 0], [1, 1], [0, 0, 2]).coordinates) },
  { title: 'a ring of three places', value: area([0, 0], [1, 1]) },
  { title: 'an empty ring', value: polygon([]) },
  { title: 'a bad hole', value: polygon(...square(0, 9).coordinates, [[1, 1]]) },
  { title: 'a collection without members', value: { type: 'GeometryCollection' } },
  {
    title: 'a collection with one bad member',
    value: { type: 'GeometryCollection', geometries: [point(1, 2), {}] },
  },
  { title: 'a collection nine deep', value: nested(9) },
  { title: 'a collection deeper than the stack', value: nested(200_000) },
  { title: 'a line of 100,001 positions', value: line(...places(100_001)) },
  {
    title: 'two lines of 100,001 positions',
    value: collection(line(...places(50_000)), line(...places(50_001))),
  },
]

describe('readGeometry', () => {
  it.each(geometries)('reads $title', ({ value }) => {
    expect(readGeometry(value)).toEqual(value)
  })

  it.each(others)('refuses $title', ({ value }) => {
    expect(readGeometry(value)).toBeUndefined()
  })

  it('leaves out all other members, also of the members of a collection', () => {
    const member = { ...point(1, 2), bbox: [1, 2, 1, 2] }
    const given = { type: 'GeometryCollection', geometries: [member], crs: null, coordinates: [9] }
    expect(readGeometry(given)).toEqual(collection(point(1, 2)))
  })

  it('hands out a copy', () => {
    const position = [1, 2]
    const geometry = readGeometry({ type: 'Point', coordinates: position })
    position.push(3)
    expect(geometry).toEqual(point(1, 2))
  })
})

const there = line([0, 0], [1, 1])
const back = line([1, 1], [0, 0])
const triangle = area([0, 0], [1, 0], [0, 1])

const sameCases = [
  { title: 'equal points are the same', a: point(1, 2), b: point(1, 2), same: true },
  { title: 'other points are not', a: point(1, 2), b: point(2, 1), same: false },
  { title: 'a height makes no difference', a: point(1, 2), b: point(1, 2, 3), same: true },
  { title: 'a line is not its reverse', a: there, b: back, same: false },
  { title: 'a longer line is another', a: there, b: line([0, 0], [1, 1], [2, 2]), same: false },
  {
    title: 'a ring that starts elsewhere is another',
    a: triangle,
    b: area([1, 0], [0, 1], [0, 0]),
    same: false,
  },
  {
    title: 'a hole makes a difference',
    a: square(0, 9),
    b: withHoles(square(0, 9), square(1, 2)),
    same: false,
  },
  { title: 'a collection of one is not its member', a: collection(there), b: there, same: false },
  {
    title: 'equal collections are the same',
    a: collection(there, back),
    b: collection(there, back),
    same: true,
  },
  { title: 'their order matters', a: collection(there, back), b: collection(back, there), same: false },
  { title: 'a point is not a list of one point', a: point(1, 2), b: points([1, 2]), same: false },
  { title: 'a line is not its places', a: there, b: points([0, 0], [1, 1]), same: false },
  { title: 'empty geometries of one type are the same', a: point(), b: point(), same: true },
  { title: 'empty geometries of two types are not', a: point(), b: line(), same: false },
  { title: 'an empty point is no other point', a: point(), b: point(0, 0), same: false },
  { title: 'no lines are the same as an empty one', a: lines(), b: lines(line()), same: true },
  { title: 'no members are the same as an empty one', a: collection(), b: collection(line()), same: true },
  {
    title: 'an empty member beside another counts',
    a: collection(there),
    b: collection(there, line()),
    same: false,
  },
]

describe('sameGeometry', () => {
  it.each(sameCases)('$title', ({ a, b, same }) => {
    expect([sameGeometry(a, b), sameGeometry(b, a)]).toEqual([same, same])
  })
})
