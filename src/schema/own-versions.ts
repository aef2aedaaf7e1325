// The collection that holds versions of items.
import type { Collection, Schema } from './model.ts'
import { type OwnNames, ownCollection } from './own.ts'

const text = { type: 'string' } as const
/** The fields of versions. */
export const versionFields = {
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

/** The fields that tell one version from all others: those of an item are looked for together. */
export const versionIdentity = ['collection', 'item', 'key'] as const satisfies readonly VersionField[]

/** The collection that holds the versions of items. */
export const versionsCollection = (schema: Schema, names?: OwnNames): Collection =>
  ownCollection(
    schema,
    { name: 'versions', fields: versionFields, needed: Object.keys(versionFields) },
    names,
  )
