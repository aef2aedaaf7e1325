// Resolves one condition: an operator on a value.
import type { JsonScalar } from '../../dialects/phrase-types.ts'
import { isEngineError, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { namesField } from '../../query/operands.ts'
import type { Json } from '../../query/query.ts'
import { isStored, type ManyToOne } from '../../schema/model.ts'
import { familyRow } from '../../types/families.ts'
import { listOf } from '../../values/guards.ts'
import type { OperandKind } from '../../vocabulary/operator.ts'
import { isOperator, type OperatorName, operators, operatorsOf, worksOn } from '../../vocabulary/operators.ts'
import { type Circumstances, readVariable, variableValue } from '../../vocabulary/variables.ts'
import { fieldSubject, nameIn } from '../field-path.ts'
import { fieldNamed } from '../resolve-name.ts'
import { scalarTypes } from '../write/value-types.ts'
import { type FilterPlace, type FilterReading, refuse } from './filter-place.ts'
import { isMasked, typeName, usableFamily } from './function-call.ts'
import {
  isNull,
  type OperandPlace,
  readGeometryOperand,
  readMany,
  readOne,
  readPair,
  readPatternOperand,
  readText,
} from './operand.ts'
import {
  allOf,
  always,
  anyOf,
  type ComparedValue,
  denied,
  type PredicateDraft,
  type Test,
  type TestOperand,
} from './predicate.ts'

export function resolveTest(
  subject: ComparedValue,
  word: string,
  value: unknown,
  place: FilterPlace,
): PredicateDraft {
  if (!isOperator(word)) return refuse(place, `${quote(word)} does not stand here.`)
  const [operator, input] = plainForm(word, value, subject)
  const isOfField = namesField(input)
  if (subject.kind === 'json' && !isOfField) return resolveJsonTest(subject, operator, input, place)
  const mistake = misuse(subject, operator, place.context)
  if (mistake) return refuse(place, mistake)
  return isOfField
    ? fieldTest(subject, operator, String(input.$field), place)
    : makeTest(subject, operator, input, place)
}

/** Compares with another field of the same item, or with one behind its to-one relations. */
function fieldTest(
  subject: ComparedValue,
  operator: OperatorName,
  name: string,
  place: FilterPlace,
): PredicateDraft {
  const path = [...place.path, '$field']
  const route: ManyToOne[] = []
  const steps = name.split('.')
  let { collection } = place
  for (const [at, step] of steps.entries()) {
    const field = fieldNamed(collection, step, path)
    if (isEngineError(field)) return refuse(place, field)
    if (at < steps.length - 1 && field.kind === 'm2o') {
      route.push(field)
      collection = field.target
    } else if (at === steps.length - 1 && isStored(field) && isAlike(subject, fieldSubject(field)))
      return { kind: 'test', subject, operator, operand: { kind: 'field', route, field }, path: place.path }
    else break
  }
  return refuse(
    place,
    `"${operator}" compares ${nameOf(subject)} with fields of the same family, also behind to-one relations, and ${quote(name)} is none.`,
  )
}

/** True for values that memory and each database compare. */
const isAlike = (one: ComparedValue, other: ComparedValue): boolean =>
  one.kind !== 'aggregate' &&
  usableFamily(one) === usableFamily(other) &&
  familyRow(usableFamily(one)).groups.includes('distinct')

/** Normalizes a condition to its only form: `_null: false` is `_nnull`, and `_eq: null` is `_null`. */
function plainForm(operator: OperatorName, value: unknown, subject: ComparedValue): [OperatorName, unknown] {
  const opposite = opposites[operator]
  if (opposite && value === false) return [opposite, true]
  const nullness = nullForms[operator]
  return nullness && isNull(value, subject.type) ? [nullness, true] : [operator, value]
}

const opposites: Partial<Record<OperatorName, OperatorName>> = {
  _null: '_nnull',
  _nnull: '_null',
  _empty: '_nempty',
  _nempty: '_empty',
}
const nullForms: Partial<Record<OperatorName, OperatorName>> = { _eq: '_null', _neq: '_nnull' }

function misuse(subject: ComparedValue, operator: OperatorName, context: FilterReading): string | undefined {
  const memoryOnly = 'memoryOnly' in operators[operator] && context.use === 'query'
  if (memoryOnly) return `"${operator}" works in validation and in memory only, not in a query.`
  const family = usableFamily(subject)
  if (worksOn(operator, family)) return undefined
  const legal = operatorsOf(family).filter(
    (word) => context.use !== 'query' || !('memoryOnly' in operators[word]),
  )
  const reason = isMasked(subject) ? ', which is concealed' : ''
  return `"${operator}" does not work on ${nameOf(subject)}${reason}; it takes ${legal.join(', ')}.`
}

function nameOf(subject: ComparedValue): string {
  if (subject.kind === 'related' && !subject.of) return `the count of "${subject.children.name}"`
  if (subject.kind === 'related' || subject.kind === 'aggregate') return `"${subject.shownAs}"`
  if (subject.kind === 'tuple' && subject.field.kind === 'key')
    return `the key of "${subject.field.collection.name}"`
  if (subject.kind === 'field' || subject.kind === 'tuple')
    return `"${nameIn(subject)}" (${typeName(subject.field)})`
  return `a function of "${subject.field.name}"`
}

function makeTest(
  subject: ComparedValue,
  operator: OperatorName,
  input: unknown,
  { path, context: { problems, circumstances } }: FilterPlace,
): PredicateDraft {
  const place: OperandPlace = { operator, type: subject.type, path, problems, circumstances }
  const operand = readers[operators[operator].operand](input, place)
  if (operand === denied) return denied
  return operand ? { kind: 'test', subject, operator, operand, path } : always
}

/** Reads the operand of a later request for a test of the same shape. Returns undefined if it does not fit the shape. */
export function operandAgain(
  { subject, operator, operand, path }: Test,
  input: Json,
  circumstances: Circumstances,
): TestOperand | undefined {
  if (isNull(input, subject.type)) return undefined
  const problems = new Problems('INVALID_QUERY')
  const place: OperandPlace = { operator, type: subject.type, path, problems, circumstances }
  const isOwn = (value: unknown) =>
    subject.kind !== 'json' || scalarKinds(listOf(reported(value, circumstances)))[0] === subject.as
  // A list inside JSON is split by kind; a single value of another kind makes another test.
  const own = Array.isArray(input) ? input.filter(isOwn) : input
  if (!Array.isArray(input) && !isOwn(input) && operators[operator].operand === 'value') return undefined
  const read = readers[operators[operator].operand](own, place)
  return read === undefined || read === denied || read.kind !== operand.kind ? undefined : read
}

type ReadOperand = (input: unknown, place: OperandPlace) => TestOperand | typeof denied | undefined

const readers: Readonly<Record<OperandKind, ReadOperand>> = {
  value: readOne,
  values: (input, place) => readMany(listOf(input), place),
  pair: (input, place) => readPair(listOf(input), place),
  text: readText,
  geometry: readGeometryOperand,
  flag: () => ({ kind: 'flag' }),
  pattern: readPatternOperand,
}

/** Resolves a test on a value inside JSON, which has no declared type: the operand's own type decides what is compared. */
function resolveJsonTest(
  subject: Extract<ComparedValue, { kind: 'json' }>,
  operator: OperatorName,
  input: unknown,
  place: FilterPlace,
): PredicateDraft {
  const { operand } = operators[operator]
  if (operand === 'flag') return makeTest(subject, operator, input, place)
  const { circumstances } = place.context
  const kindsOf = (value: unknown) => scalarKinds(listOf(reported(value, circumstances)))
  const kinds = operand === 'text' || operand === 'pattern' ? (['text'] as const) : kindsOf(input)
  // The kinds in a list with variables depend on the caller, and the predicate made here with them.
  if (Array.isArray(input) && input.some(readVariable)) circumstances.onDenied?.()
  if (listOf(input).some((value) => kindsOf(value).length > 1)) {
    // A variable whose value has texts and numbers at once is of neither kind.
    circumstances.onDenied?.()
    return denied
  }
  if (operand === 'pair' && kinds.length > 1)
    return refuse(place, `"${operator}" takes two values of one type.`)
  // A list of numbers and texts is split into one of each; the type of an empty list does not matter.
  const parts = (kinds.length === 0 ? (['text'] as const) : kinds).map((as) => {
    const typed = { ...subject, as, type: scalarTypes[as] }
    const mistake = worksOn(operator, typed.type.family)
      ? misuse(typed, operator, place.context)
      : `"${operator}" does not work on a ${as} in JSON.`
    const own = Array.isArray(input) ? input.filter((value) => kindsOf(value)[0] === as) : input
    return mistake ? refuse(place, mistake) : makeTest(typed, operator, own, place)
  })
  return operator === '_nin' ? allOf(parts) : parts.length === 1 ? (parts[0] ?? always) : anyOf(parts)
}

/** The value of an operand: a variable has the type of its value for the caller. Nested lists are flattened. */
function reported(input: unknown, circumstances: Circumstances): unknown {
  if (Array.isArray(input)) return input.flatMap((one: unknown) => reported(one, circumstances))
  const variable = readVariable(input)
  return variable ? (variableValue(variable, circumstances) ?? input) : input
}

const scalarKind = (value: unknown): JsonScalar =>
  typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text'
const scalarKinds = (values: readonly unknown[]): JsonScalar[] => [...new Set(values.map(scalarKind))]
