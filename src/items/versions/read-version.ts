// Reads a version of an item instead of the item itself.

import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { always } from '../../plan/filter/predicate.ts'
import type { Key } from '../../plan/key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { maskSecrets } from '../../plan/write/mask-secrets.ts'
import { planRequest, type ReadRequest } from '../../prepared/plan-request.ts'
import type { PreparedRead } from '../../prepared/prepare.ts'
import type { PlainQuery } from '../../query/query.ts'
import { OverlayReader } from '../../versions/overlay/load-rows.ts'
import { matchesRow } from '../../versions/overlay/match-rows.ts'
import { patchOf } from '../../versions/overlay/patch.ts'
import { projectItem } from '../../versions/overlay/project.ts'
import { requiredDataOf } from '../../versions/overlay/required-data.ts'
import {
  main,
  noVersion,
  requireVisibleItem,
  spelledItem,
  type VersionedItem,
  versionedCollection,
  versionNamed,
} from '../../versions/version-rows.ts'
import { visibleDelta } from '../../versions/visible-delta.ts'
import { selectedKeys } from '../../writes/stored/select-keys.ts'
import { readFirst } from '../read/read-first.ts'

interface Versioned {
  readonly request: ReadRequest
  /** Undefined if the item itself is requested. */
  readonly requested: RequestedVersion | undefined
}

interface RequestedVersion {
  readonly list: ListPlan
  readonly query: PlainQuery
  readonly version: string
}

/** A version to read, and the read of its item in the current state. */
export interface VersionRead extends RequestedVersion {
  readonly prepared: PreparedRead
}

export function versionIn(request: ReadRequest, engine: EngineInternals): Versioned {
  if (!('version' in request.query) && !('versionRaw' in request.query))
    return { request, requested: undefined }
  const { list, query } = planRequest(request, engine)
  const { version: _version, versionRaw: _raw, ...rest } = Object(request.query)
  const { version } = query
  const requested = version === undefined || version === main ? undefined : { list, query, version }
  return { request: { ...request, query: rest }, requested }
}

/** Returns the requested version. Undefined if there is no item. */
export async function readVersion(
  { list, query, version, prepared }: VersionRead,
  key: Key,
  engine: EngineInternals,
  options: Options,
): Promise<unknown> {
  const named = { collection: versionedCollection(engine, list.collection.name), key }
  // The versions of an item that is not visible are not disclosed.
  const subject = await (engine.scope?.permissions ? requireVisibleItem : spelledItem)(named, engine, options)
  const { delta: whole } = await versionNamed(subject, version, engine, options)
  const { name } = subject.collection
  const collection = engine.whole().schema.collections.get(name) ?? subject.collection
  const delta = whole && (await visibleDelta({ collection, key: subject.key }, whole, engine, options))
  if (!query.versionRaw) return overlayItem({ subject, delta: delta ?? {} }, list, engine, options)
  const found = await readFirst(engine, prepared, options)
  return found === undefined ? undefined : { ...Object(found), ...maskSecrets(list.collection, delta ?? {}) }
}

/** Returns the key of the only item of a singleton. */
export async function singletonKey(list: ListPlan, engine: EngineInternals, options: Options): Promise<Key> {
  versionedCollection(engine, list.collection.name)
  const [key] = await selectedKeys({ ...list, condition: always }, { engine, options })
  if (key === undefined) throw noVersion()
  return key
}

// An item with the changes of a version. Everything is read, and nothing written.

/** Returns the item with its changes. Undefined if there is no such item, or it would not meet the condition. */
async function overlayItem(
  { subject, delta }: { readonly subject: VersionedItem; readonly delta: ItemData },
  list: ListPlan,
  engine: EngineInternals,
  options: Options,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { rows, condition } = list
  if (rows.kind !== 'items')
    throw fault('INVALID_QUERY', 'A version is an item, of which there are no groups.', { path: ['version'] })
  const patch = await patchOf(subject, delta, engine, options)
  const world = new OverlayReader(patch, engine, options)
  const [item] = await world.byKeys(subject.collection, [subject.key], requiredDataOf(list, patch))
  if (!item || !matchesRow(condition, item, engine)) return undefined
  return projectItem(item, rows.members, engine)
}
