// Versions as rows of their table, limited to what is visible to a caller of the items themselves.

import type { Engine } from '../engine/engine.ts'
import { fault, isEngineError } from '../errors/errors.ts'
import type { Options } from '../execution/database.ts'
import type { ItemData } from '../plan/changes.ts'
import { keyIdentity, readKey } from '../plan/key.ts'
import { maskSecrets } from '../plan/mask-secrets.ts'
import { noField } from '../plan/resolve-name.ts'
import { parseQuery } from '../query/parse.ts'
import type { ParsedQuery } from '../query/types.ts'
import { isRecord } from '../values/record.ts'
import { stripMetadata } from '../versions/strip-metadata.ts'
import { visibleDelta } from '../versions/visible-delta.ts'
import { namedKey } from '../writes/rows-by-key.ts'
import { visibleKeys } from '../writes/visible-keys.ts'
import { newWriteContext } from '../writes/write-context.ts'
import { getItem } from './get.ts'
import { listItems } from './list.ts'
import { answerShape } from './read-back.ts'

interface VersionLocation {
  readonly id: string
  readonly collection: string
  /** Null for a version of no item yet, which does not occur here. */
  readonly item: string | null
}
interface VisibleVersions {
  readonly data: readonly object[]
  readonly meta?: object
}
const place = ['id', 'collection', 'item']

export async function listSeen(
  engine: Engine,
  query: ParsedQuery,
  options: Options,
): Promise<VisibleVersions> {
  // Read on the primary database, with the current items, which a replica may not have yet.
  const own = engine.withOwn().fresh()
  const { name } = engine.versions()
  const { fields, filter } = query
  const { fields: read, shown } = beside(query, options)
  const answer = async (asked: object) => {
    const { data, meta } = await listItems(own, name, parseQuery(asked, { limits: engine.limits }), options)
    const seen = await Promise.all(data.map((row) => shown(row, engine)))
    return { data: seen, ...(meta && { meta }) }
  }
  const asked = { ...query, ...(fields && { fields: read }) }
  if (hidesInDeltas(engine)) refuseDelta(query, engine)
  if (!engine.narrowing?.limits) return answer(asked)
  const among = async (where: object | undefined) =>
    seenOf(await allPlaces(own, where, options), engine, options)
  const id = { id: { _in: await among(filter) } }
  const { meta, ...found } = await answer({ ...asked, filter: filter ? { _and: [filter, id] } : id })
  if (meta?.total_count === undefined) return { ...found, ...(meta && { meta }) }
  return { ...found, meta: { ...meta, total_count: (await among(undefined)).length } }
}

/** Returns the locations of all versions that match a filter, page by page of the maximum length. */
async function allPlaces(
  own: Engine,
  where: object | undefined,
  options: Options,
): Promise<readonly VersionLocation[]> {
  const { limits } = own
  const found: VersionLocation[] = []
  for (;;) {
    const next = {
      fields: place,
      sort: ['id'],
      limit: -1,
      offset: found.length,
      ...(where && { filter: where }),
    }
    const { data } = await listItems(own, own.versions().name, parseQuery(next, { limits }), options)
    // These fields are text in any collection of versions.
    for (const one of data as unknown as readonly VersionLocation[]) found.push(one)
    if (data.length < limits.maxLimit || data.length === 0) return found
  }
}

export async function readSeen(
  engine: Engine,
  id: string,
  query: ParsedQuery,
  options: Options,
): Promise<object> {
  // Read on the primary database, with the current items, which a replica may not have yet.
  const own = engine.withOwn().fresh()
  const { name } = engine.versions()
  // The fields are text here, too.
  const at = (await getItem(own, name, id, { fields: place }, options)) as unknown as VersionLocation
  if (hidesInDeltas(engine)) refuseDelta(query, engine)
  if (engine.narrowing?.limits) {
    if ((await seenOf([at], engine, options)).length === 0)
      throw fault('NOT_FOUND', 'There is no such item, or you may not see it.')
  }
  const { fields, shown } = beside(query, options)
  return shown(await getItem(own, name, id, { ...query, ...(query.fields && { fields }) }, options), engine)
}

