// HTTP requests for versions by their ids; the functions of the library take item and key.
import type { RowUse } from '../dialects/phrase-types.ts'
import { type Engine, internalsOf } from '../engine/engine.ts'
import { getItem } from '../items/get.ts'
import { createVersion } from '../items/versions/create-version.ts'
import { compareVersion, promoteVersion } from '../items/versions/promote.ts'
import { saveVersion } from '../items/versions/save-version.ts'
import { deleteVersion, updateVersion } from '../items/versions/update-version.ts'
import { listVisibleVersions, readVisibleVersion } from '../items/versions/visible-versions.ts'
import { keyFromText, keyInItem, type ShownKey, shownKeyOf } from '../plan/key.ts'
import type { ParsedQuery } from '../query/types.ts'
import { isRecord } from '../values/guards.ts'
import { refuseFromOutside } from '../writes/authorize/nested-row-numbers.ts'
import { missing, namedKey } from '../writes/context/named-key.ts'
import { type ConditionalTarget, ifMatch } from './conditional.ts'
import { envelope, queryOf, singleQuery } from './item-body.ts'
import { dataList, dataOrEmpty, empty, type Incoming, json, type Outgoing } from './messages.ts'
import { inOneTransaction } from './one-transaction.ts'
import {
  type RequestInput,
  readInput,
  readObject,
  refuseBesideAddress,
  refuseChoosing,
} from './request-input.ts'
import { readSearch } from './search-query.ts'
import { readNewVersion, readVersionIds, readVersionUpdates, type VersionToUpdate } from './version-input.ts'

export async function list(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return json(
    JSON.stringify(
      await listVisibleVersions(internalsOf(engine), queryOf(incoming, engine), incoming.options),
    ),
  )
}

export async function search(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const query = await readSearch(engine, incoming)
  return json(JSON.stringify(await listVisibleVersions(internalsOf(engine), query, incoming.options)))
}

export async function read(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const { query, meta } = singleQuery(queryOf(incoming, engine))
  return json(
    envelope(await readVisibleVersion(internalsOf(engine), incoming.id, query, incoming.options), 1, meta),
  )
}

export async function create(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const input = await readInput(incoming)
  if (isRecord(input)) return dataOrEmpty(await createOne(engine, input, incoming))
  const versions = await inOneTransaction(engine, incoming.options, async (inside) => {
    const created: (object | null)[] = []
    // One after the other: their creation times define their order.
    for (const one of input) created.push(await createOne(inside, one, incoming))
    return created
  })
  return dataList(versions)
}

async function createOne(engine: Engine, payload: RequestInput, incoming: Incoming): Promise<object | null> {
  const { collection, item, version } = readNewVersion(payload)
  const shape = requestedShape(incoming, engine)
  refuseFromOutside(internalsOf(engine), collection, version.delta, ['delta'])
  return createVersion(engine, collection, item, version, shape, incoming.options)
}

function requestedShape(incoming: Incoming, engine: Engine): ParsedQuery | undefined {
  const query = queryOf(incoming, engine)
  return Object.keys(query).length > 0 ? query : undefined
}

export async function update(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const names = await readObject(incoming)
  return ifMatch(...asItem(engine, incoming), versionTarget(incoming, 'change'), async (inside) =>
    dataOrEmpty(await updateOne(inside, { id: incoming.id, names }, incoming)),
  )
}

const versionTarget = (incoming: Incoming, use: RowUse): ConditionalTarget => ({
  use,
  findKey: async (table, { caller }) => {
    // As in every write of a version, its item is locked before it.
    const { collection, item } = await locate(caller.asEngine(), incoming.id, incoming)
    await getItem(caller.asEngine(), collection, item, {}, { ...incoming.options, lock: true })
    return namedKey(table, incoming.id, undefined)
  },
  read: async (inside) => String((await read(inside, incoming)).body),
})

