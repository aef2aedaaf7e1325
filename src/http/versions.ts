// HTTP requests for versions by their ids; the functions of the library take item and key.
import type { Engine } from '../engine/engine.ts'
import { fault, type Path, quote } from '../errors/errors.ts'
import { getItem } from '../items/get.ts'
import { compareVersion, promoteVersion } from '../items/promote.ts'
import { createVersion, deleteVersion, saveVersion, updateVersion } from '../items/versions.ts'
import { listSeen, readSeen } from '../items/visible-versions.ts'
import type { ParsedQuery } from '../query/types.ts'
import { isRecord } from '../values/record.ts'
import { missing } from '../writes/rows-by-key.ts'
import { envelope, queryOf, singleQuery } from './item-body.ts'
import { needBody, needObject, type RequestInput } from './items.ts'
import { dataOrEmpty, empty, type Incoming, json, type Outgoing } from './messages.ts'

const named = (engine: Engine): string => engine.versions().name

export async function list(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  return json(JSON.stringify(await listSeen(engine, queryOf(incoming, engine), incoming.options)))
}

export async function read(engine: Engine, incoming: Incoming, id: string): Promise<Outgoing> {
  const { query, meta } = singleQuery(queryOf(incoming, engine))
  return json(envelope(await readSeen(engine, id, query, incoming.options), 1, meta))
}

export async function create(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const given = await needBody(incoming)
  if (isRecord(given)) return dataOrEmpty(await createOne(engine, given, incoming))
  const made = await engine.transaction(async (inside) => {
    const versions: (object | null)[] = []
    // One after the other: their creation times define their order.
    for (const one of given) versions.push(await createOne(inside, one, incoming))
    return versions
  }, incoming.options)
  return answer(made)
}

async function createOne(engine: Engine, given: RequestInput, incoming: Incoming): Promise<object | null> {
  if (!isRecord(given)) throw fault('INVALID_PAYLOAD', 'A version is a JSON object.')
  const { collection, item, ...version } = given
  return createVersion(
    engine,
    textIn(collection, 'collection'),
    keyIn(item, 'item'),
    // `createVersion` checks it, and reports its mistakes.
    version as unknown as VersionToCreate,
    shapeIn(incoming, engine),
    incoming.options,
  )
}

const answer = (data: readonly (object | null)[]): Outgoing =>
  json(JSON.stringify({ data: data.filter((one) => one !== null) }))

/** Returns the requested shape of a response; undefined for the default. */
function shapeIn(incoming: Incoming, engine: Engine): ParsedQuery | undefined {
  const query = queryOf(incoming, engine)
  return Object.keys(query).length > 0 ? query : undefined
}

type VersionToCreate = Parameters<typeof createVersion>[3]

export async function update(engine: Engine, incoming: Incoming, id: string): Promise<Outgoing> {
  const names = await needObject(incoming)
  return dataOrEmpty(await updateOne(engine, id, names, incoming))
}

/** Updates versions, each by its own id, or all with some ids alike; all of them or none. */
export async function updateSeveral(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const given = await needBody(incoming)
  const changes = changesIn(given)
  const changed = await engine.transaction(async (inside) => {
    const versions: (object | null)[] = []
    for (const { id, names } of changes) versions.push(await updateOne(inside, id, names, incoming))
    return versions
  }, incoming.options)
  return answer(changed)
}

function changesIn(
  given: RequestInput | readonly RequestInput[],
): readonly { readonly id: string; readonly names: RequestInput }[] {
  if (!isRecord(given)) return given.map(({ id, ...names }) => ({ id: textIn(id, 'id'), names }))
  const { keys, data, ...others } = given
  const [other] = Object.keys(others)
  if (other !== undefined || !Array.isArray(keys) || !isRecord(data))
    throw fault('INVALID_PAYLOAD', 'Several versions are changed by a list of them, or by { keys, data }.', {
      ...(other !== undefined && { path: [other] }),
    })
  return keys.map((id: unknown, at) => ({ id: idIn(id, ['keys', at]), names: data }))
}

