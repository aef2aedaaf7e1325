// Versions of items: made, listed, changed and deleted. Reading one is a matter of getItem, making it the item of promoteVersion.
import type { Engine } from '../engine.ts'
import { fault, quote } from '../errors.ts'
import type { Given } from '../plan/payload.ts'
import { withoutSecrets } from '../plan/secrets.ts'
import type { Options } from '../run/execute.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { readDelta } from '../versions/delta.ts'
import { readNames, readNew } from '../versions/given.ts'
import { mainHashOf } from '../versions/hash.ts'
import { keepUnseen } from '../versions/keep-unseen.ts'
import { seenDelta } from '../versions/seen-delta.ts'
import {
  holdForUpdate,
  mustBeSeen,
  type Subject,
  subjectOf,
  type Version,
  versionNamed,
  versionsOf,
} from '../versions/table.ts'
import { atomically } from '../writes/atomically.ts'
import { itemText } from '../writes/forget-versions.ts'
import { hold } from '../writes/hold.ts'
import { gateOf } from '../writes/permits.ts'
import { removeKeys } from '../writes/remove.ts'
import { otherKey, storedKey } from '../writes/rows.ts'
import { write } from '../writes/write.ts'
import { newWriting } from '../writes/writing.ts'
import { informed } from './informed.ts'
import type { ItemInput } from './input.ts'

/** What a new version is made of. */
export interface NewVersion<Delta> {
  /** What it is called among the versions of its item. */
  readonly key: string
  readonly name?: string | null | undefined
  /** What it changes from the beginning. */
  readonly delta?: Delta | undefined
}

/** What a version is called. */
export type VersionNames = Partial<Pick<NewVersion<never>, 'key' | 'name'>>

/** Creates a version of an item. It changes nothing until something is saved in it.
 *  @example const { key, delta } = await createVersion(engine, 'articles', 1, { key: 'spring', delta: { title: 'Spring tea' } })
 *  key // → 'spring'
 *  delta // → { title: 'Spring tea' } */
export async function createVersion<S extends Schema, C extends CollectionName<S>>(
  caller: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  given: NewVersion<ItemInput<S, C>>,
  options: Options = {},
): Promise<Version<ItemInput<S, C>>> {
  const engine = await informed(caller)
  const subject = subjectOf(engine, collection, key)
  const wanted = readNew(given)
  const delta = wanted.delta === undefined ? undefined : ownDelta(subject, wanted.delta, ['delta'], engine)
  return atomically(engine, options, async (inside) => {
    await holdForUpdate(subject, inside, options, Object.keys(delta ?? {}))
    const hash = await mainHashOf(subject, inside, options)
    await mustBeFree(subject, wanted.key, inside, options)
    const writing = newWriting(inside, options)
    const { newId, now } = writing.occasion
    const row = {
      id: newId(),
      key: wanted.key,
      name: wanted.name,
      collection: subject.collection.name,
      item: itemText(subject.collection, subject.key),
      hash,
      delta,
      date_created: now,
    }
    await write(inside.versions(), [{ given: row, path: [], action: 'create' }], writing)
    return shown(subject, await versionNamed(subject, wanted.key, inside.whole(), options), inside, options)
  })
}

/** The versions of an item, the oldest first.
 *  @example const versions = await listVersions(engine, 'articles', 1)
 *  versions.map(({ key, delta }) => [key, delta]) // → [['draft', { title: 'Green tea' }]] */
export async function listVersions<S extends Schema, C extends CollectionName<S>>(
  caller: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  options: Options = {},
): Promise<Version<ItemInput<S, C>>[]> {
  const engine = await informed(caller)
  const subject = subjectOf(engine, collection, key)
  await mustBeSeen(subject, engine, options)
  const versions = await versionsOf(subject, engine, options)
  return Promise.all(versions.map((version) => shown<ItemInput<S, C>>(subject, version, engine, options)))
}

/** Saves changes in a version: each field takes the place of what the version held of it before, but for what the caller is not shown of
 *  a relation.
 *  @example const { delta } = await saveVersion(engine, 'articles', 1, 'draft', { tags: { create: [{ tag: 2 }] } })
 *  delta // → { title: 'Green tea', tags: { create: [{ tag: 2 }] } } */
