// The engine's own collections that are in use. The host may use the name of any other for a collection of its own.
import type { Collection, Schema } from './model.ts'
import type { OwnRuns } from './own-runs.ts'

/** One of the engine's own collections. */
export interface OwnCollection {
  readonly collection: Collection
  /** Who may write its items by verbs: callers by their rules, or only the engine. */
  readonly writes: 'engine' | 'rules'
}

interface OwnSource {
  readonly schema: Schema
  readonly versions: () => Collection
  readonly files?: { readonly collection: Collection } | undefined
  readonly runs?: OwnRuns | undefined
}

export function ownCollections({ versions, files, runs, schema }: OwnSource): readonly OwnCollection[] {
  const ofVersions = versionsIn({ versions, schema })
  const byRules = [...(ofVersions ? [ofVersions] : []), ...(files ? [files.collection] : [])]
  return [
    ...byRules.map((collection) => ({ collection, writes: 'rules' }) as const),
    ...ofRuns(runs).map((collection) => ({ collection, writes: 'engine' }) as const),
  ]
}

export const ofRuns = (runs: OwnRuns | undefined): readonly Collection[] =>
  runs ? [runs.runs, runs.steps, runs.definitions] : []

export const versionsIn = ({
  versions,
  schema,
}: Pick<OwnSource, 'versions' | 'schema'>): Collection | undefined =>
  [...schema.collections.values()].some(({ isVersioned }) => isVersioned) ? versions() : undefined