/** Returns the shaper of a version for the result of a write: read before anything is written, so that a mistake in it changes nothing.
 *  Undefined if no shape is requested. */
export function shapeOfVersion(
  engine: Engine,
  given: object | undefined,
): ((id: string, inside: Engine, options: Options) => Promise<object | null>) | undefined {
  if (given === undefined) return undefined
  const { meta: _meta, ...shape } = parseQuery(given, { limits: engine.limits })
  const query = shape as ParsedQuery // the rest of one
  const isSeen = answerShape(engine.withOwn(), engine.versions().name, query) !== undefined
  if (isSeen && hidesInDeltas(engine)) refuseDelta(query, engine)
  return async (id, inside, options) => (isSeen ? seenOrNull(id, query, inside, options) : null)
}

/** Returns a version; null if rules hide it from its writer. */
async function seenOrNull(
  id: string,
  query: ParsedQuery,
  engine: Engine,
  options: Options,
): Promise<object | null> {
  try {
    return await readSeen(engine, id, query, options)
  } catch (error) {
    if (isEngineError(error) && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/** Adds the collection and the item of a version to the fields, because the visibility of its delta depends on them. */
function beside({ fields }: ParsedQuery, options: Options) {
  const unasked = !fields || fields.includes('*') ? [] : where.filter((name) => !fields.includes(name))
  const shown = async (row: object, engine: Engine): Promise<object> => {
    const { delta, collection, item } = row as ItemData
    const of = engine.whole().schema.collections.get(String(collection))
    const key = of && readKey(of, item)
    const given = of && isRecord(delta) ? stripMetadata(of, delta) : {}
    const seen =
      of && key !== undefined ? await visibleDelta({ collection: of, key }, given, engine, options) : {}
    const masked = isRecord(delta) ? { ...row, delta: of ? maskSecrets(of, seen) : {} } : row
    return without(masked, unasked)
  }
  return { fields: fields && [...fields, ...unasked], shown }
}

const where = ['collection', 'item']

const without = (row: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(row).filter(([field]) => !names.includes(field)))

/** Returns the ids of versions whose items are visible. */
async function seenOf(
  places: readonly VersionLocation[],
  engine: Engine,
  options: Options,
): Promise<readonly string[]> {
  const seen: string[] = []
  for (const name of new Set(places.map(({ collection }) => collection))) {
    const whole = engine.whole().schema.collections.get(name)
    if (!whole || !engine.schema.collections.has(name)) continue
    const own = places.filter(({ collection, item }) => collection === name && item !== null)
    const keyed = own.map(({ id, item }) => ({ id, key: namedKey(whole, item, undefined) }))
    const keys = keyed.map(({ key }) => key)
    const visible = await visibleKeys(whole, keys, newWriteContext(engine, options))
    for (const { id, key } of keyed) if (visible.has(keyIdentity(key))) seen.push(id)
  }
  return seen
}

/** True if a delta may hold hidden values. Items nested in it may be of any collection. */
const hidesInDeltas = ({ narrowing, schema }: Engine): boolean =>
  narrowing?.limits !== undefined ||
  [...schema.collections.values()].some(({ fields }) =>
    [...fields.values()].some((field) => field.kind === 'scalar' && field.isConcealed),
  )

/** Refuses queries into deltas: they could reveal the hidden part of an item. */
function refuseDelta({ fields = [], filter, search: _text, ...query }: ParsedQuery, engine: Engine): void {
  const names = JSON.stringify(filter ?? {}, (_, inner) => (typeof inner === 'object' ? inner : null))
  const inside = fields.filter((field) => field !== 'delta')
  if (/\bdelta\b/.test(`${names} ${inside.join(' ')} ${JSON.stringify(query)}`))
    throw noField({ name: engine.versions().name, fields: new Map() }, 'delta', [])
}
