// Reads items by their keys, for whoever knows which rows have changed.

import type { EngineInternals } from '../../engine/engine.ts'
import { type Key, type ShownKey, shownKeyOf } from '../../plan/key.ts'
import { withCallerVariables } from '../caller-variables.ts'
import { answerShape } from './answer-shape.ts'
import { itemsByKeys } from './read-back.ts'

/** An item, and its key as callers get it. */
export interface ItemByKey {
  readonly key: ShownKey
  readonly item: object
}

/** Returns those of the items with some keys that the caller sees, in any order. The query selects what is read of them: it has no filter and no
 *  page. */
export async function readByKeys(
  engine: EngineInternals,
  collection: string,
  query: object | undefined,
  keys: readonly Key[],
): Promise<readonly ItemByKey[]> {
  const scoped = await withCallerVariables(engine, query)
  const shape = answerShape(scoped, collection, { query })
  if (!shape || keys.length === 0) return []
  const found = await itemsByKeys(shape, keys, scoped, {})
  return found.map(({ key, item }) => ({ key: shownKeyOf(shape.collection, key), item }))
}
