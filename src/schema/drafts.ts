// The collections of a schema while they are being linked, and the problems found.
import { type EngineError, quote } from '../errors/errors.ts'
import { suggestion } from '../errors/suggest.ts'
import { memoFor } from '../values/memo.ts'
import { type SchemaPlace, schemaFault } from './check.ts'
import type { CollectionDefinition, SchemaDefinition } from './definition.ts'
import type { Collection, Field, LinkTuple, StoredField } from './model.ts'
import type { FieldPlace } from './stored-fields.ts'

export type CollectionDraft = { -readonly [Name in keyof Collection]: Collection[Name] } & {
  readonly fields: Map<string, Field>
}

export type DraftPlace = FieldPlace<CollectionDraft>

export class Drafts {
  // Declared only: written out, they would stand twice in what browsers load.
  declare readonly definition: SchemaDefinition
  declare readonly collections: ReadonlyMap<string, CollectionDraft>
  readonly problems: EngineError[] = []
  readonly #stored = new WeakMap<CollectionDraft, Map<string, StoredField>>()
  readonly #tuples = new WeakMap<CollectionDraft, Map<string, LinkTuple>>()

  constructor(definition: SchemaDefinition) {
    this.definition = definition
    this.collections = new Map(
      Object.entries(definition).map(([name, collection]) => [name, emptyDraft(name, collection)]),
    )
  }

  each(link: (collection: CollectionDraft, definition: CollectionDefinition) => void): void {
    for (const collection of this.collections.values()) link(collection, this.#definitionOf(collection))
  }

  /** The fields with a column that are linked so far. Those of all collections are linked before any relation uses them. */
  storedOf(collection: CollectionDraft): Map<string, StoredField> {
    return memoFor(this.#stored, collection, () => new Map<string, StoredField>())
  }

  /** The many-to-one fields without a column that are linked so far, once all columns and keys are. */
  tuplesOf(collection: CollectionDraft): Map<string, LinkTuple> {
    return memoFor(this.#tuples, collection, () => new Map<string, LinkTuple>())
  }

  /** True if a field is defined but could not be linked, so that no further problem needs to be reported. */
  isRefused(collection: CollectionDraft, field: string): boolean {
    const type = this.#definitionOf(collection).fields[field]?.type
    if (type === undefined || toManyTypes.has(type)) return false
    return !this.storedOf(collection).has(field) && !this.tuplesOf(collection).has(field)
  }

  named(place: DraftPlace, option: string, name: string): CollectionDraft | undefined {
    const found = this.collections.get(name)
    if (!found) this.refuseName(at(place), option, { name, legal: this.collections, what: 'collection' })
    return found
  }

  refuseName(place: SchemaPlace, option: string, { name, legal, what }: UnknownName): void {
    const says = `has "${option}" ${quote(name)}, which is no ${what}`
    this.refuse(place, option, says, suggestion(name, legal.keys()))
  }

  /** Reports a problem. The sentence continues after the place's name, and has no full stop. */
  refuse(place: SchemaPlace, option: string | undefined, says: string, hint?: string): void {
    this.problems.push(schemaFault(place, ` ${says}.`, option === undefined ? [] : [option], hint))
  }

  #definitionOf(collection: CollectionDraft): CollectionDefinition {
    return this.definition[collection.name] ?? { fields: {} }
  }
}

interface UnknownName {
  readonly name: string
  readonly legal: ReadonlyMap<string, unknown>
  /** What the names are names of. */
  readonly what: string
}

const toManyTypes: ReadonlySet<string> = new Set(['o2m', 'm2m', 'm2a'])

export const at = ({ collection, field }: DraftPlace): SchemaPlace => ({ collection: collection.name, field })

function emptyDraft(name: string, definition: CollectionDefinition): CollectionDraft {
  return {
    name,
    table: definition.table ?? name,
    dbSchema: definition.dbSchema,
    key: undefined,
    fields: new Map(),
    sortField: undefined,
    isSingleton: definition.singleton ?? false,
    isVersioned: definition.versioned ?? false,
    note: definition.note,
  }
}
