// A schema after it was checked: every name is linked, nothing can change.

import { type Path, unreachable } from '../errors/errors.ts'
import type { ValueType } from '../types/field-types.ts'
import type { Deselection, Special, StandardValidator } from './definition.ts'

export const defaultFieldsWords = ['all', 'columns'] as const

/** Fields that a query without `fields`, and each `*` in it, stands for: those with a column, or relations to many as well. */
export type DefaultFields = (typeof defaultFieldsWords)[number]

/** The result of `defineSchema`: collections whose names are linked. */
export interface Schema<Definition = unknown, Default extends DefaultFields = DefaultFields> {
  readonly collections: ReadonlyMap<string, Collection>
  /** The literal it was made from; the types are inferred from it. */
  readonly definition: Definition
  /** Fields that `*` stands for. */
  readonly defaultFields: Default
}

/** A collection of a schema, with defaults for everything that was left out. */
export interface Collection {
  readonly name: string
  readonly table: string
  readonly dbSchema: string | undefined
  /** Key that identifies its items; undefined if there is none, so that they can only be listed. */
  readonly key: KeyField | undefined
  readonly fields: ReadonlyMap<string, Field>
  readonly sortField: StoredField | undefined
  readonly isSingleton: boolean
  readonly isVersioned: boolean
  readonly note: string | undefined
  /** True for a caller's view of a collection: its rows are read through permission rules. */
  readonly isSeen?: true
  /** Columns that a caller sees on some rows only, by the names under which they are shown. */
  readonly partly?: ReadonlyMap<string, { readonly column: string }>
  /** True if only functions of its own access it, so that no name inside a query can refer to it. */
  readonly isApart?: true
}

interface NamedModel {
  readonly name: string
  readonly collection: Collection
  readonly note: string | undefined
}

interface StoredBase extends NamedModel {
  readonly column: string
  readonly value: ValueType
  readonly isNullable: boolean
  /** True for the key, and for each part of one. */
  readonly isKey: boolean
  readonly isUnique: boolean
  /** True if relations refer to the item by its value. */
  readonly isReferenced: boolean
  readonly isReadonly: boolean
  readonly default: unknown
  /** True if the database has a value if none is given. */
  readonly isDefaulted: boolean
  readonly special: readonly Special[]
  readonly validation: object | undefined
}

export interface ScalarField extends StoredBase {
  readonly kind: 'scalar'
  readonly isConcealed: boolean
  readonly isGenerated: boolean
  /** The key is the number of a row, which the database may change: no lasting name of an item. */
  readonly isRowNumber: boolean
  readonly isSearchable: boolean
  /** True if an index begins with its column. */
  readonly isIndexed: boolean
  readonly schema: StandardValidator | undefined
}

/** A many-to-one field whose column has the key of its target, or the value of another unique field. */
export interface LinkColumn extends StoredBase {
  readonly kind: 'm2o'
  readonly target: Collection
  /** The field of the target whose value it has; undefined for the key. */
  readonly references: ScalarField | LinkColumn | undefined
}

interface TupleBase extends NamedModel {
  /** The fields that hold its values, one for each part of the key. */
  readonly parts: readonly StoredField[]
  readonly value: ValueType
  readonly isNullable: boolean
}

/** A many-to-one field to a key of several parts, or to fields that are unique together: other fields hold them, and it has no column. */
export interface LinkTuple extends TupleBase {
  readonly kind: 'm2o'
  readonly target: Collection
  /** The fields of the target whose values they have; undefined for the key. */
  readonly references: KeyTuple | undefined
  readonly isReadonly: boolean
  readonly validation: object | undefined
}

/** A key of several parts. It is no field: in items there are its parts. */
export interface KeyTuple extends Omit<TupleBase, 'name' | 'note'> {
  readonly kind: 'key'
}

export type ManyToOne = LinkColumn | LinkTuple
/** The key of a collection: a field, or several. */
export type KeyField = ScalarField | LinkColumn | KeyTuple
/** A value made of several fields. */
export type Tuple = LinkTuple | KeyTuple

/** The far end of a many-to-any junction: a key as text, and beside it the name of its collection. */
export interface AnyReference extends StoredBase {
  readonly kind: 'any'
  readonly targets: ReadonlyMap<string, Collection>
  readonly by: ScalarField
  /** The conditions that its items meet, by their collections. */
  readonly within: ReadonlyMap<string, RelationFilter>
}

interface ToManyBase extends NamedModel {
  /** The collection of the related rows; for m2m and m2a the junction. */
  readonly target: Collection
  /** The related collection's field that points back here. */
  readonly foreign: ManyToOne
  readonly sort: StoredField | undefined
  readonly deselect: Deselection
  /** The condition that its rows meet; undefined for all that point here. */
  readonly within: RelationFilter | undefined
}

