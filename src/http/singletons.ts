// The only item of a singleton. It is reached by the collection's own path, and by `/singleton` below it.
import type { Engine } from '../engine.ts'
import { createItem } from '../items/create.ts'
import { updateSingleton } from '../items/singleton.ts'
import { needObject, searchedQuery } from './items.ts'
import { dataOrEmpty, type Incoming, type Outgoing } from './messages.ts'
import { queryOf, singletonAnswer } from './shown.ts'

export const read = (engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> =>
  singletonAnswer(engine, collection, queryOf(incoming, engine), incoming)

export async function search(engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> {
  return singletonAnswer(engine, collection, await searchedQuery(engine, collection, incoming), incoming)
}

export async function update(engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> {
  const data = await needObject(incoming)
  const query = queryOf(incoming, engine)
  return dataOrEmpty(await updateSingleton(engine, collection, data, query, incoming.options))
}

/** Only while there is none. */
export async function create(engine: Engine, collection: string, incoming: Incoming): Promise<Outgoing> {
  const data = await needObject(incoming)
  const query = queryOf(incoming, engine)
  return dataOrEmpty(await createItem(engine, collection, data, query, incoming.options))
}
