// The engine's own collections. A host's schema may define them, too; then they are used as defined there.

import { optionNames, text } from '../errors/check-options.ts'
import { fault, quote } from '../errors/errors.ts'
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
export const ownNames = optionNames<OwnNames>(ownKinds)

/** The purpose of one of the engine's own collections, and the fields it needs. */
export interface OwnPurpose {
  /** The name of its option, and its default name. */
  readonly name: 'versions' | 'files'
  readonly fields: CollectionDefinition['fields']
  /** Fields that a collection of the host needs to take its place. */
  readonly needed: readonly string[]
}

/** The collection of a purpose: the host's, if the schema defines it. */
export function ownCollection(
  schema: Schema,
  purpose: OwnPurpose,
  { collection, table }: OwnNames = {},
): Collection {
  const name = collection ?? purpose.name
  const described = schema.collections.get(name)
  if (!described) return newCollection(name, table, purpose)
  if (table !== undefined)
    throw fault('INVALID_OPTIONS', `The schema describes "${name}", so its table is named there.`, {
      path: [purpose.name, 'table'],
    })
  for (const field of purpose.needed) {
    const found = described.fields.get(field)
    if (!found || isToMany(found))
      throw fault(
        'INVALID_OPTIONS',
        `The collection "${name}" has no field "${field}" to hold ${purpose.name}.`,
        {
          path: [purpose.name, 'collection'],
          hint: `Give the ${purpose.name} another name with ${purpose.name}: { collection }.`,
        },
      )
  }
  return described
}

function newCollection(name: string, table: string | undefined, purpose: OwnPurpose): Collection {
  const wrong = wrongName(name)
  const own = wrong ? undefined : link({ [name]: { table: table ?? name, fields: purpose.fields } })
  const collection = own?.collections.get(name)
  if (collection) return collection
  throw fault('INVALID_OPTIONS', `No collection can be called ${quote(name)}: it ${wrong ?? 'is none'}.`, {
    path: [purpose.name, 'collection'],
  })
}
