// Writes items, and returns them. Hooks on reads are asked for what is returned before anything is written: what they throw refuses the write,
// and what they leave out is written all the same.
import type { EngineInternals } from '../../engine/engine.ts'
import type { Options } from '../../execution/database.ts'
import { type Soon, soon } from '../../execution/soon.ts'
import type { Key } from '../../plan/key.ts'
import type { Collection } from '../../schema/model.ts'
import { takesTransaction } from '../../writes/context/single-statement.ts'
import { newWriteContext, queueEvent } from '../../writes/context/write-context.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { type AnswerQuery, type AnswerShape, narrowedShape } from '../read/answer-shape.ts'
import { beginRead, beginTree } from '../read/begin-read.ts'
import { itemsWritten } from '../read/read-back.ts'
import { readHooks, readOf } from '../read/read-hooks.ts'
import type { ItemToWrite } from './answer-of-row.ts'
import { hasChildren } from './nested-items.ts'

export interface WrittenAnswer extends AnswerQuery {
  /** Undefined if nothing is returned. */
  readonly shape: AnswerShape | undefined
}

export interface ItemsToWrite extends WrittenAnswer {
  readonly collection: Collection
  readonly intents: readonly Intent[]
}

/** Items of which something is returned, without hooks on what is read. */
export type ShapedItems = Pick<ItemsToWrite, 'collection' | 'intents'> & { readonly shape: AnswerShape }

export const hasReadHooks = ({ shape }: Pick<WrittenAnswer, 'shape'>, engine: EngineInternals): boolean =>
  shape !== undefined && readHooks(engine, shape.collection.name) !== undefined

type Items = readonly unknown[]
type ByStatement<Of> = (items: Of, engine: EngineInternals, options: Options) => Soon<Items | undefined>

/** Ways of writing items: one, or several, by statements that judge them; any items otherwise, if these do not decide, and nothing is written. */
interface WaysOfWriting {
  readonly alone: ByStatement<ItemToWrite>
  readonly together: ByStatement<ShapedItems>
  readonly otherwise: (items: ItemsToWrite, engine: EngineInternals, options: Options) => Promise<Items>
}

/** Writes items, without a promise if the database responds synchronously. */
export function writeItems(
  items: ItemsToWrite,
  { alone, together, otherwise }: WaysOfWriting,
  engine: EngineInternals,
  options: Options,
): Items | Promise<Items> {
  const { collection, intents, shape } = items
  const [first, ...others] = intents
  const generally = () => otherwise(items, engine, options)
  if (!first || !shape || hasReadHooks(items, engine)) return generally()
  const written =
    others.length > 0 || hasChildren(collection, first.payload)
      ? together({ collection, intents, shape }, engine, options)
      : alone({ collection, intent: first, shape }, engine, options)
  return soon(written, (known) => known ?? generally())
}

/** True if a write of one item is not its statement alone: there is a unit of work around it, something is done before it or together with it, or
 *  more than its row is read behind it, or versions that an earlier item has left are deleted with it. */
export const takesUnit = (
  event: 'items.create' | 'items.update',
  { collection, shape }: { readonly collection: Collection; readonly shape: AnswerShape },
  engine: EngineInternals,
): boolean =>
  engine.unit !== undefined ||
  takesTransaction(engine, event, collection) ||
  !shape.row(engine) ||
  (event === 'items.create' && collection.isVersioned)

/** Writes in a transaction, and returns what is written. `write` returns the keys. */
export async function writeAndRead(
  answer: WrittenAnswer,
  inside: EngineInternals,
  options: Options,
  write: () => Promise<readonly Key[]>,
): Promise<readonly unknown[]> {
  const { shape } = answer
  if (!shape || !hasReadHooks(answer, inside)) return itemsWritten(shape, await write(), inside, options)
  const { name } = shape.collection
  const requested = await askHooks(name, answer, inside)
  const narrowed = narrowedShape(requested.scoped, name, requested.answer)
  const items = await itemsWritten(narrowed, await write(), requested.scoped, options)
  const shown = items.filter((item) => item !== null)
  queueEvent(newWriteContext(inside, options), {
    ...readOf(inside, name),
    query: requested.reported,
    items: shown,
  })
  return items
}

/** Asks the hooks. Order and pages mean nothing here: everything that is written is returned, in the order in which it was given. */
async function askHooks(name: string, { query: input, tree }: AnswerQuery, inside: EngineInternals) {
  const requested: Readonly<Record<string, unknown>> = { ...input }
  const { query, scoped } = tree
    ? await beginTree(inside, { collection: name, query: requested, tree })
    : await beginRead(inside, name, requested)
  const { sort: _sort, limit: _limit, offset: _offset, page: _page, ...rest } = query
  const { after: _after, before: _before, ...shaping } = rest
  return { answer: { query: shaping, tree }, reported: query, scoped }
}
