import { type Engine, type EngineInternals, internalsOf } from '../engine/engine.ts'
import { checkOptions } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import { callOptions, type Options } from '../execution/database.ts'
import type { Member } from '../plan/read/read-plan.ts'
import { shownValue } from '../plan/read/shown-value.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { readStored } from '../plan/write/stored-value.ts'
import { prepare } from '../prepared/prepare.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Collection, Schema, StoredField } from '../schema/model.ts'
import { noVersion } from '../versions/version-rows.ts'
import { writtenCollection } from '../writes/authorize/writable-fields.ts'
import { inOneUnit } from '../writes/context/retry.ts'
import { newWriteContext, type WriteContext } from '../writes/context/write-context.ts'
import type { Intent } from '../writes/create-or-update.ts'
import { keyToChange } from '../writes/locks/singleton-lock.ts'
import { keysIn } from '../writes/stored/rows-by-key.ts'
import { write } from '../writes/write.ts'
import { withCallerVariables } from './caller-variables.ts'
import { itemPayload } from './create.ts'
import { answerShape, type WriteInput } from './read/answer-shape.ts'
import { beginRead } from './read/begin-read.ts'
import { readFirst } from './read/read-first.ts'
import { listRequest } from './read/read-request.ts'
import type { CheckedQuery } from './types/checked-query.ts'
import type { UpdateInput } from './types/item-input.ts'
import type { ItemAnswer, SingletonAnswer } from './types/result.ts'
import type { AnswerOf } from './types/version.ts'
import { readVersion, singletonKey, versionIn } from './versions/read-version.ts'
import { writeAndRead } from './write/write-and-read.ts'

/** Returns the only item of a singleton; while there is none, its defaults with a null key.
 *  @example await getSingleton(engine, 'settings') // → { id: null, title: 'Untitled' } */
export function getSingleton<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
): Promise<SingletonAnswer<S, C, Record<never, never>>>
export function getSingleton<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  query: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<AnswerOf<Q, SingletonAnswer<S, C, Q>>>
export async function getSingleton(
  engine: Engine,
  collection: string,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  singletonNamed(core, collection)
  const { query: requested, scoped, after } = await beginRead(core, collection, query)
  const item = await readOnly(scoped, collection, requested, options)
  if (after) await after([item])
  return item
}

async function readOnly(
  engine: EngineInternals,
  collection: string,
  query: object | undefined,
  options: Options,
): Promise<unknown> {
  const { request, requested } = versionIn(listRequest(engine, collection, query, 'singleton'), engine)
  const prepared = prepare(request, engine)
  if (requested) {
    const key = await singletonKey(requested.list, engine, options)
    const found = await readVersion({ ...requested, prepared }, key, engine, options)
    if (found === undefined) throw noVersion()
    return found
  }
  const found = await readFirst(engine.reading(), prepared, options)
  if (found !== undefined) return found
  const { rows } = prepared.template.list
  return rows.kind === 'items' ? defaultsOf(rows.members) : {}
}

/** Updates the only item of a singleton, or creates it while there is none, and returns it.
 *  @example await updateSingleton(engine, 'settings', { title: 'The Loom' }) // → { id: 1, title: 'The Loom' } */
export function updateSingleton<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  data: UpdateInput<S, C>,
): Promise<ItemAnswer<S, C, Record<never, never>>>
export function updateSingleton<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  data: UpdateInput<S, C>,
  query: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q>>
export async function updateSingleton(
  engine: Engine,
  name: string,
  data: unknown,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  return updateOnly(core, name, { data, query }, options)
}

/** `updateSingleton` whose result may be selected by a tree. */
export async function updateOnly(
  engine: EngineInternals,
  name: string,
  input: WriteInput,
  options: Options,
): Promise<unknown> {
  const scoped = await withCallerVariables(engine, input.query)
  const collection = onlyOne(writtenCollection(scoped, name, 'update', 'create'))
  const shape = answerShape(scoped, name, input)
  const payload = itemPayload(input.data, [])
  const [item] = await inOneUnit(scoped, options, (inside) =>
    writeAndRead({ ...input, shape }, inside, options, async () =>
      keysIn(await writeOnly(collection, payload, newWriteContext(inside, options))),
    ),
  )
  return item
}

async function writeOnly(collection: Collection, payload: ItemData, writing: WriteContext) {
  const there = await keyToChange(collection, writing)
  if (there === undefined) writtenCollection(writing.caller, collection.name, 'create')
  const intent: Intent =
    there === undefined
      ? { payload, path: [], action: 'create' }
      : { payload, path: [], action: 'update', key: there }
  return write(collection, [intent], writing)
}

const singletonNamed = ({ schema }: EngineInternals, name: string): Collection =>
  onlyOne(rootCollection(schema, name))

function onlyOne(collection: Collection): Collection {
  if (collection.isSingleton) return collection
  throw fault('NOT_FOUND', `"${collection.name}" is not a singleton, or you may not see it.`)
}

/** Returns the initial values of an item that does not exist yet. */
export function defaultsOf(members: readonly Member[]): Record<string, unknown> {
  return Object.fromEntries(members.map((member) => [member.name, defaultOf(member)]))
}

function defaultOf(member: Member): unknown {
  if (member.kind === 'many') return []
  if (member.kind === 'constant') return member.text
  if (member.kind === 'group') return defaultsOf(member.members)
  if (member.kind !== 'value') return null
  const { subject } = member
  if (subject.kind === 'related') return subject.of ? null : 0
  return subject.kind === 'field' && !subject.field.isKey ? shownDefault(subject.field) : null
}

/** Returns a default as if it had been stored and read: it may be written in other forms, and may be a secret. */
function shownDefault(field: StoredField): unknown {
  const { default: input, name, collection } = field
  if (input === undefined || input === null) return null
  const read = readStored(field, input)
  if (read.kind === 'value') return shownValue(field, read.value)
  throw fault(
    'INVALID_SCHEMA',
    `"${name}" of "${collection.name}" ${read.says}, and its default does not fit.`,
  )
}
