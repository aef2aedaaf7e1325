import type { Engine } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import type { ParsedQuery } from '../../query/types.ts'
import type { CollectionName, KeyOf } from '../../schema/infer.ts'
import type { Schema } from '../../schema/model.ts'
import { readItemDelta } from '../../versions/delta.ts'
import { withDocuments } from '../../versions/document-changes.ts'
import { keepHidden } from '../../versions/keep-hidden.ts'
import { type Version, versionNamed } from '../../versions/version-rows.ts'
import { namedKey } from '../../writes/context/named-key.ts'
import { newWriteContext } from '../../writes/context/write-context.ts'
import { lockRows } from '../../writes/stored/lock-rows.ts'
import { write } from '../../writes/write.ts'
import type { ItemInput } from '../types/item-input.ts'
import type { NotVisible, OfWhom } from '../types/result.ts'
import type { VersionAnswer, VersionKeyNames, VersionShape } from '../types/version-input.ts'
import { beginWrite, writeVersion } from './begin-write.ts'

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
  engine: Engine,
  collection: string,
  key: unknown,
  version: string,
  delta: unknown,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const begun = await beginWrite(engine, { collection, key, query }, options)
  const changes = readItemDelta(begun.named, delta, [], begun.scoped)
  return writeVersion(begun, Object.keys(changes), async (subject, inside) => {
    const writing = newWriteContext(inside, options)
    const table = inside.versions()
    const { id } = await versionNamed(subject, version, inside, options)
    const row = namedKey(table, id, undefined)
    await lockRows(table, [row], writing)
    // Another call may have saved other fields in the meantime.
    const now = await versionNamed(subject, version, inside, options)
    const held = now.delta ?? {}
    const whole = await withDocuments(subject, { held, changes }, inside, options)
    const kept = await keepHidden(subject, { before: held, changes: whole }, inside, options)
    const input = { delta: { ...now.delta, ...kept }, date_updated: writing.moment.now }
    await write(table, [{ payload: input, key: row, path: [], action: 'update' }], writing)
    return { id, key: version }
  })
}
