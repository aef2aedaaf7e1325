// Increments: what an update adds to the stored value of a numeric field, or changes in a stored document, in the place of a new value. The
// database adds.

import type { Dialect } from '../../dialects/dialect.ts'
import type { DocumentChange, Storing } from '../../dialects/stored-values.ts'
import { type EngineError, fault, type Path, quote } from '../../errors/errors.ts'
import type { Collection, Field, ScalarField, StoredField } from '../../schema/model.ts'
import { familyRow } from '../../types/families.ts'
import { type Storable, type StoredRead, wrongType } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { isRecord } from '../../values/guards.ts'
import type { ItemData } from './changes.ts'
import { documentAfter, readChange, wordOfChange } from './document-change.ts'
import { valueMistake } from './value-mistake.ts'

const word = '_inc'

/** True if an object in the place of a field's value stands for an increment, right or wrong. JSON and shapes are objects themselves: a document
 *  is changed by an object with one word alone. */
export function isIncrement(field: Field | undefined, input: unknown): input is ItemData {
  if (!isRecord(input) || field?.kind !== 'scalar' || field.value.isArray) return false
  const isOfNumber = Object.hasOwn(input, word) && !ofObjects.has(field.value.family)
  return isOfNumber || wordOfChange(input) !== undefined
}

const ofObjects: ReadonlySet<string> = new Set(['json', 'geometry'])

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

/** True if the database adds to a field. What a validator of the host may change is written by the engine. */
export const isAddedBy = (dialect: Dialect, field: StoredField): field is ScalarField =>
  field.kind === 'scalar' && !field.schema && dialect.storing(field.value).add !== undefined

/** The binding of what is added to a column. */
export function addedEncoding(type: ValueType, dialect: Dialect): Storing['encode'] {
  return dialect.storing(type).encodeAdded ?? dialect.storing(incrementType(type)).encode
}

/** The type of what is added to a column: the sum has to be in its range. */
export const incrementType = (type: ValueType): ValueType => ({ ...type, isWide: true, precision: undefined })

export function readIncrement(
  field: ScalarField,
  input: ItemData,
  path: Path,
): { readonly by: Storable } | EngineError {
  if (wordOfChange(input)) return readChange(field, input, path)
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
export function misplacedIncrement(field: Field, path: Path, input?: unknown): EngineError {
  const change = wordOfChange(input)
  return fault('INVALID_PAYLOAD', `"${field.name}" takes a value here, and no { ${change ?? word} }.`, {
    path,
    hint: change
      ? 'Only the update of an item that exists changes a part of a document. { $value: … } holds a document as it is.'
      : 'Only the update of an item that exists adds to a value.',
  })
}

/** Returns a stored value with an increment added; undefined for null that stays null. */
export function addedTo(field: ScalarField, stored: Storable | null, by: Storable): StoredRead | undefined {
  const { value: type } = field
  if (type.family === 'json') return documentAfter(field, stored, by as DocumentChange)
  if (stored === null) return undefined
  const { sum } = familyRow(type.family)
  // Both were read by the row of the family.
  return sum ? sum(stored as never, by as never, type) : wrongType('no increment')
}

/** The error for a sum that a field does not store. The stored value is not disclosed. */
export function sumMistake(
  field: ScalarField,
  path: Path,
  { code, type, says, valid }: Extract<StoredRead, { readonly kind: 'mistake' }>,
): EngineError {
  const isDocument = field.value.family === 'json'
  const of = type === 'object' ? 'INVALID_PAYLOAD' : code
  return fault(of, `"${field.name}" ${says}${isDocument ? '' : ', and the sum is another'}.`, {
    path: [...path, field.name],
    extensions: {
      collection: field.collection.name,
      field: field.name,
      type,
      ...(valid !== undefined && { valid }),
    },
  })
}
