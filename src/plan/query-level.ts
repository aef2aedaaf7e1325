// One level of a query: the parameters that apply to one list of items, whether they stand at the root or in `deep`.
import type { Path } from '../errors/errors.ts'
import type { Problems } from '../errors/problems.ts'
import type { Limits } from '../query/limits.ts'
import type { DeepQuery, FilterNode, LevelQuery, PlainQuery } from '../query/query.ts'
import type { Collection, ManyToOne, Schema } from '../schema/model.ts'
import type { Circumstances } from '../vocabulary/variables.ts'

export interface ReadContext {
  readonly schema: Schema
  readonly limits: Limits
  readonly circumstances: Circumstances
  readonly problems: Problems
  /** Counts the fields of the answer, and stops when there are too many. */
  readonly count: (path: Path) => void
}

export interface Level {
  readonly collection: Collection
  readonly query: LevelQuery
  /** The levels below, by relation, scope or alias. */
  readonly deep: DeepQuery
  /** Where it stands in the request. */
  readonly path: Path
  /** Where its items stand in the answer. */
  readonly place: string
  /** The relation by which the level was reached. */
  readonly reachedBy: ManyToOne | undefined
  /** Whether wildcards lead back over that relation. */
  readonly backlink: boolean
  readonly context: ReadContext
}

export function rootLevel(query: PlainQuery, collection: Collection, context: ReadContext): Level {
  const { deep = {}, backlink = true } = query
  return { collection, query, deep, path: [], place: '', reachedBy: undefined, backlink, context }
}

/** The level that `deep` describes under a name; one without parameters when it describes none. */
export function levelBelow(
  above: Level,
  name: string,
  collection: Collection,
  reachedBy: ManyToOne | undefined,
): Level {
  const entries = Object.entries(namesOf(above.deep[name]))
  const own = entries.filter(([key]) => key.startsWith('_')).map(([key, value]) => [key.slice(1), value])
  // The reader has given each parameter what it holds.
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

/** Where a parameter of the level stands in the request. */
export const parameterPath = ({ path }: Level, name: keyof LevelQuery | 'fields'): Path =>
  path.length === 0 ? [name] : [...path, `_${name}`]
