// Names and end of a version: renames it, or deletes it.
import type { Engine } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import type { ParsedQuery } from '../../query/types.ts'
import type { CollectionName, KeyOf } from '../../schema/infer.ts'
import type { Schema } from '../../schema/model.ts'
import { requireFreeKey } from '../../versions/free-key.ts'
import { readNames } from '../../versions/input.ts'
import { lockForUpdate, type Version, versionNamed } from '../../versions/version-rows.ts'
import { namedKey } from '../../writes/context/named-key.ts'
import { inOneUnit } from '../../writes/context/retry.ts'
import { newWriteContext } from '../../writes/context/write-context.ts'
import { deleteEachNamed } from '../../writes/delete/delete-each.ts'
import { write } from '../../writes/write.ts'
import type { ItemInput } from '../types/item-input.ts'
import type { NotVisible, OfWhom } from '../types/result.ts'
import type { VersionAnswer, VersionKeyNames, VersionNames, VersionShape } from '../types/version-input.ts'
import { beginWrite, writeVersion } from './begin-write.ts'

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
  engine: Engine,
  collection: string,
  key: unknown,
  version: string,
  names: VersionNames,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const begun = await beginWrite(engine, { collection, key, query }, options)
  const input = readNames(names)
  const newKey = input.key ?? version
  return writeVersion(begun, [], async (subject, inside) => {
    const { id } = await versionNamed(subject, version, inside, options)
    if (newKey !== version) await requireFreeKey(subject, newKey, inside, options)
    const table = inside.versions()
    const row = namedKey(table, id, undefined)
    await write(
      table,
      [{ payload: input, key: row, path: [], action: 'update' }],
      newWriteContext(inside, options),
    )
    return { id, key: newKey }
  })
}

/** Deletes a version. The item stays as it is.
 *  @example await deleteVersion(engine, 'articles', 1, 'draft') */
export async function deleteVersion<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  options: Options = {},
): Promise<void> {
  const { scoped, named } = await beginWrite(engine, { collection, key }, options)
  await inOneUnit(scoped, options, async (inside) => {
    const subject = await lockForUpdate(named, inside, options)
    const { id } = await versionNamed(subject, version, inside, options)
    const table = inside.versions()
    await deleteEachNamed(table, [namedKey(table, id, undefined)], newWriteContext(inside, options))
  })
}
