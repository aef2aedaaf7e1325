// Reads operands: variables get their values, texts become values of the field's type.

import { type Path, quote } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import { familyRow } from '../../types/families.ts'
import type { FamilyRow, Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { type OperatorName, operators } from '../../vocabulary/operators.ts'
import { readPattern } from '../../vocabulary/regex.ts'
import {
  type Circumstances,
  isOfCaller,
  readVariable,
  type Variable,
  variableMistake,
  variableValue,
} from '../../vocabulary/variables.ts'
import { denied, type TestOperand } from './predicate.ts'

export interface OperandPlace {
  readonly operator: OperatorName
  readonly type: ValueType
  readonly path: Path
  readonly problems: Problems
  readonly circumstances: Circumstances
}

/** `denied` if a variable in it has no value; undefined, with a problem reported, if it cannot be of the type. */
type OperandReading<Found> = Found | typeof denied | undefined

export function readOne(input: unknown, place: OperandPlace): OperandReading<TestOperand> {
  const value = readValue(input, place)
  return value === undefined || value === denied ? value : { kind: 'value', value }
}

export function readMany(input: readonly unknown[], place: OperandPlace): OperandReading<TestOperand> {
  const values = readElements(input, place)
  return values === undefined || values === denied ? values : { kind: 'values', values }
}

export function readPair(input: readonly unknown[], place: OperandPlace): OperandReading<TestOperand> {
  const values = readElements(input, place)
  if (values === undefined || values === denied) return values
  const [low, high] = values
  // Two elements were written, but a variable may have any number of values.
  return low && high && values.length === 2 ? { kind: 'pair', low, high } : deny(place)
}

export function readText(input: unknown, place: OperandPlace): OperandReading<TestOperand> {
  const value = substituted(input, place)
  if (value === undefined || value === denied) return value
  const text = familyRow('text').operand(value.input, place.type)?.at
  if (typeof text === 'string') return { kind: 'text', text }
  return value.variable ? deny(place) : refuse(place, `takes text, not ${quote(value.input)}`)
}

export function readGeometryOperand(input: unknown, place: OperandPlace): OperandReading<TestOperand> {
  const geometry = familyRow('geometry').operand(input, place.type)
  return geometry ? { kind: 'geometry', geometry } : refuse(place, 'takes a GeoJSON geometry')
}

export function readPatternOperand(input: unknown, place: OperandPlace): OperandReading<TestOperand> {
  const pattern = readPattern(String(input))
  return typeof pattern === 'string'
    ? refuse(place, `cannot use this regular expression: ${pattern}`)
    : { kind: 'pattern', pattern }
}

/** True if an operand means null: a text field may have the text "null". */
export function isNull(input: unknown, { family }: ValueType): boolean {
  return input === null || (input === 'null' && !familyRow(family).holdsNullText)
}

function readElements(input: readonly unknown[], place: OperandPlace): OperandReading<readonly Operand[]> {
  const values: Operand[] = []
  for (const [index, element] of input.entries()) {
    const at = { ...place, path: [...place.path, index] }
    const found = substituted(element, at)
    if (found === undefined || found === denied) return found
    // A variable may have a list as its value.
    for (const one of isListOf(found.input, place.type) ? found.input : [found.input]) {
      const value = isNull(one, place.type)
        ? withoutNull(found, at, 'takes no null in its list; ask for "_null" beside it')
        : convert({ ...found, input: one }, at)
      if (value === undefined || value === denied) return value
      values.push(value)
    }
  }
  return values
}

function readValue(input: unknown, place: OperandPlace): OperandReading<Operand> {
  const found = substituted(input, place)
  if (found === undefined || found === denied) return found
  return isNull(found.input, place.type) ? withoutNull(found, place, 'takes no null') : convert(found, place)
}

/** Null, or the text "null", is a mistake if it was written, and denies the condition if it is the value of a variable. */
function withoutNull(
  { variable }: Substituted,
  place: OperandPlace,
  sentence: string,
): OperandReading<never> {
  return variable ? deny(place) : refuse(place, sentence)
}

interface Substituted {
  readonly input: unknown
  readonly variable: Variable | undefined
  readonly written: unknown
}

/** True for a list of values. A key of several parts is a list itself. */
const isListOf = (input: unknown, { parts }: ValueType): input is readonly unknown[] =>
  Array.isArray(input) && (!parts || input.some(Array.isArray))

function substituted(input: unknown, place: OperandPlace): OperandReading<Substituted> {
  return place.type.parts && Array.isArray(input) ? eachPart(input, place) : oneValue(input, place)
}

/** The parts of a key, any of which may be a variable. */
function eachPart(input: readonly unknown[], place: OperandPlace): OperandReading<Substituted> {
  const parts: Substituted[] = []
  for (const [index, part] of input.entries()) {
    const found = oneValue(part, { ...place, path: [...place.path, index] })
    if (found === undefined || found === denied) return found
    parts.push(found)
  }
  const variable = parts.find((part) => part.variable)?.variable
  return { input: parts.map((part) => part.input), variable, written: input }
}

function oneValue(input: unknown, place: OperandPlace): OperandReading<Substituted> {
  const variable = readVariable(input)
  if (!variable) return { input, variable, written: input }
  const mistake = variableMistake(variable)
  if (mistake) return refuse(place, `cannot use this variable: ${mistake}`)
  place.circumstances.onVariable?.(place.path)
  const value = variableValue(variable, place.circumstances)
  return value === undefined || value === null ? deny(place) : { input: value, variable, written: input }
}

function convert({ input, variable, written }: Substituted, place: OperandPlace): OperandReading<Operand> {
  const row = familyRow(place.type.family)
  const operand = row.operand(input, place.type)
  if (operand) return operand
  // The caller did not write the filter: a user whose key cannot be in the column equals none of its values.
  if (variable && isOfCaller(variable.name)) return deny(place)
  return refuse(
    place,
    `takes ${expectedIn(place, row)} here, not ${quote(written)}`,
    row.hintFor?.(input, place.type),
  )
}

/** Returns a description of the operand that is expected. An element of a list of keys is a list itself. */
function expectedIn({ type, operator }: OperandPlace, { expects, expectsOf }: FamilyRow): string {
  const { parts } = type
  if (!parts) return expectsOf?.(type) ?? expects
  const key = `[${parts.map((_, index) => index + 1).join(', ')}]`
  const isInList = operators[operator].operand === 'values'
  return isInList ? `a list of keys such as [${key}]` : `a key of ${parts.length} parts such as ${key}`
}

function deny({ circumstances }: OperandPlace): typeof denied {
  circumstances.onDenied?.()
  return denied
}

function refuse({ operator, path, problems }: OperandPlace, sentence: string, hint?: string): undefined {
  problems.add(path, `"${operator}" ${sentence}.`, hint)
  return undefined
}
