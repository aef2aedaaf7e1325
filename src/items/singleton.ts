import type { Engine } from '../engine.ts'
import { fault } from '../errors.ts'
import { checkOptions } from '../options.ts'
import { rootCollection } from '../plan/gate.ts'
import type { Member } from '../plan/read-plan.ts'
import { shownValue } from '../plan/shown-value.ts'
import { readStored } from '../plan/stored-value.ts'
import { callOptions, type Options } from '../run/execute.ts'
import { prepare } from '../run/prepare.ts'
import type { CollectionName } from '../schema/infer.ts'
import type { Collection, Schema, StoredField } from '../schema/model.ts'
import { noVersion } from '../versions/table.ts'
import { atomically } from '../writes/atomically.ts'
import type { Intent } from '../writes/decide.ts'
import { onlyKey } from '../writes/only.ts'
import { writtenCollection } from '../writes/permits.ts'
import { write } from '../writes/write.ts'
import { newWriting } from '../writes/writing.ts'
import type { ItemAnswer, SingletonAnswer } from './answer.ts'
import type { Asked } from './answer-asked.ts'
import type { AnswerOf } from './answer-version.ts'
import { itemGiven } from './create.ts'
import { firstItem } from './get.ts'
import { heard } from './heard.ts'
import { informed } from './informed.ts'
import type { ItemInput } from './input.ts'
import { listRequest } from './request.ts'
import { readVersion, singletonKey, versionIn } from './versioned.ts'
import { answerShape, itemsWritten, keysOf } from './written.ts'

/** The only item of a singleton; while there is none, its defaults with a null key.
 *  @example await getSingleton(engine, 'settings') // → { id: null, title: 'Untitled' } */
export function getSingleton<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
): Promise<SingletonAnswer<S, C, Record<never, never>>>
export function getSingleton<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  query: Asked<S, C, Q>,
  options?: Options,
): Promise<AnswerOf<Q, SingletonAnswer<S, C, Q>>>
export async function getSingleton(
  engine: Engine,
  collection: string,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  singletonNamed(engine, collection)
  const read = (asked: object | undefined) => readOnly(engine, collection, asked, options)
  return heard(engine, collection, query, read, (item) => [item])
}

async function readOnly(
  caller: Engine,
  collection: string,
  query: object | undefined,
  options: Options,
): Promise<unknown> {
  const engine = await informed(caller, query)
  const { request, asked } = versionIn(listRequest(engine, collection, query, 'singleton'), engine)
  const prepared = prepare(request, engine)
  // A version is looked at beside the item as it is now.
  const reader = asked ? engine : engine.reading()
  const item = () => firstItem(reader, prepared, options)
  if (asked) {
    const key = await singletonKey(asked.list, engine, options)
    const found = await readVersion(asked, key, item, engine, options)
    if (found === undefined) throw noVersion()
    return found
  }
  const found = await item()
  if (found !== undefined) return found
  const { rows } = prepared.template.list
  return rows.kind === 'items' ? defaultsOf(rows.members) : {}
}

/** Changes the only item of a singleton, or creates it while there is none, and answers it.
 *  @example await updateSingleton(engine, 'settings', { title: 'The Loom' }) // → { id: 1, title: 'The Loom' } */
export function updateSingleton<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  data: ItemInput<S, C>,
): Promise<ItemAnswer<S, C, Record<never, never>>>
export function updateSingleton<S extends Schema, C extends CollectionName<S>, const Q>(
  engine: Engine<S>,
  collection: C,
  data: ItemInput<S, C>,
  query: Asked<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q>>
export async function updateSingleton(
  caller: Engine,
  name: string,
  data: unknown,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  checkOptions(options, callOptions)
  const engine = await informed(caller, query)
  const collection = onlyOne(writtenCollection(engine, name, 'update', 'create'))
  const shape = answerShape(engine, name, query)
  const given = itemGiven(data, [])
  return atomically(engine, options, async (inside) => {
    const writing = newWriting(inside, options)
    const there = await onlyKey(collection, writing)
    const intent: Intent =
      there === undefined
        ? { given, path: [], action: 'create' }
        : { given, path: [], action: 'update', key: there }
    const items = await write(collection, [intent], writing)
    const [item] = await itemsWritten(shape, keysOf(items), inside, options)
    return item
  })
}

const singletonNamed = ({ schema }: Engine, name: string): Collection => onlyOne(rootCollection(schema, name))

function onlyOne(collection: Collection): Collection {
  if (collection.isSingleton) return collection
  throw fault('NOT_FOUND', `"${collection.name}" is no singleton, or you may not see it.`)
}

/** What an item that does not exist yet would start with. */
function defaultsOf(members: readonly Member[]): Record<string, unknown> {
  return Object.fromEntries(members.map((member) => [member.name, defaultOf(member)]))
}

function defaultOf(member: Member): unknown {
  if (member.kind === 'many') return []
  if (member.kind !== 'value') return null
  const { subject } = member
  if (subject.kind === 'count') return 0
  return subject.kind === 'field' && !subject.field.isKey ? shownDefault(subject.field) : null
}

/** As an answer would show it, had it been stored: a default may be written in other forms, and may be a secret. */
function shownDefault(field: StoredField): unknown {
  const { default: given, name, collection } = field
  if (given === undefined || given === null) return null
  const read = readStored(field, given)
  if (read.kind === 'value') return shownValue(field, read.value)
  throw fault(
    'INVALID_SCHEMA',
    `"${name}" of "${collection.name}" ${read.says}, and its default does not fit.`,
  )
}
