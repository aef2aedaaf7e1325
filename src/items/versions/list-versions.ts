import { type Engine, type EngineInternals, internalsOf } from '../../engine/engine.ts'
import { checkOptions } from '../../errors/check-options.ts'
import { Problems } from '../../errors/problems.ts'
import { callOptions, type Options } from '../../execution/database.ts'
import { parseTyped } from '../../query/parse.ts'
import type { ParsedQuery } from '../../query/types.ts'
import type { CollectionName, KeyOf } from '../../schema/infer.ts'
import type { Schema } from '../../schema/model.ts'
import {
  requireVisibleItem,
  subjectOf,
  type Version,
  type VersionedItem,
  versionsOf,
} from '../../versions/version-rows.ts'
import { itemText } from '../../writes/delete/delete-versions.ts'
import { withCallerVariables } from '../caller-variables.ts'
import { shaping } from '../read/answer-shape.ts'
import type { ItemInput } from '../types/item-input.ts'
import type { VersionAnswer, VersionKeyNames, VersionsQuery } from '../types/version-input.ts'
import { visibleVersion } from './version-result.ts'
import { listVisibleVersions } from './visible-versions.ts'

/** Lists the versions of an item, the oldest first.
 *  @example const versions = await listVersions(engine, 'articles', 1)
 *  versions.map(({ key, delta }) => [key, delta]) // → [['draft', { title: 'Green tea' }]] */
export function listVersions<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  query?: undefined,
  options?: Options,
): Promise<Version<ItemInput<S, C>>[]>
export function listVersions<
  S extends Schema,
  C extends CollectionName<S>,
  const Fields extends VersionKeyNames,
>(
  engine: Engine<S>,
  collection: C,
  key: KeyOf<S, C>,
  query: VersionsQuery<Fields> | ParsedQuery | undefined,
  options?: Options,
): Promise<VersionAnswer<ItemInput<S, C>, Fields>[]>
export async function listVersions(
  engine: Engine,
  collection: string,
  key: unknown,
  query?: object,
  options: Options = {},
): Promise<readonly unknown[]> {
  const core = internalsOf(engine)
  checkOptions(options, callOptions)
  const scoped = await withCallerVariables(core, query)
  const subject = await requireVisibleItem(subjectOf(scoped, collection, key), scoped, options)
  if (query !== undefined) return listMatching(subject, query, scoped, options)
  const versions = await versionsOf(subject, scoped, options)
  return Promise.all(versions.map((version) => visibleVersion(subject, version, scoped, options)))
}

/** Lists the versions of an item that match a query, in the order of their creation unless it sorts them. */
async function listMatching(
  { collection, key }: VersionedItem,
  input: object,
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[]> {
  const { limits } = engine
  const { filter, ...query } = readListQuery(input, engine)
  const ofItem = { collection: { _eq: collection.name }, item: { _eq: itemText(collection, key) } }
  const requested = {
    sort: ['date_created', 'key'],
    limit: -1,
    ...query,
    filter: filter ? { _and: [filter, ofItem] } : ofItem,
  }
  const { data } = await listVisibleVersions(engine, parseTyped(requested, limits), options)
  return data
}

function readListQuery(input: object, { limits }: EngineInternals): ParsedQuery {
  const query = parseTyped(input, limits)
  const problems = new Problems('INVALID_QUERY')
  for (const name of Object.keys(query))
    if (!listing.has(name)) problems.add([name], `"${name}" has no meaning for the versions of an item.`)
  problems.throwIfAny()
  return query
}

const listing: ReadonlySet<string> = new Set([
  ...shaping,
  'meta',
  'filter',
  'search',
  'sort',
  'limit',
  'offset',
  'page',
])
