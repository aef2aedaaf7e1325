// The operations on files: those on items, and what is about their bytes.
import type { Answers } from './answers.ts'
import { bytes, several } from './answers.ts'
import type { Describe, Described } from './describing.ts'
import type { JsonSchema } from './document.ts'
import { itemOperations, shapedBy, writtenBy } from './item-operations.ts'
import { parameterNamed, partOf } from './names.ts'

const { collection, item } = itemOperations

/** The same operation under a name of its own. */
const as =
  (describe: Describe, verb: string, summary: string, more: Partial<Described> = {}): Describe =>
  (sight, versioned) => {
    const described = describe(sight, versioned)
    return described && { ...described, verb, summary, ...more }
  }

/** Whatever a field is called, it comes before the file. */
const form = (description: string): JsonSchema => ({
  type: 'object',
  description,
  properties: { file: { description: 'The bytes.', contentMediaType: 'application/octet-stream' } },
  additionalProperties: true,
})

const upload: Describe = (sight) =>
  sight.may('create')
    ? {
        verb: 'uploadFiles',
        summary: 'Uploads a file, or several, all of them or none.',
        parameters: shapedBy(sight),
        form: form(
          'The fields of a file, then its bytes under any name. Another file and its fields may follow.',
        ),
        answers: writtenBy(sight, partOf(sight.name), several(partOf(sight.name))),
      }
    : undefined

const read =
  (verb: string): Describe =>
  ({ seen }) =>
    seen && {
      verb,
      summary: 'Reads the bytes of a file.',
      parameters: ['download', 'range', 'ifRange', 'ifMatch', 'ifNoneMatch', 'ifModifiedSince'].map(
        parameterNamed,
      ),
      answers: bytes satisfies Answers,
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
    PATCH: as(collection.PATCH, 'updateFiles', 'Changes what is known of files, all of them or none.'),
    DELETE: as(collection.DELETE, 'deleteFiles', 'Deletes files and their bytes, all of them or none.'),
  },
  file: {
    GET: as(item.GET, 'readFile', 'Reads what is known of a file.'),
    PATCH: as(item.PATCH, 'updateFile', 'Changes what is known of a file, or with a form its bytes, too.', {
      form: form('Fields that change, then the bytes under any name.'),
    }),
    DELETE: as(item.DELETE, 'deleteFile', 'Deletes a file and its bytes.'),
  },
  asset: { GET: read('readAsset') },
  namedAsset: { GET: read('readNamedAsset') },
} as const
