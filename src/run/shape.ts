// The shape of a query: its text without the values. Two queries of one shape have one plan and one statement. What is no value is
// written into the shape as it is, so a query that is wrong has a shape of its own, too.
import type { Path } from '../errors.ts'
import { isGeometry } from '../query/operands.ts'
import { farDown } from '../sql/statement.ts'
import { isBytes, isDate } from '../values/natives.ts'
import { isRecord } from '../values/record.ts'
import { isJunction, isOperator, isQuantifier, operators } from '../vocabulary/operators.ts'

/** Told of each value that is left out. */
export type Hole = (path: Path) => void

/** The shape of a query as it was given, read or not. Undefined when it holds what no JSON has: two such values may look alike. */
export function shapeOf(query: object, hole?: Hole): string | undefined {
  let text = ''
  const doubt = { isStrange: false }
  for (const [name, value] of Object.entries(query)) {
    const walk = { path: hole ? [name] : noPath, hole, doubt }
    text += `;${word(name)}=${parameterShape(name, value, query, walk)}`
  }
  return doubt.isStrange ? undefined : text
}

interface Walk {
  readonly path: Path
  readonly hole: Hole | undefined
  readonly doubt: { isStrange: boolean }
}

const noPath: Path = []
// Paths are needed only when a shape is met for the first time.
const below = (walk: Walk, step: string | number): Walk =>
  walk.hole ? { ...walk, path: [...walk.path, step] } : walk

function parameterShape(name: string, value: unknown, level: object, walk: Walk): string {
  if (name === 'filter') return filterShape(value, walk)
  if (name === 'deep') return deepShape(value, walk)
  return levelShape(name, value, level, walk) ?? literal(value, walk)
}

/** The parameters whose values are asked anew for each request. */
function levelShape(name: string, value: unknown, level: object, walk: Walk): string | undefined {
  if (name === 'search' && typeof value === 'string' && value.trim() !== '') return left(walk, '?')
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return undefined
  if (name === 'limit') return value < 0 ? undefined : left(walk, '?')
  if (name === 'offset') return value <= 0 ? undefined : left(walk, value < farDown ? '?' : '??')
  if (name !== 'page' || value <= 1) return undefined
  const limit: unknown = Reflect.get(level, 'limit') ?? Reflect.get(level, '_limit') ?? 100
  return left(walk, (value - 1) * Number(limit) < farDown ? '?' : '??')
}

function deepShape(value: unknown, walk: Walk): string {
  if (!isRecord(value)) return literal(value, walk)
  let text = '{'
  for (const [name, inner] of Object.entries(value)) {
    const at = below(walk, name)
    const shape = name.startsWith('_')
      ? name === '_filter'
        ? filterShape(inner, at)
        : (levelShape(name.slice(1), inner, value, at) ?? literal(inner, at))
      : deepShape(inner, at)
    text += `;${word(name)}=${shape}`
  }
  return `${text}}`
}

function filterShape(value: unknown, walk: Walk): string {
  if (!isRecord(value) || isGeometry(value)) return operandShape('_eq', value, walk)
  let text = '{'
  for (const [key, inner] of Object.entries(value))
    text += `;${word(key)}=${entryShape(key, inner, below(walk, key))}`
  return `${text}}`
}

function entryShape(key: string, value: unknown, walk: Walk): string {
  if (isJunction(key) && Array.isArray(value)) {
    let text = '['
    for (let index = 0; index < value.length; index++)
      text += `;${filterShape(value[index], below(walk, index))}`
    return `${text}]`
  }
  if (isQuantifier(key)) return filterShape(value, walk)
  return isOperator(key) ? operandShape(key, value, walk) : filterShape(value, walk)
}

function operandShape(operator: string, value: unknown, walk: Walk): string {
  const kind = isOperator(operator) ? operators[operator].operand : 'flag'
  if (kind === 'flag' || kind === 'pattern') return literal(value, walk)
  if (Array.isArray(value))
    return kind === 'values' || kind === 'pair' ? listShape(value, walk) : literal(value, walk)
  const token = tokenOf(value)
  return token === undefined ? literal(value, walk) : left(walk, token)
}

function listShape(list: readonly unknown[], walk: Walk): string {
  let kinds = ''
  for (const element of list) {
    // What a number cannot count is read as text, which stands apart from numbers inside JSON.
    const isText = typeof element === 'bigint' && !Number.isSafeInteger(Number(element))
    const token = isText ? 's' : tokenOf(element)
    if (token === undefined) return literal(list, walk)
    if (!kinds.includes(token)) kinds += token
  }
  return left(walk, `[${kinds}]`)
}

/** What kind of value is left out; undefined for what belongs to the shape: null, and texts that may be variables. */
function tokenOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.startsWith('$') ? undefined : 's'
  if (typeof value === 'number') return Number.isFinite(value) ? 'n' : undefined
  if (typeof value === 'bigint') return 'n'
  if (typeof value === 'boolean') return 'b'
  if (isDate(value)) return 'd'
  if (isBytes(value)) return 'y'
  return isRecord(value) && isGeometry(value) ? 'g' : undefined
}

function left({ hole, path }: Walk, token: string): string {
  hole?.(path)
  return token
}

/** Text that no other value has. */
function literal(value: unknown, walk: Walk): string {
  if (typeof value === 'string') return measured(value)
  if (Array.isArray(value)) {
    let text = `[${value.length}`
    // By position, because a hole in a list has to be seen.
    for (let index = 0; index < value.length; index++) text += `;${literal(value[index], walk)}`
    return text
  }
  if (isRecord(value))
    return Object.entries(value).reduce(
      (text, [name, inner]) => `${text};${measured(name)}=${literal(inner, walk)}`,
      '{',
    )
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return String(value)
  walk.doubt.isStrange = true
  return ''
}

/** With its length before it no text can be taken for another, whatever it holds. */
const measured = (text: string): string => `${text.length}:${text}`

/** Names that could be taken for the marks of a shape are quoted. */
const word = (name: string): string => (plain.test(name) ? name : JSON.stringify(name))
const plain = /^[\w$(),.: -]+$/
