// Versions of items: create, list, save, rename and delete them. `getItem` reads one, and `promoteVersion` applies it to the item.

import type { Engine } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { ItemData } from '../plan/changes.ts'
import { maskSecrets } from '../plan/mask-secrets.ts'
import { parseQuery } from '../query/parse.ts'
import type { ParsedQuery } from '../query/types.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { readDelta } from '../versions/delta.ts'
import { readNames, readNew } from '../versions/input.ts'
import { keepHidden } from '../versions/keep-hidden.ts'
import { mainHashOf } from '../versions/main-hash.ts'
import {
  holdForUpdate,
  mustBeSeen,
  subjectOf,
  type Version,
  type VersionedItem,
  versionNamed,
  versionsOf,
} from '../versions/version-rows.ts'
import { visibleDelta } from '../versions/visible-delta.ts'
import { deleteByKeys } from '../writes/delete-rows.ts'
import { itemText } from '../writes/delete-versions.ts'
import { lockRows } from '../writes/lock-rows.ts'
import { inOneUnit } from '../writes/retry.ts'
import { namedKey, otherKey } from '../writes/rows-by-key.ts'
import { gateOf } from '../writes/visible-keys.ts'
import { write } from '../writes/write.ts'
import { newWriteContext } from '../writes/write-context.ts'
import { withCallerVariables } from './caller-variables.ts'
import { shaping } from './read-back.ts'
import type { ItemInput } from './types/item-input.ts'
import type { NotVisible, OfWhom } from './types/result.ts'
import type {
  NewVersion,
  VersionAnswer,
  VersionKeyNames,
  VersionNames,
  VersionShape,
  VersionsQuery,
} from './types/version-input.ts'
import { listSeen, shapeOfVersion } from './visible-versions.ts'

/** Creates a version of an item. It changes nothing until something is saved in it.
 *  @example const { key, delta } = await createVersion(engine, 'articles', 1, { key: 'spring', delta: { title: 'Spring tea' } })
 *  key // → 'spring'
 *  delta // → { title: 'Spring tea' } */
export function createVersion<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  given: NewVersion<ItemInput<S, C>>,
  query?: undefined,
  options?: Options,
): Promise<Version<ItemInput<S, C>>>
export function createVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames,
  Whose,
>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  key: KeyOf<S, C>,
  given: NewVersion<ItemInput<S, C>>,
  query: VersionShape<Fields> | ParsedQuery | undefined,
  options?: Options,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>>
export async function createVersion(
  caller: Engine,
  collection: string,
  key: unknown,
  given: NewVersion<unknown>,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  const engine = await withCallerVariables(caller)
  const subject = subjectOf(engine, collection, key)
  const shape = shapeOfVersion(engine, query)
  const wanted = readNew(given)
  const delta = wanted.delta === undefined ? undefined : ownDelta(subject, wanted.delta, ['delta'], engine)
  return inOneUnit(engine, options, async (inside) => {
    await holdForUpdate(subject, inside, options, Object.keys(delta ?? {}))
    const hash = await mainHashOf(subject, inside, options)
    await mustBeFree(subject, wanted.key, inside, options)
    const writing = newWriteContext(inside, options)
    const { newId, now } = writing.occasion
    const id = newId()
    const row = {
      id,
      key: wanted.key,
      name: wanted.name,
      collection: subject.collection.name,
      item: itemText(subject.collection, subject.key),
      hash,
      delta,
      date_created: now,
    }
    await write(inside.versions(), [{ given: row, path: [], action: 'create' }], writing)
    if (shape) return shape(id, inside, options)
    return shown(subject, await versionNamed(subject, wanted.key, inside.whole(), options), inside, options)
  })
}

/** Lists the versions of an item, the oldest first.
 *  @example const versions = await listVersions(engine, 'articles', 1)
 *  versions.map(({ key, delta }) => [key, delta]) // → [['draft', { title: 'Green tea' }]] */
