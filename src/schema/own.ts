// The engine's own collections. A host's schema may define them, too; then they are used as defined there.

import { optionNames, text } from '../errors/check-options.ts'
import { fault, type Path, quote } from '../errors/errors.ts'
import type { CollectionDefinition } from './definition.ts'
import { wrongName } from './forbidden-names.ts'
import { link } from './link.ts'
import type { Collection, Schema } from './model.ts'
import { isToMany } from './model.ts'

/** Names of one of the engine's own collections. */
export interface OwnNames {
  /** The collection's name; the host's schema may define it. */
  readonly collection?: string
  /** Its table, if the host's schema does not define it. */
  readonly table?: string
}

export const ownKinds = { collection: text, table: text }
export const ownNames = /* @__PURE__ */ optionNames<OwnNames>(ownKinds)

/** The usual names of the collections of flows. */
export const ownRunNames = ['quernel_runs', 'quernel_steps', 'quernel_flows'] as const

interface OwnPurpose {
  readonly name: string
  /** The place of its option. Absent = that of its name. */
  readonly path?: readonly string[]
  /** Fields that a collection of the host needs to take its place. */
  readonly needed: readonly string[]
}

export function ownCollection(
  schema: Schema,
  purpose: OwnPurpose & Pick<CollectionDefinition, 'fields'>,
  names: OwnNames = {},
): Collection {
  const described = describedCollection(schema, purpose, names)
  if (described) return described
  const { collection: name = purpose.name, table = name } = names
  const collection = link({ [name]: { table, fields: purpose.fields } }).collections.get(name)
  if (collection) return collection
  throw unnameable(name, purpose)
}

/** Returns the host's collection for a purpose; undefined if its schema defines none of that name, so that a new collection may have it. */
export function describedCollection(
  schema: Schema,
  purpose: OwnPurpose,
  { collection, table }: OwnNames = {},
): Collection | undefined {
  const { name: usual, path = [usual], needed } = purpose
  const name = collection ?? usual
  const described = schema.collections.get(name)
  if (!described) {
    if (wrongName(name)) throw unnameable(name, purpose)
    return undefined
  }
  if (table !== undefined)
    throw fault('INVALID_OPTIONS', `The schema describes "${name}", so its table is named there.`, {
      path: [...path, 'table'],
    })
  for (const field of needed) {
    const found = described.fields.get(field)
    if (!found || isToMany(found)) throw lacking(name, field, path)
  }
  return described
}

/** The error for a collection of the host that cannot take the place of the engine's own. */
export function lacking(name: string, field: string, path: Path) {
  const purpose = path.at(-1)
  return fault('INVALID_OPTIONS', `The collection "${name}" has no field "${field}" to hold ${purpose}.`, {
    path: [...path, 'collection'],
    hint: `Give the ${purpose} another name with ${path.join('.')}: { collection }.`,
  })
}

const unnameable = (name: string, { name: usual, path = [usual] }: OwnPurpose) =>
  fault(
    'INVALID_OPTIONS',
    `No collection can be called ${quote(name)}: it ${wrongName(name) ?? 'is none'}.`,
    {
      path: [...path, 'collection'],
    },
  )
