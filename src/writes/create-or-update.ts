// Decides whether an item is created or updated: looks up which items exist.

import { type EngineError, fault, type Path } from '../errors/errors.ts'
import {
  isSameKey,
  type Key,
  keyIdentity,
  keyOfValue,
  readKey,
  shownParts,
  valuesOfKey,
} from '../plan/key.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { isIncrement, misplacedIncrement } from '../plan/write/increment.ts'
import { type Nest, noItem, saidPart, withoutKey } from '../plan/write/nested-item.ts'
import type { ItemWrite } from '../plan/write/write-plan.ts'
import {
  type Collection,
  isPartOf,
  keyFieldsOf,
  type ManyToOne,
  partsOf,
  referentOf,
  type StoredField,
} from '../schema/model.ts'
import type { Storable } from '../types/family-row.ts'
import { visibleItems } from './authorize/visible-keys.ts'
import { missing, otherKey } from './context/named-key.ts'
import type { WriteContext } from './context/write-context.ts'

/** An item as requested. */
export interface Intent {
  readonly payload: ItemData
  /** The caller's payload, if hooks have run already. */
  readonly from?: ItemData
  /** True if the hooks before the event have run. */
  readonly isHooked?: true
  readonly path: Path
  /** `either`: an existing item is updated, any other created. `link`: the item exists and none of its own fields is written. */
  readonly action: 'create' | 'update' | 'either' | 'link'
  /** Key that is known from elsewhere than the payload. */
  readonly key?: Key | undefined
  /** True if the statement that updates the item also reports whether it exists. */
  readonly isCheckedByUpdate?: boolean
  readonly owner?: ManyToOne | undefined
  /** What the item holds of its parent, if it is known and a part of the item's own key. */
  readonly ownerValue?: Key | undefined
  /** Payload in which the item is nested. */
  readonly within?: Nest | undefined
  /** Values that the engine itself sets, whether or not the caller may write them. */
  readonly fixed?: ItemData
  /** Values for fields that neither the caller nor a hook sets. */
  readonly otherwise?: ItemData
  /** Names of the fields by which an upsert finds the item: hooks do not change them. */
  readonly on?: ReadonlySet<string>
  /** True if a new item may be there already: the attempt ends then, and is made again. */
  readonly isUnlessThere?: boolean
}

/** An item as it is given, and its path in the request. */
export type GivenItem = Pick<Intent, 'payload' | 'path'>

/** An item that is known to be created or updated. */
export interface Decided {
  readonly intent: Intent
  readonly action: ItemWrite['action']
  readonly key: Key | undefined
}

/** Looks up with one statement which items exist, and decides for each whether it is created or updated. */
export async function decideCreateOrUpdate(
  collection: Collection,
  intents: readonly Intent[],
  writing: WriteContext,
): Promise<readonly Decided[]> {
  const keyed = intents.map((intent) => ({
    intent,
    key: intendedKey(collection, intent, writing),
    isOther: saysAnother(collection, intent, intent.key),
  }))
  const doubtful = keyed.flatMap(({ intent, key, isOther }) =>
    key !== undefined && intent.action !== 'create' && (isOther || !intent.isCheckedByUpdate) ? [key] : [],
  )
  const found = await visibleItems(collection, doubtful, writing)
  const made = new Set<string>()
  return keyed.map(({ intent, key, isOther }): Decided => {
    const text = key === undefined ? undefined : keyIdentity(key)
    // The row may spell the key as the payload does.
    const mistake = isOther && saysAnother(collection, intent, found.get(text ?? '') ?? key)
    if (mistake) writing.problems.report(mistake)
    const isKnown = text !== undefined && (found.has(text) || intent.isCheckedByUpdate === true)
    const exists = isKnown || (text !== undefined && intent.action === 'either' && made.has(text))
    if (intent.action === 'create' || (intent.action === 'either' && !exists)) {
      // A repeated key means the same item.
      if (text !== undefined) made.add(text)
      return { intent, action: 'create', key }
    }
    if (text !== undefined && !exists && !writing.problems.isFull)
      writing.problems.report(missing(intent.path))
    return { intent, action: 'update', key: (text === undefined ? undefined : found.get(text)) ?? key }
  })
}

/** Returns the error for a payload that says another key than the one by which the item is named. */
const saysAnother = (
  collection: Collection,
  { key: named, payload, path }: Intent,
  key: Key | undefined,
): EngineError | undefined =>
  named === undefined || key === undefined ? undefined : otherKey(collection, key, payload, path)

/** Returns the key of an item: from its payload, from its parent, or by which it was requested. */
function intendedKey(collection: Collection, intent: Intent, { problems }: WriteContext): Key | undefined {
  if (intent.key !== undefined) {
    const mistake = otherOwner(collection, intent)
    if (mistake) problems.report(mistake)
    return intent.key
  }
  const fields = keyFieldsOf(collection)
  const misplaced = fields.find((field) => isIncrement(field, intent.payload[field.name]))
  if (misplaced) {
    if (intent.action === 'update')
      problems.report(
        misplacedIncrement(misplaced, [...intent.path, misplaced.name], intent.payload[misplaced.name]),
      )
    return undefined
  }
  const parts = fields.map((field) => payloadPart(field, intent))
  const [first] = parts
  if (parts.some((part) => part === undefined || part === null)) {
    if (intent.action === 'update') problems.reportMade(() => withoutKey(fields, intent.path), intent.path)
    return undefined
  }
  const input = parts.length === 1 ? first : parts
  const key = readKey(collection, input)
  if (key !== undefined) return key
  // For a new item the payload reader reports the mistake; no existing item has such a key.
  if (intent.action === 'update') problems.reportMade(() => noItem(input, fields, intent.path), intent.path)
  return undefined
}

/** Returns a part of an item's key as results show it: that of its parent, or what the payload says. */
function payloadPart(field: StoredField, { payload, owner, ownerValue, action }: Intent): unknown {
  if (owner && isPartOf(field, owner))
    return ownerValue === undefined
      ? undefined
      : shownParts(referentOf(owner), ownerValue, partsOf(owner)).get(field)
  return saidPart(field, payload, action === 'update')
}

/** Returns the error for a child whose own key says that it belongs to another parent: it cannot be moved. */
function otherOwner(
  collection: Collection,
  { key, owner, ownerValue, path }: Intent,
): EngineError | undefined {
  if (!owner || key === undefined) return undefined
  const shared = partsOf(owner).filter((part) => part.isKey)
  if (shared.length === 0) return undefined
  const own = new Map(valuesOfKey(keyFieldsOf(collection), key))
  const wanted = new Map(ownerValue === undefined ? [] : valuesOfKey(partsOf(owner), ownerValue))
  if (shared.every((part) => isSameValue(own.get(part), wanted.get(part)))) return undefined
  const says = `An item of "${collection.name}" cannot be moved: "${owner.name}" is a part of its key.`
  return fault('INVALID_PAYLOAD', says, { path, hint: 'Delete it, and create another one.' })
}

const isSameValue = (one: Storable | null | undefined, other: Storable | null | undefined): boolean =>
  one !== undefined &&
  one !== null &&
  other !== undefined &&
  other !== null &&
  isSameKey(keyOfValue(one), keyOfValue(other))
