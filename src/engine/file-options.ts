// Where an engine keeps files, and the collection that tells of them.

import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { type OwnNames, ownKinds } from '../schema/own.ts'
import { filesCollection } from '../schema/own-files.ts'
import type { Storage } from '../storage/storage.ts'

/** How files are kept, and what their collection is called. */
export interface FileOptions extends OwnNames {
  /** How many bytes a file may have: 1 GiB unless told otherwise. */
  readonly maxBytes?: number
}

const fileOptions = optionNames<FileOptions>({ ...ownKinds, maxBytes: anything })

/** Where an engine keeps files. */
export interface FileKeeping {
  readonly storage: Storage
  readonly collection: Collection
  readonly maxBytes: number
}

/** Undefined without a storage: then the host may call a collection of its own as it likes. */
export function keepingOf(
  schema: Schema,
  {
    storage,
    files = {},
  }: { readonly storage?: Storage | undefined; readonly files?: FileOptions | undefined },
): FileKeeping | undefined {
  checkOptions(files, fileOptions, ['files'])
  if (!storage) {
    // Without their bytes they are items like any others.
    const isDescribed = files.collection !== undefined && schema.collections.has(files.collection)
    if (Object.keys(files).length === 0 || isDescribed) return undefined
    throw fault('INVALID_OPTIONS', 'Files need a "storage" that they are kept in.', {
      path: ['files'],
      hint: 'Give createEngine one of quernel/storage, such as fileStorage({ root: "uploads" }).',
    })
  }
  const { maxBytes = oneGibibyte, ...names } = files
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw fault('INVALID_OPTIONS', '"maxBytes" is a whole number of 1 or more.', {
      path: ['files', 'maxBytes'],
    })
  return { storage, collection: filesCollection(schema, names), maxBytes }
}

export const oneGibibyte = 1_073_741_824
