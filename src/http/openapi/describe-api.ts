import {
  actionsOn,
  mayDoAnything,
  type VisibleActions,
  visibleActions,
} from '../../access/visible-actions.ts'
import { actionContext } from '../../engine/action-context.ts'
import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { checkOptions, flag, list, optionNames, text } from '../../errors/check-options.ts'
import { imagesOf } from '../../files/open-images.ts'
import type { Collection } from '../../schema/model.ts'
import { prefixSegments } from '../addresses.ts'
import { mountsOver } from '../mounts/handler-mounts.ts'
import type { Mount, MountFactory } from '../mounts/mount.ts'
import {
  isAboutCollection,
  isVariable,
  type Route,
  type RouteSubject,
  routes,
  searches,
  type subjects,
} from '../routes.ts'
import { componentName, parameterNamed } from './component-names.ts'
import { componentsOf, type OwnVisible } from './components.ts'
import {
  type Around,
  describeRoutes,
  type OperationRow,
  type OperationRows,
  operationOf,
} from './describe-operation.ts'
import type { OpenApiDocument, OpenApiPath, OpenApiServer } from './document.ts'
import { fileOperations } from './file-operations.ts'
import { hostRoutes, schemaRoute } from './host-operations.ts'
import { itemOperations } from './item-operations.ts'
import { selectedBy, withOthers } from './selected-collections.ts'
import { versionOperations } from './version-operations.ts'

/** Options of an OpenAPI document. */
export interface DescribeOptions {
  /** Title of the document. */
  readonly title?: string
  /** Version of the API that it describes. */
  readonly version?: string
  /** Path prefix of the routes, as given to the handler. By default `/`. */
  readonly prefix?: string
  /** Servers of the API. By default one with `prefix`. */
  readonly servers?: readonly OpenApiServer[]
  /** Names of the collections to describe, by default all. Items of others are described as plain objects. */
  readonly collections?: readonly string[]
  /** Mounts, as given to the handler. Those of their methods are listed that they describe. */
  readonly mounts?: readonly (Mount | MountFactory)[]
  /** True if the handler has the option `explain`. */
  readonly explain?: boolean
  /** True if the handler has the option `signed`. */
  readonly signed?: boolean
}

const describeOptions = optionNames<DescribeOptions>({
  title: text,
  version: text,
  prefix: text,
  servers: list,
  collections: list,
  mounts: list,
  explain: flag,
  signed: flag,
})

/** Returns a description of the REST API, as plain data of OpenAPI 3.1. For a narrowed engine it contains what is visible to its caller and
 *  what they may do.
 *  @example const reader = engine.as({ rules: { tags: { read: true } } })
 *  Object.keys(describeApi(reader, { prefix: '/api' }).paths) // → ['/items/tags', '/items/tags/{key}', '/items/tags/search', '/schema'] */
export function describeApi(engine: Engine, options: DescribeOptions = {}): OpenApiDocument {
  const core = internalsOf(engine)
  checkOptions(options, describeOptions)
  const { title = 'Collections', version = '1', prefix = '/', servers, collections, mounts = [] } = options
  const { explain = false, signed = false } = options
  const all = visibleByName(core)
  const subjects = [...all.values()].filter(({ seen }) => seen?.isVersioned)
  const around = { subjects, pictures: imagesOf(core), isSigned: signed }
  const owned: OwnVisible = { versions: visibleVersions(core), files: visibleFiles(core) }
  const unnamed = Object.values(owned).flatMap((visible) =>
    visible && !all.has(visible.name) ? [visible] : [],
  )
  const everything = [...all.values(), ...unnamed]
  const isSelected = selectedBy(
    collections,
    everything.map(({ name }) => name),
  )
  const selected = [...all.values()].filter(({ name }) => isSelected(name))
  const own = {
    versions: owned.versions && isSelected(owned.versions.name) ? owned.versions : undefined,
    files: owned.files && isSelected(owned.files.name) ? owned.files : undefined,
  }
  const named = everything.filter(({ name }) => isSelected(name))
  const made = mountsOver(core.whole().asEngine(), mounts)
  const beside = describeRoutes([
    ...(named.length > 0 ? [schemaRoute] : []),
    ...(explain ? [hostRoutes.explain] : []),
    ...(signed ? [hostRoutes.sign] : []),
    ...made.flatMap(({ routes: ofMount }) => ofMount),
  ])
  const components = componentsOf({ all, selected }, own, core, around)
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title, version, description },
    servers: servers ?? [{ url: `/${prefixSegments(prefix).map(encodeURIComponent).join('/')}` }],
    security: [{ bearer: [] }],
    tags: named.map(({ name, seen }) => ({
      name,
      ...(seen?.note !== undefined && { description: seen.note }),
    })),
    paths: Object.fromEntries([
      ...[...routes, ...searches].flatMap((route) => pathsOf(route, selected, own, around)),
      ...beside.paths,
    ]),
    components: { ...components, parameters: { ...components.parameters, ...beside.parameters } },
  }
  return collections ? withOthers(document) : document
}

