import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
import { callKinds, type Options } from '../execution/database.ts'
import type { Predicate } from '../plan/filter/predicate.ts'
import { resolveFilter } from '../plan/filter/resolve-filter.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Filter } from '../query/filter-types.ts'
import { readFilter } from '../query/read-filter.ts'
import { newReader } from '../query/reader.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import { writtenCollection } from '../writes/authorize/writable-fields.ts'
import { newWriteContext } from '../writes/context/write-context.ts'
import { onFields } from '../writes/upsert/on-fields.ts'
import { onValues } from '../writes/upsert/on-values.ts'
import { type Upserted, upsertRows } from '../writes/upsert/upsert-rows.ts'
import { needsCallerVariables, withCallerVariables } from './caller-variables.ts'
import { itemPayload, itemsOf, type ListedItems } from './create.ts'
import { answerShape, type WriteInput } from './read/answer-shape.ts'
import { circumstancesOf } from './read/read-request.ts'
import type { CheckedQuery } from './types/checked-query.ts'
import type { ItemInput, OnNames } from './types/item-input.ts'
import type { ItemAnswer, NotVisible, OfWhom } from './types/result.ts'
import { manyOf } from './write/bulk.ts'
import { upsertAlone } from './write/upsert-alone.ts'
import { upsertTogether } from './write/upsert-together.ts'
import { hasReadHooks, writeAndRead } from './write/write-and-read.ts'

/** Options of an upsert. */
export interface UpsertOptions<On = string | readonly string[], Where = object> extends Options {
  /** The field by which an item is found, or fields: those of a key or of a unique index. By default the key. */
  readonly on?: On | undefined
  /** Filter that an item has to match to be updated: one that does not is left and returned as it is. Needs `on`. */
  readonly where?: Where | undefined
}

const upsertOptions = optionNames<UpsertOptions>({ ...callKinds, on: anything, where: anything })

/** Updates the item that has the same values of some unique fields, or creates it, and returns it; null if the caller may not read it. Two
 *  callers at once make one item. With `where` an item that exists is updated only if it matches that filter.
 *  @example await upsertItem(engine, 'tags', { name: 'hot', id: 1 }, { fields: ['id', 'name'] }) // → { id: 1, name: 'hot' } */
export function upsertItem<S extends Schema, C extends CollectionName<S>, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  data: ItemInput<S, C>,
): Promise<ItemAnswer<S, C, Record<never, never>> | NotVisible<Whose>>
export function upsertItem<S extends Schema, C extends CollectionName<S>, const Q, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  data: ItemInput<S, C>,
  query: CheckedQuery<S, C, Q>,
  options?: UpsertOptions<OnNames<S, C>, Filter<S, C>>,
): Promise<ItemAnswer<S, C, Q> | NotVisible<Whose>>
export async function upsertItem(
  engine: Engine,
  collection: string,
  data: unknown,
  query?: object,
  options: UpsertOptions = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  checkOptions(options, upsertOptions)
  const upserted = upsertAll(core, collection, { data: [{ payload: data, path: [] }], query }, options)
  return (upserted instanceof Promise ? await upserted : upserted).result[0]
}

/** Updates items that have the same values of some unique fields, and creates the others, all of them or none. Returns them in the order of the
 *  input.
 *  @example await upsertItems(engine, 'tags', [{ id: 1, name: 'warm' }, { id: 9, name: 'dry' }], { fields: ['name'] })
 *  // → [{ name: 'warm' }, { name: 'dry' }] */
export function upsertItems<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  data: readonly ItemInput<S, C>[],
): Promise<ItemAnswer<S, C, Record<never, never>>[]>
export function upsertItems<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  data: readonly ItemInput<S, C>[],
  query: CheckedQuery<S, C, Q>,
  options?: UpsertOptions<OnNames<S, C>, Filter<S, C>>,
): Promise<ItemAnswer<S, C, Q>[]>
export async function upsertItems(
  engine: Engine,
  collection: string,
  data: unknown,
  query?: object,
  options: UpsertOptions = {},
): Promise<readonly unknown[]> {
  const core = internalsOf(engine)
  checkOptions(options, upsertOptions)
  return (await upsertMany(core, collection, { data, query }, options)).result
}