export async function saveVersion<S extends Schema, C extends CollectionName<S>>(
  caller: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  delta: ItemInput<S, C>,
  options: Options = {},
): Promise<Version<ItemInput<S, C>>> {
  const engine = await informed(caller)
  const subject = subjectOf(engine, collection, key)
  const changes = ownDelta(subject, delta, [], engine)
  return atomically(engine, options, async (inside) => {
    await holdForUpdate(subject, inside, options, Object.keys(changes))
    const writing = newWriting(inside, options)
    const table = inside.versions()
    const { id } = await versionNamed(subject, version, inside, options)
    const row = storedKey(table, id, undefined)
    await hold(table, [row], writing)
    // Whoever saved it in the meantime has saved other fields, perhaps.
    const now = await versionNamed(subject, version, inside, options)
    const kept = await keepUnseen(subject, now.delta ?? {}, changes, inside, options)
    const given = { delta: { ...now.delta, ...kept }, date_updated: writing.occasion.now }
    await write(table, [{ given, key: row, path: [], action: 'update' }], writing)
    return shown(subject, await versionNamed(subject, version, inside, options), inside, options)
  })
}

/** Calls a version otherwise. What it changes stays as it is.
 *  @example const { name } = await updateVersion(engine, 'articles', 1, 'draft', { key: 'spring', name: 'For the spring' })
 *  name // → 'For the spring' */
export async function updateVersion<S extends Schema, C extends CollectionName<S>>(
  caller: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  names: VersionNames,
  options: Options = {},
): Promise<Version<ItemInput<S, C>>> {
  const engine = await informed(caller)
  const subject = subjectOf(engine, collection, key)
  const given = readNames(names)
  return atomically(engine, options, async (inside) => {
    await holdForUpdate(subject, inside, options)
    const { id } = await versionNamed(subject, version, inside, options)
    if (given.key !== undefined && given.key !== version)
      await mustBeFree(subject, given.key, inside, options)
    const table = inside.versions()
    const row = storedKey(table, id, undefined)
    await write(table, [{ given, key: row, path: [], action: 'update' }], newWriting(inside, options))
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
  const engine = await informed(caller)
  const subject = subjectOf(engine, collection, key)
  await atomically(engine, options, async (inside) => {
    await holdForUpdate(subject, inside, options)
    const { id } = await versionNamed(subject, version, inside, options)
    const table = inside.versions()
    await removeKeys(table, [storedKey(table, id, undefined)], newWriting(inside, options))
  })
}

/** Versions that the caller does not see have their keys all the same. */
async function mustBeFree(subject: Subject, key: string, engine: Engine, options: Options): Promise<void> {
  const [taken] = await versionsOf(subject, engine.whole(), options, key)
  if (taken) throw notUnique(key)
}

/** What fields conceal is concealed here, too. */
async function shown<Delta>(
  subject: Subject,
  version: Version,
  engine: Engine,
  options: Options,
): Promise<Version<Delta>> {
  const seen = version.delta && (await seenDelta(subject, version.delta, engine, options))
  const delta = seen && withoutSecrets(subject.collection, seen)
  // It was read by the item's own collection when it was saved.
  return partSeen({ ...version, delta: delta as Delta | null }, engine)
}

/** The fields of a version that rules for versions let be seen. */
function partSeen<Delta>(version: Version<Delta>, engine: Engine): Version<Delta> {
  const table = engine.narrowing?.limits?.seen.of.get(engine.versions())
  if (!table) return version
  const entries = Object.entries(version).filter(([name]) => table.fields.has(name))
  // What is hidden is missing, whatever the type promises.
  return Object.fromEntries(entries) as unknown as Version<Delta>
}

/** A delta says nothing of the item's key, or what it is anyway. */
function ownDelta(
  { collection, key }: Subject,
  given: unknown,
  path: readonly string[],
  engine: Engine,
): Given {
  const delta = readDelta(collection, given, path, gateOf(engine))
  const mistake = otherKey(collection, key, delta, path)
  if (mistake) throw mistake
  const { [collection.key.name]: _key, ...rest } = delta
  return rest
}

const notUnique = (key: string) =>
  fault('RECORD_NOT_UNIQUE', `The item has a version called ${quote(key)} already.`, { path: ['key'] })
