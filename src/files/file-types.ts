// The types of files, whether the host's schema describes them or not.

import type { CheckedQuery } from '../items/types/checked-query.ts'
import type { ItemInput } from '../items/types/item-input.ts'
import type { ItemAnswer, ListAnswer } from '../items/types/result.ts'
import type { CollectionName, DefinitionOf } from '../schema/infer.ts'
import type { Schema } from '../schema/model.ts'
import type { filesDefinition } from '../schema/own-files.ts'

/** A schema that has files. */
type WithFiles<S> =
  'files' extends CollectionName<S> ? S : Schema<DefinitionOf<S> & { readonly files: typeof filesDefinition }>
type Files<S> = 'files' & CollectionName<WithFiles<S>>

/** A file as a query shapes it.
 *  @example const shown: FileAnswer<typeof schema, { fields: ['type', 'title'] }> = { type: 'image/png', title: null } */
export type FileAnswer<S, Q = Record<never, never>> = ItemAnswer<WithFiles<S>, Files<S>, Q>
export type FileListAnswer<S, Q> = ListAnswer<WithFiles<S>, Files<S>, Q>
export type AskedOfFiles<S, Q> = CheckedQuery<WithFiles<S>, Files<S>, Q>

/** What may be written of a file: all that its bytes do not say. */
export type FileInput<S> = Omit<ItemInput<WithFiles<S>, Files<S>>, ReportedFile>
type ReportedFile = 'filename_disk' | 'type' | 'filesize' | 'width' | 'height' | 'checksum' | 'uploaded_on'

/** What an upload is called and what it is said to be, and fields of the file. */
export type Upload<S> = FileInput<S> & {
  /** A path before it is cut off. */
  readonly filename: string
  /** Counts only where the bytes do not say themselves what they are. */
  readonly type?: string | undefined
}

/** The same for bytes that take the place of others: what is not said stays as it is. */
export type Replacement<S> = FileInput<S> & Partial<Pick<Upload<S>, 'filename' | 'type'>>
