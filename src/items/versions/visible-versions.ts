// Versions as rows of their table, limited to what is visible to a caller of the items themselves.

import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { keyFromText, keyIdentity } from '../../plan/key.ts'
import { noField } from '../../plan/resolve-name.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { maskSecrets } from '../../plan/write/mask-secrets.ts'
import { parseQuery, parseTyped } from '../../query/parse.ts'
import type { ParsedQuery } from '../../query/types.ts'
import { isRecord } from '../../values/guards.ts'
import { stripMetadata } from '../../versions/strip-metadata.ts'
import { visibleDelta } from '../../versions/visible-delta.ts'
import { visibleKeys } from '../../writes/authorize/visible-keys.ts'
import { namedKey } from '../../writes/context/named-key.ts'
import { newWriteContext } from '../../writes/context/write-context.ts'
import { getItem } from '../get.ts'
import { listItems } from '../list.ts'

interface VersionList {
  readonly data: readonly object[]
  readonly meta?: { readonly total_count?: number }
}

export async function listVisibleVersions(
  engine: EngineInternals,
  query: ParsedQuery,
  options: Options,
): Promise<VersionList> {
  refuseHiddenDeltas(query, engine)
  if (!engine.scope?.permissions) return listVersionRows(engine, query, options)
  const { filter } = query
  const visible = { id: { _in: await visibleIds(engine, filter, options) } }
  const among = { ...query, filter: filter ? { _and: [filter, visible] } : visible }
  const { data, meta } = await listVersionRows(engine, among, options)
  if (meta?.total_count === undefined) return { data, ...(meta && { meta }) }
  // The count in all, of versions that are visible.
  const total_count = (await visibleIds(engine, undefined, options)).length
  return { data, meta: { ...meta, total_count } }
}

async function listVersionRows(
  engine: EngineInternals,
  query: object,
  options: Options,
): Promise<VersionList> {
  const { requested, added } = withLocation(query)
  const rows = parseTyped(requested, engine.limits)
  const { data, meta } = await listItems(rowReader(engine).asEngine(), engine.versions().name, rows, options)
  const visible = await Promise.all(data.map((row) => visibleRow(row, added, engine, options)))
  return { data: visible, ...(meta && { meta }) }
}

export async function readVisibleVersion(
  engine: EngineInternals,
  id: string,
  query: ParsedQuery,
  options: Options,
): Promise<object> {
  const { name } = engine.versions()
  const reader = rowReader(engine).asEngine()
  const location = await getItem(reader, name, id, { fields: locating }, options)
  refuseHiddenDeltas(query, engine)
  if (engine.scope?.permissions) await requireVisibleLocation(location, engine, options)
  const { requested, added } = withLocation(query)
  return visibleRow(await getItem(reader, name, id, requested, options), added, engine, options)
}

/** Returns the engine that reads rows of versions: from the primary database, with the current items, which a replica may not have yet. */
const rowReader = (engine: EngineInternals): EngineInternals => engine.withOwn().fresh()

interface VersionLocation {
  readonly id: string
  readonly collection: string
  /** Null for a version of no item yet, which does not occur here. */
  readonly item: string | null
}

const locating = ['id', 'collection', 'item']

/** Returns the ids of the versions that match a filter and whose items are visible. */
async function visibleIds(
  engine: EngineInternals,
  filter: object | undefined,
  options: Options,
): Promise<readonly string[]> {
  return idsOfVisible(await allLocations(rowReader(engine), filter, options), engine, options)
}

/** Returns the locations of all versions that match a filter, page by page of the maximum length. */
async function allLocations(
  reader: EngineInternals,
  filter: object | undefined,
  options: Options,
): Promise<readonly VersionLocation[]> {
  const { limits } = reader
  const found: VersionLocation[] = []
  for (;;) {
    const page = {
      fields: locating,
      sort: ['id'],
      limit: -1,
      offset: found.length,
      ...(filter && { filter }),
    }
    const { data } = await listItems(
      reader.asEngine(),
      reader.versions().name,
      parseQuery(page, { limits }),
      options,
    )
    // These fields are text in any collection of versions.
    for (const one of data as unknown as readonly VersionLocation[]) found.push(one)
    if (data.length < limits.maxLimit || data.length === 0) return found
  }
}

