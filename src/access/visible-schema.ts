// The schema that is visible to a caller: fields and collections that may not be read are not in it. So code that resolves names, follows
// relations or makes suggestions need not know of rules, and unknown and forbidden names look the same.
import type { Collection, Schema } from '../schema/model.ts'
import { CollectionView, type VisibleField } from './collection-view.ts'
import type { RuleGrants } from './rules.ts'

export interface VisibleSchema {
  readonly schema: Schema
  /** The schema with the engine's own collections. */
  readonly withOwn: Schema
  /** Collections that only functions of their own reach: no name and no relation leads to them. */
  readonly apart: ReadonlySet<Collection>
  /** Returns the visible part of a collection to which a name or a relation may lead. */
  readonly reached: (collection: Collection) => Collection | undefined
  /** The visible part of each collection. */
  readonly of: ReadonlyMap<Collection, Collection>
  /** Visible collections and what is visible of them. */
  readonly shown: ReadonlyMap<Collection, VisibleField>
}

/** Builds the visible schema. `others`: the engine's own collections, which the schema need not describe. */
export function visibleSchema(
  schema: Schema,
  others: readonly Collection[],
  grants: RuleGrants,
  apart: ReadonlySet<Collection>,
): VisibleSchema {
  const views = new Map<Collection, CollectionView>()
  const collections = new Map<string, Collection>()
  const shown = new Map<Collection, VisibleField>()
  const reached = (collection: Collection) => (apart.has(collection) ? undefined : views.get(collection))
  for (const one of new Set([...schema.collections.values(), ...others])) {
    const { read: rules = [] } = grants.get(one) ?? {}
    if (rules.length === 0) continue
    const view = new CollectionView(one, rules, apart.has(one), reached)
    views.set(one, view)
    shown.set(view, view)
    if (schema.collections.get(one.name) === one && !apart.has(one)) collections.set(one.name, view)
  }
  const { definition, defaultFields } = schema
  const own = others.flatMap((one) => views.get(one) ?? []).map((view) => [view.name, view] as const)
  return {
    schema: { collections, definition, defaultFields },
    withOwn: {
      collections: own.length === 0 ? collections : new Map([...own, ...collections]),
      definition,
      defaultFields,
    },
    apart,
    reached,
    of: views,
    shown,
  }
}
