import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { checkOptions } from '../../errors/check-options.ts'
import { unreachable } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import type { ShownKey } from '../../plan/key.ts'
import type { ParsedQuery } from '../../query/types.ts'
import type { CollectionName, KeyOf } from '../../schema/infer.ts'
import type { Collection, Schema } from '../../schema/model.ts'
import { writtenCollection } from '../../writes/authorize/writable-fields.ts'
import { namedKey } from '../../writes/context/named-key.ts'
import { inOneUnit } from '../../writes/context/retry.ts'
import { newWriteContext, type WriteContext } from '../../writes/context/write-context.ts'
import { tellingBounds } from '../../writes/lists/list-write.ts'
import { runProgram } from '../../writes/program/run-program.ts'
import { mayReplace } from '../../writes/stored/replaced-rows.ts'
import { type ListUpdate, wholeUpdate } from '../../writes/update/update-whole.ts'
import { updateSelected } from '../../writes/update-selected.ts'
import { withCallerVariables } from '../caller-variables.ts'
import { itemPayload } from '../create.ts'
import { answerShape } from '../read/answer-shape.ts'
import { readSelector } from '../selector.ts'
import type { UpdateInput } from '../types/item-input.ts'
import {
  type BulkOptions,
  bulkCollection,
  bulkOptions,
  checkMaxAffected,
  type Selector,
  showsKeys,
} from './bulk.ts'
import { writeAndRead } from './write-and-read.ts'

/** Result of an update, or of its dry run. */
export interface UpdateResult<Key = ShownKey> {
  /** Number of updated items. */
  readonly updated: number
  /** Keys of the updated items, unless there are more than 10,000, they may not be read, or `keys: false` leaves them out. */
  readonly keys?: readonly Key[]
}

/** Updates every item that matches a query, all of them or none, and returns their number. An empty filter is refused.
 *  @example await updateByQuery(engine, 'articles', { filter: { views: { _lt: 10 } } }, { status: 'published' })
 *  // → { updated: 1, keys: [2] } */
export async function updateByQuery<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  query: Selector<S, C, 'query'>,
  data: UpdateInput<S, C>,
  options: BulkOptions = {},
): Promise<UpdateResult<KeyOf<S, C>>> {
  const core = internalsOf(engine)
  checkOptions(options, bulkOptions)
  const scoped = await withCallerVariables(core, query)
  const { visible, ...change } = readUpdate(scoped, collection, query, data)
  checkMaxAffected(options.maxAffected)
  const bounds = tellingBounds('update', change.collection, options, scoped)
  const whole = wholeUpdate(change, newWriteContext(scoped, options), bounds)
  const each = (inside: WriteContext) => updateSelected(change, inside, options)
  const needsLook = whole && (await mayReplace(change.collection, newWriteContext(scoped, options)))
  const { count: updated, keys } = await runProgram(needsLook ? undefined : whole, each, scoped, options)
  // The keys of a collection have its key's type.
  const isShown = options.keys !== false && showsKeys(visible)
  return keys && isShown ? { updated, keys: keys as readonly KeyOf<S, C>[] } : { updated }
}

interface FoundUpdate {
  readonly query: ParsedQuery
  readonly data: unknown
  readonly shape: object | undefined
}

/** `updateByQuery` that returns the updated items; undefined if there are too many to return. */
export async function updateFound(
  engine: EngineInternals,
  collection: string,
  { query, data, shape: shaping }: FoundUpdate,
  options: Options,
): Promise<readonly unknown[] | undefined> {
  const scoped = await withCallerVariables(engine, query, shaping)
  const change = readUpdate(scoped, collection, query, data)
  const shape = answerShape(scoped, collection, { query: shaping })
  return inOneUnit(scoped, options, async (inside) => {
    let isShort = true
    const items = await writeAndRead({ shape, query: shaping }, inside, options, async () => {
      const { keys } = await updateSelected(change, newWriteContext(inside, options), {})
      isShort = keys !== undefined
      return (keys ?? []).map((key) => namedKey(change.collection, key, undefined))
    })
    return isShort ? items : undefined
  })
}

interface SelectedUpdate extends ListUpdate {
  /** The collection as it is visible to the caller. */
  readonly visible: Collection
}

function readUpdate(
  engine: EngineInternals,
  collection: string,
  query: object,
  data: unknown,
): SelectedUpdate {
  const visible = bulkCollection(engine, collection)
  const written = writtenCollection(engine, collection, 'update')
  const selected = readSelector({ selector: { query }, query: undefined }, visible, engine)
  if (selected.kind !== 'list') throw unreachable('an invalid query')
  return { collection: written, visible, list: selected.list, payload: itemPayload(data, []) }
}
