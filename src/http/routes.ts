// Which path and method lead to what.
import type { Engine } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Collection } from '../schema/model.ts'
import { keyIn } from './addresses.ts'
import * as assets from './assets.ts'
import * as files from './files.ts'
import * as items from './items.ts'
import type { Incoming, Outgoing } from './messages.ts'
import * as singletons from './singletons.ts'
import * as versions from './versions.ts'

/** What a method is answered by: the parts of the path that stand for any are told in their order. */
type RouteAnswer = (engine: Engine, incoming: Incoming, ...parts: readonly string[]) => Promise<Outgoing>

/** What a path answers to which method. HEAD is GET without its body. */
export type Methods = Readonly<Record<string, (engine: Engine, incoming: Incoming) => Promise<Outgoing>>>

/** Answers what is about a collection, or about the item that a key names in it. */
const of =
  (
    verb: (engine: Engine, collection: string, incoming: Incoming, key: string) => Promise<Outgoing>,
  ): RouteAnswer =>
  (engine, incoming, collection = '', key = '') =>
    verb(engine, collection, incoming, key)

const onlyItem = { GET: of(singletons.read), SEARCH: of(singletons.search), PATCH: of(singletons.update) }

/** What a path may be about, and what each answers to which method. */
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
  /** Parts of a path; one that begins with `:` stands for any. */
  readonly path: readonly string[]
  /** What is there, by the collection that the path names; undefined where it has no such thing. */
  readonly of: (collection: Collection | undefined) => RouteSubject | undefined
  /** There only where an engine keeps files. */
  readonly isAboutFiles?: true
}

/** The first that fits is meant. */
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

/** Who does not see a collection is not told what it is, not even by the methods that it knows. */
const collectionSeen = ({ schema }: Engine, name: string) => schema.collections.get(name)

/** One answer for a collection that is no singleton and for one that is not seen. */
function noSingleton(engine: Engine, collection: string): Error {
  rootCollection(engine.schema, collection)
  return fault('NOT_FOUND', `"${collection}" is no singleton, or you may not see it.`)
}

/** The methods of a path; undefined when there is no such path. */
export function methodsAt(segments: readonly string[], engine: Engine): Methods | undefined {
  const route = routes.find(({ path }) => isAlike(path, segments))
  if (!route || (route.isAboutFiles && !engine.files)) return undefined
  const parts = route.path.flatMap((part, index) => {
    const { [index]: segment = '' } = segments
    return isOpen(part) ? [part === ':key' ? keyIn(segment) : segment] : []
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
