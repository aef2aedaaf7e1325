import type { EngineInternals } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import type { Options } from '../execution/database.ts'
import { fieldSubject } from '../plan/field-path.ts'
import type { Predicate } from '../plan/filter/predicate.ts'
import { type Key, keyIdentity, requireKey, storedKey } from '../plan/key.ts'
import { orderBy, valueMember, wholeList } from '../plan/read/by-key.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import { storedFieldsOf } from '../plan/write/defaults.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import type { VersionField } from '../schema/own-versions.ts'
import { isSound } from '../values/guards.ts'
import { requireRows, requireVisible, visibleItems, visibleKeys } from '../writes/authorize/visible-keys.ts'
import { namedKey } from '../writes/context/named-key.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import { itemText, lacksTable, versionField } from '../writes/delete/delete-versions.ts'
import { lockVisible } from '../writes/stored/lock-rows.ts'
import { rowsOf } from '../writes/stored/select-keys.ts'
import { stripMetadata } from './strip-metadata.ts'

/** A version of an item as it is stored: its changes, not the changed item. */
export interface Version<Delta = Readonly<Record<string, unknown>>> {
  readonly id: string
  /** Key of the version, unique for its item. */
  readonly key: string
  readonly name: string | null
  readonly collection: string
  /** Key of the item, as text. */
  readonly item: string
  /** Hash of the item when the version was created; compare it with `mainHash`. */
  readonly hash: string
  readonly delta: Delta | null
  readonly date_created: string
  readonly date_updated: string | null
  readonly user_created: string | null
  readonly user_updated: string | null
}

export interface VersionedItem {
  readonly collection: Collection
  readonly key: Key
}

export const main = 'main'

export function versionedCollection(engine: EngineInternals, name: string): Collection {
  const collection = rootCollection(engine.schema, name)
  if (collection.isVersioned) return collection
  throw fault('NOT_FOUND', `Items of "${collection.name}" have no versions, or you may not see them.`)
}

/** Returns an item without rules applied; its visibility has to be checked separately. */
export function subjectOf(engine: EngineInternals, name: string, key: unknown): VersionedItem {
  const seen = versionedCollection(engine, name)
  const collection = engine.whole().schema.collections.get(name) ?? seen
  requireKey(collection)
  return { collection, key: namedKey(collection, key, ['key']) }
}

/** Returns an item that is visible to the caller, with its key as its row spells it. */
export async function requireVisibleItem(
  { collection, key }: VersionedItem,
  engine: EngineInternals,
  options: Options,
): Promise<VersionedItem> {
  const [stored = key] = await requireVisible(collection, [key], newWriteContext(engine, options))
  return { collection, key: stored }
}

/** Returns an item with its key as its row spells it, if there is one. */
export async function spelledItem(
  { collection, key }: VersionedItem,
  engine: EngineInternals,
  options: Options,
): Promise<VersionedItem> {
  const found = await visibleItems(collection, [key], newWriteContext(engine, options))
  return { collection, key: found.get(keyIdentity(key)) ?? key }
}

/** Locks an item whose versions are about to be written: it exists until that is done, and may be updated. Returns it with its key as its row
 *  spells it. `names`: the fields that will change. */
export async function lockForUpdate(
  named: VersionedItem,
  engine: EngineInternals,
  options: Options,
  names: readonly string[] = [],
): Promise<VersionedItem> {
  const writing = newWriteContext(engine, options)
  const subject = await requireVisibleItem(named, engine, options)
  const { collection, key } = subject
  await lockVisible(collection, { keys: [key] }, writing)
  // Another transaction that held the lock may have deleted or hidden it.
  if (engine.dialect.lockRows) await requireVisibleItem(subject, engine, options)
  await requireRows(collection, { action: 'update', keys: [key], names }, writing)
  return subject
}

/** Returns all versions of an item, the oldest first. */
export async function versionsOf(
  subject: VersionedItem,
  engine: EngineInternals,
  options: Options,
  key?: string,
): Promise<readonly Version[]> {
  try {
    return await select(subject, engine, options, key)
  } catch (error) {
    if (!lacksTable(error, engine)) throw error
    throw fault('INVALID_OPTIONS', 'There is no table for versions yet.', {
      hint: 'Call engine.install() once.',
      cause: error,
    })
  }
}

async function select(
  subject: VersionedItem,
  engine: EngineInternals,
  options: Options,
  key?: string,
): Promise<readonly Version[]> {
  const table = engine.versions()
  const field = (name: VersionField) => versionField(table, name)
  const wanted = { collection: subject.collection.name, item: itemText(subject.collection, subject.key) }
  const parts = [
    is(field('collection'), wanted.collection),
    is(field('item'), wanted.item),
    ...(key === undefined ? [] : [is(field('key'), key)]),
  ]
  const members = storedFieldsOf(table).map((one) => valueMember(one.name, one))
  const order = orderBy([field('date_created'), field('key')])
  const list = { ...wholeList(table, { kind: 'and', parts }, members), order }
  const rows = await rowsOf(list, { engine: engine.whole(), options })
  // A collection without these fields is refused.
  const versions = (rows as readonly Version[]).map((version) => ({
    ...version,
    delta: version.delta && stripMetadata(subject.collection, version.delta),
  }))
  return visible(table, versions, engine, options)
}

/** Applies the rules of the collection of versions: versions are items, and only those visible to the caller are returned. */
async function visible(
  table: Collection,
  versions: readonly Version[],
  engine: EngineInternals,
  options: Options,
): Promise<readonly Version[]> {
  if (!engine.scope?.permissions) return versions
  const keyOfVersion = ({ id }: Version) => storedKey(table, id)
  const seen = await visibleKeys(table, versions.map(keyOfVersion), newWriteContext(engine, options))
  return versions.filter((version) => seen.has(keyIdentity(keyOfVersion(version))))
}

export async function versionNamed(
  subject: VersionedItem,
  key: string,
  engine: EngineInternals,
  options: Options,
): Promise<Version> {
  // Callers may use JavaScript: without a name any version of the item would match.
  if (typeof key !== 'string' || !isSound(key)) throw noVersion()
  // Without the table there is no version, either.
  const [found] = await select(subject, engine, options, key).catch((error: unknown) => {
    if (lacksTable(error, engine)) return []
    throw error
  })
  if (found) return found
  throw noVersion()
}

export const noVersion = () =>
  fault('NOT_FOUND', 'There is no such version, or you may not see it.', { path: ['version'] })

const is = (field: StoredField, text: string): Predicate => ({
  kind: 'test',
  subject: fieldSubject(field),
  operator: '_eq',
  // Text is its own operand; a `$` in it means no variable.
  operand: { kind: 'value', value: { at: text, exact: true } },
  path: [],
})
