// Routes: paths and methods, and the functions that answer them.
import { type Engine, internalsOf } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import { keyFromAddress } from '../plan/key.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Collection } from '../schema/model.ts'
import * as assets from './assets.ts'
import * as files from './files.ts'
import * as items from './items.ts'
import type { Incoming, RouteFunction } from './messages.ts'
import { withoutParameters } from './request-input.ts'
import * as singletons from './singletons.ts'
import * as versions from './versions.ts'

/** Methods of a path. HEAD is GET without its body. */
export type Methods = Readonly<Record<string, RouteFunction>>

const onlyItem = {
  GET: singletons.read,
  SEARCH: singletons.search,
  PATCH: singletons.update,
} as const satisfies Methods

export const subjects = {
  singleton: { ...onlyItem, POST: singletons.create },
  onlyItem,
  collection: {
    GET: items.list,
    SEARCH: items.search,
    POST: items.create,
    PUT: items.upsert,
    PATCH: items.updateSeveral,
    DELETE: items.removeSeveral,
  },
  item: { GET: items.read, PATCH: items.update, DELETE: items.remove },
  versions: {
    GET: versions.list,
    POST: versions.create,
    PATCH: versions.updateSeveral,
    DELETE: versions.removeSeveral,
  },
  version: { GET: versions.read, PATCH: versions.update, DELETE: versions.remove },
  save: { POST: versions.save },
  compare: { GET: withoutParameters(versions.compare) },
  promote: { POST: versions.promote },
  files: {
    GET: files.list,
    SEARCH: files.search,
    POST: files.create,
    PATCH: files.updateSeveral,
    DELETE: files.removeSeveral,
  },
  file: { GET: files.read, PATCH: files.update, DELETE: files.remove },
  searchedItems: { POST: items.search },
  searchedOnly: { POST: singletons.search },
  searchedVersions: { POST: versions.search },
  searchedFiles: { POST: files.search },
  asset: { GET: assets.read },
  namedAsset: { GET: assets.read },
} as const satisfies Readonly<Record<string, Methods>>

/** Functions that keep "If-Match". */
export const conditional: ReadonlySet<RouteFunction> = new Set<RouteFunction>([
  items.update,
  items.remove,
  singletons.update,
  versions.update,
  versions.remove,
  files.update,
  files.remove,
])

export type RouteSubject = keyof typeof subjects

export interface Route {
  /** Segments of the path; one that begins with `:` is variable. */
  readonly path: readonly string[]
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

/** Searches by POST, for clients and proxies without the method SEARCH. Each is a method more of a path at which an item may have that key. */
export const searches: readonly Route[] = [
  {
    path: ['items', ':collection', 'search'],
    of: (collection) => (collection?.isSingleton ? 'searchedOnly' : 'searchedItems'),
  },
  { path: ['versions', 'search'], of: () => 'searchedVersions' },
  { path: ['files', 'search'], of: () => 'searchedFiles', isAboutFiles: true },
]

export const isAboutCollection = ({ path }: Route): boolean => path.includes(':collection')

export const isVariable = (part: string): boolean => part.startsWith(':')

/** A route that matches a path, with the names in the path. */
export interface MatchedRoute extends Pick<Incoming, 'collection' | 'key' | 'id' | 'filename'> {
  readonly methods: Methods
}

export function matchRoute(segments: readonly string[], engine: Engine): MatchedRoute | undefined {
  const route = routes.find(({ path }) => isMatch(path, segments))
  if (!route || (route.isAboutFiles && !internalsOf(engine).files)) return undefined
  const segment = (name: string): string => segments[route.path.indexOf(name)] ?? ''
  const collection = segment(':collection')
  // A collection that is not visible is not disclosed, not even by its allowed methods.
  const seen = isAboutCollection(route) ? engine.schema.collections.get(collection) : undefined
  const subject = route.of(seen)
  if (!subject) throw noSingleton(engine, collection)
  const search = searches.find(({ path }) => isMatch(path, segments))?.of(seen)
  return {
    methods: search ? { ...subjects[subject], ...subjects[search] } : subjects[subject],
    collection,
    key: route.path.includes(':key') ? keyFromAddress(seen, segment(':key')) : segment(':id'),
    id: segment(':id'),
    filename: segment(':filename'),
  }
}

/** Returns the path of REST that a pattern of segments meets, whatever collections and items there are; undefined if there is none. */
export function restPathAt(pattern: readonly string[]): string | undefined {
  const before = pattern.at(-1) === '*' ? pattern.slice(0, -1) : pattern
  const met = routes.find(
    ({ path }) =>
      (path.length === before.length || (path.length > before.length && before !== pattern)) &&
      before.every((part, index) => [part, path[index] ?? ''].some(isVariable) || part === path[index]),
  )
  return met && `/${met.path.join('/')}`
}

const isMatch = (path: readonly string[], segments: readonly string[]): boolean =>
  path.length === segments.length && path.every((part, index) => isVariable(part) || part === segments[index])

/** Returns one error for a collection that is no singleton and for one that is not visible. */
function noSingleton(engine: Engine, collection: string): Error {
  rootCollection(engine.schema, collection)
  return fault('NOT_FOUND', `"${collection}" is not a singleton, or you may not see it.`)
}
