// Reads one item of a payload: names become fields, values become column values, and nested items are separated.

import { fault, type Path } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import { suggestion } from '../../errors/suggest.ts'
import {
  type AnyReference,
  type Collection,
  isToMany,
  isTuple,
  keyOf,
  type LinkTuple,
  type ManyToOne,
  type OwnField,
  type ScalarField,
  type StoredField,
  type ToMany,
} from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { mask } from '../../types/hash.ts'
import { isRecord } from '../../values/guards.ts'
import { type Key, keyOfValue, keyToText } from '../key.ts'
import { noField } from '../resolve-name.ts'
import { type Changes, type ItemData, readChanges } from './changes.ts'
import { valueIn } from './document-change.ts'
import { isIncrement, misplacedIncrement, readIncrement } from './increment.ts'
import { readTuple } from './reference-parts.ts'
import { readStored } from './stored-value.ts'
import { valueMistake } from './value-mistake.ts'

export interface Payload {
  readonly values: Map<StoredField, Storable | null>
  /** Additions to stored values, and changes of stored documents. */
  readonly increments: Map<ScalarField, Storable>
  /** Fields whose value was refused, so that they are not also reported as missing. */
  readonly refused: ReadonlySet<StoredField>
  /** Related items that are written before this one, which has their keys. */
  readonly targets: readonly TargetPayload[]
  /** Related items that are written after it, because they have its key. */
  readonly children: readonly ChildChanges[]
}

export interface TargetPayload {
  readonly field: ManyToOne | AnyReference
  readonly collection: Collection
  readonly payload: ItemData
  readonly path: Path
}

interface ChildChanges {
  readonly relation: ToMany
  readonly changes: Changes
  readonly path: Path
}

export interface PayloadPlace {
  readonly collection: Collection
  readonly path: Path
  readonly problems: Problems
  /** True if the key is not written, but identifies the item. */
  readonly isKeyed: boolean
  /** The key of an item that exists, if it is known. */
  readonly key?: Key | undefined
  /** True if the engine itself writes, also fields that no caller may write. */
  readonly isFixed?: boolean
  /** True if there are stored values to which an increment adds. */
  readonly mayIncrement?: boolean
  /** True for collections that the caller may access. */
  readonly reaches?: (collection: Collection) => boolean
}

export function readPayload(payload: ItemData, place: PayloadPlace): Payload {
  const values = new Map<StoredField, Storable | null>()
  const increments = new Map<ScalarField, Storable>()
  const refused = new Set<StoredField>()
  const targets: TargetPayload[] = []
  const children: ChildChanges[] = []
  const tuples: (readonly [LinkTuple, unknown])[] = []
  for (const name of Object.keys(payload)) {
    const value = payload[name]
    // As in JSON, an undefined value is absent.
    if (value === undefined) continue
    const field = place.collection.fields.get(name)
    if (!field) refuseName(name, place)
    else if (!isToMany(field) && isFixedKey(field, place) && isIncrement(field, value))
      place.problems.report(misplacedIncrement(field, pathOf(place, name), value))
    else if (isToMany(field)) {
      if (!field.target.key) {
        refuseKeyless(field, place)
        continue
      }
      const path = pathOf(place, name)
      const changes = readChanges(value, field, path, place.problems)
      if (changes) children.push({ relation: field, changes, path })
    } else if (isWritten(field, value, place)) {
      const target = isRecord(value) ? targetOf(field, value, payload, place) : undefined
      if (target) targets.push(target)
      else if (isTuple(field)) tuples.push([field, value])
      else if (field.kind === 'scalar' && isIncrement(field, value))
        addIncrement(field, value, increments, place)
      else if (!isFixedKey(field, place) && !readValue(field, payload, values, place)) refused.add(field)
    }
  }
  for (const [field, value] of tuples)
    if (!readTuple(field, value, values, place)) for (const part of field.parts) refused.add(part)
  return { values, increments, refused, targets, children }
}

function addIncrement(
  field: ScalarField,
  input: ItemData,
  increments: Map<ScalarField, Storable>,
  place: PayloadPlace,
): void {
  const path = pathOf(place, field.name)
  const read = place.mayIncrement ? readIncrement(field, input, path) : misplacedIncrement(field, path, input)
  if ('by' in read) increments.set(field, read.by)
  else place.problems.report(read)
}

