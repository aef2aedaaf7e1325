// Permissions of a write: the collections that a caller may write, and the fields of a payload.

import type { Action } from '../../access/access.ts'
import type { Permissions } from '../../access/caller-scope.ts'
import type { RuleRead } from '../../access/rules.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault, type Path } from '../../errors/errors.ts'
import type { Problems } from '../../errors/problems.ts'
import { requireKey } from '../../plan/key.ts'
import { noField, rootCollection } from '../../plan/resolve-name.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { type Collection, type Field, isToMany } from '../../schema/model.ts'
import { requireName } from '../context/named-key.ts'

/** Returns the collection of a write. A collection that is not visible does not exist for the caller, unless they may create items in
 *  it. */
export function writtenCollection(
  engine: EngineInternals,
  name: string,
  ...wanted: readonly Action[]
): Collection {
  requireName(name)
  const collection = namedCollection(engine, name, wanted)
  refuseReadonly(collection, engine)
  requireKey(collection)
  return collection
}

function namedCollection(engine: EngineInternals, name: string, wanted: readonly Action[]): Collection {
  const permissions = engine.scope?.permissions
  if (!permissions) return rootCollection(engine.schema, name)
  // The schema of the rules does not include the engine's own collections.
  const collection = engine.whole().schema.collections.get(name)
  if (!collection || permissions.seen.apart.has(collection)) return rootCollection(engine.schema, name)
  const granted = wanted.filter((action) => rulesFor(permissions, collection, action).length > 0)
  const isSeen = engine.schema.collections.has(name)
  if (!isSeen && !granted.includes('create')) return rootCollection(engine.schema, name)
  refuseReadonly(collection, engine)
  if (granted.length === 0) throw forbidden([], wanted[0] ?? 'read', `items of "${name}"`)
  return collection
}

/** Refuses to write items of a collection that the engine alone writes, by any caller. */
export function refuseReadonly(collection: Collection, engine: EngineInternals, path: Path = []): void {
  if (!engine.isReadonly(collection)) return
  const says = `"${collection.name}" is written by flows only.`
  throw fault('FORBIDDEN', says, { path: path.length > 0 ? path : undefined })
}

export const forbidden = (path: Path, action: Action, what = 'this item') =>
  fault('FORBIDDEN', `You may not ${action} ${what}.`, { path: path.length > 0 ? path : undefined })

export function rulesFor(
  { grants }: Permissions,
  collection: Collection,
  action: Action,
): readonly RuleRead[] {
  return grants.get(collection)?.[action] ?? []
}

/** Gate that filters a payload by what its writer may write. */
export interface Gate {
  /** Returns a way to refuse the names of an item that no rule allows, as if there were no such fields. It returns these names. */
  readonly refusing: (collection: Collection, action: Action) => RefuseNames
  readonly reaches?: (collection: Collection) => boolean
}

export type RefuseNames = (names: readonly string[], path: Path, problems: Problems) => ReadonlySet<string>

export function gateOf({ scope }: EngineInternals): Gate {
  const permissions = scope?.permissions
  if (!permissions) return { refusing: () => () => nothing }
  const reaches = (collection: Collection) => isReached(permissions, collection)
  const allowed = new Map<string, ReadonlySet<string>>()
  const allowedIn = (collection: Collection, action: Action) => {
    const title = `${action} ${collection.name}`
    const found = allowed.get(title) ?? namesAllowed(permissions, collection, action)
    allowed.set(title, found)
    return found
  }
  return {
    reaches,
    refusing: (collection, action) => (names, path, problems) => {
      // A read of a version names visible fields; whether they may be written is checked when the version is promoted.
      if (collection.isSeen) return nothing
      const legal = allowedIn(collection, action)
      const refused = names.filter((name) => !legal.has(name))
      for (const name of refused) {
        const at = [...path, name]
        problems.reportMade(() => noField(among(collection, legal), name, at), at)
      }
      return refused.length === 0 ? nothing : new Set(refused)
    },
  }
}

const nothing: ReadonlySet<string> = new Set()

/** Returns the fields of a collection that a caller may write. */
export function writtenFields(
  { scope }: EngineInternals,
  collection: Collection,
  action: Action,
): Pick<Collection, 'name' | 'fields'> {
  const permissions = scope?.permissions
  return permissions ? among(collection, namesAllowed(permissions, collection, action)) : collection
}

/** True if a collection exists for a caller, even if they may only create items in it. */
function isReached(permissions: Permissions, collection: Collection): boolean {
  const { seen } = permissions
  if (seen.apart.has(collection)) return false
  return (
    collection.isSeen === true ||
    seen.of.has(collection) ||
    (['create', 'update'] as const).some((action) => rulesFor(permissions, collection, action).length > 0)
  )
}

/** Returns the fields that any rule allows to be written, without relations to many that lead nowhere. */
function namesAllowed(permissions: Permissions, collection: Collection, action: Action): ReadonlySet<string> {
  const names = rulesFor(permissions, collection, action).flatMap(({ fields }) => [...fields])
  return new Set(
    names.filter((name) => {
      const field = collection.fields.get(name)
      return field && (!isToMany(field) || isReached(permissions, field.target))
    }),
  )
}

/** Returns a payload without its refused fields, of which no further mistakes are reported. */
export function withoutNames(payload: ItemData, names: ReadonlySet<string>): ItemData {
  const [only] = names
  if (only === undefined) return payload
  if (names.size > 1) return Object.fromEntries(Object.entries(payload).filter(([name]) => !names.has(name)))
  if (!Object.hasOwn(payload, only)) return payload
  const { [only]: _, ...others } = payload
  return others
}

/** Returns a collection with some of its fields, for suggestions in errors. */
export const among = ({ name, fields }: Collection, allowed: ReadonlySet<string>) => ({
  name,
  fields: new Map<string, Field>([...fields].filter(([one]) => allowed.has(one))),
})
