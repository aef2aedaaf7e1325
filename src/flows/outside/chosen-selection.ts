// The items that a user has chosen to start a flow for.
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { isKeyLike, type Key, keyIdentity, readNamedKey, type ShownKey, shownKeyOf } from '../../plan/key.ts'
import { rootCollection } from '../../plan/resolve-name.ts'
import type { Collection } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import type { CompiledManual } from '../check/compiled.ts'
import { seenAmong } from '../operations/chosen-items.ts'
import { badValue } from '../reject.ts'

const mostChosen = 10_000

/** Reads the body of a manual start, and returns it with keys of their type. All of the items are seen by the caller: else none of them is. */
export async function chosenSelection(
  { collections, needsSelection }: CompiledManual,
  body: unknown,
  engine: Engine,
): Promise<Readonly<Record<string, unknown>>> {
  if (!isRecord(body) || typeof body.collection !== 'string')
    throw badValue('The body is { "collection", "keys" }: the items for which the flow is started.')
  const { collection: name, keys = [] } = body
  const collection = rootCollection(internalsOf(engine).schema, name)
  if (collections && !collections.includes(name))
    throw badValue(`This flow is not started for items of ${quote(name)}.`, ['collection'])
  if (!Array.isArray(keys) || keys.length > mostChosen)
    throw badValue(`"keys" is a list of ${mostChosen.toLocaleString('en')} keys at most.`, ['keys'])
  if (keys.length === 0 && needsSelection)
    throw badValue('This flow is started for items, and "keys" names none.', ['keys'])
  const wrong = keys.findIndex((key) => !isKeyLike(collection, key))
  if (wrong >= 0) throw badValue(`${quote(keys[wrong])} is no key of an item.`, ['keys', wrong])
  return { ...body, keys: await seenKeys(keys, collection, engine) }
}

/** Returns the keys of items as results show them, each once, and refuses those that the caller does not see. */
async function seenKeys(
  keys: readonly unknown[],
  collection: Collection,
  engine: Engine,
): Promise<readonly ShownKey[]> {
  const wanted = new Map<string, { readonly key: Key; readonly at: number }>()
  for (const [at, input] of keys.entries()) {
    const key = readNamedKey(collection, input)
    if (key === undefined) throw notSeen(at)
    const name = keyIdentity(key)
    if (!wanted.has(name)) wanted.set(name, { key, at })
  }
  const shown = [...wanted.values()].map(({ key }) => shownKeyOf(collection, key))
  const seen = new Set<string>()
  for await (const found of seenAmong(engine, collection.name, shown))
    for (const one of found.seen) {
      const key = readNamedKey(collection, one)
      if (key !== undefined) seen.add(keyIdentity(key))
    }
  for (const [name, { at }] of wanted) if (!seen.has(name)) throw notSeen(at)
  return shown
}

const notSeen = (at: number) =>
  fault('NOT_FOUND', 'There is no such item, or you may not see it.', { path: ['keys', at] })