function refuseKeyless({ name, target }: ToMany, place: PayloadPlace): void {
  const says = `"${name}" cannot be written: "${target.name}" has no key.`
  place.problems.report(fault('INVALID_PAYLOAD', says, { path: pathOf(place, name) }))
}

/** True for the key of an item that exists, or a part of it: it identifies the item, and is not written. */
const isFixedKey = (field: OwnField, { isKeyed }: PayloadPlace): boolean =>
  isKeyed && !isTuple(field) && field.isKey

/** Built only when needed: thousands of items are read, and most of them are valid. */
const pathOf = ({ path }: PayloadPlace, name: string): Path => [...path, name]

function refuseName(name: string, place: PayloadPlace): void {
  const path = pathOf(place, name)
  const hintFor: typeof suggestion = (word, legal) =>
    suggestion(word, legal) ??
    (word === 'data' ? 'An item is sent as it is, without "data" around it.' : undefined)
  place.problems.reportMade(() => noField(place.collection, name, path, hintFor), path)
}

/** True if the caller may set a field. Values that the engine sets by itself are ignored. */
function isWritten(field: OwnField, value: unknown, place: PayloadPlace): boolean {
  // The item behind a key may be written with it.
  if (isFixedKey(field, place)) return field.kind === 'm2o' && isRecord(value)
  if (place.isFixed) return true
  if (!isTuple(field) && field.special.some((special) => special !== 'uuid')) return false
  // A form sends back the mask that it was shown.
  if (field.kind === 'scalar' && field.isConcealed && value === mask) return false
  if (field.kind === 'scalar' && field.isGenerated) {
    const says = `The database computes "${field.name}", so it cannot be written.`
    place.problems.add(pathOf(place, field.name), says)
    return false
  }
  if (field.isReadonly) place.problems.add(pathOf(place, field.name), `"${field.name}" is read-only.`)
  return !field.isReadonly
}

function targetOf(
  field: OwnField,
  payload: ItemData,
  item: ItemData,
  place: PayloadPlace,
): TargetPayload | undefined {
  const path = pathOf(place, field.name)
  // An object for a collection out of reach is a value like any other.
  if (field.kind === 'm2o')
    return reaches(place, field.target) ? { field, collection: field.target, payload, path } : undefined
  if (field.kind !== 'any') return undefined
  // A collection that is not named is refused where the value is read.
  const collection = armNamed(field, item, place)
  return collection && { field, collection, payload, path }
}

const reaches = ({ reaches: isThere }: PayloadPlace, collection: Collection) => isThere?.(collection) ?? true

const armsOf = ({ targets }: AnyReference, place: PayloadPlace): ReadonlyMap<string, Collection> =>
  place.reaches ? new Map([...targets].filter(([, target]) => reaches(place, target))) : targets

const armNamed = (field: AnyReference, item: ItemData, place: PayloadPlace): Collection | undefined => {
  const name = item[field.by.name]
  return typeof name === 'string' ? armsOf(field, place).get(name) : undefined
}

/** The collection that is named beside a reference; undefined, with a problem reported, if there is none. */
function collectionOf(
  field: AnyReference,
  item: ItemData,
  path: Path,
  place: PayloadPlace,
): Collection | undefined {
  const found = armNamed(field, item, place)
  if (found) return found
  const legal = [...armsOf(field, place).keys()].map((one) => `"${one}"`).join(', ')
  place.problems.report(
    fault('INVALID_PAYLOAD', `"${field.name}" needs "${field.by.name}" beside it to name one of ${legal}.`, {
      path,
    }),
  )
  return undefined
}

/** Reads a value; false, with a problem reported, if the column cannot store it. */
function readValue(
  field: StoredField,
  item: ItemData,
  values: Map<StoredField, Storable | null>,
  place: PayloadPlace,
): boolean {
  const input = valueIn(field, item[field.name])
  if (input === null) {
    values.set(field, null)
    return true
  }
  // The key of another collection's item is text here, in the form that collection gives it.
  const isArm = field.kind === 'any' && armsOf(field, place).size > 0
  const target = isArm ? collectionOf(field, item, pathOf(place, field.name), place) : undefined
  if (isArm && !target) return false
  const read = readStored(target ? keyOf(target) : field, input)
  if (read.kind === 'value')
    values.set(field, target ? keyToText(target, keyOfValue(read.value)) : read.value)
  else place.problems.report(valueMistake(field, pathOf(place, field.name), read, input))
  return read.kind === 'value'
}
