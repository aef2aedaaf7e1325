// Promotes a version to the item: compares it first, then writes it like any update.

import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { checkOptions } from '../../errors/check-options.ts'
import { plainFault } from '../../errors/code-texts.ts'
import { fault, isEngineError, quote } from '../../errors/errors.ts'
import { callOptions, type Options } from '../../execution/database.ts'
import { shownKeyOf } from '../../plan/key.ts'
import { fieldNamed } from '../../plan/resolve-name.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { maskSecrets } from '../../plan/write/mask-secrets.ts'
import type { CollectionName, Item, KeyOf } from '../../schema/infer.ts'
import { type Collection, keyFieldsOf, type Schema } from '../../schema/model.ts'
import { mainHashOf } from '../../versions/main-hash.ts'
import {
  lockForUpdate,
  requireVisibleItem,
  subjectOf,
  type VersionedItem,
  versionNamed,
} from '../../versions/version-rows.ts'
import { ownDelta, visibleDelta } from '../../versions/visible-delta.ts'
import { writtenFields } from '../../writes/authorize/writable-fields.ts'
import { inOneUnit } from '../../writes/context/retry.ts'
import { changeOf, newWriteContext, queueEvent, runBeforeHooks } from '../../writes/context/write-context.ts'
import { write } from '../../writes/write.ts'
import { withCallerVariables } from '../caller-variables.ts'
import { getItem } from '../get.ts'
import { answerShape } from '../read/answer-shape.ts'
import type { CheckedQuery } from '../types/checked-query.ts'
import type { ItemInput } from '../types/item-input.ts'
import type { ItemAnswer, NotVisible, OfWhom } from '../types/result.ts'
import { writeAndRead } from '../write/write-and-read.ts'

/** A version beside its item. */
export interface Comparison<Delta, Main> {
  /** True if the item has changed since the version was created. */
  readonly outdated: boolean
  /** Hash of the current item, required to promote. */
  readonly mainHash: string
  /** Changes of the version, with the item's key. */
  readonly current: Delta
  readonly main: Main
}

/** Compares a version with the current state of its item.
 *  @example const { outdated, current } = await compareVersion(engine, 'articles', 1, 'draft')
 *  outdated // → false
 *  current // → { id: 1, title: 'Green tea' } */
export async function compareVersion<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  options: Options = {},
): Promise<Comparison<ItemInput<S, C>, Item<S, C>>> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const scoped = await withCallerVariables(core)
  const named = subjectOf(scoped, collection, key)
  const subject = await requireVisibleItem(named, scoped, options)
  const found = await versionNamed(subject, version, scoped, options)
  const mainHash = await mainHashOf(subject, scoped, options)
  const reader = scoped.fresh().asEngine()
  const name: string = collection
  const main = await getItem(reader, name, shownKeyOf(subject.collection, subject.key), {}, options)
  const keyNames = keyFieldsOf(subject.collection).map((field) => field.name)
  const delta = await visibleDelta(subject, found.delta ?? {}, scoped, options)
  const current = {
    ...maskSecrets(subject.collection, delta),
    ...Object.fromEntries(keyNames.map((part) => [part, main[part]])),
  }
  // Both were read by the schema, which the compiler cannot follow here.
  return { outdated: found.hash !== mainHash, mainHash, current, main } as unknown as Comparison<
    ItemInput<S, C>,
    Item<S, C>
  >
}

/** Input of a promotion: the compared state of the item, and the fields to promote. */
export interface Promotion<Field = string> {
  /** Hash of the item when it was compared with the version. */
  readonly mainHash: string
  /** Fields to promote. By default all. */
  readonly fields?: readonly Field[] | undefined
}

/** Applies a version to its item by an update with all its checks, and returns the item. The version stays. An item that has changed since
 *  it was compared throws VERSION_HASH_MISMATCH with its current `mainHash`.
 *  @example const { mainHash } = await compareVersion(engine, 'articles', 1, 'draft')
 *  const { title } = await promoteVersion(engine, 'articles', 1, 'draft', { mainHash, fields: ['title'] })
 *  title // → 'Green tea' */
