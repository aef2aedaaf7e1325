import type { Engine, EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { ParsedQuery } from '../../query/types.ts'
import type { CollectionName, KeyOf } from '../../schema/infer.ts'
import type { Schema } from '../../schema/model.ts'
import { readItemDelta } from '../../versions/delta.ts'
import { withDocuments } from '../../versions/document-changes.ts'
import { requireFreeKey } from '../../versions/free-key.ts'
import { readNew } from '../../versions/input.ts'
import { mainHashOf } from '../../versions/main-hash.ts'
import type { Version, VersionedItem } from '../../versions/version-rows.ts'
import { newWriteContext } from '../../writes/context/write-context.ts'
import { itemText } from '../../writes/delete/delete-versions.ts'
import { write } from '../../writes/write.ts'
import type { ItemInput } from '../types/item-input.ts'
import type { NotVisible, OfWhom } from '../types/result.ts'
import type { NewVersion, VersionAnswer, VersionKeyNames, VersionShape } from '../types/version-input.ts'
import { beginWrite, writeVersion } from './begin-write.ts'

/** Creates a version of an item. It changes nothing until something is saved in it.
 *  @example const { key, delta } = await createVersion(engine, 'articles', 1, { key: 'spring', delta: { title: 'Spring tea' } })
 *  key // → 'spring'
 *  delta // → { title: 'Spring tea' } */
export function createVersion<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  payload: NewVersion<ItemInput<S, C>>,
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
  payload: NewVersion<ItemInput<S, C>>,
  query: VersionShape<Fields> | ParsedQuery | undefined,
  options?: Options,
): Promise<VersionAnswer<ItemInput<S, C>, Fields> | NotVisible<Whose>>
export async function createVersion(
  engine: Engine,
  collection: string,
  key: unknown,
  input: NewVersion<unknown>,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const begun = await beginWrite(engine, { collection, key, query }, options)
  const version = readNew(input)
  const delta =
    version.delta === undefined
      ? undefined
      : readItemDelta(begun.named, version.delta, ['delta'], begun.scoped)
  return writeVersion(begun, Object.keys(delta ?? {}), async (subject, inside) => {
    const whole = delta && (await withDocuments(subject, { held: {}, changes: delta }, inside, options))
    const hash = await mainHashOf(subject, inside, options)
    await requireFreeKey(subject, version.key, inside, options)
    const id = await insertVersion(subject, { ...version, hash, delta: whole }, inside, options)
    return { id, key: version.key, isNew: true }
  })
}

interface NewVersionRow extends Pick<Version, 'key' | 'hash'> {
  readonly name?: unknown
  readonly delta?: ItemData | undefined
}

async function insertVersion(
  subject: VersionedItem,
  { key, name, hash, delta }: NewVersionRow,
  engine: EngineInternals,
  options: Options,
): Promise<string> {
  const writing = newWriteContext(engine, options)
  const { newId, now } = writing.moment
  const id = newId()
  const row = {
    id,
    key,
    name,
    collection: subject.collection.name,
    item: itemText(subject.collection, subject.key),
    hash,
    delta,
    date_created: now,
  }
  await write(engine.versions(), [{ payload: row, path: [], action: 'create' }], writing)
  return id
}
