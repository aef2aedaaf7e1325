import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { unreachable } from '../errors/errors.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { ShownKey } from '../plan/key.ts'
import type { CollectionName, KeyOf } from '../schema/infer.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { writtenCollection } from '../writes/authorize/writable-fields.ts'
import { namedKey } from '../writes/context/named-key.ts'
import { newWriteContext, type WriteContext } from '../writes/context/write-context.ts'
import { deleteEachListed, deleteEachNamed } from '../writes/delete/delete-each.ts'
import { namedDeletion } from '../writes/delete/delete-named.ts'
import type { Affected, BulkBounds } from '../writes/lists/affected-rows.ts'
import { tellingBounds } from '../writes/lists/list-write.ts'
import { listProgram } from '../writes/lists/run-list-write.ts'
import { type Program, runProgram } from '../writes/program/run-program.ts'
import { needsCallerVariables, withCallerVariables } from './caller-variables.ts'
import {
  type BulkOptions,
  bulkCollection,
  bulkOptions,
  checkMaxAffected,
  type Selector,
  showsKeys,
} from './write/bulk.ts'
import { type ChosenDeletion, chooseDeletion, limitedDeletion } from './write/choose-deletion.ts'

/** Deletes the item with a key. An unknown key throws NOT_FOUND.
 *  @example await deleteItem(engine, 'articles', 1)
 *  await deleteItem(engine, 'articles', 1) // throws There is no such item, or you may not see it. */
export async function deleteItem<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  options: Options = {},
): Promise<void> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const scoped = needsCallerVariables(core, undefined) ? await withCallerVariables(core) : core
  const found = writtenCollection(scoped, collection, 'delete')
  const stored = namedKey(found, key, undefined)
  await deleteChosen(found, { kind: 'keys', keys: [stored] }, scoped, { options, bounds: {} })
}

/** Result of a deletion, or of its dry run. */
export interface DeleteResult<Key = ShownKey> {
  /** Number of deleted items. */
  readonly deleted: number
  /** Keys of the deleted items, unless there are more than 10,000, they may not be read, or `keys: false` leaves them out. */
  readonly keys?: readonly Key[]
}

/** Deletes items, all of them or none: those with some keys, or exactly those that a list with the same query returns, without a default
 *  limit. An empty filter is refused.
 *  @example await deleteItems(engine, 'articles', [1, 2]) // → { deleted: 2, keys: [1, 2] } */
export async function deleteItems<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  selector: Selector<S, C> | undefined,
  query?: Selector<S, C, 'query'>,
  options: BulkOptions = {},
): Promise<DeleteResult<KeyOf<S, C>>> {
  const core = internalsOf(engine)
  checkOptions(options, bulkOptions)
  const scoped = await withCallerVariables(core, selector, query)
  const visible = bulkCollection(scoped, collection)
  const found = writtenCollection(scoped, collection, 'delete')
  const bounds = tellingBounds('delete', found, options, scoped)
  const chosen = chooseDeletion({ selector, query }, visible, scoped, bounds)
  checkMaxAffected(options.maxAffected)
  const { count: deleted, keys } = await deleteChosen(found, chosen, scoped, { options, bounds })
  const isShown = options.keys !== false && (chosen.kind === 'keys' || showsKeys(visible))
  // The keys of a collection have its key's type.
  return keys && isShown ? { deleted, keys: keys as readonly KeyOf<S, C>[] } : { deleted }
}

function deleteChosen(
  collection: Collection,
  chosen: ChosenDeletion,
  engine: EngineInternals,
  { options, bounds }: { readonly options: BulkOptions; readonly bounds: BulkBounds },
): Promise<Affected> {
  const program = programOf(collection, chosen, newWriteContext(engine, options), bounds)
  const each = (inside: WriteContext) => {
    if (chosen.kind === 'keys') return deleteEachNamed(collection, chosen.keys, inside, bounds)
    if (chosen.kind === 'list') return deleteEachListed(collection, chosen.list, inside, bounds)
    throw unreachable('rows without a limit of writes are checked')
  }
  return runProgram(program, each, engine, options)
}

function programOf(
  collection: Collection,
  chosen: ChosenDeletion,
  writing: WriteContext,
  bounds: BulkBounds,
): Program<Affected> | undefined {
  if (chosen.kind === 'keys') return namedDeletion({ collection, keys: chosen.keys }, writing, bounds)
  if (chosen.kind === 'list') return limitedDeletion({ collection, list: chosen.list }, writing, bounds)
  return listProgram(chosen.deletion, chosen.boundValues, bounds)
}

/** Deletes every item that matches a query, and returns their number. An empty filter is refused.
 *  @example await deleteByQuery(engine, 'articles', { filter: { status: 'draft' } }) // → { deleted: 1, keys: [2] } */
export async function deleteByQuery<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  query: Selector<S, C, 'query'>,
  options: BulkOptions = {},
): Promise<DeleteResult<KeyOf<S, C>>> {
  return deleteItems(engine, collection, { query }, undefined, options)
}
