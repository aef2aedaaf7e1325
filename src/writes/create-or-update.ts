// What exists is told from what is new: whether an item that was asked for is created or updated.
import { fault, type Path, quote } from '../errors/errors.ts'
import type { ItemData } from '../plan/changes.ts'
import { readStored, type Storable } from '../plan/stored-value.ts'
import { type ItemWrite, keyText } from '../plan/write-plan.ts'
import type { Collection, ManyToOne } from '../schema/model.ts'
import { isRecord } from '../values/record.ts'
import { missing, otherKey } from './rows-by-key.ts'
import { visibleKeys } from './visible-keys.ts'
import type { WriteContext } from './write-context.ts'

/** An item as it was asked for. */
export interface Intent {
  readonly given: ItemData
  /** What the caller gave, where handlers have been asked already. */
  readonly from?: ItemData
  readonly path: Path
  /** `either`: what exists is updated, anything else created. `link`: it exists and nothing of its own is written. */
  readonly action: 'create' | 'update' | 'either' | 'link'
  /** Known from elsewhere than the payload. */
  readonly key?: Storable | undefined
  /** The statement that changes it tells whether it exists. */
  readonly isToldLater?: boolean
  readonly owner?: ManyToOne | undefined
  /** What it is nested in. */
  readonly within?: Nest | undefined
  /** What the engine itself says of it, whoever may write that. */
  readonly fixed?: ItemData
  /** What it holds where neither the caller nor anybody who was asked says something else. */
  readonly otherwise?: ItemData
}

/** A payload, and those around it. */
export interface Nest {
  readonly given: ItemData
  readonly depth: number
  readonly outer: Nest | undefined
}

/** An item whose kind of write is decided. */
export interface Decided {
  readonly intent: Intent
  readonly action: ItemWrite['action']
  readonly key: Storable | undefined
}

/** Which items exist. One statement looks for all of them. */
export async function decideCreateOrUpdate(
  collection: Collection,
  intents: readonly Intent[],
  writing: WriteContext,
): Promise<readonly Decided[]> {
  const keyed = intents.map((intent) => ({ intent, key: keyOf(collection, intent, writing) }))
  const doubtful = keyed.flatMap(({ intent, key }) =>
    key !== undefined && intent.action !== 'create' && !intent.isToldLater ? [key] : [],
  )
  const found = await visibleKeys(collection, doubtful, writing)
  const made = new Set<string>()
  return keyed.map(({ intent, key }): Decided => {
    const text = key === undefined ? undefined : keyText(key)
    const isKnown = text !== undefined && (found.has(text) || intent.isToldLater === true)
    const exists = isKnown || (text !== undefined && intent.action === 'either' && made.has(text))
    if (intent.action === 'create' || (intent.action === 'either' && !exists)) {
      // Whoever brings the same key once more means the same item.
      if (text !== undefined) made.add(text)
      return { intent, action: 'create', key }
    }
    if (text !== undefined && !exists && !writing.problems.isFull)
      writing.problems.report(missing(intent.path))
    return { intent, action: 'update', key }
  })
}

/** The key that an item has in its payload, or was asked for by. */
function keyOf(collection: Collection, intent: Intent, { problems }: WriteContext): Storable | undefined {
  const { key: field } = collection
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
  const read = readStored(field, given)
  if (read.kind === 'value') return read.value
  // The reader of the payload says it of a new item; no existing one has such a key.
  if (intent.action === 'update')
    problems.report(
      fault('NOT_FOUND', `No item has the key ${quote(given)}.`, { path: [...intent.path, field.name] }),
    )
  return undefined
}
