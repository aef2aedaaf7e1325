// Reports changes to hooks and listeners: with the commit of the transaction, or at once, where a statement has committed by itself.

import type { EngineInternals } from '../../engine/engine.ts'
import type { ItemChange } from '../../engine/events.ts'
import type { ChangeDetails } from '../../engine/hooks.ts'
import { orElse, type Soon } from '../../execution/soon.ts'
import { mayBeStored } from '../../execution/transaction/uncertain-commit.ts'
import { type Key, type ShownKey, shownKeyOf } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { storedFieldsOf } from '../../plan/write/defaults.ts'
import { maskSecrets } from '../../plan/write/mask-secrets.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { withRetry } from '../context/retry.ts'
import { changeOf, queueEvent, type WriteContext } from '../context/write-context.ts'
import { oldValues } from './old-values.ts'
import { keyOfItem, keysIn } from './rows-by-key.ts'
import { isUpdateFollowed } from './side-effects.ts'

/** An item that was written, and its payload. */
export interface WrittenItem extends ChangeDetails {
  readonly key: Key
  readonly payload: ItemData
}

export type WriteAction = 'create' | 'update' | 'delete'

/** True if an event has a hook or a listener. */
export const isHeard = (action: WriteAction, { name }: Collection, { engine }: WriteContext): boolean =>
  engine.hooks.isHeard(`items.${action}`, name)

/** Reports written items, each by itself. Returns a promise if hooks have to be waited for. */
export function announceItems(
  action: 'create' | 'update',
  collection: Collection,
  items: readonly WrittenItem[],
  writing: WriteContext,
): Promise<void> | undefined {
  if (isHeard(action, collection, writing))
    return announce(
      items.map((item) => ({
        change: itemChange(action, collection, item, writing),
        fields: item.fields,
        before: item.before,
      })),
      writing,
    )
  noteUnheard(action, collection, { count: items.length, keys: () => items.map(({ key }) => key) }, writing)
  return undefined
}

/** Reports the items that a transaction has stored, each by itself. */
export async function announceStored(
  collection: Collection,
  items: readonly ItemWrite[],
  writing: WriteContext,
): Promise<void> {
  const { hooks, unit } = writing.engine
  if (!unit) return
  for (const action of ['create', 'update'] as const) {
    const written = items.filter((item) => item.action === action && item.key !== undefined && !item.isLink)
    if (written.length === 0) continue
    if (!isHeard(action, collection, writing)) {
      noteUnheard(action, collection, { count: written.length, keys: () => keysIn(written) }, writing)
      continue
    }
    const isListenedTo = action === 'update' && hooks.listeners.want('items.update', collection.name)
    for (const item of written) {
      const key = keyOfItem(item)
      const fields = isListenedTo ? await writtenFields(item, writing) : undefined
      const before = isListenedTo ? oldValues(collection, [key], writing) : undefined
      const change = itemChange(action, collection, { key, payload: item.payload }, writing)
      queueEvent(writing, change, { fields, before })
    }
  }
}

/** Returns the names of the fields that an update has written; undefined if others may follow it. */
async function writtenFields(
  { collection, values, increments }: ItemWrite,
  writing: WriteContext,
): Promise<readonly string[] | undefined> {
  const columns = [...values.keys(), ...increments.keys()].map(({ column }) => column)
  if (columns.length === 0) return []
  return (await isUpdateFollowed(collection, columns, writing))
    ? undefined
    : namesOfColumns(collection, columns)
}

/** Reports items that were changed alike, all together. */
export function announceAlike(
  collection: Collection,
  keys: readonly Key[],
  payload: ItemData,
  writing: WriteContext,
): Promise<void> | undefined {
  if (!isHeard('update', collection, writing)) {
    noteUnheard('update', collection, { count: keys.length, keys: () => keys }, writing)
    return undefined
  }
  const change = changeOf(writing, 'items.update', {
    collection,
    keys,
    payload: maskSecrets(collection, payload),
  })
  return announce([{ change, before: oldValues(collection, keys, writing) }], writing)
}

