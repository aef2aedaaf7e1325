// Runs the hooks before the write of a single item.

import { type Soon, soon } from '../../execution/soon.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { Collection } from '../../schema/model.ts'
import { gateOf } from '../../writes/authorize/writable-fields.ts'
import { changeOf, runBeforeHooks, type WriteContext } from '../../writes/context/write-context.ts'
import type { Intent } from '../../writes/create-or-update.ts'

/** Returns an item as the hooks want it; undefined if the general path has to run them. Makes no promise if all of them return at once. */
export function runHooks(
  action: 'create' | 'update',
  collection: Collection,
  intent: Intent,
  writing: WriteContext,
): Soon<Intent | undefined> {
  const { payload: data, path, key } = intent
  const refuse = gateOf(writing.caller).refusing(collection, action)
  const refused = refuse(namesIn(data), path, writing.problems)
  if (refused.size > 0) return undefined
  const keys = key === undefined ? [] : [key]
  const change = changeOf(writing, `items.${action}`, { collection, keys, payload: data })
  return soon(runBeforeHooks(writing, change), (payload) => ({
    payload: payload ?? data,
    from: data,
    isHooked: true,
    path,
    action,
    key,
  }))
}

/** True if what the caller has named is still to be written: the rules have to allow all of it. */
export const isWhole = ({ payload, from = payload }: Intent): boolean =>
  namesIn(from).every((name) => payload[name] !== undefined)

const namesIn = (payload: ItemData): readonly string[] =>
  Object.keys(payload).filter((name) => payload[name] !== undefined)
