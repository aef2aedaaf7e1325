// The collection of files: their names, types and storage keys.
import { fault } from '../errors/errors.ts'
import type { CollectionDefinition } from './definition.ts'
import type { Collection, KeyField, Schema } from './model.ts'
import { type OwnNames, ownCollection } from './own.ts'

const text = { type: 'string', nullable: true } as const

// No field is spread here: a bundle for browsers leaves away only what has no getters to run.

/** The fields of files, for a schema with relations to files. Fields may be added, and get other columns.
 *  @example const people = defineSchema({
 *    files: filesDefinition,
 *    people: {
 *      fields: { id: { type: 'integer', key: true }, photo: { type: 'm2o', to: 'files', nullable: true } },
 *    },
 *  }) */
export const filesDefinition = {
  fields: {
    id: { type: 'uuid', key: true, special: ['uuid'] },
    filename_disk: { type: 'string', readonly: true },
    filename_download: { type: 'string' },
    title: text,
    type: { type: 'string', nullable: true, readonly: true },
    folder: { type: 'uuid', nullable: true },
    uploaded_by: { type: 'string', nullable: true, special: ['user-created'] },
    created_on: { type: 'timestamp', special: ['date-created'] },
    modified_by: { type: 'string', nullable: true, special: ['user-updated'] },
    modified_on: { type: 'timestamp', nullable: true, special: ['date-updated'] },
    uploaded_on: { type: 'timestamp', nullable: true, readonly: true },
    filesize: { type: 'integer', wide: true, nullable: true, readonly: true },
    width: { type: 'integer', nullable: true, readonly: true },
    height: { type: 'integer', nullable: true, readonly: true },
    checksum: { type: 'string', nullable: true, readonly: true },
    description: { type: 'text', nullable: true },
    location: text,
    tags: { type: 'csv', nullable: true },
    metadata: { type: 'json', nullable: true },
    focal_point_x: { type: 'integer', nullable: true },
    focal_point_y: { type: 'integer', nullable: true },
  },
} as const satisfies CollectionDefinition

/** The fields that every collection of files needs. */
const needed = ['id', 'filename_disk', 'filename_download', 'type'] as const

export function filesCollection(schema: Schema, names?: OwnNames): Collection {
  const { fields } = filesDefinition
  const collection = ownCollection(schema, { name: 'files', fields, needed }, names)
  const path = ['files', 'collection']
  if (!isId(collection.key))
    throw fault('INVALID_OPTIONS', `The key of "${collection.name}" is "id", of type uuid.`, { path })
  const place = collection.fields.get('filename_disk')
  // A caller who could write it would get access to the bytes of any other file.
  if (place?.kind !== 'scalar' || !place.isReadonly)
    throw fault(
      'INVALID_OPTIONS',
      `"filename_disk" of "${collection.name}" says where bytes are, so it has to be read-only.`,
      { path, hint: 'Describe it with readonly: true.' },
    )
  return collection
}

const isId = (key: KeyField | undefined): boolean =>
  key?.kind === 'scalar' && key.name === 'id' && key.value.family === 'uuid'
