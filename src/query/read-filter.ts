import { type Path, quote } from '../errors/errors.ts'
import { isBytes, isDate, isRecord, parseJson } from '../values/guards.ts'
import { readJsonPath } from '../values/json-path.ts'
import { isJunction, isQuantifier } from '../vocabulary/junctions.ts'
import { foreignOperator, operatorHint } from '../vocabulary/operator-hint.ts'
import { isOperator, type OperatorName } from '../vocabulary/operators.ts'
import { readCall, readFollow } from './call.ts'
import { isGeometry, namesField, readOperand } from './operands.ts'
import type { FilterNode, Json } from './query.ts'
import { excessOf, type QueryReader, readList, readObject } from './reader.ts'
import { scopeMistake } from './scope.ts'

/** Reads a filter: checks its shape and writes out every short form. Names are checked later, against a schema. */
export function readFilter(value: unknown, path: Path, reader: QueryReader): FilterNode {
  return readConditions(value, path, reader, { whole: 'The filter', inner: 'A filter' })
}

/** Reads the conditions on groups, which are those of a filter with aggregates in the place of relations. */
export function readHaving(value: unknown, path: Path, reader: QueryReader): FilterNode {
  return readConditions(value, path, reader, { whole: '"having"', inner: '"having"' })
}

/** Names of the whole and of an object in it, in messages. */
interface Called {
  readonly whole: string
  readonly inner: string
}

function readConditions(value: unknown, path: Path, reader: QueryReader, called: Called): FilterNode {
  const excess = excessOf(value, reader.limits)
  if (excess) {
    reader.problems.add(path, `${called.whole} ${excess}.`)
    return {}
  }
  const walk = new FilterWalk(called, reader.limits.filterLeaves)
  const filter = readNode(value, path, { reader, walk, depth: 0, names: 0, json: 'outside' })
  if (walk.isOver) reader.problems.add(path, `${called.whole} has more than ${walk.max} conditions.`)
  return filter
}

class FilterWalk {
  leaves = 0
  fields = 0
  readonly called: Called
  readonly max: number

  constructor(called: Called, max: number) {
    this.called = called
    this.max = max
  }

  get isOver(): boolean {
    return this.leaves > this.max
  }
}

interface NodePlace {
  readonly reader: QueryReader
  readonly walk: FilterWalk
  /** The number of objects around this one. */
  readonly depth: number
  /** The number of field names around this one. */
  readonly names: number
  /** Inside a JSON document names are paths; at a path, only operators are allowed. */
  readonly json: 'outside' | 'document' | 'path'
}

type FilterEntry = Json | FilterNode | readonly FilterNode[]

function readNode(value: unknown, path: Path, place: NodePlace): FilterNode {
  const { reader, walk, depth } = place
  if (depth > reader.limits.nesting) {
    reader.problems.add(path, `${walk.called.whole} nests deeper than ${reader.limits.nesting} levels.`)
    return {}
  }
  const below = { ...place, depth: depth + 1 }
  const node: Record<string, FilterEntry> = {}
  for (const [key, inner, isText] of readObject(value, path, reader, walk.called.inner) ?? []) {
    if (walk.isOver || reader.problems.isFull) break
    const at = isText === reader.isText ? below : { ...below, reader: { ...reader, isText } }
    const entry = readEntry(key, inner, [...path, key], at)
    if (entry !== undefined) node[key] = entry
  }
  return node
}

function readEntry(key: string, value: unknown, path: Path, place: NodePlace): FilterEntry | undefined {
  const isInJson = place.json !== 'outside'
  if (isJunction(key)) return readBranches(key, value, path, place)
  if (isQuantifier(key)) return isInJson ? unknownWord(key, path, place) : readNode(value, path, place)
  if (isOperator(key)) {
    const operand = key === '_eq' || key === '_neq' ? readValue(value, place.reader) : value
    return readLeaf(key, operand, path, place)
  }
  if (key === '_json' && !isInJson) return readNode(value, path, { ...place, json: 'document' })
  if (key.startsWith('_')) return unknownWord(key, path, place)
  return readNamed(key, value, path, place)
}

/** Reads the text "null" of a query string as null, because there is no other way to write it. */
const readValue = (value: unknown, { isText }: QueryReader): unknown =>
  isText && value === 'null' ? null : value

function readLeaf(operator: OperatorName, value: unknown, path: Path, place: NodePlace): Json | undefined {
  place.walk.leaves++
  if (namesField(value) && ++place.walk.fields > mostFields)
    place.reader.problems.add(path, `A filter compares with at most ${mostFields} fields.`)
  return readOperand({ operator, value, path, reader: place.reader, inJson: place.json !== 'outside' })
}