/** Updates versions, all of them or none. */
export async function updateSeveral(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const updates = readVersionUpdates(await readInput(incoming))
  const versions = await inOneTransaction(engine, incoming.options, async (inside) => {
    const updated: (object | null)[] = []
    for (const one of updates) updated.push(await updateOne(inside, one, incoming))
    return updated
  })
  return dataList(versions)
}

async function updateOne(
  engine: Engine,
  { id, names }: VersionToUpdate,
  incoming: Incoming,
): Promise<object | null> {
  const { collection, item, key } = await locate(engine, id, incoming)
  const shape = requestedShape(incoming, engine)
  return updateVersion(engine, collection, item, key, names, shape, incoming.options)
}

export async function save(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const delta = await readObject(incoming)
  const { collection, item, key } = await locate(engine, incoming.id, incoming)
  const shape = requestedShape(incoming, engine)
  const { options } = incoming
  refuseFromOutside(internalsOf(engine), collection, delta)
  if (shape) return dataOrEmpty(await saveVersion(engine, collection, item, key, delta, shape, options))
  const saved = await saveVersion(engine, collection, item, key, delta, undefined, options)
  return json(JSON.stringify({ data: saved.delta }))
}

export async function compare(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const { collection, item, key } = await locate(engine, incoming.id, incoming)
  const comparison = await compareVersion(engine, collection, item, key, incoming.options)
  return json(JSON.stringify({ data: comparison }))
}

export async function promote(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  // `promoteVersion` checks it.
  const promotion = (await readObject(incoming)) as unknown as Parameters<typeof promoteVersion>[4]
  const { collection, item, key } = await locate(engine, incoming.id, incoming)
  const shape = requestedShape(incoming, engine)
  const { options } = incoming
  const promoted = await promoteVersion(engine, collection, item, key, promotion, shape ?? {}, options)
  if (shape) return dataOrEmpty(promoted)
  const found = engine.schema.collections.get(collection)
  return json(JSON.stringify({ data: (found && keyInItem(found, Object(promoted))) ?? item }))
}

export async function remove(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  await refuseBesideAddress(...asItem(engine, incoming))
  return ifMatch(...asItem(engine, incoming), versionTarget(incoming, 'removal'), (inside) =>
    removeOne(inside, incoming),
  )
}

async function removeOne(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const { collection, item, key } = await locate(engine, incoming.id, incoming)
  await deleteVersion(engine, collection, item, key, incoming.options)
  return empty()
}

/** Returns the engine and the request that treat a version as an item of its collection. */
function asItem(engine: Engine, incoming: Incoming): [Engine, Incoming] {
  const core = internalsOf(engine)
  return [core.withOwn().asEngine(), { ...incoming, collection: core.versions().name }]
}

/** Deletes versions, all of them or none. */
export async function removeSeveral(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const ids = readVersionIds(await incoming.body())
  refuseChoosing(...asItem(engine, incoming))
  return inOneTransaction(engine, incoming.options, async (inside) => {
    for (const id of new Set(ids)) await removeOne(inside, { ...incoming, id })
    return empty()
  })
}

interface VersionRow {
  readonly collection: string
  readonly item: string
  readonly key: string
}

function itemIn({ collection, item }: VersionRow, { schema }: Engine): ShownKey {
  const found = schema.collections.get(collection)
  const key = found && keyFromText(found, item)
  return found && key !== undefined ? shownKeyOf(found, key) : item
}

interface VersionLocation {
  readonly collection: string
  readonly item: ShownKey
  readonly key: string
}

async function locate(engine: Engine, id: string, { options }: Incoming): Promise<VersionLocation> {
  const core = internalsOf(engine)
  const { name } = core.versions()
  const query = { fields: ['collection', 'item', 'key'] }
  const found: unknown = await getItem(core.withOwn().fresh().asEngine(), name, id, query, options)
  const location = found as VersionRow // these fields are text in any collection of versions
  // A collection that is not visible is not disclosed, not even by its name.
  if (core.scope?.permissions && !engine.schema.collections.has(location.collection)) throw missing()
  return { ...location, item: itemIn(location, engine) }
}