const description = `Items of collections. Every error has the same body. HEAD is GET without a body; OPTIONS returns
the methods of a path, and any other method is 405. Lists also take the method SEARCH, which OpenAPI 3.1 cannot express; POST to "search" below them is the same.`

type NamedPath = readonly [string, OpenApiPath]

/** Returns the paths of a route: one for each collection that has it, or one. */
function pathsOf(
  route: Route,
  all: readonly VisibleActions[],
  own: OwnVisible,
  around: Around,
): readonly NamedPath[] {
  if (!isAboutCollection(route)) {
    const table = route.isAboutFiles ? own.files : own.versions
    return table ? pathOf(route, undefined, table, around) : []
  }
  return all.flatMap((visible) => pathOf(route, visible.name, visible, around))
}

/** Returns the description of a path; none if the caller may do nothing there. `collection`: the one that the path names. */
function pathOf(
  route: Route,
  collection: string | undefined,
  visible: VisibleActions,
  around: Around,
): readonly NamedPath[] {
  const subject = route.of(collection === undefined ? undefined : visible.whole)
  const described = subject ? describedAt(subject, visible, around, collection) : []
  if (described.length === 0) return []
  const parts = route.path.map((part) => partAt(part, collection))
  const open = route.path.filter((part) => isVariable(part) && part !== ':collection')
  const path = {
    ...(open.length > 0 && { parameters: open.map((part) => parameterNamed(keyName(part, collection))) }),
    ...Object.fromEntries(described),
  }
  return [[`/${parts.join('/')}`, path]]
}

function partAt(part: string, collection: string | undefined): string {
  if (part === ':collection' && collection !== undefined) return encodeURIComponent(collection)
  return isVariable(part) ? `{${part.slice(1)}}` : part
}

const keyName = (part: string, collection: string | undefined): string =>
  collection === undefined ? part.slice(1) : `${componentName(collection)}.${part.slice(1)}`

function describedAt(
  subject: RouteSubject,
  visible: VisibleActions,
  around: Around,
  collection: string | undefined,
) {
  const rows: OperationRows = operations[subject]
  const suffix = collection === undefined ? '' : `_${componentName(collection)}`
  return Object.entries(rows).flatMap(([method, row]) => {
    const operation = operationOf(row, visible, around, { method, suffix })
    return operation ? [[method.toLowerCase(), operation] as const] : []
  })
}

/** OpenAPI has no method SEARCH. */
type Operations = {
  readonly [Name in RouteSubject]: {
    readonly [Method in Exclude<keyof (typeof subjects)[Name], 'SEARCH'>]: OperationRow
  }
}

const operations: Operations = {
  ...itemOperations,
  ...versionOperations,
  ...fileOperations,
}

// Visibility and permissions of a caller, on which a document is based.

const visibleByName = (engine: EngineInternals): ReadonlyMap<string, VisibleActions> =>
  visibleActions(actionContext(engine))

function visibleVersions(engine: EngineInternals): VisibleActions | undefined {
  if (![...engine.schema.collections.values()].some(({ isVersioned }) => isVersioned)) return undefined
  return visibleOf(engine.versions(), engine)
}

const visibleFiles = (engine: EngineInternals): VisibleActions | undefined =>
  engine.files && visibleOf(engine.files.collection, engine)

function visibleOf(collection: Collection, engine: EngineInternals): VisibleActions | undefined {
  const visible = actionsOn(collection, actionContext(engine.withOwn()))
  return mayDoAnything(visible) ? visible : undefined
}
