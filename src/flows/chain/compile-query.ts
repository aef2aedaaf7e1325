// Queries and filters with templates: these stand for values alone, unless the flow has the rights of the caller that brings the values.
import type { Path } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import { isJunction } from '../../vocabulary/junctions.ts'
import { isOperator, operators } from '../../vocabulary/operators.ts'
import {
  type CompiledValue,
  type Compiling,
  compileText,
  compileValue,
  listOf,
  objectOf,
} from './compile-value.ts'
import { readTemplate } from './template.ts'

/** The reading of a query or a filter. */
export interface CompilingQuery extends Compiling {
  /** True if what a template brings may be more than a value: who brings it has the rights with which it is used. */
  readonly mayBuild: boolean
}

type Reader = (value: unknown, path: Path, compiling: CompilingQuery) => CompiledValue

/** Returns what reads the members of an object, each by a reader of its name. */
const readMembers =
  (readerOf: (name: string) => Reader): Reader =>
  (value, path, compiling) => {
    if (!isRecord(value)) return compilePart(value, path, compiling)
    return objectOf(
      Object.keys(value).map((name) => [
        name,
        readerOf(name)(Reflect.get(value, name), [...path, name], compiling),
      ]),
    )
  }

/** Reads a filter: templates are operands. */
export const compileFilter: Reader = readMembers(
  (name) => (value, path, compiling) => compileEntry(name, value, path, compiling),
)

const readOne: Reader = (value, path, compiling) => compileValue(value, path, 'one', compiling)

/** Words of a query whose templates are values. */
const valueWords = new Map([
  ['filter', compileFilter],
  ...['search', 'limit', 'offset', 'page', 'after', 'before'].map((name) => [name, readOne] as const),
])

/** Reads the queries of nested lists by the names of relations. */
const compileDeep: Reader = readMembers((name) =>
  name.startsWith('_') ? (valueWords.get(name.slice(1)) ?? compilePart) : compileDeep,
)

export const compileQuery: Reader = readMembers((name) =>
  name === 'deep' ? compileDeep : (valueWords.get(name) ?? compilePart),
)

/** Reads what decides on what is read: names, orders, whole filters. */
function compilePart(value: unknown, path: Path, compiling: CompilingQuery): CompiledValue {
  if (compiling.mayBuild) return compileValue(value, path, 'present', compiling)
  const refused: Compiling = {
    ...compiling,
    onSlot: (slot, at) => {
      compiling.onSlot(slot, at)
      compiling.report(at, ...standsForValues)
    },
  }
  return compileValue(value, path, 'present', refused)
}

/** The mistake of a template that stands for more than a value. */
export const standsForValues = [
  'A template stands for a value here, not for a name, a filter or a query: this operation does not have the rights of the caller that brings the value.',
  'Write the name, or give the operation the access "caller" or "nobody".',
] as const

function compileEntry(name: string, value: unknown, path: Path, compiling: CompilingQuery): CompiledValue {
  if (isJunction(name)) {
    if (!Array.isArray(value)) return compilePart(value, path, compiling)
    return listOf(value.map((one, at) => compileFilter(one, [...path, at], compiling)))
  }
  if (isOperator(name)) {
    const { operand } = operators[name]
    return compileValue(value, path, operand === 'values' || operand === 'pair' ? 'many' : 'one', compiling)
  }
  // A value in place of an operator means `_eq`.
  if (typeof value === 'string' && readTemplate(value) !== undefined)
    return compileText(value, path, 'one', compiling)
  return compileFilter(value, path, compiling)
}
