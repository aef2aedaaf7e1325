// HTTP requests for the only item of a singleton, at the collection's own path, and at `/singleton` below it.
import { type Engine, internalsOf } from '../engine/engine.ts'
import { createItem } from '../items/create.ts'
import { updateSingleton } from '../items/singleton.ts'
import { refuseFromOutside } from '../writes/authorize/nested-row-numbers.ts'
import { keyToChange } from '../writes/locks/singleton-lock.ts'
import { type ConditionalTarget, ifMatch } from './conditional.ts'
import { queryOf, singletonBody } from './item-body.ts'
import { dataOrEmpty, type Incoming, json, type Outgoing } from './messages.ts'
import { readObject } from './request-input.ts'
import { readSearch } from './search-query.ts'

export async function read(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return json(await singletonBody(engine, queryOf(incoming, engine), incoming))
}

export async function search(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return json(await singletonBody(engine, await readSearch(engine, incoming), incoming))
}

export async function update(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const data = await readObject(incoming)
  const query = queryOf(incoming, engine)
  const { collection, options } = incoming
  refuseFromOutside(internalsOf(engine), collection, data)
  const target: ConditionalTarget = {
    findKey: keyToChange,
    use: 'change',
    read: (inside) => singletonBody(inside, query, incoming),
  }
  return ifMatch(engine, incoming, target, async (inside) =>
    dataOrEmpty(await updateSingleton(inside, collection, data, query, options)),
  )
}

/** Creates the item, if there is none. */
export async function create(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const data = await readObject(incoming)
  const query = queryOf(incoming, engine)
  refuseFromOutside(internalsOf(engine), incoming.collection, data)
  return dataOrEmpty(await createItem(engine, incoming.collection, data, query, incoming.options))
}
