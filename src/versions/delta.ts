// The delta of a version: a part of an item in the form of an update, stored as JSON.

import type { EngineInternals } from '../engine/engine.ts'
import { fault, type Path, quote } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { isNameOfKey, keyInItem } from '../plan/key.ts'
import type { ChildAction, ItemData } from '../plan/write/changes.ts'
import { readPayload } from '../plan/write/payload.ts'
import { type Collection, type Field, keyFieldsOf, type StoredField } from '../schema/model.ts'
import { mask } from '../types/hash.ts'
import { isRecord } from '../values/guards.ts'
import { type Gate, gateOf, withoutNames } from '../writes/authorize/writable-fields.ts'
import { otherKey } from '../writes/named-key.ts'
import { itemAsJson } from './delta-json.ts'
import type { VersionedItem } from './version-rows.ts'

/** Reads a delta, and refuses what no update would take, at any depth. Missing or null fields are allowed in a draft until it is
 *  promoted. */
export function readDelta(collection: Collection, input: unknown, path: Path, gate: Gate): ItemData {
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

/** A part of a delta, with the parts around it. */
interface DeltaPart {
  readonly collection: Collection
  readonly payload: ItemData
  readonly path: Path
  readonly action: ChildAction
  readonly within: readonly ItemData[]
}

/** Maximum depth, as of nested items. */
const mostLevels = 100

function check(part: DeltaPart, problems: Problems, gate: Gate): void {
  const { collection, payload, path, action, within } = part
  if (within.includes(payload))
    throw fault('INVALID_PAYLOAD', 'An item cannot be nested in itself.', { path })
  if (within.length > mostLevels)
    throw fault('INVALID_PAYLOAD', `Items are nested deeper than ${mostLevels} levels.`, { path })
  const refused = refusedIn(part, problems, gate)
  const { values, targets, children } = readPayload(withoutNames(payload, refused), {
    ...{ collection, path, problems, isKeyed: action === 'update' },
    ...(gate.reaches && { reaches: gate.reaches }),
  })
  for (const [field, value] of values)
    if (value !== null && isHash(field)) problems.report(tellsSecret(field, path))
  const outer = [...within, payload]
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
  if (action === 'update') return gate.refuse(collection, action, names, path, problems)
  const isNew = action === 'create' || (keyInItem(collection, payload) ?? undefined) === undefined
  const unchanged = new Problems('INVALID_PAYLOAD')
  const created = isNew ? names : gate.refuse(collection, 'update', names, path, unchanged)
  return gate.refuse(collection, 'create', [...created], path, problems)
}

const isHash = ({ value }: StoredField) => value.family === 'hash'

/** Error: the plain text of a hash is stored nowhere, and so in no version. */
const tellsSecret = ({ name }: StoredField, path: Path) =>
  fault('INVALID_PAYLOAD', `"${name}" is kept as a hash only, so no version can hold it.`, {
    path: [...path, name],
    hint: 'Change it in the item itself.',
  })

/** True if a value is the mask of a concealed field: a form sends back the shown value, which changes nothing. */
const isMasked = (field: Field | undefined, value: unknown): boolean =>
  field?.kind === 'scalar' && field.isConcealed && value === mask