/** Reports deleted items, all together. */
export function announceDeleted(
  collection: Collection,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<void> | undefined {
  if (isHeard('delete', collection, writing))
    return announce(
      [
        {
          change: changeOf(writing, 'items.delete', { collection, keys }),
          before: oldValues(collection, keys, writing),
        },
      ],
      writing,
    )
  noteUnheard('delete', collection, { count: keys.length, keys: () => keys }, writing)
  return undefined
}

/** Rows of a collection that were written. */
interface WrittenRows {
  readonly collection: Collection
  /** Absent = they are not known. */
  readonly keys?: ItemChange['keys'] | undefined
  /** Names of the fields that were written. */
  readonly fields?: readonly string[] | undefined
}

/** Reports rows without hooks to listeners. */
export function announceList(
  action: WriteAction,
  { collection, keys, fields }: WrittenRows,
  writing: WriteContext,
): void {
  const { hooks, unit, onError } = writing.engine
  const event = `items.${action}` as const
  const isWanted = hooks.listeners.want(event, collection.name)
  const change = changeOf(writing, event, { collection, keys: [] })
  if (!unit) {
    if (isWanted)
      hooks.listeners.notify([{ ...change, keys, fields, before: undefined, isDoubtful: false }], onError)
  } else if (isWanted && keys)
    unit.addEvent({ change: { ...change, keys }, engine: writing.caller, fields }, false)
  else unit.unheard.note(event, collection.name, keys?.length ?? 0, keys && (() => keys))
}

/** Notes rows for those who listen by the time of the commit. `keys`: absent = they are not known. */
export function noteUnheard(
  action: WriteAction,
  collection: Collection,
  { count, keys }: { readonly count: number; readonly keys?: () => readonly Key[] },
  { engine: { unit } }: WriteContext,
): void {
  const shown = keys && (() => keys().map((key) => shownKeyOf(collection, key)))
  unit?.unheard.note(`items.${action}`, collection.name, count, shown)
}

/** Runs a write that commits by itself. Listeners are notified of one whose outcome is unknown: of an upsert as a creation and as an update. */
export function runAlone<Result>(
  action: WriteAction | 'upsert',
  { collection, keys }: { readonly collection: Collection; readonly keys?: readonly Key[] | undefined },
  writing: WriteContext,
  work: () => Soon<Result>,
): Soon<Result> {
  const failed = (error: unknown) => {
    if (mayBeStored(error))
      for (const one of action === 'upsert' ? (['create', 'update'] as const) : [action])
        tellOfDoubt(one, { collection, keys }, writing)
    throw error
  }
  return orElse(() => withRetry(writing.caller, writing.options, work), failed)
}

function tellOfDoubt(
  action: WriteAction,
  { collection, keys }: { readonly collection: Collection; readonly keys: readonly Key[] | undefined },
  writing: WriteContext,
): void {
  const { hooks, onError } = writing.engine
  const change = changeOf(writing, `items.${action}`, { collection, keys: keys ?? [] })
  const known = { keys: keys && change.keys, fields: undefined, before: undefined, isDoubtful: true }
  hooks.listeners.notify([{ ...change, ...known }], onError)
}

/** Returns the event for hooks after an item is written. */
export const itemChange = (
  action: 'create' | 'update',
  collection: Collection,
  { key, payload }: Pick<WrittenItem, 'key' | 'payload'>,
  writing: WriteContext,
): ItemChange =>
  changeOf(writing, `items.${action}`, { collection, keys: [key], payload: maskSecrets(collection, payload) })

/** Returns the names of the fields that may change with some columns: what the database computes may be made of any of them. */
export function namesOfColumns(collection: Collection, columns: readonly string[]): readonly string[] {
  if (columns.length === 0) return []
  const written = new Set(columns)
  return storedFieldsOf(collection)
    .filter((field) => written.has(field.column) || isComputed(field))
    .map(({ name }) => name)
}

/** True if the database may compute the column whenever its row is written. It does so for a key only when the row is new. A relation in a
 *  computed column is readonly. */
const isComputed = (field: StoredField): boolean =>
  !field.isKey && (field.kind === 'scalar' ? field.isGenerated : field.isReadonly)

function announce(
  changes: readonly ({ readonly change: ItemChange } & ChangeDetails)[],
  writing: WriteContext,
): Promise<void> | undefined {
  const { hooks, unit, onError } = writing.engine
  if (unit) {
    for (const { change, ...details } of changes) queueEvent(writing, change, details)
    return undefined
  }
  const events = changes.map(({ change, fields, before }) => ({
    change,
    fields,
    before,
    engine: writing.caller,
  }))
  hooks.notify(events, [], false, onError)
  return hooks.announce(events, outsideOf, onError)
}

const outsideOf = (caller: EngineInternals) => caller.outside().asEngine()

/** Notifies listeners of rows that a statement beside the verbs has written: with the commit of the transaction, or at once outside of one. No
 *  hook is called for them. */
export function tellWritten(
  { hooks, unit, onError, clock, scope }: EngineInternals,
  event: `items.${WriteAction}`,
  { name }: Pick<Collection, 'name'>,
  keys: readonly ShownKey[],
): void {
  if (keys.length === 0) return
  if (unit) {
    unit.unheard.note(event, name, keys.length, () => keys)
    return
  }
  const known = { keys, payload: undefined, query: undefined, items: undefined, fields: undefined }
  const change = { event, collection: name, user: scope?.caller.user, at: clock(), before: undefined }
  if (hooks.listeners.want(event, name))
    hooks.listeners.notify([{ ...change, ...known, isDoubtful: false }], onError)
}
