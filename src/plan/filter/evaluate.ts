// Evaluates a predicate in memory: the same operators as in SQL, on plain values.

import { type EngineError, fault, type Path, unreachable } from '../../errors/errors.ts'
import { keyFieldsOf, referencedFields, type StoredField, type Tuple } from '../../schema/model.ts'
import { familyRow } from '../../types/families.ts'
import type { OperandValue } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { atPath } from '../../values/json-path.ts'
import { clockIn, utc, type Zone } from '../../values/zone.ts'
import { functions } from '../../vocabulary/functions.ts'
import type { AnyOperator } from '../../vocabulary/operator.ts'
import { operators } from '../../vocabulary/operators.ts'
import { itemOfKey, valueOfParts } from '../key.ts'
import { leavesOf } from '../walk.ts'
import type { Children, ComparedValue, Predicate, Test, TestOperand } from './predicate.ts'

export interface MemorySetting {
  readonly zone: Zone
  readonly negationMatchesNull: boolean
}

/** An item, or null if there is none. */
export type ItemValues = Readonly<Record<string, unknown>> | null

/** True if an item meets a predicate; `owner` is its parent if the item is a child. Related items have to be
 *  loaded as far as the predicate needs them. */
export function holds(
  predicate: Predicate,
  item: ItemValues,
  setting: MemorySetting,
  owner?: ItemValues,
): boolean {
  switch (predicate.kind) {
    case 'and':
      return predicate.parts.every((part) => holds(part, item, setting, owner))
    case 'or':
      return predicate.parts.some((part) => holds(part, item, setting, owner))
    case 'test':
      return holdsTest(predicate, item, setting)
    case 'one':
      return holds(predicate.condition, targetOf(item, predicate.field.name, predicate.path), setting)
    case 'arm': {
      if (item === null || item[predicate.field.by.name] !== predicate.target.name) return false
      const target = targetOf(item, predicate.field.name, predicate.path)
      return target !== null && holds(predicate.condition, target, setting)
    }
    case 'some':
      return childrenOf(item, predicate.children, predicate.path, predicate.condition).some((child) =>
        holds(predicate.condition, child, setting, item),
      )
    case 'owner':
      if (owner === undefined) throw unreachable('a condition on the owner of no child')
      return holds(predicate.condition, owner, setting)
    case 'none':
      return !childrenOf(item, predicate.children, predicate.path, predicate.condition).some((child) =>
        holds(predicate.condition, child, setting),
      )
    default:
      throw unreachable(`a predicate of kind ${String(predicate satisfies never)}`)
  }
}

/** True if a predicate on a related item is met where there is none. */
export function holdsWithout(predicate: Predicate, negationMatchesNull: boolean): boolean {
  return holds(predicate, null, { negationMatchesNull, zone: utc })
}

function holdsTest(test: Test, item: ItemValues, { zone, negationMatchesNull }: MemorySetting): boolean {
  const { subject } = test
  const row: AnyOperator = operators[test.operator]
  const value = valueAt(subject, item, zone, test.path)
  // A JSON value of another type differs from every value it is compared with.
  if (value === otherType) return row.isNegation ?? false
  const { family } = subject.type
  const meaning = { family, row: familyRow(family), negationMatchesNull }
  // An operator's row and the operand read for it always belong together; the compiler cannot follow that
  // through the table.
  return row.test(value, memoryOperand(test.operand) as never, meaning)
}

export function memoryOperand(operand: TestOperand): unknown {
  switch (operand.kind) {
    case 'value':
      return operand.value
    case 'values':
      return operand.values
    case 'pair':
      return [operand.low, operand.high]
    case 'text':
      return operand.text
    case 'geometry':
      return operand.geometry
    case 'flag':
      return undefined
    case 'pattern':
      return operand.pattern
    default:
      throw unreachable(`an operand of kind ${String(operand satisfies never)}`)
  }
}

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
    case 'count':
      return BigInt(childrenOf(item, subject.children, path).length)
    case 'json':
      return jsonValue(subject, item)
    case 'aggregate':
      throw unreachable('an aggregate of an item')
    default:
      throw unreachable(`a subject of kind ${String(subject satisfies never)}`)
  }
}

/** The value of an item's field in the form in which its family compares; null if it is not of the family. */
function storedValue(field: StoredField, item: NonNullable<ItemValues>): OperandValue | null {
  const value = item[field.name]
  return canonical(isItem(value) ? keyOfLoaded(field, value, item) : value, field.value)
}

/** The parts of a value; null if one is missing. An item has them in the relation, or else in their own fields: a relation that leads
 *  nowhere is null where it was loaded. */
function tupleValue(field: Tuple, item: NonNullable<ItemValues>): OperandValue | null {
  const whole = field.kind === 'm2o' ? item[field.name] : undefined
  if (field.kind === 'm2o' && isItem(whole))
    return canonical(loadedValue(referencedFields(field), whole), field.value)
  if (whole !== undefined && whole !== null) return canonical(whole, field.value)
  const parts = field.parts.map((part) => {
    const value = item[part.name]
    return isItem(value) ? keyOfLoaded(part, value, item) : value
  })
  return canonical(parts, field.value)
}

/** The reference to a related item that was loaded in place of it. */
function keyOfLoaded(
  field: StoredField,
  target: NonNullable<ItemValues>,
  item: NonNullable<ItemValues>,
): unknown {
  if (field.kind === 'm2o') return loadedValue(referencedFields(field), target)
  const collection = field.kind === 'any' ? field.targets.get(String(item[field.by.name])) : undefined
  return collection ? loadedValue(keyFieldsOf(collection), target) : target
}

/** The value of some fields of an item together. Relations may have been loaded in place of them. */
function loadedValue(fields: readonly StoredField[], item: NonNullable<ItemValues>): unknown {
  const parts = fields.map((field) => {
    const value = item[field.name]
    return isItem(value) ? keyOfLoaded(field, value, item) : value
  })
  return valueOfParts(parts)
}

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

function targetOf(item: ItemValues, name: string, path: Path): ItemValues {
  const target = item === null ? null : item[name]
  if (target === null || isItem(target)) return target
  throw notLoaded(name, path)
}

function childrenOf(
  item: ItemValues,
  { name = '', target }: Children,
  path: Path,
  condition?: Predicate,
): readonly NonNullable<ItemValues>[] {
  if (item === null) return []
  const children = item[name]
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
