// The shape of a query: the query without its values. Queries of one shape share a plan and a statement. Everything that is no value is
// part of the shape as it is, so an invalid query has a shape of its own, too.
import type { Path } from '../../errors/errors.ts'
import { placeIn } from '../../query/cursor.ts'
import { isGeometry } from '../../query/operands.ts'
import { farOffset } from '../../sql/page/far-page.ts'
import { isShort } from '../../sql/page/pagination.ts'
import { isRecord } from '../../values/guards.ts'
import { isJunction, isQuantifier } from '../../vocabulary/junctions.ts'
import { isOperator, operators } from '../../vocabulary/operators.ts'
import { holes, operandHole } from './value-kinds.ts'
import { type QueryShape, ShapeWriter } from './write-shape.ts'

export interface OpenShape extends QueryShape {
  readonly values: readonly unknown[]
}

/** Callback for each omitted value. */
type Hole = (path: Path) => void

export interface ShapedRequest {
  readonly verb: string
  readonly collection: { readonly name: string }
  readonly query: Readonly<Record<string, unknown>>
  readonly tree?: { readonly id: string } | undefined
}

/** Returns the shape of a query as it was given, checked or not, with its verb and collection. Undefined if it holds values that JSON does
 *  not have: two of them may look alike. */
export function shapeOf(
  { verb, collection, query, tree }: ShapedRequest,
  hole?: Hole,
): OpenShape | undefined {
  const written = new ShapeWriter()
  written.text(verb)
  written.text(collection.name)
  writeTree(tree, written)
  const walk: ShapeWalk = { path: noPath, hole, written, walked: newWalked() }
  for (const name of Object.keys(query)) {
    written.text(name)
    parameterShape(name, query[name], query, below(walk, name))
  }
  return walk.walked.isStrange ? undefined : written
}

/** No query begins with a list, so that none is like one with a tree. */
function writeTree(tree: ShapedRequest['tree'], written: ShapeWriter): void {
  if (!tree) return
  written.list(1)
  written.text(tree.id)
}

/** Returns the shape with all values in it, for results that depend on them, too. */
export function wholeShapeOf(
  collection: string,
  query: object | undefined,
  tree?: ShapedRequest['tree'],
): QueryShape | undefined {
  const written = new ShapeWriter()
  written.text(collection)
  writeTree(tree, written)
  const walk: ShapeWalk = { path: noPath, hole: undefined, written, walked: newWalked() }
  literal(query ?? null, walk)
  return walk.walked.isStrange ? undefined : written
}

interface ShapeWalk {
  readonly path: Path
  readonly hole: Hole | undefined
  readonly written: ShapeWriter
  readonly walked: Walked
}

interface Walked {
  isStrange: boolean
  depth: number
  /** Number of names and elements that may still be visited. */
  left: number
}

/** Greatest depth. Deeper or larger queries are refused when they are read. */
const deepest = 100
/** Greatest number of elements. An object that holds itself twice would double with each level. */
const max = 1_000_000

const newWalked = (): Walked => ({ isStrange: false, depth: 0, left: max })

const noPath: Path = []
// Paths are needed only when a shape is new.
const below = (walk: ShapeWalk, step: string | number): ShapeWalk =>
  walk.hole ? { ...walk, path: [...walk.path, step] } : walk

function parameterShape(name: string, value: unknown, level: object, walk: ShapeWalk): void {
  if (name === 'filter' || name === 'having') filterShape(value, walk)
  else if (name === 'deep') deepShape(value, walk)
  else levelShape(name, value, level, walk)
}

/** Writes the parameters whose values are bound for each request. */
function levelShape(name: string, value: unknown, level: object, walk: ShapeWalk): void {
  const place =
    name === 'search'
      ? searchHole(value)
      : name === 'after' || name === 'before'
        ? cursorHole(value, walk)
        : pageHole(name, value, level)
  if (place === undefined) literal(value, walk)
  else leave(walk, place, value)
}

const searchHole = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? holes.search : undefined