/** The condition of a relation. It is the host's, so it is about whole rows, whatever a caller sees of them. */
export interface RelationFilter {
  readonly filter: object
  /** The collection of the rows, without limits. */
  readonly of: Collection
  /** The place of the filter in the schema. */
  readonly path: Path
  /** The field of a view that has a value on the rows that show the relation; undefined if all do. */
  readonly shownBy?: StoredField | undefined
}

export interface OneToMany extends ToManyBase {
  readonly kind: 'o2m'
}

interface ManyToMany extends ToManyBase {
  readonly kind: 'm2m'
  readonly far: ManyToOne
}

interface ManyToAny extends ToManyBase {
  readonly kind: 'm2a'
  readonly far: AnyReference
}

export type ToMany = OneToMany | ManyToMany | ManyToAny
/** A field with a column of its own. */
export type StoredField = ScalarField | LinkColumn | AnyReference
/** A field of an item's own: stored in a column, or in those of other fields. */
export type OwnField = StoredField | LinkTuple
/** A field of a schema: of the item's own, or a to-many relation. */
export type Field = OwnField | ToMany

/** The conditions of a relation: of one to several collections it has one for each. */
export function conditionsOf(field: Field): readonly RelationFilter[] {
  if (field.kind === 'any') return [...field.within.values()]
  return isToMany(field) && field.within ? [field.within] : []
}

export const isToMany = (field: Field): field is ToMany =>
  field.kind === 'o2m' || field.kind === 'm2m' || field.kind === 'm2a'

/** True for a value made of several fields. */
export const isTuple = (field: OwnField | KeyField): field is Tuple => 'parts' in field

export const isStored = (field: Field): field is StoredField => !isToMany(field) && !isTuple(field)

/** The fields that hold the value of a field: itself, or several others. */
export const partsOf = (field: OwnField | KeyField): readonly StoredField[] =>
  isTuple(field) ? field.parts : [field]

/** What a relation holds of an item of its target: the key, or other fields that identify the item. The one place that says by what rows
 *  are joined. */
export const referencedOf = ({ references, target }: ManyToOne): KeyField => references ?? keyOf(target)

/** The fields of its target whose values a relation holds, in the order in which it holds them. */
export const referencedFields = (field: ManyToOne): readonly StoredField[] => partsOf(referencedOf(field))

/** The target of a relation, identified by what the relation holds of its items. */
export const referentOf = (field: ManyToOne): Pick<Collection, 'name' | 'key'> => ({
  name: field.target.name,
  key: referencedOf(field),
})

/** True for a relation that does not hold the key of its target, but other unique values. */
export const isByValue = ({ references }: ManyToOne): boolean => references !== undefined

/** True if a field holds the value of another, or a part of it. */
export const isPartOf = (part: StoredField, field: OwnField | KeyField): boolean =>
  partsOf(field).includes(part)

/** The fields that identify an item, in the order of the key; none without a key. */
export const keyFieldsOf = ({ key }: Pick<Collection, 'key'>): readonly StoredField[] =>
  key ? partsOf(key) : []

export const isRowNumber = (key: KeyField | undefined): boolean => key?.kind === 'scalar' && key.isRowNumber

/** The key of a collection whose key is one field. */
export function soleKeyOf(collection: Pick<Collection, 'name' | 'key'>): ScalarField | LinkColumn {
  const key = keyOf(collection)
  if (key.kind === 'key')
    throw unreachable(`one field for the key of "${collection.name}", which has several`)
  return key
}

/** The key of a collection of which it is known that it has one. */
export function keyOf({ name, key }: Pick<Collection, 'name' | 'key'>): KeyField {
  if (!key) throw unreachable(`a key of "${name}", which has none`)
  return key
}

/** The key, if results may show it: a caller with access to some fields only may not see it, or not on every row. */
export function shownKey({
  key,
  fields,
}: Pick<Collection, 'key' | 'fields'>): StoredField | KeyTuple | undefined {
  const parts: StoredField[] = []
  for (const { name } of key ? partsOf(key) : []) {
    const shown = fields.get(name)
    if (!shown || !isStored(shown)) return undefined
    parts.push(shown)
  }
  if (key?.kind !== 'key') return parts[0]
  return parts.every((part, index) => part === key.parts[index]) ? key : { ...key, parts }
}

/** Returns the collections to which a field may lead. */
export function targetsOf(field: Field): readonly Collection[] {
  if (field.kind === 'any') return [...field.targets.values()]
  return 'target' in field ? [field.target] : []
}

/** Returns the names of the collections to which fields of some collections lead. */
export const targetNames = (collections: Iterable<Collection>): ReadonlySet<string> =>
  new Set(
    [...collections].flatMap(({ fields }) => [...fields.values()].flatMap(targetsOf)).map(({ name }) => name),
  )
