// Routes: paths and methods, and their handlers.

import type { Engine } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { keyFromAddress } from '../plan/key.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Collection } from '../schema/model.ts'
import * as assets from './assets.ts'
import * as files from './files.ts'
import * as items from './items.ts'
import type { Incoming, Outgoing } from './messages.ts'
import * as singletons from './singletons.ts'
import * as versions from './versions.ts'

/** Handler of a method, with the variable segments of the path in their order. */
type RouteAnswer = (engine: Engine, incoming: Incoming, ...parts: readonly string[]) => Promise<Outgoing>

/** Methods of a path. HEAD is GET without its body. */
export type Methods = Readonly<Record<string, (engine: Engine, incoming: Incoming) => Promise<Outgoing>>>

/** Returns a handler for a collection, or for the item that a key names in it. */
const of =
  (
    verb: (engine: Engine, collection: string, incoming: Incoming, key: string) => Promise<Outgoing>,
  ): RouteAnswer =>
  (engine, incoming, collection = '', key = '') =>
    verb(engine, collection, incoming, key)

const onlyItem = { GET: of(singletons.read), SEARCH: of(singletons.search), PATCH: of(singletons.update) }

/** Subjects of paths, with the handlers of their methods. */
export const subjects = {
  singleton: { ...onlyItem, POST: of(singletons.create) },
  onlyItem,
  collection: {
    GET: of(items.list),
    SEARCH: of(items.search),
    POST: of(items.create),
    PATCH: of(items.updateSeveral),
    DELETE: of(items.removeSeveral),
  },
  item: { GET: of(items.read), PATCH: of(items.update), DELETE: of(items.remove) },
  versions: {
    GET: versions.list,
    POST: versions.create,
    PATCH: versions.updateSeveral,
    DELETE: versions.removeSeveral,
  },
  version: { GET: versions.read, PATCH: versions.update, DELETE: versions.remove },
  save: { POST: versions.save },
  compare: { GET: versions.compare },
  promote: { POST: versions.promote },
  files: {
    GET: files.list,
    SEARCH: files.search,
    POST: files.create,
    PATCH: files.updateSeveral,
    DELETE: files.removeSeveral,
  },
  file: { GET: files.read, PATCH: files.update, DELETE: files.remove },
  asset: { GET: assets.read },
  namedAsset: { GET: assets.read },
} as const satisfies Readonly<Record<string, Readonly<Record<string, RouteAnswer>>>>

export type RouteSubject = keyof typeof subjects

export interface Route {
  /** Segments of the path; one that begins with `:` is variable. */
  readonly path: readonly string[]
  /** Returns the subject of the path for a collection; undefined if there is none. */
  readonly of: (collection: Collection | undefined) => RouteSubject | undefined
  /** True for routes that exist only if the engine has files. */
  readonly isAboutFiles?: true
}

/** Routes. The first that matches counts. */
export const routes: readonly Route[] = [
  {
    path: ['items', ':collection'],
    of: (collection) => (collection?.isSingleton ? 'singleton' : 'collection'),
  },
  {
    path: ['items', ':collection', 'singleton'],
    of: (collection) => (collection?.isSingleton ? 'onlyItem' : undefined),
  },
  { path: ['items', ':collection', ':key'], of: () => 'item' },
  { path: ['versions'], of: () => 'versions' },
  { path: ['versions', ':id'], of: () => 'version' },
  { path: ['versions', ':id', 'save'], of: () => 'save' },
  { path: ['versions', ':id', 'compare'], of: () => 'compare' },
  { path: ['versions', ':id', 'promote'], of: () => 'promote' },
  { path: ['files'], of: () => 'files', isAboutFiles: true },
  { path: ['files', ':id'], of: () => 'file', isAboutFiles: true },
  { path: ['assets', ':id'], of: () => 'asset', isAboutFiles: true },
  { path: ['assets', ':id', ':filename'], of: () => 'namedAsset', isAboutFiles: true },
]

export const isAboutCollection = ({ path }: Route): boolean => path.includes(':collection')

export const isOpen = (part: string): boolean => part.startsWith(':')

/** A collection that is not visible is not disclosed, not even by its allowed methods. */
const collectionSeen = ({ schema }: Engine, name: string) => schema.collections.get(name)

/** Returns one error for a collection that is no singleton and for one that is not visible. */
function noSingleton(engine: Engine, collection: string): Error {
  rootCollection(engine.schema, collection)
  return fault('NOT_FOUND', `"${collection}" is no singleton, or you may not see it.`)
}

/** Returns the methods of a path; undefined if there is no such path. */
export function methodsAt(segments: readonly string[], engine: Engine): Methods | undefined {
  const route = routes.find(({ path }) => isAlike(path, segments))
  if (!route || (route.isAboutFiles && !engine.files)) return undefined
  const parts = route.path.flatMap((part, index) => {
    const { [index]: segment = '' } = segments
    return isOpen(part) ? [part === ':key' ? keyFromAddress(segment) : segment] : []
  })
  const [collection = ''] = parts
  const subject = route.of(isAboutCollection(route) ? collectionSeen(engine, collection) : undefined)
  if (!subject) throw noSingleton(engine, collection)
  const answers: Readonly<Record<string, RouteAnswer>> = subjects[subject]
  return Object.fromEntries(
    Object.entries(answers).map(([method, answer]) => [
      method,
      (mine: Engine, incoming: Incoming) => answer(mine, incoming, ...parts),
    ]),
  )
}

const isAlike = (path: readonly string[], segments: readonly string[]): boolean =>
  path.length === segments.length && path.every((part, index) => isOpen(part) || part === segments[index])