export function promoteVersion<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  promotion: Promotion<keyof ItemInput<S, C> & string>,
  query?: undefined,
  options?: Options,
): Promise<Item<S, C>>
export function promoteVersion<S extends Schema, C extends CollectionName<S>, const Q, Whose>(
  engine: Engine<S> & OfWhom<Whose>,
  collection: C,
  key: KeyOf<S, C>,
  version: string,
  promotion: Promotion<keyof ItemInput<S, C> & string>,
  query: CheckedQuery<S, C, Q>,
  options?: Options,
): Promise<ItemAnswer<S, C, Q> | NotVisible<Whose>>
export async function promoteVersion(
  engine: Engine,
  name: string,
  key: unknown,
  version: string,
  promotion: Promotion,
  query?: object,
  options: Options = {},
): Promise<unknown> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const scoped = await withCallerVariables(core, query)
  const named = subjectOf(scoped, name, key)
  const { collection } = named
  const { mainHash, fields } = readPromotion(promotion, writtenFields(scoped, collection, 'update'))
  const shape = answerShape(scoped, name, { query })
  const [item] = await inOneUnit(scoped, options, (inside) =>
    writeAndRead({ shape, query }, inside, options, async () => {
      const subject = await lockForUpdate(named, inside, options)
      const { delta } = await versionNamed(subject, version, inside, options)
      await requireUnchanged(subject, mainHash, inside, options)
      const payload = promotedFields(ownDelta(collection, delta ?? {}, inside), fields)
      const writing = newWriteContext(inside, options)
      const change = changeOf(writing, 'items.promote', { collection, keys: [subject.key], payload })
      const data = (await runBeforeHooks(writing, change)) ?? payload
      const intent = { payload: data, from: payload, path: [], action: 'update', key: subject.key } as const
      await write(collection, [intent], writing)
      queueEvent(writing, { ...change, payload: maskSecrets(collection, data) })
      return [subject.key]
    }),
  )
  return item
}

async function requireUnchanged(
  subject: VersionedItem,
  mainHash: string,
  engine: EngineInternals,
  options: Options,
): Promise<void> {
  const now = await mainHashOf(subject, engine, options)
  if (now !== mainHash) throw plainFault('VERSION_HASH_MISMATCH', { extensions: { mainHash: now } })
}

function readPromotion(input: Promotion, collection: Pick<Collection, 'name' | 'fields'>): Promotion {
  // Callers may use JavaScript.
  const { mainHash, fields, ...others }: Promotion = Object(input)
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw fault('INVALID_PAYLOAD', `A promotion is { mainHash, fields }; there is no ${quote(other)}.`, {
      path: [other],
    })
  if (typeof mainHash !== 'string')
    throw fault(
      'INVALID_PAYLOAD',
      `"mainHash" is the text that compareVersion returns, not ${quote(mainHash)}.`,
      {
        path: ['mainHash'],
      },
    )
  if (fields !== undefined && !Array.isArray(fields))
    throw fault('INVALID_PAYLOAD', `"fields" is a list of names, not ${quote(fields)}.`, { path: ['fields'] })
  for (const [index, field] of (fields ?? []).entries()) {
    const found = fieldNamed(collection, String(field), ['fields', index])
    if (isEngineError(found)) throw found
  }
  return { mainHash, fields }
}

function promotedFields(delta: ItemData, fields: readonly string[] | undefined): ItemData {
  const names = Object.keys(delta).filter((name) => !fields || fields.includes(name))
  if (names.length === 0)
    throw fault('INVALID_PAYLOAD', 'There is nothing to promote.', {
      hint: 'Save something in the version first.',
    })
  return Object.fromEntries(names.map((name) => [name, delta[name]]))
}
