// Input of `updateItems`: keys with data for all of them, or items with their keys.

import type { Engine } from '../engine/engine.ts'
import { fault, type Path } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import type { ItemData } from '../plan/changes.ts'
import type { Key } from '../plan/key.ts'
import { readPayload } from '../plan/payload.ts'
import type { Collection } from '../schema/model.ts'
import { isRecord } from '../values/record.ts'
import type { Intent } from '../writes/create-or-update.ts'
import { listedKey } from '../writes/rows-by-key.ts'
import { gateOf, withoutNames } from '../writes/visible-keys.ts'
import { itemGiven } from './create.ts'
import { shaping } from './read-back.ts'

export interface Several {
  readonly intents: (collection: Collection, caller: Engine) => readonly Intent[]
  readonly query: unknown
  readonly options: unknown
}

/** Reads the arguments of `updateItems` behind the collection. A list of objects is one of items, and no data follows it; any other list is
 *  one of keys, and data follows. An empty list may be either, so the next argument has to make sense as one of the two. */
export function severalGiven(list: readonly unknown[], rest: readonly unknown[], seen: Collection): Several {
  const isOfItems = list.length > 0 ? list.some(isRecord) : rest.length <= 2 && isShape(rest[0], seen)
  if (!isOfItems) {
    const [data, query, options] = rest
    const intents: Several['intents'] = (found, caller) => {
      if (list.length === 0) checkData(data, found, caller)
      return list.map((key, index) => intentFor(listedKey(found, key, [index]), data, [index]))
    }
    return { intents, query, options }
  }
  const [query, options, stranger] = rest
  if (stranger !== undefined)
    throw fault('INVALID_PAYLOAD', 'Each item of a list says by itself what is changed of it.', {
      hint: 'Give a list of keys to change them alike.',
    })
  const intents = () =>
    list.map((given, index) => ({
      given: itemGiven(given, [index]),
      path: [index],
      action: 'update' as const,
    }))
  return { intents, query, options }
}

/** True if an argument shapes a result. An object with names of fields only is data, even if one has the name of a parameter. */
function isShape(given: unknown, { fields }: Collection): boolean {
  if (given === undefined) return true
  if (!isRecord(given)) return false
  const names = Object.keys(given)
  return (
    names.every((name) => shaping.has(name)) && !(names.length > 0 && names.every((name) => fields.has(name)))
  )
}

/** Checks data even if it is meant for no item. */
function checkData(data: unknown, collection: Collection, caller: Engine): void {
  const given: ItemData = itemGiven(data, [])
  const problems = new Problems('INVALID_PAYLOAD')
  const { refuse, reaches } = gateOf(caller)
  const named = Object.keys(given).filter((name) => given[name] !== undefined && name !== collection.key.name)
  const own = withoutNames(given, refuse(collection, 'update', named, [], problems))
  readPayload(own, { collection, path: [], problems, isKeyed: true, ...(reaches && { reaches }) })
  problems.throwIfAny()
}

/** Returns the update of an item whose key is known. */
export function intentFor(key: Key, data: unknown, path: Path): Intent {
  return { given: itemGiven(data, path), path, action: 'update', key }
}
