import { type Path, quote } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { readJsonPath } from '../values/json-path.ts'
import {
  isJunction,
  isOperator,
  isQuantifier,
  junctions,
  operators,
  quantifiers,
} from '../vocabulary/operators.ts'
import { readCall, readFollow } from './call.ts'
import { readOperand } from './operands.ts'
import type { FilterNode, Json } from './query.ts'
import { isTooDeep, parseJson, type Reader, readList, readObject } from './reader.ts'

/** Reads a filter: checks its shape and gives every condition its full form. Names are checked later, against a schema. */
export function readFilter(value: unknown, path: Path, reader: Reader): FilterNode {
  if (isTooDeep(value, reader.limits.nesting)) {
    reader.problems.add(path, `The filter nests deeper than ${reader.limits.nesting} levels.`)
    return {}
  }
  const walk = new Walk(reader.limits.filterLeaves)
  const filter = readNode(value, path, { reader, walk, depth: 0, names: 0, inJson: false })
  if (walk.leaves > reader.limits.filterLeaves) {
    reader.problems.add(path, `The filter has more than ${reader.limits.filterLeaves} conditions.`)
  }
  return filter
}

/** Counts the conditions of one filter. */
class Walk {
  leaves = 0
  constructor(readonly most: number) {}
  get isOver(): boolean {
    return this.leaves > this.most
  }
}

interface Place {
  readonly reader: Reader
  readonly walk: Walk
  /** Objects around this one. */
  readonly depth: number
  /** Field names around this one. */
  readonly names: number
  /** Inside `_json`, where names are paths. */
  readonly inJson: boolean
}

type Entry = Json | FilterNode | readonly FilterNode[]

function readNode(value: unknown, path: Path, place: Place): FilterNode {
  const { reader, depth } = place
  if (depth > reader.limits.nesting) {
    reader.problems.add(path, `The filter nests deeper than ${reader.limits.nesting} levels.`)
    return {}
  }
  const object = readObject(value, path, reader, 'A filter')
  if (!object || place.walk.isOver) return {}
  const node: Record<string, Entry> = {}
  for (const [key, inner, isText] of object.entries) {
    const entry = readEntry(key, inner, [...path, key], {
      ...place,
      reader: { ...reader, isText },
      depth: depth + 1,
    })
    if (entry !== undefined) node[key] = entry
  }
  return node
}

function readEntry(key: string, value: unknown, path: Path, place: Place): Entry | undefined {
  if (isJunction(key)) return readBranches(key, value, path, place)
  if (isQuantifier(key)) return place.inJson ? unknownWord(key, path, place) : readNode(value, path, place)
  if (isOperator(key)) return leaf(place, () => readOperand(key, value, path, place.reader, place.inJson))
  if (key === '_json' && !place.inJson) return readNode(value, path, { ...place, inJson: true })
  if (key.startsWith('_')) return unknownWord(key, path, place)
  return readNamed(key, value, path, place)
}

function leaf<Found>(place: Place, read: () => Found): Found {
  place.walk.leaves++
  return read()
}

function unknownWord(word: string, path: Path, { reader }: Place): undefined {
  const words = [...Object.keys(operators), ...Object.keys(quantifiers), ...Object.keys(junctions), '_json']
  const near = nearest(word, words)
  reader.problems.add(
    path,
    `There is no operator ${quote(word)} here.`,
    near && near !== word ? `Did you mean "${near}"?` : undefined,
  )
  return undefined
}

function readBranches(
  key: string,
  value: unknown,
  path: Path,
  place: Place,
): readonly FilterNode[] | undefined {
  const branches = typeof value === 'string' && value.trim() === '' ? [] : readList(value)
  if (!branches) {
    place.reader.problems.add(path, `${quote(key)} takes a list of filters, not ${quote(value)}.`)
    return undefined
  }
  return branches.map((branch, index) => {
    const node = readNode(branch, [...path, index], place)
    const isEmpty = Object.keys(node).length === 0
    // An empty branch is true, and would make the whole alternative true with it.
    if (key === '_or' && isEmpty && place.reader.problems.isEmpty) {
      place.reader.problems.add([...path, index], 'An empty object inside "_or" would match everything.')
    }
    return node
  })
}

/** A field, a relation, a function of a field, a scope or `$FOLLOW`: whatever is not an operator. */
function readNamed(key: string, value: unknown, path: Path, place: Place): Entry | undefined {
  const { reader } = place
  const mistake = place.inJson ? jsonPathMistake(key) : nameMistake(key)
  if (mistake) {
    reader.problems.add(path, mistake)
    return undefined
  }
  if (place.names >= reader.limits.relationDepth) {
    reader.problems.add(path, `The filter follows more than ${reader.limits.relationDepth} names.`)
    return undefined
  }
  const inner = { ...place, names: place.names + 1 }
  if (isNested(value)) return readNode(value, path, inner)
  if (value === null) return leaf(place, () => ({ _null: true }))
  if (Array.isArray(value)) {
    reader.problems.add(
      path,
      `A list cannot stand for ${quote(key)} itself.`,
      `Write { "_in": [ … ] } to look for one of several values.`,
    )
    return undefined
  }
  const operand = leaf(place, () => readOperand('_eq', value, path, reader, place.inJson))
  return operand === undefined ? undefined : { _eq: operand }
}

/** Objects, and text that is the JSON of one. */
function isNested(value: unknown): boolean {
  if (typeof value === 'string')
    return value.trimStart().startsWith('{') && typeof parseJson(value) === 'object'
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof Uint8Array)
  )
}

function jsonPathMistake(key: string): string | undefined {
  const read = readJsonPath(key)
  return typeof read === 'string' ? `The JSON path ${quote(key)} cannot be read: ${read}.` : undefined
}

function nameMistake(key: string): string | undefined {
  if (key === '') return 'A field without a name cannot be filtered.'
  if (key.startsWith('$'))
    return readFollow(key)
      ? undefined
      : `${quote(key)} is not understood; only $FOLLOW(collection, field) may stand here.`
  const call = readCall(key)
  if (typeof call === 'string') return `${quote(key)} is not understood: ${call}.`
  if (call === undefined && key.includes('.'))
    return `Write ${quote(key)} as nested objects: a filter has no dotted names.`
  return undefined
}