export function listVersions<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  query?: undefined,
  options?: Options,
): Promise<Version<ItemInput<S, C>>[]>
export function listVersions<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames,
>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  query: VersionsQuery<Fields> | ParsedQuery | undefined,
  options?: Options,
): Promise<VersionAnswer<ItemInput<S, C>, Fields>[]>
export async function listVersions(
  caller: Engine,
  collection: string,
  key: unknown,
  query?: object,
  options: Options = {},
): Promise<readonly unknown[]> {
  checkOptions(options, callOptions)
  const engine = await withCallerVariables(caller, query)
  const subject = subjectOf(engine, collection, key)
  await mustBeSeen(subject, engine, options)
  if (query !== undefined) return listAsked(subject, query, engine, options)
  const versions = await versionsOf(subject, engine, options)
  return Promise.all(versions.map((version) => shown(subject, version, engine, options)))
}

/** Lists the versions of an item that match a query, in the order of their creation unless it sorts them. */
async function listAsked(
  subject: VersionedItem,
  given: object,
  engine: Engine,
  options: Options,
): Promise<readonly unknown[]> {
  const { limits } = engine
  const { filter, ...query } = parseQuery(given, { limits })
  const problems = new Problems('INVALID_QUERY')
  for (const name of Object.keys(query))
    if (!listing.has(name)) problems.add([name], `"${name}" has no meaning for the versions of an item.`)
  problems.throwIfAny()
  const { name } = subject.collection
  const own = { collection: { _eq: name }, item: { _eq: itemText(subject.collection, subject.key) } }
  const asked = {
    sort: ['date_created', 'key'],
    limit: -1,
    ...query,
    filter: filter ? { _and: [filter, own] } : own,
  }
  const { data } = await listSeen(engine, parseQuery(asked, { limits }), options)
  return data
}

const listing: ReadonlySet<string> = new Set([...shaping, 'search', 'sort', 'limit', 'offset', 'page'])

/** Saves changes in a version: each field replaces its earlier value in the version, except for parts of relations that are hidden from the
 *  caller.
 *  @example const { delta } = await saveVersion(engine, 'articles', 1, 'draft', { tags: { create: [{ tag: 2 }] } })
 *  delta // → { title: 'Green tea', tags: { create: [{ tag: 2 }] } } */
export function saveVersion<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  delta: ItemInput<S, C>,
  query?: undefined,
  options?: Options,
): Promise<Version<ItemInput<S, C>>>
export function saveVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames,
  Whose,
>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  delta: ItemInput<S, C>,
  query: VersionShape<Fields> | ParsedQuery | undefined,
  options?: Options,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>>
export async function saveVersion(
  caller: Engine,
  collection: string,
  key: unknown,
  version: string,
  delta: unknown,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  const engine = await withCallerVariables(caller)
  const subject = subjectOf(engine, collection, key)
  const shape = shapeOfVersion(engine, query)
  const changes = ownDelta(subject, delta, [], engine)
  return inOneUnit(engine, options, async (inside) => {
    await holdForUpdate(subject, inside, options, Object.keys(changes))
    const writing = newWriteContext(inside, options)
    const table = inside.versions()
    const { id } = await versionNamed(subject, version, inside, options)
    const row = namedKey(table, id, undefined)
    await lockRows(table, [row], writing)
    // Another call may have saved other fields in the meantime.
    const now = await versionNamed(subject, version, inside, options)
    const kept = await keepHidden(subject, now.delta ?? {}, changes, inside, options)
    const given = { delta: { ...now.delta, ...kept }, date_updated: writing.occasion.now }
    await write(table, [{ given, key: row, path: [], action: 'update' }], writing)
    if (shape) return shape(id, inside, options)
    return shown(subject, await versionNamed(subject, version, inside, options), inside, options)
  })
}