/** Maximum number of operands that are fields. */
const mostFields = 10

function unknownWord(word: string, path: Path, { reader }: NodePlace): undefined {
  reader.problems.add(path, `There is no operator ${quote(word)} here.`, () => operatorHint(word))
  return undefined
}

function readBranches(
  key: string,
  value: unknown,
  path: Path,
  place: NodePlace,
): readonly FilterNode[] | undefined {
  const { problems } = place.reader
  const isBlank = typeof value === 'string' && value.trim() === ''
  const list = isBlank ? { elements: [], isText: true } : readList(value, place.reader)
  if (!list) {
    problems.add(path, `${quote(key)} takes a list of filters, not ${quote(value)}.`)
    return undefined
  }
  // A client that built it from an empty selection would read everything.
  if (key === '_or' && list.elements.length === 0)
    problems.add(path, '"_or" needs at least one branch; without any it would match everything.')
  const inside = { ...place, reader: { ...place.reader, isText: list.isText } }
  return list.elements.map((branch, index) => {
    const problemsBefore = problems.all.length
    const node = readNode(branch, [...path, index], inside)
    // A refused branch is empty too, but no empty object was given.
    const isRefused = problems.all.length > problemsBefore || place.walk.isOver || problems.isFull
    // An empty branch is true, and would make the whole disjunction true.
    if (key === '_or' && Object.keys(node).length === 0 && !isRefused) {
      problems.add([...path, index], 'An empty object inside "_or" would match everything.')
    }
    return node
  })
}

/** Reads a key that is not an operator: a field, a relation, a function of a field, a scope or `$FOLLOW`. */
function readNamed(key: string, value: unknown, path: Path, place: NodePlace): FilterEntry | undefined {
  const { reader } = place
  const mistake = place.json === 'outside' ? nameMistake(key, place) : pathMistake(key, place)
  if (mistake) {
    reader.problems.add(path, mistake, key.startsWith('$') ? () => foreignOperator(key) : undefined)
    return undefined
  }
  const inner = insideOf(key, place)
  if (isNested(value, reader)) return readNode(value, path, inner)
  if (readValue(value, reader) === null) {
    place.walk.leaves++
    return { _null: true }
  }
  if (Array.isArray(value)) {
    reader.problems.add(
      path,
      `A list cannot stand for ${quote(key)} itself.`,
      (value.some(isRecord) && foreignOperator(key)) ||
        'Write { "_in": [ … ] } to look for one of several values, or { "_eq": [ … ] } for a key of several parts.',
    )
    return undefined
  }
  const operand = readLeaf('_eq', value, path, inner)
  return operand === undefined ? undefined : { _eq: operand }
}

/** The place below a name. Of the functions, only `json` leads into a document. */
function insideOf(key: string, place: NodePlace): NodePlace {
  if (place.json !== 'outside') return { ...place, json: 'path' }
  return { ...place, names: place.names + 1, json: key.startsWith('json(') ? 'path' : 'outside' }
}

/** True for objects, and in a query string also for text that is the JSON of one. Elsewhere text is text: what
 *  a user typed into a search box must not become a condition because it looks like one. */
function isNested(value: unknown, { isText }: QueryReader): boolean {
  if (typeof value === 'string') {
    return isText && value.trimStart().startsWith('{') && typeof parseJson(value) === 'object'
  }
  if (typeof value !== 'object' || value === null) return false
  const isValue = isDate(value) || isBytes(value) || isGeometry(value)
  return !Array.isArray(value) && !isValue
}

function pathMistake(key: string, { json }: NodePlace): string | undefined {
  if (json === 'path') return `${quote(key)} stands inside another JSON path; write both as one, with a dot.`
  const read = readJsonPath(key)
  return typeof read === 'string' ? `The JSON path ${quote(key)} cannot be read: ${read}.` : undefined
}

function nameMistake(key: string, { names, reader, walk }: NodePlace): string | undefined {
  const max = reader.limits.relationDepth
  // The last name is a field.
  if (names > max) return `${walk.called.whole} follows more than ${max} relations.`
  if (key.trim() === '') return 'A field without a name cannot be filtered.'
  if (key.startsWith('$')) {
    return readFollow(key)
      ? undefined
      : `${quote(key)} is not understood; only $FOLLOW(collection, field) may stand here.`
  }
  const call = readCall(key)
  if (typeof call === 'object') return undefined
  const mistake = call ?? scopeMistake(key)
  if (mistake) return `${quote(key)} is not understood: ${mistake}.`
  return key.includes('.')
    ? `A filter takes no dotted name such as ${quote(key)}; nest the names.`
    : undefined
}
