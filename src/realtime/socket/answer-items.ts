// Reads and writes over a socket: by the same functions as over HTTP, refused for the same reasons.

import { type Action, actions } from '../../access/access.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { refuseRowNumbers } from '../../http/conditional.ts'
import { keysIn } from '../../http/request-input.ts'
import { withKeys } from '../../http/search-query.ts'
import { createItem, createItems } from '../../items/create.ts'
import { deleteByQuery, deleteItem, deleteItems } from '../../items/delete.ts'
import { getItem } from '../../items/get.ts'
import { listItems } from '../../items/list.ts'
import { getSingleton, updateSingleton } from '../../items/singleton.ts'
import { updateEach, updateItem, updateItems } from '../../items/update.ts'
import { updateFound } from '../../items/write/update-by-query.ts'
import { keyFromAddress, type ShownKey } from '../../plan/key.ts'
import { parseQuery } from '../../query/parse.ts'
import type { ParsedQuery } from '../../query/types.ts'
import type { Collection } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { refuseFromOutside } from '../../writes/authorize/nested-row-numbers.ts'
import type { Rights } from '../feed/feed-caller.ts'
import { frame } from './frames.ts'
import type { SocketMessage } from './read-message.ts'

interface ItemsRequest {
  readonly engine: Engine
  readonly collection: string
  /** The collection, if it is seen. */
  readonly found: Collection | undefined
  readonly query: ParsedQuery
  readonly hasQuery: boolean
  readonly id: ShownKey | undefined
  readonly ids: readonly ShownKey[] | undefined
  readonly data: unknown
}

/** An answer, without the names of its message. */
interface ItemsReply {
  readonly data: unknown
  readonly meta?: unknown
}

export async function itemsReply({ members, uid }: SocketMessage, { engine }: Rights): Promise<string> {
  const { action, collection } = members
  const problems = new Problems('INVALID_PAYLOAD')
  if (typeof collection !== 'string') problems.add(['collection'], '"collection" is the name of one.')
  if (!isAction(action))
    problems.add(['action'], `"action" is one of ${actions.join(', ')}, not ${quote(action)}.`)
  problems.throwIfAny()
  const request = readRequest(members, engine.asEngine())
  const answer = isAction(action) ? await byAction[action](request) : undefined
  return frame({ type: 'items', ...answer, uid })
}

const isAction = (input: unknown): input is Action => actions.some((name) => name === input)

function readRequest(members: SocketMessage['members'], engine: Engine): ItemsRequest {
  const { collection: name, query, id, ids, data } = members
  if (query !== undefined && !isRecord(query))
    throw fault('INVALID_PAYLOAD', '"query" is an object.', { path: ['query'] })
  const collection = String(name)
  const found = engine.schema.collections.get(collection)
  return {
    engine,
    collection,
    found,
    query: parseQuery(query ?? {}, { isText: true, limits: internalsOf(engine).limits }),
    hasQuery: query !== undefined,
    id: id === undefined ? undefined : keyOf(found, id),
    ids: ids === undefined ? undefined : keysIn(ids, found),
    data,
  }
}

/** Reads the key of one item, as a number, a text of an address, or a list of its parts. */
function keyOf(found: Collection | undefined, id: unknown): ShownKey {
  if (typeof id === 'string' || typeof id === 'number') return keyFromAddress(found, String(id))
  const [key] = Array.isArray(id) ? keysIn([id], found) : []
  if (key !== undefined) return key
  throw fault('INVALID_PAYLOAD', '"id" is a key: a text or a number.', { path: ['id'] })
}

const byAction: Readonly<Record<Action, (request: ItemsRequest) => Promise<ItemsReply>>> = {
  create: async ({ engine, collection, query, data = {} }) => {
    refuseFromOutside(internalsOf(engine), collection, data, ['data'])
    const items = Array.isArray(data)
      ? await createItems(engine, collection, data, query)
      : await createItem(engine, collection, objectIn(data), query)
    return { data: items }
  },
  read: async ({ engine, collection, found, query, id, ids }) => {
    if (id !== undefined) return { data: await getItem(engine, collection, id, query) }
    if (ids) return listItems(engine, collection, withKeys(query, ids, collection, engine))
    if (found?.isSingleton) return { data: await getSingleton(engine, collection, query) }
    return listItems(engine, collection, query)
  },
  update: async (request) => ({ data: await updated(request) }),
  delete: async (request) => ({ data: await deleted(request) }),
}

async function updated(request: ItemsRequest): Promise<unknown> {
  const { engine, collection, found, query, hasQuery, id, ids, data } = request
  refuseFromOutside(internalsOf(engine), collection, data, ['data'])
  if (found?.isSingleton) return updateSingleton(engine, collection, objectIn(data), query)
  if (id !== undefined || ids || Array.isArray(data)) refuseRowNumbers(engine, collection)
  if (id !== undefined) return updateItem(engine, collection, id, objectIn(data), query)
  if (ids) return updateItems(engine, collection, ids, objectIn(data), query)
  if (Array.isArray(data)) return updateEach(engine, collection, data, query)
  if (!hasQuery) throw noSelector('changes')
  const items = await updateFound(internalsOf(engine), collection, { query, data, shape: shapeIn(query) }, {})
  return items ?? null
}

async function deleted(request: ItemsRequest): Promise<unknown> {
  const { engine, collection, query, hasQuery, id, ids } = request
  if (id !== undefined || ids) refuseRowNumbers(engine, collection)
  if (id !== undefined) {
    await deleteItem(engine, collection, id)
    return id
  }
  if (ids) {
    await deleteItems(engine, collection, ids)
    return ids
  }
  if (!hasQuery) throw noSelector('deletes')
  const { keys } = await deleteByQuery(engine, collection, query)
  return keys ?? null
}

function objectIn(data: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(data)) return data
  throw fault('INVALID_PAYLOAD', '"data" is an object.', { path: ['data'] })
}

/** Returns the part of a query that shapes the items which it has chosen. */
const shapeIn = ({ fields, deep, alias, backlink }: ParsedQuery): object =>
  Object.fromEntries(
    Object.entries({ fields, deep, alias, backlink }).filter(([, value]) => value !== undefined),
  )

const noSelector = (does: string) =>
  fault('INVALID_PAYLOAD', `A message that ${does} items has an "id", "ids" or a "query".`, {
    hint: 'Nothing is done to all items by leaving something out.',
  })