/** `upsertItems` whose result may be selected by a tree, with the numbers of created and updated items. */
export async function upsertMany(
  engine: EngineInternals,
  name: string,
  input: WriteInput,
  options: CountedOptions,
): Promise<Upserted<readonly unknown[]>> {
  return upsertAll(engine, name, { ...input, data: itemsOf(input.data) }, options)
}

/** Options of an upsert whose numbers of created and updated items are needed, or not. */
interface CountedOptions extends UpsertOptions {
  readonly isCounted?: boolean
}

/** Writes items, without a promise if the database responds synchronously. Their result may be selected by a tree. */
export function upsertAll(
  engine: EngineInternals,
  name: string,
  input: WriteInput<ListedItems>,
  options: CountedOptions,
): Answer | Promise<Answer> {
  const queries = [input.query, options.where]
  if (!needsCallerVariables(engine, ...queries)) return upsertBy(engine, name, input, options)
  return withCallerVariables(engine, ...queries).then((scoped) => upsertBy(scoped, name, input, options))
}

type Answer = Upserted<readonly unknown[]>

function upsertBy(
  scoped: EngineInternals,
  name: string,
  input: WriteInput<ListedItems>,
  { on, where: filter, isCounted, signal, timeoutMs }: CountedOptions,
): Answer | Promise<Answer> {
  const options: Options = { signal, timeoutMs }
  const collection = manyOf(writtenCollection(scoped, name, 'create', 'update'))
  const shape = answerShape(scoped, name, input)
  const items = input.data.map(({ payload, path }) => ({ payload: itemPayload(payload, path), path }))
  const names = namesOf(on)
  if (filter !== undefined && !names) throw withoutOn('INVALID_OPTIONS')
  const otherwise = async (): Promise<Answer> => {
    const fields = await onFields(collection, names, scoped, options)
    const found = onValues(fields, collection, items, newWriteContext(scoped, options))
    const where = filter === undefined ? undefined : conditionOf(filter, name, scoped)
    const upsert = { collection, on: fields, items: found, where }
    const alone =
      shape && !where && !hasReadHooks({ shape }, scoped)
        ? await upsertAlone({ collection, on: fields, items: found, shape }, scoped, options)
        : undefined
    if (alone) return alone
    return upsertRows(upsert, scoped, options, (inside, write) =>
      writeAndRead({ ...input, shape }, inside, options, write),
    )
  }
  if (!shape || filter !== undefined || hasReadHooks({ shape }, scoped)) return otherwise()
  const plain = { collection, on: names, items, shape, isCounted: isCounted ?? false }
  const together = upsertTogether(plain, scoped, options)
  if (together instanceof Promise) return together.then((written) => written ?? otherwise())
  return together ?? otherwise()
}

/** The error for a condition without the fields by which an item is found. */
export const withoutOn = (code: 'INVALID_OPTIONS' | 'INVALID_QUERY') =>
  fault(code, '"where" needs "on", the fields by which an item is found.', { path: ['where'] })

/** Reads the filter of an upsert, on the collection as its caller sees it. */
function conditionOf(filter: object, name: string, engine: EngineInternals): Predicate {
  const { schema, limits } = engine
  const reader = newReader(limits, false)
  const { problems } = reader
  const node = readFilter(filter, ['where'], reader)
  problems.throwIfAny()
  const reading = { schema, circumstances: circumstancesOf(engine), problems, use: 'query' } as const
  const where = resolveFilter(node, rootCollection(schema, name), ['where'], reading)
  problems.throwIfAny()
  return where
}

/** Returns the names of fields: one, or several. */
function namesOf(on: unknown): readonly string[] | undefined {
  if (on === undefined) return undefined
  const names: readonly unknown[] = Array.isArray(on) ? [...on] : [on]
  if (names.length > 0 && names.every((name) => typeof name === 'string')) return names
  throw fault('INVALID_OPTIONS', `"on" is the name of a field, or a list of names, not ${quote(on)}.`, {
    path: ['on'],
  })
}
