// HTTP requests for items: lists and single ones.
import type { RowUse } from '../dialects/phrase-types.ts'
import { type Engine, internalsOf } from '../engine/engine.ts'
import { createItem, createItems } from '../items/create.ts'
import { deleteItem, deleteItems } from '../items/delete.ts'
import { updateItem } from '../items/update.ts'
import { isRecord } from '../values/guards.ts'
import { refuseNestedRowNumbers } from '../writes/authorize/nested-row-numbers.ts'
import { namedKey } from '../writes/named-key.ts'
import { readBulkUpdate, runBulkUpdate } from './bulk-update.ts'
import { type ConditionalTarget, ifMatch, refuseRowNumbers } from './conditional.ts'
import { itemBody, queryOf } from './item-body.ts'
import { listOrExport } from './list-or-export.ts'
import {
  dataList,
  dataListOrEmpty,
  dataOrEmpty,
  empty,
  type Incoming,
  json,
  type Outgoing,
} from './messages.ts'
import { readInput, readObject } from './request-input.ts'
import { readSearch } from './search-query.ts'

export async function list(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return listOrExport(engine, queryOf(incoming, engine), incoming)
}

export async function search(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return listOrExport(engine, await readSearch(engine, incoming), incoming)
}

export async function create(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const data = await readInput(incoming)
  const query = queryOf(incoming, engine)
  const { collection, options } = incoming
  refuseNestedRowNumbers(internalsOf(engine), collection, data)
  return isRecord(data)
    ? dataOrEmpty(await createItem(engine, collection, data, query, options))
    : dataListOrEmpty(await createItems(engine, collection, data, query, options))
}

export async function updateSeveral(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const input = await readInput(incoming)
  const query = queryOf(incoming, engine)
  const bulk = readBulkUpdate(input, engine, incoming.collection)
  if (bulk.kind !== 'query') refuseRowNumbers(engine, incoming.collection)
  const isList = bulk.kind === 'items'
  refuseNestedRowNumbers(
    internalsOf(engine),
    incoming.collection,
    isList ? bulk.items : bulk.data,
    isList ? [] : ['data'],
  )
  const items = await runBulkUpdate(bulk, query, engine, incoming)
  // If too many items have changed to return them, the response is empty.
  return items ? dataList(items) : empty()
}

export async function removeSeveral(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const selector = await incoming.body()
  const query = queryOf(incoming, engine)
  if (Array.isArray(selector) || Object(selector).keys !== undefined)
    refuseRowNumbers(engine, incoming.collection)
  // `deleteItems` checks the selector, and how it combines with the query.
  await deleteItems(engine, incoming.collection, selector as undefined, query, incoming.options)
  return empty()
}

export async function read(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return json(await itemBody(engine, queryOf(incoming, engine), incoming))
}

export async function update(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const data = await readObject(incoming)
  const query = queryOf(incoming, engine)
  const { collection, key, options } = incoming
  if (incoming.header('if-match') === undefined) refuseRowNumbers(engine, collection)
  refuseNestedRowNumbers(internalsOf(engine), collection, data)
  return ifMatch(engine, incoming, itemTarget(incoming, 'change'), async (inside) =>
    dataOrEmpty(await updateItem(inside, collection, key, data, query, options)),
  )
}

export async function remove(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const { collection, key, options } = incoming
  if (incoming.header('if-match') === undefined) refuseRowNumbers(engine, collection)
  return ifMatch(engine, incoming, itemTarget(incoming, 'removal'), async (inside) => {
    await deleteItem(inside, collection, key, options)
    return empty()
  })
}

const itemTarget = (incoming: Incoming, use: RowUse): ConditionalTarget => ({
  use,
  findKey: async (collection) => namedKey(collection, incoming.key, undefined),
  read: (inside) => itemBody(inside, queryOf(incoming, inside), incoming),
})
