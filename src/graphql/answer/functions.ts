// The functions on items as a document calls them. Their types are for hosts; names, keys and payloads they check by themselves.
import type { Engine } from '../../engine/engine.ts'
import { deleteItem, deleteItems } from '../../items/delete.ts'
import { getItem } from '../../items/get.ts'
import { getSingleton } from '../../items/singleton.ts'

type ItemFunction = (engine: Engine, collection: string, ...rest: readonly unknown[]) => Promise<unknown>

/** Returns a function without the types of its schema, which a document does not have. */
const untyped = (typed: unknown): ItemFunction => typed as ItemFunction // each of them takes an engine and a name

export const functions = {
  deleteItem: untyped(deleteItem),
  deleteItems: untyped(deleteItems),
  getItem: untyped(getItem),
  getSingleton: untyped(getSingleton),
} as const
