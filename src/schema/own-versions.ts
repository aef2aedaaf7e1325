import type { Collection, Schema } from './model.ts'
import { type OwnNames, ownCollection } from './own.ts'

const text = { type: 'string' } as const
export const versionFields = {
  id: { type: 'uuid', key: true, special: ['uuid'] },
  key: text,
  name: { type: 'string', nullable: true },
  collection: text,
  item: text,
  hash: text,
  delta: { type: 'json', nullable: true },
  date_created: { type: 'timestamp', special: ['date-created'] },
  date_updated: { type: 'timestamp', nullable: true, special: ['date-updated'] },
  user_created: { type: 'string', nullable: true, special: ['user-created'] },
  user_updated: { type: 'string', nullable: true, special: ['user-updated'] },
} as const

export type VersionField = keyof typeof versionFields

/** The fields that identify a version, with those of the item first, for lookups. */
export const versionIdentity = ['collection', 'item', 'key'] as const satisfies readonly VersionField[]

export const versionsCollection = (schema: Schema, names?: OwnNames): Collection =>
  ownCollection(
    schema,
    { name: 'versions', fields: versionFields, needed: Object.keys(versionFields) },
    names,
  )