async function requireVisibleLocation(
  location: object,
  engine: EngineInternals,
  options: Options,
): Promise<void> {
  // The fields are text here, too.
  const visible = await idsOfVisible([location as unknown as VersionLocation], engine, options)
  if (visible.length === 0) throw fault('NOT_FOUND', 'There is no such item, or you may not see it.')
}

async function idsOfVisible(
  locations: readonly VersionLocation[],
  engine: EngineInternals,
  options: Options,
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const name of new Set(locations.map(({ collection }) => collection))) {
    const whole = engine.whole().schema.collections.get(name)
    if (!whole || !engine.schema.collections.has(name)) continue
    const own = locations.filter(({ collection, item }) => collection === name && item !== null)
    const keyed = own.map(({ id, item }) => ({
      id,
      key: keyFromText(whole, item ?? '') ?? namedKey(whole, item, undefined),
    }))
    const keys = keyed.map(({ key }) => key)
    const visible = await visibleKeys(whole, keys, newWriteContext(engine, options))
    for (const { id, key } of keyed) if (visible.has(keyIdentity(key))) ids.push(id)
  }
  return ids
}

/** Adds the collection and the item of a version to the fields, because the visibility of its delta depends on them. */
function withLocation<Q extends { readonly fields?: unknown }>(
  query: Q,
): { readonly requested: Q; readonly added: readonly string[] } {
  // A parsed query has a list of names.
  const fields = query.fields as readonly string[] | undefined
  if (!fields || fields.includes('*')) return { requested: query, added: [] }
  const added = ['collection', 'item'].filter((name) => !fields.includes(name))
  return { requested: { ...query, fields: [...fields, ...added] }, added }
}

/** Returns a row with the visible part of its delta, and without the fields that were added. */
async function visibleRow(
  row: object,
  added: readonly string[],
  engine: EngineInternals,
  options: Options,
): Promise<object> {
  const { delta } = row as ItemData
  const visible = isRecord(delta) ? { ...row, delta: await visibleDeltaOf(row, delta, engine, options) } : row
  return Object.fromEntries(Object.entries(visible).filter(([name]) => !added.includes(name)))
}

async function visibleDeltaOf(
  row: object,
  delta: ItemData,
  engine: EngineInternals,
  options: Options,
): Promise<ItemData> {
  const { collection: name, item } = row as ItemData
  const collection = engine.whole().schema.collections.get(String(name))
  const key = collection && keyFromText(collection, String(item))
  if (!collection || key === undefined) return {}
  const visible = await visibleDelta({ collection, key }, stripMetadata(collection, delta), engine, options)
  return maskSecrets(collection, visible)
}

/** Refuses queries into deltas where these may hold hidden values: they could reveal the hidden part of an item. */
export function refuseHiddenDeltas(query: ParsedQuery, engine: EngineInternals): void {
  if (hidesInDeltas(engine)) refuseDelta(query, engine)
}

/** True if a delta may hold hidden values. Items nested in it may be of any collection. */
const hidesInDeltas = ({ scope, schema }: EngineInternals): boolean =>
  scope?.permissions !== undefined ||
  [...schema.collections.values()].some(({ fields }) =>
    [...fields.values()].some((field) => field.kind === 'scalar' && field.isConcealed),
  )

function refuseDelta(
  { fields = [], filter, search: _text, ...query }: ParsedQuery,
  engine: EngineInternals,
): void {
  const names = JSON.stringify(filter ?? {}, (_, inner) => (typeof inner === 'object' ? inner : null))
  const inside = fields.filter((field) => field !== 'delta')
  if (/\bdelta\b/.test(`${names} ${inside.join(' ')} ${JSON.stringify(query)}`))
    throw noField({ name: engine.versions().name, fields: new Map() }, 'delta', [])
}
