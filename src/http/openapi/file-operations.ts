// Operations on files: those on items, and those on their bytes.

import type { VisibleActions } from '../../access/visible-actions.ts'
import { type Field, isToMany } from '../../schema/model.ts'
import { isReadOnly } from '../../schema/output-schema.ts'
import { familyRow } from '../../types/families.ts'
import type { JsonSchema } from '../../types/family-row.ts'
import { parameterNamed, partOf } from './component-names.ts'
import type { Describe, DescribedOperation } from './describe-operation.ts'
import { imageParameters } from './image-parameters.ts'
import { itemOperations, shapedBy, writtenBy } from './item-operations.ts'
import { bytes, type OperationResponses, several } from './responses.ts'

const { collection, item } = itemOperations

/** Returns an operation under another name. */
const as =
  (
    describe: Describe,
    verb: string,
    summary: string,
    more: (visible: VisibleActions) => Partial<DescribedOperation> = () => ({}),
  ): Describe =>
  (visible, around) => {
    const described = describe(visible, around)
    return described && { ...described, verb, summary, ...more(visible) }
  }

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
  type: 'object',
  description: 'The fields of a file, its name, and its bytes.',
  properties: {
    filename: { type: 'string' },
    base64: { type: 'string', contentEncoding: 'base64' },
  },
  required: ['filename', 'base64'],
}

const upload: Describe = (visible) =>
  visible.may('create')
    ? {
        verb: 'uploadFiles',
        summary: 'Uploads a file, or several, all of them or none.',
        parameters: shapedBy(visible),
        body: { anyOf: [asJson, several(asJson)] },
        form: form(
          'The fields of a file, then its bytes under any name. Another file and its fields may follow.',
          visible,
          'create',
        ),
        responses: writtenBy(visible, partOf(visible.name), several(partOf(visible.name))),
      }
    : undefined

/** Describes the replacement of bytes, which takes the permission to update `filename_disk`. */
const replaced = (visible: VisibleActions): Partial<DescribedOperation> =>
  visible.writable('update').some(({ name }) => name === 'filename_disk')
    ? {
        summary: 'Changes the fields of a file, or with a form its bytes, too.',
        form: form('Fields that change, then the bytes under any name.', visible, 'update'),
      }
    : {}

const ofBytes = ['download', 'range', 'ifRange', 'ifMatch', 'ifNoneMatch', 'ifModifiedSince']

const read =
  (verb: string): Describe =>
  ({ seen }, { pictures }) =>
    seen && {
      verb,
      summary: 'Reads the bytes of a file, or of a transformed image.',
      parameters: [...imageParameters(pictures), ...ofBytes.map(parameterNamed)],
      responses: bytes satisfies OperationResponses,
      faults: [
        'PRECONDITION_FAILED',
        'RANGE_NOT_SATISFIABLE',
        'ILLEGAL_ASSET_TRANSFORMATION',
        'UNPROCESSABLE_CONTENT',
      ],
    }

export const fileOperations = {
  files: {
    GET: as(collection.GET, 'listFiles', 'Lists files.'),
    POST: upload,
    PATCH: as(collection.PATCH, 'updateFiles', 'Changes the fields of files, all of them or none.'),
    DELETE: as(collection.DELETE, 'deleteFiles', 'Deletes files and their bytes, all of them or none.'),
  },
  file: {
    GET: as(item.GET, 'readFile', 'Reads the fields of a file.'),
    PATCH: as(item.PATCH, 'updateFile', 'Changes the fields of a file.', replaced),
    DELETE: as(item.DELETE, 'deleteFile', 'Deletes a file and its bytes.'),
  },
  asset: { GET: read('readAsset') },
  namedAsset: { GET: read('readNamedAsset') },
} as const