/** Renames a version. Its changes stay as they are.
 *  @example const { name } = await updateVersion(engine, 'articles', 1, 'draft', { key: 'spring', name: 'For the spring' })
 *  name // → 'For the spring' */
export function updateVersion<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  names: VersionNames,
  query?: undefined,
  options?: Options,
): Promise<Version<ItemInput<S, C>>>
export function updateVersion<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames,
  Whose,
>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  names: VersionNames,
  query: VersionShape<Fields> | ParsedQuery | undefined,
  options?: Options,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>>
export async function updateVersion(
  caller: Engine,
  collection: string,
  key: unknown,
  version: string,
  names: VersionNames,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  const engine = await withCallerVariables(caller)
  const subject = subjectOf(engine, collection, key)
  const shape = shapeOfVersion(engine, query)
  const given = readNames(names)
  return inOneUnit(engine, options, async (inside) => {
    await holdForUpdate(subject, inside, options)
    const { id } = await versionNamed(subject, version, inside, options)
    if (given.key !== undefined && given.key !== version)
      await mustBeFree(subject, given.key, inside, options)
    const table = inside.versions()
    const row = namedKey(table, id, undefined)
    await write(table, [{ given, key: row, path: [], action: 'update' }], newWriteContext(inside, options))
    if (shape) return shape(id, inside, options)
    const now = await versionNamed(subject, given.key ?? version, inside, options)
    return shown(subject, now, inside, options)
  })
}

/** Deletes a version. The item stays as it is.
 *  @example await deleteVersion(engine, 'articles', 1, 'draft') */
export async function deleteVersion<S extends Schema, C extends CollectionName<S>>(
  caller: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  options: Options = {},
): Promise<void> {
  checkOptions(options, callOptions)
  const engine = await withCallerVariables(caller)
  const subject = subjectOf(engine, collection, key)
  await inOneUnit(engine, options, async (inside) => {
    await holdForUpdate(subject, inside, options)
    const { id } = await versionNamed(subject, version, inside, options)
    const table = inside.versions()
    await deleteByKeys(table, [namedKey(table, id, undefined)], newWriteContext(inside, options))
  })
}

/** Requires that a key is not taken, even by a version that is hidden from the caller. */
async function mustBeFree(
  subject: VersionedItem,
  key: string,
  engine: Engine,
  options: Options,
): Promise<void> {
  const [taken] = await versionsOf(subject, engine.whole(), options, key)
  if (taken) throw notUnique(key)
}

/** Returns a version with concealed fields masked. */
async function shown<Delta>(
  subject: VersionedItem,
  version: Version,
  engine: Engine,
  options: Options,
): Promise<Version<Delta>> {
  const seen = version.delta && (await visibleDelta(subject, version.delta, engine, options))
  const delta = seen && maskSecrets(subject.collection, seen)
  // The delta was read by the item's own collection when it was saved.
  return partSeen({ ...version, delta: delta as Delta | null }, engine)
}

/** Returns the fields of a version that rules for versions show. */
function partSeen<Delta>(version: Version<Delta>, engine: Engine): Version<Delta> {
  const table = engine.narrowing?.limits?.seen.of.get(engine.versions())
  if (!table) return version
  const entries = Object.entries(version).filter(([name]) => table.fields.has(name))
  // Hidden fields are missing, whatever the type promises.
  return Object.fromEntries(entries) as unknown as Version<Delta>
}

/** Removes the item's own key from a delta, and refuses another one. */
function ownDelta(
  { collection, key }: VersionedItem,
  given: unknown,
  path: readonly string[],
  engine: Engine,
): ItemData {
  const delta = readDelta(collection, given, path, gateOf(engine))
  const mistake = otherKey(collection, key, delta, path)
  if (mistake) throw mistake
  const { [collection.key.name]: _key, ...rest } = delta
  return rest
}

const notUnique = (key: string) =>
  fault('RECORD_NOT_UNIQUE', `The item has a version called ${quote(key)} already.`, { path: ['key'] })
