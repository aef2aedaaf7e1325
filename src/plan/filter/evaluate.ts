// Evaluates a predicate in memory: the same operators as in SQL, on plain values.

import { type EngineError, fault, type Path, unreachable } from '../../errors/errors.ts'
import {
  keyFieldsOf,
  type OwnField,
  referencedFields,
  type StoredField,
  type Tuple,
} from '../../schema/model.ts'
import { familyRow } from '../../types/families.ts'
import { exactly, type OperandValue } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { atPath } from '../../values/json-path.ts'
import { clockIn, utc, type Zone } from '../../values/zone.ts'
import { functions } from '../../vocabulary/functions.ts'
import type { AnyOperator } from '../../vocabulary/operator.ts'
import { operators } from '../../vocabulary/operators.ts'
import { itemOfKey, valueOfParts } from '../key.ts'
import { leavesOf } from '../walk.ts'
import type { ComparedValue, Predicate, Some, Test, TestOperand } from './predicate.ts'
import { type RowReader, verdictOn } from './verdict.ts'

export interface MemorySetting {
  readonly zone: Zone
  readonly negationMatchesNull: boolean
}

export type ItemValues = Readonly<Record<string, unknown>> | null

/** True if an item meets a predicate. Related items that the predicate needs have to be loaded. */
export const holds = (predicate: Predicate, item: ItemValues, setting: MemorySetting): boolean =>
  verdictOn(predicate, item, itemReader(setting)) === true

const itemReader = (setting: MemorySetting): RowReader<NonNullable<ItemValues>> => ({
  passes: (test, item) => {
    const { operand, path } = test
    const value = valueAt(test.subject, item, setting.zone, path)
    if (operand.kind !== 'field') return testOf(test, setting)(value)
    const end = operand.route.reduce((one, field) => one && behindOne(one, field, path), item)
    const other = end && storedValue(operand.field, end)
    return testOf(withOperand(test, other), setting)(other === null ? null : value)
  },
  behind: (step, item) => {
    if (step.kind === 'some' || step.kind === 'none') return childrenOf(item, step)
    if (step.kind === 'arm' && item[step.field.by.name] !== step.target.name) return []
    const target = behindOne(item, step.field, step.path)
    return target ? [target] : []
  },
})

function behindOne(item: NonNullable<ItemValues>, { name }: OwnField, path: Path): ItemValues {
  const { [name]: target } = item
  if (target === null || isItem(target)) return target
  throw notLoaded(name, path)
}

/** Returns a test by the value that it is compared with. Where that is null, the other value counts as null, too. */
export const withOperand = (test: Test, value: OperandValue | null): Test => ({
  ...test,
  operand: { kind: 'value', value: exactly(value ?? '') },
})

/** True if a predicate on a related item is met where there is none. */
export const holdsWithout = (predicate: Predicate, negationMatchesNull: boolean): boolean =>
  holds(predicate, null, { negationMatchesNull, zone: utc })

/** Returns a test of values in the form in which they compare. */
export function testOf(
  { operator, subject, operand }: Test,
  { negationMatchesNull }: Pick<MemorySetting, 'negationMatchesNull'>,
): (value: OperandValue | null | typeof otherType) => boolean {
  const row: AnyOperator = operators[operator]
  const { family } = subject.type
  const meaning = { family, row: familyRow(family), negationMatchesNull }
  // An operator's row and the operand read for it always belong together; the compiler cannot follow that
  // through the table.
  const compared = memoryOperand(operand) as never
  // A JSON value of another type differs from every value it is compared with.
  return (value) => (value === otherType ? (row.isNegation ?? false) : row.test(value, compared, meaning))
}

/** An operand has its value under the name of its kind, and a flag has none. */
const memoryOperand = (operand: TestOperand): unknown =>
  operand.kind === 'pair' ? [operand.low, operand.high] : Reflect.get(operand, operand.kind)

const otherType = Symbol('a JSON value of another type')

