// The engine's own collections that are in use. The host may use the name of any other for a collection of its own.
import type { Collection, Schema } from './model.ts'

/** A schema, and the engine's own collections. */
export interface OwnSource {
  readonly schema: Schema
  readonly versions: () => Collection
  readonly files?: { readonly collection: Collection } | undefined
}

export function ownCollections({ versions, files, schema }: OwnSource): readonly Collection[] {
  const ofVersions = versionsIn({ versions, schema })
  return [...(ofVersions ? [ofVersions] : []), ...(files ? [files.collection] : [])]
}

/** Returns the collection that holds versions, if any collection is versioned. */
export const versionsIn = ({ versions, schema }: OwnSource): Collection | undefined =>
  [...schema.collections.values()].some(({ isVersioned }) => isVersioned) ? versions() : undefined
