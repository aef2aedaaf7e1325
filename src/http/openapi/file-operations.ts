// Operations on files: those on items, and those on their bytes.

import type { VisibleActions } from '../../access/visible-actions.ts'
import { type Field, isToMany } from '../../schema/model.ts'
import { isReadOnly } from '../../schema/output-schema.ts'
import { familyRow } from '../../types/families.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { parameterNamed } from './component-names.ts'
import type { OperationRow, OperationRows } from './describe-operation.ts'
import { imageParameters } from './image-parameters.ts'
import { itemOperations, searchOf, shapedBy, someWritten } from './item-operations.ts'
import { bytes, objectOf, several } from './responses.ts'

const { collection, item } = itemOperations

/** Returns the schema of a form. Fields come before the file, each as text. The name of the file field does not matter. */
const form = (description: string, visible: VisibleActions, action: 'create' | 'update'): JsonSchema => ({
  type: 'object',
  description,
  properties: {
    ...Object.fromEntries(
      visible
        .writable(action)
        .filter(isGiven)
        .map((field) => [field.name, textOf(field)]),
    ),
    file: { description: 'The bytes.', contentMediaType: 'application/octet-stream' },
  },
  additionalProperties: true,
})

const isGiven = (field: Field): boolean => isToMany(field) || !isReadOnly(field)

function textOf(field: Field): JsonSchema {
  const { note } = field
  const family = isToMany(field) ? 'json' : field.value.family
  return {
    type: 'string',
    ...familyRow(family).form?.schema,
    ...(note !== undefined && { description: note }),
  }
}

const asJson: JsonSchema = {
  ...objectOf({ filename: { type: 'string' }, base64: { type: 'string', contentEncoding: 'base64' } }),
  description: 'The fields of a file, its name, and its bytes.',
}

/** True if the caller may replace the bytes of a file, which takes the permission to update `filename_disk`. */
const mayReplace = ({ writable }: VisibleActions): boolean =>
  writable('update').some(({ name }) => name === 'filename_disk')

const ofBytes = ['download', 'range', 'ifRange', 'ifMatch', 'ifModifiedSince']

const readBytes = (verb: string): OperationRow => ({
  verb,
  summary: 'Reads the bytes of a file, or of a transformed image.',
  may: 'read',
  parameters: (_, { pictures }) => [...imageParameters(pictures), ...ofBytes.map(parameterNamed)],
  responses: () => bytes,
  faults: () => [
    'PRECONDITION_FAILED',
    'RANGE_NOT_SATISFIABLE',
    'ILLEGAL_ASSET_TRANSFORMATION',
    'UNPROCESSABLE_CONTENT',
  ],
})

export const fileOperations = {
  searchedFiles: { POST: searchOf('searchFiles', true) },
  files: {
    GET: { ...collection.GET, verb: 'listFiles', summary: 'Lists files.' },
    POST: {
      verb: 'uploadFiles',
      summary: 'Uploads a file, or several, all of them or none.',
      may: 'create',
      parameters: shapedBy,
      body: () => ({ anyOf: [asJson, several(asJson)] }),
      form: (visible) =>
        form(
          'The fields of a file, then its bytes under any name. Another file and its fields may follow.',
          visible,
          'create',
        ),
      responses: someWritten,
    },
    PATCH: {
      ...collection.PATCH,
      verb: 'updateFiles',
      summary: 'Changes the fields of files, all of them or none.',
    },
    DELETE: {
      ...collection.DELETE,
      verb: 'deleteFiles',
      summary: 'Deletes files and their bytes, all of them or none.',
    },
  },
  file: {
    GET: { ...item.GET, verb: 'readFile', summary: 'Reads the fields of a file.' },
    PATCH: {
      ...item.PATCH,
      verb: 'updateFile',
      summary: (visible) =>
        mayReplace(visible)
          ? 'Changes the fields of a file, or with a form its bytes, too.'
          : 'Changes the fields of a file.',
      form: (visible) =>
        mayReplace(visible)
          ? form('Fields that change, then the bytes under any name.', visible, 'update')
          : undefined,
    },
    DELETE: { ...item.DELETE, verb: 'deleteFile', summary: 'Deletes a file and its bytes.' },
  },
  asset: { GET: readBytes('readAsset') },
  namedAsset: { GET: readBytes('readNamedAsset') },
} as const satisfies Readonly<Record<string, OperationRows>>