/** The nulls among the values of a cursor are part of the shape. */
function cursorHole(token: unknown, { written }: ShapeWalk): number | undefined {
  const found = typeof token === 'string' ? placeIn(token) : undefined
  if (!found) return undefined
  written.list(found.values.length)
  for (const value of found.values) written.constant(value === null)
  return holes.cursor
}

function pageHole(name: string, value: unknown, level: object): number | undefined {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return undefined
  if (name === 'limit') return value < 0 ? undefined : isShort({ limit: value }) ? holes.near : holes.far
  if (name === 'offset') return value <= 0 ? undefined : value < farOffset ? holes.near : holes.far
  if (name !== 'page' || value <= 1) return undefined
  const limit: unknown = Reflect.get(level, 'limit') ?? Reflect.get(level, '_limit') ?? 100
  return (value - 1) * Number(limit) < farOffset ? holes.near : holes.far
}

function deepShape(value: unknown, walk: ShapeWalk): void {
  if (!isRecord(value)) {
    literal(value, walk)
    return
  }
  if (!goDown(walk)) return
  for (const name of namesOf(value, walk)) {
    const inner = value[name]
    const at = below(walk, name)
    if (!name.startsWith('_')) deepShape(inner, at)
    else if (name === '_filter' || name === '_having') filterShape(inner, at)
    else levelShape(name.slice(1), inner, value, at)
  }
  goUp(walk)
}

function filterShape(value: unknown, walk: ShapeWalk): void {
  if (!isRecord(value) || isGeometry(value)) {
    operandShape('_eq', value, walk)
    return
  }
  if (!goDown(walk)) return
  for (const key of namesOf(value, walk)) entryShape(key, value[key], below(walk, key))
  goUp(walk)
}

function entryShape(key: string, value: unknown, walk: ShapeWalk): void {
  if (isJunction(key) && Array.isArray(value)) {
    if (!takes(walk, value.length)) return
    walk.written.list(value.length)
    for (let index = 0; index < value.length; index++) filterShape(value[index], below(walk, index))
  } else if (isOperator(key) && !isQuantifier(key)) operandShape(key, value, walk)
  else filterShape(value, walk)
}

function operandShape(operator: string, value: unknown, walk: ShapeWalk): void {
  if (Array.isArray(value) && !takes(walk, value.length)) return
  const kind = isOperator(operator) ? operators[operator].operand : 'flag'
  const place = kind === 'flag' || kind === 'pattern' ? undefined : operandHole(kind, value)
  if (place === undefined) literal(value, walk)
  else leave(walk, place, value)
}

function leave({ hole, path, written }: ShapeWalk, place: number, value: unknown): void {
  hole?.(path)
  written.hole(place, value)
}

function literal(value: unknown, walk: ShapeWalk): void {
  const { written, walked } = walk
  if (typeof value === 'string') written.text(value)
  else if (Array.isArray(value)) {
    if (!goDown(walk) || !takes(walk, value.length)) return
    written.list(value.length)
    // By index, because holes in a list count.
    for (let index = 0; index < value.length; index++) literal(value[index], walk)
    goUp(walk)
  } else if (isRecord(value)) {
    if (!goDown(walk)) return
    for (const name of namesOf(value, walk)) literal(value[name], walk)
    goUp(walk)
  } else if (value === null || typeof value === 'boolean') written.constant(value)
  else if (typeof value === 'number' && Number.isFinite(value)) written.number(value)
  else walked.isStrange = true
}

function goDown({ walked }: ShapeWalk): boolean {
  if (walked.depth < deepest) {
    walked.depth++
    return true
  }
  walked.isStrange = true
  return false
}

const goUp = ({ walked }: ShapeWalk): void => {
  walked.depth--
}

/** True if so many more elements may still be visited. */
function takes({ walked }: ShapeWalk, count: number): boolean {
  walked.left -= count
  if (walked.left < 0) walked.isStrange = true
  return !walked.isStrange
}

/** Writes the names of a record; their values have to follow in this order. */
function namesOf(value: object, walk: ShapeWalk): readonly string[] {
  const names = Object.keys(value)
  if (!takes(walk, names.length)) return []
  walk.written.record(names)
  return names
}
