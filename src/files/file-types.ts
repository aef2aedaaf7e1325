// Types of files, whether or not the host's schema describes them.

import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ItemInput } from '../items/types/item-input.ts'
import type { ItemAnswer, ListAnswer } from '../items/types/result.ts'
import type { CollectionName, DefinitionOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { filesDefinition } from '../schema/own-files.ts'

/** Schema with files. */
type WithFiles<S> =
  'files' extends CollectionName<S> ? S : Schema<DefinitionOf<S> & { readonly files: typeof filesDefinition }>
type Files<S> = 'files' & CollectionName<WithFiles<S>>

/** A file as a query shapes it.
 *  @example const shown: FileAnswer<typeof schema, { fields: ['type', 'title'] }> = { type: 'image/png', title: null } */
export type FileAnswer<S, Q = Record<never, never>> = ItemAnswer<WithFiles<S>, Files<S>, Q>
export type FileListAnswer<S, Q> = ListAnswer<WithFiles<S>, Files<S>, Q>
export type CheckedFileQuery<S, Q> = CheckedQuery<WithFiles<S>, Files<S>, Q>

/** Input for a file: all fields that do not follow from its bytes. */
export type FileInput<S> = Omit<ItemInput<WithFiles<S>, Files<S>>, ReportedFile>
type ReportedFile = 'filename_disk' | 'type' | 'filesize' | 'width' | 'height' | 'checksum' | 'uploaded_on'

/** Description of an upload: its name, its declared type, and fields of the file. */
export type Upload<S> = FileInput<S> & {
  /** File name. A path before it is removed. */
  readonly filename: string
  /** Declared type. Counts only if the bytes do not determine it. */
  readonly type?: string | undefined
}

/** Description of an upload that replaces other bytes: fields that are left out stay as they are. */
export type Replacement<S> = FileInput<S> & Partial<Pick<Upload<S>, 'filename' | 'type'>>
