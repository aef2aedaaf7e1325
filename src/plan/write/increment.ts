// Increments: what an update adds to the stored value of a numeric field, in the place of a new value. The database adds.

import { type EngineError, fault, type Path, quote } from '../../errors/errors.ts'
import type { Collection, Field, ScalarField } from '../../schema/model.ts'
import { familyRow } from '../../types/families.ts'
import { type Storable, type StoredRead, wrongType } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { isRecord } from '../../values/guards.ts'
import type { ItemData } from './changes.ts'
import { valueMistake } from './value-mistake.ts'

const word = '_inc'

/** True if an object in the place of a field's value stands for an increment, right or wrong. JSON and shapes are objects themselves. */
export function isIncrement(field: Field | undefined, input: unknown): input is ItemData {
  if (!isRecord(input) || !Object.hasOwn(input, word)) return false
  return field?.kind === 'scalar' && !field.value.isArray && !ofObjects.has(field.value.family)
}

const ofObjects: ReadonlySet<string> = new Set(['json', 'geometry'])

/** Returns the names of the fields that a payload increments. */
export function incrementedNames({ fields }: Collection, payload: ItemData): readonly string[] {
  let found: string[] | undefined
  for (const name of Object.keys(payload)) {
    const value = payload[name]
    // Most values are no objects, and most payloads have none.
    if (typeof value !== 'object' || value === null || !isIncrement(fields.get(name), value)) continue
    found ??= []
    found.push(name)
  }
  return found ?? none
}

const none: readonly string[] = []

/** True for a number that results show. */
export const mayBeIncremented = (field: Field): field is ScalarField =>
  field.kind === 'scalar' &&
  familyRow(field.value.family).sum !== undefined &&
  !(field.value.isArray || field.isConcealed || field.isKey)

/** The type of what is added to a column: the sum has to be in its range. */
export const incrementType = (type: ValueType): ValueType => ({ ...type, isWide: true, precision: undefined })

/** Reads what is added to a field. */
export function readIncrement(
  field: ScalarField,
  input: ItemData,
  path: Path,
): { readonly by: Storable } | EngineError {
  const [other] = Object.keys(input).filter((name) => name !== word)
  const { name, value: type } = field
  const row = familyRow(type.family)
  if (!mayBeIncremented(field))
    return fault(
      'INVALID_PAYLOAD',
      `"${name}" is no number that is shown, so that nothing can be added to it.`,
      { path },
    )
  if (other !== undefined)
    return fault('INVALID_PAYLOAD', `An increment of "${name}" is { ${word} } and no ${quote(other)}.`, {
      path: [...path, other],
    })
  const { [word]: by } = input
  const read = by === null || by === undefined ? wrongType(row.expects) : row.store(by, incrementType(type))
  return read.kind === 'value' ? { by: read.value } : valueMistake(field, [...path, word], read, by)
}

/** The error for an increment where there is no stored value to add to. */
export const misplacedIncrement = ({ name }: Field, path: Path): EngineError =>
  fault('INVALID_PAYLOAD', `"${name}" takes a value here, and no { ${word} }.`, {
    path,
    hint: 'Only the update of an item that exists adds to a value.',
  })

/** Returns a stored value with an increment added. */
export function addedTo({ value: type }: ScalarField, stored: Storable, by: Storable): StoredRead {
  const { sum } = familyRow(type.family)
  // Both were read by the row of the family.
  return sum ? sum(stored as never, by as never, type) : wrongType('no increment')
}

/** The error for a sum that a field does not store. The stored value is not disclosed. */
export function sumMistake(
  field: ScalarField,
  path: Path,
  { code, type, says }: Extract<StoredRead, { readonly kind: 'mistake' }>,
): EngineError {
  return fault(code, `"${field.name}" ${says}, and the sum is another.`, {
    path: [...path, field.name],
    extensions: { collection: field.collection.name, field: field.name, type },
  })
}
