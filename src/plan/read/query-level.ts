// One level of a query: the parameters of one list of items, at the root or in `deep`.
import type { Path } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import type { Limits } from '../../query/limits.ts'
import type { DeepQuery, FilterNode, LevelQuery, PlainQuery } from '../../query/query.ts'
import type { Collection, ManyToOne, Schema } from '../../schema/model.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import type { Predicate } from '../filter/predicate.ts'

export interface ReadContext {
  readonly schema: Schema
  readonly limits: Limits
  readonly circumstances: Circumstances
  readonly problems: Problems
  /** Counts the fields of the result, and throws if there are too many. */
  readonly count: (path: Path) => void
  /** The conditions of levels that were resolved, by the paths of the levels. */
  readonly conditions: Map<string, Predicate>
}

export interface Level {
  readonly collection: Collection
  readonly query: LevelQuery
  /** The levels below, by relation, scope or alias. */
  readonly deep: DeepQuery
  /** Its place in the request. */
  readonly path: Path
  /** The place of its items in the result. */
  readonly place: string
  /** The relation that leads to the level. */
  readonly reachedBy: ManyToOne | undefined
  /** True if wildcards lead back over that relation. */
  readonly backlink: boolean
  readonly context: ReadContext
}

export function rootLevel(query: PlainQuery, collection: Collection, context: ReadContext): Level {
  const { deep = {}, backlink = true } = query
  return { collection, query, deep, path: [], place: '', reachedBy: undefined, backlink, context }
}

/** The level that `deep` describes under a name; one without parameters if there is none. */
export function levelBelow(
  above: Level,
  name: string,
  collection: Collection,
  reachedBy: ManyToOne | undefined,
): Level {
  const entries = Object.entries(namesOf(above.deep[name]))
  const own = entries.filter(([key]) => key.startsWith('_')).map(([key, value]) => [key.slice(1), value])
  // The reader has given each parameter its type.
  const query = Object.fromEntries(own) as LevelQuery
  return {
    ...above,
    collection,
    query,
    deep: Object.fromEntries(entries.filter(([key]) => !key.startsWith('_'))),
    path: [...(above.path.length === 0 ? ['deep'] : above.path), name],
    place: above.place === '' ? name : `${above.place}.${name}`,
    reachedBy,
    backlink: query.backlink ?? above.backlink,
  }
}

const namesOf = (level: DeepQuery[string] | undefined): DeepQuery | FilterNode =>
  typeof level === 'object' && level !== null && !Array.isArray(level) ? (level as DeepQuery) : {}

export const isGrouped = ({ aggregate, groupBy }: LevelQuery): boolean =>
  aggregate !== undefined || groupBy !== undefined

export const parameterPath = ({ path }: Level, name: keyof LevelQuery | 'fields'): Path =>
  path.length === 0 ? [name] : [...path, `_${name}`]
