// Reading a version of an item instead of the item itself.

import type { Engine } from '../engine.ts'
import { always } from '../plan/predicate.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import { withoutSecrets } from '../plan/secrets.ts'
import type { Storable } from '../plan/stored-value.ts'
import type { PlainQuery } from '../query/query.ts'
import type { Options } from '../run/execute.ts'
import { plan, type Request } from '../run/planned.ts'
import type { Soon } from '../run/soon.ts'
import { overlaid } from '../versions/overlay.ts'
import { seenDelta } from '../versions/seen-delta.ts'
import { main, mustBeSeen, noVersion, versionedCollection, versionNamed } from '../versions/table.ts'
import { chosenKeys } from '../writes/chosen.ts'

/** A request without its version, and what is asked of that. */
export interface Versioned {
  readonly request: Request
  /** Undefined where the item itself is meant. */
  readonly asked:
    | { readonly list: ListPlan; readonly query: PlainQuery; readonly version: string }
    | undefined
}

export function versionIn(request: Request, engine: Engine): Versioned {
  if (!('version' in request.query) && !('versionRaw' in request.query)) return { request, asked: undefined }
  const { list, query } = plan(request, engine)
  const { version: _version, versionRaw: _raw, ...rest } = Object(request.query)
  const { version } = query
  const asked = version === undefined || version === main ? undefined : { list, query, version }
  return { request: { ...request, query: rest }, asked }
}

/** The version that is asked for; `item` reads the item itself. Undefined where there is no item. */
export async function readVersion(
  { list, query, version }: NonNullable<Versioned['asked']>,
  key: Storable,
  item: () => Soon<unknown>,
  engine: Engine,
  options: Options,
): Promise<unknown> {
  const subject = { collection: versionedCollection(engine, list.collection.name), key }
  // Of an item that is not seen it is not told which versions it has.
  if (engine.narrowing?.limits) await mustBeSeen(subject, engine, options)
  const { delta: whole } = await versionNamed(subject, version, engine, options)
  const { name } = subject.collection
  const collection = engine.whole().schema.collections.get(name) ?? subject.collection
  const delta = whole && (await seenDelta({ collection, key }, whole, engine, options))
  if (!query.versionRaw) return overlaid(subject, list, delta ?? {}, engine, options)
  const found = await item()
  return found === undefined
    ? undefined
    : { ...Object(found), ...withoutSecrets(list.collection, delta ?? {}) }
}

/** The key of the only item of a singleton. */
export async function singletonKey(list: ListPlan, engine: Engine, options: Options): Promise<Storable> {
  versionedCollection(engine, list.collection.name)
  const [key] = await chosenKeys({ ...list, condition: always }, { engine, options })
  if (key === undefined) throw noVersion()
  return key
}
