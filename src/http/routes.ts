// Which path and method lead to what.
import type { Engine } from '../engine.ts'
import { fault } from '../errors.ts'
import { rootCollection } from '../plan/gate.ts'
import * as items from './items.ts'
import type { Incoming, Outgoing } from './messages.ts'
import * as singletons from './singletons.ts'
import * as versions from './versions.ts'

export type Answer = (engine: Engine, incoming: Incoming) => Promise<Outgoing>
/** What a path answers to which method. HEAD is GET without its body. */
export type Methods = Readonly<Record<string, Answer>>

interface Route {
  /** Parts of a path; `:` stands for any. */
  readonly path: readonly string[]
  readonly methods: (engine: Engine, parts: readonly string[]) => Methods | undefined
}

/** Who does not see a collection is not told that it is one, not even by the methods that it knows. */
const isSingleton = (engine: Engine, collection: string) =>
  engine.schema.collections.get(collection)?.isSingleton === true

const ofSingleton = (collection: string): Methods => ({
  GET: (engine, incoming) => singletons.read(engine, collection, incoming),
  SEARCH: (engine, incoming) => singletons.search(engine, collection, incoming),
  PATCH: (engine, incoming) => singletons.update(engine, collection, incoming),
  POST: (engine, incoming) => singletons.create(engine, collection, incoming),
})

const ofCollection = (collection: string): Methods => ({
  GET: (engine, incoming) => items.list(engine, collection, incoming),
  SEARCH: (engine, incoming) => items.search(engine, collection, incoming),
  POST: (engine, incoming) => items.create(engine, collection, incoming),
  PATCH: (engine, incoming) => items.updateSeveral(engine, collection, incoming),
  DELETE: (engine, incoming) => items.removeSeveral(engine, collection, incoming),
})

const ofItem = (collection: string, key: string): Methods => ({
  GET: (engine, incoming) => items.read(engine, collection, incoming, key),
  PATCH: (engine, incoming) => items.update(engine, collection, incoming, key),
  DELETE: (engine, incoming) => items.remove(engine, collection, incoming, key),
})

export const routes: readonly Route[] = [
  {
    path: ['items', ':'],
    methods: (engine, [collection = '']) =>
      isSingleton(engine, collection) ? ofSingleton(collection) : ofCollection(collection),
  },
  {
    path: ['items', ':', 'singleton'],
    methods: (engine, [collection = '']) => {
      if (!isSingleton(engine, collection)) throw noSingleton(engine, collection)
      const { POST: _post, ...methods } = ofSingleton(collection)
      return methods
    },
  },
  { path: ['items', ':', ':'], methods: (_engine, [collection = '', key = '']) => ofItem(collection, key) },
  {
    path: ['versions'],
    methods: () => ({ GET: versions.list, POST: versions.create, DELETE: versions.removeSeveral }),
  },
  {
    path: ['versions', ':'],
    methods: (_engine, [id = '']) => ({
      GET: (engine, incoming) => versions.read(engine, incoming, id),
      DELETE: (engine, incoming) => versions.remove(engine, incoming, id),
    }),
  },
  {
    path: ['versions', ':', 'save'],
    methods: (_engine, [id = '']) => ({ POST: (engine, incoming) => versions.save(engine, incoming, id) }),
  },
  {
    path: ['versions', ':', 'compare'],
    methods: (_engine, [id = '']) => ({ GET: (engine, incoming) => versions.compare(engine, incoming, id) }),
  },
  {
    path: ['versions', ':', 'promote'],
    methods: (_engine, [id = '']) => ({ POST: (engine, incoming) => versions.promote(engine, incoming, id) }),
  },
]

/** One answer for a collection that is no singleton and for one that is not seen. */
function noSingleton(engine: Engine, collection: string): Error {
  rootCollection(engine.schema, collection)
  return fault('NOT_FOUND', `"${collection}" is no singleton, or you may not see it.`)
}

/** The methods of a path; undefined when there is no such path. */
export function methodsAt(segments: readonly string[], engine: Engine): Methods | undefined {
  const route = routes.find(({ path }) => isAlike(path, segments))
  return route?.methods(
    engine,
    segments.filter((_, index) => route.path[index] === ':'),
  )
}

const isAlike = (path: readonly string[], segments: readonly string[]): boolean =>
  path.length === segments.length && path.every((part, index) => part === ':' || part === segments[index])
