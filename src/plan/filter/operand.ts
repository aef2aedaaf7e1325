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
  readVariable,
  type Variable,
  variableMistake,
  variableValue,
} from '../../vocabulary/variables.ts'
import { denied, type TestOperand } from './predicate.ts'

/** The context for reading an operand. */
export interface OperandPlace {
  readonly operator: OperatorName
  readonly type: ValueType
  readonly path: Path
  readonly problems: Problems
  readonly circumstances: Circumstances
}

/** `denied` if a variable in it has no value; undefined, with a problem reported, if it cannot be of the type. */
type OperandReading<Found> = Found | typeof denied | undefined

export function readOne(given: unknown, place: OperandPlace): OperandReading<TestOperand> {
  const value = readValue(given, place)
  return value === undefined || value === denied ? value : { kind: 'value', value }
}

export function readMany(given: readonly unknown[], place: OperandPlace): OperandReading<TestOperand> {
  const values = readElements(given, place)
  return values === undefined || values === denied ? values : { kind: 'values', values }
}

export function readPair(given: readonly unknown[], place: OperandPlace): OperandReading<TestOperand> {
  const values = readElements(given, place)
  if (values === undefined || values === denied) return values
  const [low, high] = values
  // Two elements were written, but a variable may have any number of values.
  return low && high && values.length === 2 ? { kind: 'pair', low, high } : deny(place)
}

export function readText(given: unknown, place: OperandPlace): OperandReading<TestOperand> {
  const value = substituted(given, place)
  if (value === undefined || value === denied) return value
  const text = familyRow('text').operand(value.given, place.type)?.at
  if (typeof text === 'string') return { kind: 'text', text }
  return value.variable ? deny(place) : refuse(place, `takes text, not ${quote(value.given)}`)
}

export function readGeometryOperand(given: unknown, place: OperandPlace): OperandReading<TestOperand> {
  const geometry = familyRow('geometry').operand(given, place.type)
  return geometry ? { kind: 'geometry', geometry } : refuse(place, 'takes a GeoJSON geometry')
}

export function readPatternOperand(given: unknown, place: OperandPlace): OperandReading<TestOperand> {
  const pattern = readPattern(String(given))
  return typeof pattern === 'string'
    ? refuse(place, `cannot use this regular expression: ${pattern}`)
    : { kind: 'pattern', pattern }
}

/** True if an operand means null: a text field may have the text "null". */
export function isNull(given: unknown, { family }: ValueType): boolean {
  return given === null || (given === 'null' && !familyRow(family).holdsNullText)
}

function readElements(given: readonly unknown[], place: OperandPlace): OperandReading<readonly Operand[]> {
  const values: Operand[] = []
  for (const [index, element] of given.entries()) {
    const at = { ...place, path: [...place.path, index] }
    const found = substituted(element, at)
    if (found === undefined || found === denied) return found
    // A variable may have a list as its value.
    for (const one of isListOf(found.given, place.type) ? found.given : [found.given]) {
      const value = isNull(one, place.type)
        ? withoutNull(found, at, 'takes no null in its list; ask for "_null" beside it')
        : convert({ ...found, given: one }, at)
      if (value === undefined || value === denied) return value
      values.push(value)
    }
  }
  return values
}

function readValue(given: unknown, place: OperandPlace): OperandReading<Operand> {
  const found = substituted(given, place)
  if (found === undefined || found === denied) return found
  return isNull(found.given, place.type) ? withoutNull(found, place, 'takes no null') : convert(found, place)
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
  readonly given: unknown
  readonly variable: Variable | undefined
  /** The operand as written in the filter. */
  readonly written: unknown
}

/** True for a list of values. A key of several parts is a list itself. */
const isListOf = (given: unknown, { parts }: ValueType): given is readonly unknown[] =>
  Array.isArray(given) && (!parts || given.some(Array.isArray))

function substituted(given: unknown, place: OperandPlace): OperandReading<Substituted> {
  return place.type.parts && Array.isArray(given) ? eachPart(given, place) : oneValue(given, place)
}

/** The parts of a key, any of which may be a variable. */
function eachPart(given: readonly unknown[], place: OperandPlace): OperandReading<Substituted> {
  const parts: Substituted[] = []
  for (const [index, part] of given.entries()) {
    const found = oneValue(part, { ...place, path: [...place.path, index] })
    if (found === undefined || found === denied) return found
    parts.push(found)
  }
  const variable = parts.find((part) => part.variable)?.variable
  return { given: parts.map((part) => part.given), variable, written: given }
}

function oneValue(given: unknown, place: OperandPlace): OperandReading<Substituted> {
  const variable = readVariable(given)
  if (!variable) return { given, variable, written: given }
  const mistake = variableMistake(variable)
  if (mistake) return refuse(place, `cannot use this variable: ${mistake}`)
  place.circumstances.onVariable?.(place.path)
  const value = variableValue(variable, place.circumstances)
  return value === undefined || value === null ? deny(place) : { given: value, variable, written: given }
}

function convert({ given, variable, written }: Substituted, place: OperandPlace): OperandReading<Operand> {
  const row = familyRow(place.type.family)
  const operand = row.operand(given, place.type)
  if (operand) return operand
  // The caller did not write the filter: a user whose key cannot be in the column equals none of its values.
  if (variable && variable.name !== '$NOW') return deny(place)
  return refuse(
    place,
    `takes ${expectedIn(place, row)} here, not ${quote(written)}`,
    row.hintFor?.(given, place.type),
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
