// Update of several items: each by its own key, all with some keys alike, or all that match a query.
import { type Engine, internalsOf } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { updateEach, updateItems } from '../items/update.ts'
import { updateFound } from '../items/write/update-by-query.ts'
import type { ShownKey } from '../plan/key.ts'
import { parseQuery } from '../query/parse.ts'
import type { ParsedQuery } from '../query/types.ts'
import { isRecord } from '../values/guards.ts'
import type { Incoming } from './messages.ts'
import { keysIn, type RequestInput } from './request-input.ts'

export type BulkUpdate =
  | { readonly kind: 'items'; readonly items: readonly RequestInput[] }
  | { readonly kind: 'keys'; readonly keys: readonly ShownKey[]; readonly data: unknown }
  | { readonly kind: 'query'; readonly query: ParsedQuery; readonly data: unknown }

/** Reads which items a body updates, and how. */
export function readBulkUpdate(
  input: RequestInput | readonly RequestInput[],
  engine: Engine,
  collection: string,
): BulkUpdate {
  if (Array.isArray(input)) return itemsIn(input)
  const { keys, query, data, ...others } = Object(input)
  const [other] = Object.keys(others)
  if (other !== undefined || (keys === undefined) === (query === undefined) || data === undefined)
    throw fault(
      'INVALID_PAYLOAD',
      'Several items are changed by a list of items, { keys, data } or { query, data }.',
      { ...(other !== undefined && { path: [other] }) },
    )
  if (keys !== undefined)
    return { kind: 'keys', keys: keysIn(keys, engine.schema.collections.get(collection)), data }
  return { kind: 'query', query: parseQuery(query, { limits: internalsOf(engine).limits }), data }
}

function itemsIn(items: readonly RequestInput[]): BulkUpdate {
  const at = items.findIndex((item) => !isRecord(item))
  if (at >= 0) throw fault('INVALID_PAYLOAD', 'An item is a JSON object.', { path: [at] })
  return { kind: 'items', items }
}

/** Updates items, and returns them; undefined if there are too many to return. `query` shapes the result. */
export async function runBulkUpdate(
  update: BulkUpdate,
  query: ParsedQuery,
  engine: Engine,
  { collection, options }: Incoming,
): Promise<readonly unknown[] | undefined> {
  switch (update.kind) {
    case 'items':
      return updateEach(engine, collection, update.items, query, options)
    case 'keys':
      // `updateItems` checks the data.
      return updateItems(engine, collection, update.keys, Object(update.data), query, options)
    case 'query':
      return updateFound(internalsOf(engine), collection, update.query, update.data, query, options)
  }
}