async function updateOne(
  engine: Engine,
  id: string,
  names: RequestInput,
  incoming: Incoming,
): Promise<object | null> {
  const { collection, item, key } = await whichVersion(engine, id, incoming)
  return updateVersion(engine, collection, item, key, names, shapeIn(incoming, engine), incoming.options)
}

export async function save(engine: Engine, incoming: Incoming, id: string): Promise<Outgoing> {
  const delta = await needObject(incoming)
  const { collection, item, key } = await whichVersion(engine, id, incoming)
  const query = shapeIn(incoming, engine)
  if (query)
    return dataOrEmpty(await saveVersion(engine, collection, item, key, delta, query, incoming.options))
  const saved = await saveVersion(engine, collection, item, key, delta, undefined, incoming.options)
  return json(JSON.stringify({ data: saved.delta }))
}

export async function compare(engine: Engine, incoming: Incoming, id: string): Promise<Outgoing> {
  const { collection, item, key } = await whichVersion(engine, id, incoming)
  return json(JSON.stringify({ data: await compareVersion(engine, collection, item, key, incoming.options) }))
}

export async function promote(engine: Engine, incoming: Incoming, id: string): Promise<Outgoing> {
  const promotion = await needObject(incoming)
  const { collection, item, key } = await whichVersion(engine, id, incoming)
  const query = shapeIn(incoming, engine)
  const made = await promoteVersion(
    engine,
    collection,
    item,
    key,
    // `promoteVersion` checks it.
    promotion as unknown as RequestedPromotion,
    query ?? {},
    incoming.options,
  )
  if (query) return dataOrEmpty(made)
  const field = engine.schema.collections.get(collection)?.key.name ?? ''
  return json(JSON.stringify({ data: Reflect.get(Object(made), field) ?? item }))
}

type RequestedPromotion = Parameters<typeof promoteVersion>[4]

export async function remove(engine: Engine, incoming: Incoming, id: string): Promise<Outgoing> {
  const { collection, item, key } = await whichVersion(engine, id, incoming)
  await deleteVersion(engine, collection, item, key, incoming.options)
  return empty()
}

/** Deletes all of them or none. */
export async function removeSeveral(engine: Engine, incoming: Incoming): Promise<Outgoing> {
  const ids = await incoming.body()
  if (!Array.isArray(ids)) throw fault('INVALID_PAYLOAD', 'Versions are deleted by a list of their ids.')
  const wanted = ids.map((id: unknown, at) => idIn(id, [at]))
  return engine.transaction(async (inside) => {
    for (const id of new Set(wanted)) await remove(inside, incoming, id)
    return empty()
  }, incoming.options)
}

interface Which {
  readonly collection: string
  readonly item: string
  readonly key: string
}

async function whichVersion(engine: Engine, id: string, { options }: Incoming): Promise<Which> {
  const query = { fields: ['collection', 'item', 'key'] }
  const found: unknown = await getItem(engine.withOwn().fresh(), named(engine), id, query, options)
  const which = found as Which // these fields are text in any collection of versions
  // A collection that is not visible is not disclosed, not even by its name.
  if (engine.narrowing?.limits && !engine.schema.collections.has(which.collection)) throw missing()
  return which
}

function idIn(given: unknown, path: Path): string {
  if (typeof given === 'string') return given
  throw fault('INVALID_PAYLOAD', `The id of a version is a text, not ${quote(given)}.`, { path })
}

function textIn(given: unknown, name: string): string {
  if (typeof given === 'string') return given
  throw fault('INVALID_PAYLOAD', `"${name}" takes text.`, { path: [name] })
}

function keyIn(given: unknown, name: string): string | number {
  if (typeof given === 'string' || typeof given === 'number') return given
  throw fault('INVALID_PAYLOAD', `"${name}" takes the key of an item.`, { path: [name] })
}
