// Queries and filters with templates: these stand for values alone, unless the rights are those of whoever brings the values.
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

/** Reads a query. */
export function compileQuery(value: unknown, path: Path, compiling: CompilingQuery): CompiledValue {
  return compileLevel(value, path, queryWords, compiling)
}

type Reader = (value: unknown, path: Path, compiling: CompilingQuery) => CompiledValue

const readOne: Reader = (value, path, compiling) => compileValue(value, path, 'one', compiling)

const queryWords: Readonly<Record<string, Reader>> = {
  filter: compileFilter,
  search: readOne,
  limit: readOne,
  offset: readOne,
  page: readOne,
  deep: (value, path, compiling) => compileDeep(value, path, compiling),
}

const deepWords: Readonly<Record<string, Reader>> = {
  _filter: compileFilter,
  _search: readOne,
  _limit: readOne,
  _offset: readOne,
  _page: readOne,
}

function compileLevel(
  value: unknown,
  path: Path,
  words: Readonly<Record<string, Reader>>,
  compiling: CompilingQuery,
): CompiledValue {
  if (!isRecord(value)) return compilePart(value, path, compiling)
  return objectOf(
    Object.keys(value).map((name) => {
      const read = Object.hasOwn(words, name) ? words[name] : undefined
      return [name, (read ?? compilePart)(Reflect.get(value, name), [...path, name], compiling)]
    }),
  )
}

/** Reads the queries of nested lists by the names of relations. */
function compileDeep(value: unknown, path: Path, compiling: CompilingQuery): CompiledValue {
  if (!isRecord(value)) return compilePart(value, path, compiling)
  return objectOf(
    Object.keys(value).map((name) => {
      const inner: unknown = Reflect.get(value, name)
      const at = [...path, name]
      const read = Object.hasOwn(deepWords, name) ? deepWords[name] : undefined
      if (read) return [name, read(inner, at, compiling)]
      return [
        name,
        name.startsWith('_') ? compilePart(inner, at, compiling) : compileDeep(inner, at, compiling),
      ]
    }),
  )
}

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
  'A template stands for a value here, and not for a name, a filter or a query: the rights of this operation are not those of whoever brings the value.',
  'Write the name, or give the operation the access "caller" or "nobody".',
] as const

/** Reads a filter: templates are operands. */
export function compileFilter(value: unknown, path: Path, compiling: CompilingQuery): CompiledValue {
  if (!isRecord(value)) return compilePart(value, path, compiling)
  return objectOf(
    Object.keys(value).map((name) => [
      name,
      compileEntry(name, Reflect.get(value, name), [...path, name], compiling),
    ]),
  )
}

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
