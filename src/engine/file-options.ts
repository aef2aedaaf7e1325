// File options of an engine: its storage, and the collection that describes its files.

import { anything, checkOptions, optionNames } from '../errors/check-options.ts'
import { fault } from '../errors/errors.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { type OwnNames, ownKinds } from '../schema/own.ts'
import { filesCollection } from '../schema/own-files.ts'
import type { Storage } from '../storage/storage.ts'

/** Options for files: their collection and their greatest size. */
export interface FileOptions extends OwnNames {
  /** Greatest size of a file in bytes. By default 1 GiB. */
  readonly maxBytes?: number
}

const fileOptions = optionNames<FileOptions>({ ...ownKinds, maxBytes: anything })

/** Storage and collection of an engine's files. */
export interface FileKeeping {
  readonly storage: Storage
  readonly collection: Collection
  readonly maxBytes: number
}

/** Reads the file options. Returns undefined without a storage: then the host may use the name for a collection of its own. */
export function keepingOf(
  schema: Schema,
  {
    storage,
    files = {},
  }: { readonly storage?: Storage | undefined; readonly files?: FileOptions | undefined },
): FileKeeping | undefined {
  checkOptions(files, fileOptions, ['files'])
  if (!storage) {
    // Without a storage they are ordinary items.
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
