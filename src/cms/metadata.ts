// Metadata of the service's collections, in one form for all of its versions.
import type { FieldFact, RelationFact } from './facts.ts'
import { flagIn, jsonIn, listIn, type ServiceRow, textIn } from './read-cells.ts'
import { systemFields, systemRelations } from './system-collections.ts'

export interface CollectionFact {
  readonly name: string
  readonly isSingleton: boolean
  readonly isVersioned: boolean
  readonly isActive: boolean
  readonly sortField: string | undefined
  readonly note: string | undefined
}

export interface ServiceMetadata {
  readonly collections: readonly CollectionFact[]
  readonly fields: readonly FieldFact[]
  readonly relations: readonly RelationFact[]
}

interface ServiceRows {
  readonly collections: readonly ServiceRow[]
  readonly fields: readonly ServiceRow[]
  readonly relations: readonly ServiceRow[]
}

/** Reads the metadata, and adds what the service knows of its own tables without storing it. */
export function readMetadata({ collections, fields, relations }: ServiceRows): ServiceMetadata {
  return {
    collections: collections.map(collectionFact),
    fields: [...systemFields, ...inOrder(fields).map(fieldFact)],
    relations: [...systemRelations, ...relations.map(relationFact)],
  }
}

const collectionFact = (row: ServiceRow): CollectionFact => ({
  name: textIn(row, 'collection') ?? '',
  isSingleton: flagIn(row, 'singleton'),
  isVersioned: flagIn(row, 'versioning'),
  isActive: (textIn(row, 'status') ?? 'active') === 'active',
  sortField: textIn(row, 'sort_field'),
  note: textIn(row, 'note'),
})

const fieldFact = (row: ServiceRow): FieldFact => ({
  collection: textIn(row, 'collection') ?? '',
  name: textIn(row, 'field') ?? '',
  specials: listIn(row, 'special'),
  note: textIn(row, 'note'),
  isSearchable: !('searchable' in row) || flagIn(row, 'searchable'),
  validation: jsonIn(row, 'validation'),
  isKept: false,
})

const relationFact = (row: ServiceRow): RelationFact => ({
  from: { collection: textIn(row, 'many_collection') ?? '', field: textIn(row, 'many_field') ?? '' },
  to: textIn(row, 'one_collection'),
  alias: textIn(row, 'one_field'),
  anyOf: listIn(row, 'one_allowed_collections'),
  by: textIn(row, 'one_collection_field'),
  junctionField: textIn(row, 'junction_field'),
  sortField: textIn(row, 'sort_field'),
  deselect: textIn(row, 'one_deselect_action') === 'delete' ? 'delete' : 'nullify',
})

/** Sorts fields as the service shows them; those without a position come last. */
function inOrder(rows: readonly ServiceRow[]): readonly ServiceRow[] {
  const place = (row: ServiceRow, column: string) => Number(row[column] ?? Number.POSITIVE_INFINITY)
  return rows.toSorted((one, other) => {
    const bySort = compare(place(one, 'sort'), place(other, 'sort'))
    return bySort === 0 ? compare(place(one, 'id'), place(other, 'id')) : bySort
  })
}

const compare = (one: number, other: number) => (one < other ? -1 : Number(one > other))
