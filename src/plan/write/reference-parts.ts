// References that several fields hold: a payload sets, changes and clears them as one value.
import { fault, type Path } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import {
  isPartOf,
  isToMany,
  isTuple,
  keyFieldsOf,
  type LinkTuple,
  type ManyToOne,
  partsOf,
  type StoredField,
} from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { isSameKey, type Key, keyOfValue, valuesOfKey } from '../key.ts'
import { readStored } from './stored-value.ts'
import { valueMistake } from './value-mistake.ts'

/** Reads the key of an item that several fields refer to; false, with a problem reported, if they cannot hold it. */
export function readTuple(
  field: LinkTuple,
  input: unknown,
  values: Map<StoredField, Storable | null>,
  place: PartsPlace,
): boolean {
  const path = [...place.path, field.name]
  if (input === null) {
    const cleared = clearedParts(field).filter((part) => !(place.isKeyed && part.isKey))
    for (const part of cleared) values.set(part, null)
    if (cleared.length === 0) place.problems.report(notNull(field, path))
    return cleared.length > 0
  }
  const read = readStored(field, input)
  if (read.kind === 'mistake') {
    place.problems.report(valueMistake(field, path, read, input))
    return false
  }
  return setParts(field, keyOfValue(read.value), values, { ...place, path })
}

/** The fields that are emptied where a row refers to nothing any more: those that hold nothing else, or all that may be null. */
export function clearedParts(field: LinkTuple): readonly StoredField[] {
  const nullable = field.parts.filter((part) => part.isNullable && !part.isKey)
  const others = [...field.collection.fields.values()].filter(
    (one): one is LinkTuple => one !== field && !isToMany(one) && isTuple(one),
  )
  const own = nullable.filter((part) => part.kind === 'scalar' && !others.some((one) => isPartOf(part, one)))
  return own.length > 0 ? own : nullable
}

const notNull = (field: LinkTuple, path: Path) =>
  fault('FAILED_VALIDATION', `"${field.name}" of "${field.collection.name}" may not be null.`, {
    path,
    extensions: { collection: field.collection.name, field: field.name, type: 'nnull' },
  })

/** Sets the fields that refer to an item. What the payload says of them itself, and the key of the item that has them, has to agree. */
export function setParts(
  field: ManyToOne,
  key: Key,
  values: Map<StoredField, Storable | null>,
  { key: own, isKeyed, path, problems }: PartsPlace,
): boolean {
  const fixed = new Map(own === undefined ? [] : valuesOfKey(keyFieldsOf(field.collection), own))
  for (const [part, value] of valuesOfKey(partsOf(field), key)) {
    const said = isKeyed && part.isKey ? fixed.get(part) : isTuple(field) ? values.get(part) : undefined
    if (
      said !== undefined &&
      (said === null || value === null || !isSameKey(keyOfValue(said), keyOfValue(value)))
    ) {
      problems.report(otherPart(field, part, isKeyed && part.isKey, path))
      return false
    }
    if (!(isKeyed && part.isKey)) values.set(part, value)
  }
  return true
}

/** The item whose fields are set: its key, if it exists already. */
interface PartsPlace {
  readonly path: Path
  readonly problems: Problems
  /** True if the item exists, so that its key is not written. */
  readonly isKeyed: boolean
  readonly key?: Key | undefined
}

const otherPart = (field: ManyToOne, part: StoredField, isOfKey: boolean, path: Path) =>
  fault(
    'INVALID_PAYLOAD',
    isOfKey
      ? `The key of an item cannot be changed, and "${field.name}" says another "${part.name}".`
      : `"${field.name}" and "${part.name}" beside it say different things.`,
    { path },
  )