export function valueAt(
  subject: ComparedValue,
  item: ItemValues,
  zone: Zone,
  path: Path,
): OperandValue | null | typeof otherType {
  if (item === null) return null
  switch (subject.kind) {
    case 'field':
      return storedValue(subject.field, item)
    case 'tuple':
      return tupleValue(subject.field, item)
    case 'part':
      return datePart(subject, item, zone)
    case 'length':
      return lengthOf(item[subject.field.name])
    case 'related':
      // Other aggregates are refused in memory.
      return BigInt(childrenOf(item, { children: subject.children, path }).length)
    case 'json':
      return jsonValue(subject, item)
    default:
      throw unreachable(`a subject of kind ${subject.kind satisfies 'aggregate'}`)
  }
}

/** The value of an item's field in the form in which its family compares; null if it is not of the family. */
const storedValue = (field: StoredField, item: NonNullable<ItemValues>): OperandValue | null =>
  canonical(heldValue(field, item), field.value)

/** The parts of a value; null if one is missing. An item has them in the relation, or else in their own fields: a relation that leads
 *  nowhere is null where it was loaded. */
function tupleValue(field: Tuple, item: NonNullable<ItemValues>): OperandValue | null {
  const whole = field.kind === 'm2o' ? heldValue(field, item) : undefined
  return canonical(whole ?? field.parts.map((part) => heldValue(part, item)), field.value)
}

/** The value that a field holds. A relation may have been loaded in place of its reference. */
function heldValue(field: OwnField, item: NonNullable<ItemValues>): unknown {
  const { [field.name]: value } = item
  if (!isItem(value)) return value
  if (field.kind === 'm2o') return loadedValue(referencedFields(field), value)
  const collection = field.kind === 'any' ? field.targets.get(String(item[field.by.name])) : undefined
  return collection ? loadedValue(keyFieldsOf(collection), value) : value
}

const loadedValue = (fields: readonly StoredField[], item: NonNullable<ItemValues>): unknown =>
  valueOfParts(fields.map((field) => heldValue(field, item)))

function canonical(value: unknown, type: ValueType): OperandValue | null {
  if (value === null || value === undefined) return null
  const { comparable, operand } = familyRow(type.family)
  return comparable ? comparable(value, type) : (operand(value, type)?.at ?? null)
}

function datePart(
  { field, part }: Extract<ComparedValue, { kind: 'part' }>,
  item: NonNullable<ItemValues>,
  zone: Zone,
): bigint | null {
  const moment = storedValue(field, item)
  if (typeof moment !== 'number') return null
  const clock = field.value.family === 'timestamp' ? clockIn(zone, moment) : new Date(moment)
  return BigInt(functions[part].part(clock))
}

function lengthOf(value: unknown): bigint | null {
  if (value === null || value === undefined) return null
  return BigInt(Array.isArray(value) ? value.length : 0)
}

function jsonValue(
  { field, path, as, type }: Extract<ComparedValue, { kind: 'json' }>,
  item: NonNullable<ItemValues>,
): OperandValue | null | typeof otherType {
  const value = atPath(item[field.name], path)
  if (value === null || value === undefined) return null
  if (as === undefined) return value
  return typeof value === (as === 'text' ? 'string' : as) ? canonical(value, type) : otherType
}

const isItem = (value: unknown): value is NonNullable<ItemValues> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function childrenOf(
  item: NonNullable<ItemValues>,
  {
    children: { name = '', target },
    path,
    condition,
  }: Omit<Some, 'kind' | 'condition'> & Partial<Pick<Some, 'condition'>>,
): readonly NonNullable<ItemValues>[] {
  const { [name]: children } = item
  if (!Array.isArray(children)) throw notLoaded(name, path)
  return children.map((child: unknown) => {
    if (isItem(child)) return child
    // A bare key is enough if the condition uses nothing but the key.
    if (condition === undefined || asksOnlyForKeys(condition)) return itemOfKey(target, child)
    throw notLoaded(name, path)
  })
}

const asksOnlyForKeys = (predicate: Predicate): boolean =>
  leavesOf(predicate).every(
    (leaf) => leaf.kind === 'owner' || (leaf.kind === 'test' && isOfKey(leaf.subject)),
  )

const isOfKey = (subject: ComparedValue): boolean =>
  (subject.kind === 'field' && subject.field.isKey) ||
  (subject.kind === 'tuple' && subject.field.kind === 'key')

function notLoaded(name: string, path: Path): EngineError {
  return fault('INVALID_QUERY', `The items of "${name}" are not loaded, so the filter cannot look at them.`, {
    path,
  })
}
