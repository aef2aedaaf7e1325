// HTTP requests for the only item of a singleton, at the collection's own path, and at `/singleton` below it.
import type { Engine } from '../engine/engine.ts'
import { createItem } from '../items/create.ts'
import { updateSingleton } from '../items/singleton.ts'
import { onlyKey } from '../writes/singleton-lock.ts'
import { type ConditionalTarget, matching } from './conditional.ts'
import { queryOf, singletonText } from './item-body.ts'
import { needObject, searchedQuery } from './items.ts'
import { dataOrEmpty, type Incoming, json, type Outgoing } from './messages.ts'

export const read = async (engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> =>
  json(await singletonText(engine, collection, queryOf(incoming, engine), incoming))

export async function search(engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> {
  const query = await searchedQuery(engine, collection, incoming)
  return json(await singletonText(engine, collection, query, incoming))
}

export async function update(engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> {
  const data = await needObject(incoming)
  const query = queryOf(incoming, engine)
  const target: ConditionalTarget = {
    collection,
    keyIn: onlyKey,
    text: (inside) => singletonText(inside, collection, query, incoming),
  }
  return matching(engine, incoming, target, async (inside) =>
    dataOrEmpty(await updateSingleton(inside, collection, data, query, incoming.options)),
  )
}

/** Creates the item, if there is none. */
export async function create(engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> {
  const data = await needObject(incoming)
  const query = queryOf(incoming, engine)
  return dataOrEmpty(await createItem(engine, collection, data, query, incoming.options))
}
