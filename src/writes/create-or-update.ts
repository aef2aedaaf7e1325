// Decides whether an item is created or updated: looks up which items exist.

import { fault, type Path, quote } from '../errors/errors.ts'
import type { ItemData } from '../plan/changes.ts'
import { type Key, keyIdentity, readKey } from '../plan/key.ts'
import type { ItemWrite } from '../plan/write-plan.ts'
import { type Collection, type ManyToOne, soleKeyOf } from '../schema/model.ts'
import { isRecord } from '../values/guards.ts'
import { missing, otherKey } from './rows-by-key.ts'
import { visibleKeys } from './visible-keys.ts'
import type { WriteContext } from './write-context.ts'

/** An item as requested. */
export interface Intent {
  readonly given: ItemData
  /** The caller's payload, if hooks have run already. */
  readonly from?: ItemData
  readonly path: Path
  /** `either`: an existing item is updated, any other created. `link`: the item exists and none of its own fields is written. */
  readonly action: 'create' | 'update' | 'either' | 'link'
  /** Key that is known from elsewhere than the payload. */
  readonly key?: Key | undefined
  /** True if the statement that updates the item also reports whether it exists. */
  readonly isCheckedByUpdate?: boolean
  readonly owner?: ManyToOne | undefined
  /** Payload in which the item is nested. */
  readonly within?: Nest | undefined
  /** Values that the engine itself sets, whether or not the caller may write them. */
  readonly fixed?: ItemData
  /** Values for fields that neither the caller nor a hook sets. */
  readonly otherwise?: ItemData
}

/** A payload with the payloads around it. */
export interface Nest {
  readonly given: ItemData
  readonly depth: number
  readonly outer: Nest | undefined
}

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
  const keyed = intents.map((intent) => ({ intent, key: intendedKey(collection, intent, writing) }))
  const doubtful = keyed.flatMap(({ intent, key }) =>
    key !== undefined && intent.action !== 'create' && !intent.isCheckedByUpdate ? [key] : [],
  )
  const found = await visibleKeys(collection, doubtful, writing)
  const made = new Set<string>()
  return keyed.map(({ intent, key }): Decided => {
    const text = key === undefined ? undefined : keyIdentity(key)
    const isKnown = text !== undefined && (found.has(text) || intent.isCheckedByUpdate === true)
    const exists = isKnown || (text !== undefined && intent.action === 'either' && made.has(text))
    if (intent.action === 'create' || (intent.action === 'either' && !exists)) {
      // A repeated key means the same item.
      if (text !== undefined) made.add(text)
      return { intent, action: 'create', key }
    }
    if (text !== undefined && !exists && !writing.problems.isFull)
      writing.problems.report(missing(intent.path))
    return { intent, action: 'update', key }
  })
}

/** Returns the key of an item: from its payload, or by which it was requested. */
function intendedKey(collection: Collection, intent: Intent, { problems }: WriteContext): Key | undefined {
  const field = soleKeyOf(collection)
  const { [field.name]: given } = intent.given
  if (intent.key !== undefined) {
    const mistake = otherKey(collection, intent.key, intent.given, intent.path)
    if (mistake) problems.report(mistake)
    return intent.key
  }
  if (given === undefined || given === null) {
    if (intent.action === 'update')
      problems.report(
        fault('INVALID_PAYLOAD', `Each item to update needs its key, "${field.name}".`, {
          path: intent.path,
        }),
      )
    return undefined
  }
  // A key that is a relation may be written together with its target, whose key is not known yet.
  if (field.kind === 'm2o' && isRecord(given) && intent.action !== 'update') return undefined
  const key = readKey(collection, given)
  if (key !== undefined) return key
  // For a new item the payload reader reports the mistake; no existing item has such a key.
  if (intent.action === 'update')
    problems.report(
      fault('NOT_FOUND', `No item has the key ${quote(given)}.`, { path: [...intent.path, field.name] }),
    )
  return undefined
}
