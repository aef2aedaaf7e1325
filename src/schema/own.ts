// Collections that are the engine's own. A host's schema may describe them, too; then they are used as described there.
import { fault, quote } from '../errors.ts'
import { link } from './link.ts'
import type { Collection, Schema } from './model.ts'
import { isToMany } from './model.ts'
import { wrongName } from './names.ts'

/** What a collection of the engine's own is called. */
export interface OwnNames {
  /** Its name among the collections; the host's schema may describe it. */
  readonly collection?: string
  /** Its table, where the host's schema does not describe it. */
  readonly table?: string
}

const text = { type: 'string' } as const
const versionFields = {
  id: { type: 'uuid', key: true, special: ['uuid'] },
  key: text,
  name: { ...text, nullable: true },
  collection: text,
  item: text,
  hash: text,
  delta: { type: 'json', nullable: true },
  date_created: { type: 'timestamp', special: ['date-created'] },
  date_updated: { type: 'timestamp', nullable: true, special: ['date-updated'] },
  user_created: { ...text, nullable: true, special: ['user-created'] },
  user_updated: { ...text, nullable: true, special: ['user-updated'] },
} as const

export type VersionField = keyof typeof versionFields

/** The fields that tell one version from all others. */
export const versionIdentity = ['key', 'collection', 'item'] as const satisfies readonly VersionField[]

/** The collection that holds the versions of items. */
export function versionsCollection(schema: Schema, { collection, table }: OwnNames = {}): Collection {
  const name = collection ?? 'versions'
  const described = schema.collections.get(name)
  if (!described) return ownVersions(name, table)
  if (table !== undefined)
    throw fault('INVALID_OPTIONS', `The schema describes "${name}", so its table is named there.`, {
      path: ['versions', 'table'],
    })
  for (const field of Object.keys(versionFields)) {
    const found = described.fields.get(field)
    if (!found || isToMany(found))
      throw fault('INVALID_OPTIONS', `The collection "${name}" has no field "${field}" to hold versions.`, {
        path: ['versions', 'collection'],
        hint: 'Give the versions another name with versions: { collection }.',
      })
  }
  return described
}

function ownVersions(name: string, table: string | undefined): Collection {
  const wrong = wrongName(name)
  const own = wrong ? undefined : link({ [name]: { table: table ?? name, fields: versionFields } })
  const collection = own?.collections.get(name)
  if (collection) return collection
  throw fault('INVALID_OPTIONS', `No collection can be called ${quote(name)}: it ${wrong ?? 'is none'}.`, {
    path: ['versions', 'collection'],
  })
}
