// The delta of a version: a part of an item in the form of an update, stored as JSON.

import type { EngineInternals } from '../engine/engine.ts'
import { fault, type Path, quote } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { isNameOfKey, keyInItem } from '../plan/key.ts'
import type { ChildAction, ItemData } from '../plan/write/changes.ts'
import { misplacedIncrement } from '../plan/write/increment.ts'
import { targetIn } from '../plan/write/mask-secrets.ts'
import { readPayload } from '../plan/write/payload.ts'
import { type Collection, type Field, isToMany, keyFieldsOf, type StoredField } from '../schema/model.ts'
import { textOfDigits } from '../types/binary.ts'
import type { BinaryEncoding } from '../types/family-row.ts'
import { mask } from '../types/hash.ts'
import { toHex } from '../values/bytes.ts'
import { isBytes, isDate, isRecord } from '../values/guards.ts'
import { type Gate, gateOf, withoutNames } from '../writes/authorize/writable-fields.ts'
import { otherKey } from '../writes/context/named-key.ts'
import type { VersionedItem } from './version-rows.ts'

/** Reads a delta, and refuses what no update would take, at any depth. Missing or null fields are allowed in a draft until it is
 *  promoted. */
function readDelta(collection: Collection, input: unknown, path: Path, gate: Gate): ItemData {
  if (!isRecord(input))
    throw fault('INVALID_PAYLOAD', `A version holds an object of fields, not ${quote(input)}.`, { path })
  const problems = new Problems('INVALID_PAYLOAD')
  check({ collection, payload: input, path, action: 'update', within: [] }, problems, gate)
  problems.throwIfAny()
  const kept = Object.entries(input).filter(
    ([name, value]) => value !== undefined && !isMasked(collection.fields.get(name), value),
  )
  return itemAsJson(Object.fromEntries(kept), collection)
}

/** Reads the delta of an item without the item's own key, and refuses another key. */
export function readItemDelta(
  { collection, key }: VersionedItem,
  input: unknown,
  path: Path,
  engine: EngineInternals,
): ItemData {
  const delta = readDelta(collection, input, path, gateOf(engine))
  const mistake = otherKey(collection, key, delta, path)
  if (mistake) throw mistake
  return withoutNames(delta, new Set(keyFieldsOf(collection).map(({ name }) => name)))
}

interface DeltaPart {
  readonly collection: Collection
  readonly payload: ItemData
  readonly path: Path
  readonly action: ChildAction
  readonly within: readonly ItemData[]
}

/** Maximum depth, as of nested items. */
const maxLevels = 100

function check(part: DeltaPart, problems: Problems, gate: Gate): void {
  const { collection, payload, path, action, within } = part
  if (within.includes(payload))
    throw fault('INVALID_PAYLOAD', 'An item cannot be nested in itself.', { path })
  if (within.length > maxLevels)
    throw fault('INVALID_PAYLOAD', `Items are nested deeper than ${maxLevels} levels.`, { path })
  const refused = refusedIn(part, problems, gate)
  const outer = [...within, payload]
  const { values, increments, targets, children } = readPayload(withoutNames(payload, refused), {
    ...{ collection, path, problems, isKeyed: action === 'update', mayIncrement: within.length === 0 },
    ...(gate.reaches && { reaches: gate.reaches }),
  })
  for (const [field, value] of values)
    if (value !== null && isHash(field)) problems.report(revealsSecret(field, path))
  for (const field of increments.keys())
    if (field.value.family !== 'json') problems.report(misplacedIncrement(field, [...path, field.name]))
  for (const target of targets) check({ ...target, action: 'either', within: outer }, problems, gate)
  for (const { relation, changes } of children)
    for (const child of changes.children)
      if (child.kind === 'item')
        check({ ...child, collection: relation.target, within: outer }, problems, gate)
}

/** Refuses names that the caller may not write. Whether an item with a key exists is not known before it is promoted: both cases count. */
function refusedIn({ collection, payload, path, action }: DeltaPart, problems: Problems, gate: Gate) {
  const names = Object.keys(payload).filter(
    (name) => payload[name] !== undefined && !isNameOfKey(collection, name),
  )
  if (action === 'update') return gate.refusing(collection, action)(names, path, problems)
  const isNew = action === 'create' || (keyInItem(collection, payload) ?? undefined) === undefined
  const unchanged = new Problems('INVALID_PAYLOAD')
  const created = isNew ? names : gate.refusing(collection, 'update')(names, path, unchanged)
  return gate.refusing(collection, 'create')([...created], path, problems)
}

const isHash = ({ value }: StoredField) => value.family === 'hash'

/** Error: the plain text of a hash is stored nowhere, and so in no version. */
const revealsSecret = ({ name }: StoredField, path: Path) =>
  fault('INVALID_PAYLOAD', `"${name}" is kept as a hash only, so no version can hold it.`, {
    path: [...path, name],
    hint: 'Change it in the item itself.',
  })

/** True if a value is the mask of a concealed field: a form sends back the shown value, which changes nothing. */
const isMasked = (field: Field | undefined, value: unknown): boolean =>
  field?.kind === 'scalar' && field.isConcealed && value === mask

// A delta as JSON: values that JSON does not have, in the form in which results show them.

/** Returns the fields of an item as JSON. Inside a JSON value there is no collection. */
const itemAsJson = (item: ItemData, collection: Collection | undefined): ItemData =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      valueAsJson(value, collection?.fields.get(name), item),
    ]),
  )

function valueAsJson(value: unknown, field: Field | undefined, item: ItemData): unknown {
  if (typeof value === 'bigint') return String(value)
  if (isDate(value)) return value.toJSON()
  if (isBytes(value)) return textOfDigits(toHex(value), encodingOf(field, item))
  const target = targetOf(field, item)
  if (Array.isArray(value))
    return value.map((one) => (isRecord(one) ? itemAsJson(one, target) : valueAsJson(one, field, item)))
  if (!isRecord(value)) return value
  if (!field || !isToMany(field)) return itemAsJson(value, target)
  // Lists of what is created, updated and deleted.
  return Object.fromEntries(
    Object.entries(value).map(([part, list]) => [part, valueAsJson(list, field, item)]),
  )
}

function encodingOf(field: Field | undefined, item: ItemData): BinaryEncoding {
  const key = targetOf(field, item)?.key
  return key?.value.encoding ?? (field && !isToMany(field) ? field.value.encoding : 'base64')
}

const targetOf = (field: Field | undefined, item: ItemData): Collection | undefined =>
  field && field.kind !== 'scalar' ? targetIn(field, item) : undefined
