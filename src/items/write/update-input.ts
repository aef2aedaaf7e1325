// Input of updates of several items: keys with data for all of them, or items with their keys.

import type { EngineInternals } from '../../engine/engine.ts'
import { checkOptions } from '../../errors/check-options.ts'
import { fault, type Path, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { callOptions, type Options } from '../../execution/database.ts'
import { isNameOfKey, type Key } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { readPayload } from '../../plan/write/payload.ts'
import type { Collection } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { gateOf, withoutNames } from '../../writes/authorize/writable-fields.ts'
import { listedKey } from '../../writes/context/named-key.ts'
import type { Intent } from '../../writes/create-or-update.ts'
import { itemPayload } from '../create.ts'
import { shaping } from '../read/answer-shape.ts'

export type UpdatesInput =
  | { readonly kind: 'keys'; readonly keys: readonly unknown[]; readonly data: unknown }
  | { readonly kind: 'items'; readonly items: readonly unknown[] }

interface UpdateArguments {
  readonly updates: UpdatesInput
  readonly query: object | undefined
  readonly options: Options
}

/** Reads the arguments of `updateItems` behind the collection. A list of objects is one of items, and no data follows it; any other list is
 *  one of keys, and data follows. An empty list may be either, so the next argument has to make sense as one of the two. */
export function readUpdates(input: unknown, rest: readonly unknown[], visible: Collection): UpdateArguments {
  const list = listed(input)
  const isOfItems = list.length > 0 ? list.some(isRecord) : rest.length <= 2 && isShape(rest[0], visible)
  if (!isOfItems) {
    const [data, query, options] = rest
    return {
      updates: { kind: 'keys', keys: list, data },
      query: asObject(query),
      options: readOptions(options),
    }
  }
  const [query, options, other] = rest
  if (other !== undefined)
    throw fault('INVALID_PAYLOAD', 'Each item of a list says by itself what is changed of it.', {
      hint: 'Give a list of keys to change them alike.',
    })
  return { updates: { kind: 'items', items: list }, query: asObject(query), options: readOptions(options) }
}

/** Returns the elements of a list. Empty ones are no items. */
export function listed(input: unknown): readonly unknown[] {
  if (Array.isArray(input)) return [...input]
  throw fault('INVALID_PAYLOAD', `Items stand in a list, not in ${quote(input)}.`)
}

function readOptions(input: unknown): Options {
  if (input === undefined) return {}
  checkOptions(input, callOptions)
  return Object(input)
}

/** Returns a query as an object; anything else is refused by its reader. */
const asObject = (input: unknown): object | undefined => (input === undefined ? undefined : Object(input))

export function intentsOf(
  updates: UpdatesInput,
  collection: Collection,
  engine: EngineInternals,
): readonly Intent[] {
  if (updates.kind === 'items')
    return updates.items.map((item, index) => ({
      payload: itemPayload(item, [index]),
      path: [index],
      action: 'update',
    }))
  const { keys, data } = updates
  if (keys.length === 0) checkData(data, collection, engine)
  return keys.map((key, index) => updateIntent(listedKey(collection, key, [index]), data, [index]))
}

/** True if an argument shapes a result. An object with names of fields only is data, even if one has the name of a parameter. */
function isShape(input: unknown, { fields }: Collection): boolean {
  if (input === undefined) return true
  if (!isRecord(input)) return false
  const names = Object.keys(input)
  return (
    names.every((name) => shaping.has(name)) && !(names.length > 0 && names.every((name) => fields.has(name)))
  )
}

/** Checks data even if it is meant for no item. */
function checkData(data: unknown, collection: Collection, engine: EngineInternals): void {
  const payload: ItemData = itemPayload(data, [])
  const problems = new Problems('INVALID_PAYLOAD')
  const { refusing, reaches } = gateOf(engine)
  const named = Object.keys(payload).filter(
    (name) => payload[name] !== undefined && !isNameOfKey(collection, name),
  )
  const own = withoutNames(payload, refusing(collection, 'update')(named, [], problems))
  const place = { collection, path: [], problems, isKeyed: true, mayIncrement: true }
  readPayload(own, { ...place, ...(reaches && { reaches }) })
  problems.throwIfAny()
}

export function updateIntent(key: Key, data: unknown, path: Path): Intent {
  return { payload: itemPayload(data, path), path, action: 'update', key }
}
