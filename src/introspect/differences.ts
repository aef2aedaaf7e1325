// Differences between a schema and a database, each with its sentence.
import { quote } from '../errors/errors.ts'
import {
  type Collection,
  type KeyTuple,
  type ManyToOne,
  partsOf,
  referencedFields,
  type StoredField,
} from '../schema/model.ts'
import type { OwnIndex, OwnTable, TableParts } from '../sql/install.ts'

/** A difference between a schema and its database. */
export interface SchemaDifference {
  /** The thing that differs; `unreadable` = the role of the connection may not see it, so that it is not checked. */
  readonly kind:
    | 'table'
    | 'column'
    | 'type'
    | 'nullable'
    | 'default'
    | 'generated'
    | 'unique'
    | 'index'
    | 'foreign key'
    | 'own table'
    | 'change log'
    | 'unreadable'
  readonly collection: string
  readonly field?: string
  /** The wish of the schema. */
  readonly wished: string
  /** The state of the database; null for nothing. */
  readonly found: string | null
  /** A sentence that names the place. */
  readonly message: string
}

export interface Finding {
  readonly difference: SchemaDifference
  /** Absent = it is of the change log. */
  readonly collection?: Collection
  /** The columns that it is about. */
  readonly fields: readonly StoredField[]
  /** The relation without its foreign key. */
  readonly link?: ManyToOne
  /** The table of the engine, with the indexes that it lacks. */
  readonly own?: {
    readonly table: OwnTable
    readonly parts: TableParts | undefined
    readonly indexes: readonly OwnIndex[]
  }
}

type About = Pick<SchemaDifference, 'kind' | 'wished' | 'found' | 'message'> & {
  readonly field?: string | undefined
}

export const finding = (
  collection: Collection,
  fields: readonly StoredField[],
  { field = fields.length === 1 ? fields[0]?.name : undefined, ...about }: About,
): Finding => ({
  difference: { ...about, collection: collection.name, ...(field !== undefined && { field }) },
  collection,
  fields,
})

export const calledFields = (fields: readonly StoredField[]): string =>
  `${fields.map(({ name }) => quote(name)).join(' and ')} of ${quote(fields[0]?.collection.name)}`

export const noTable = (collection: Collection): Finding =>
  finding(collection, [], {
    kind: 'table',
    wished: collection.table,
    found: null,
    message: `There is no table ${quote(collection.table)} for the collection ${quote(collection.name)}.`,
  })

export const noColumn = (field: StoredField): Finding =>
  finding(field.collection, [field], {
    kind: 'column',
    wished: field.column,
    found: null,
    message: `The table ${quote(field.collection.table)} has no column ${quote(field.column)} for ${calledFields([field])}.`,
  })

export const noIndex = (field: StoredField): Finding =>
  finding(field.collection, [field], {
    kind: 'index',
    wished: `index (${field.column})`,
    found: null,
    message: `No index begins with the column of ${calledFields([field])}.`,
  })

export const noDefault = (field: StoredField): Finding =>
  finding(field.collection, [field], {
    kind: 'default',
    wished: 'a default',
    found: null,
    message: `The database has no default for ${calledFields([field])}.`,
  })

export const notGenerated = (field: StoredField): Finding =>
  finding(field.collection, [field], {
    kind: 'generated',
    wished: 'generated',
    found: null,
    message: `The database does not generate ${calledFields([field])}.`,
  })

export const notUnique = (fields: readonly StoredField[], collection: Collection): Finding =>
  finding(collection, fields, {
    kind: 'unique',
    wished: `unique (${columnsOf(fields)})`,
    found: null,
    message: `Nothing in the database keeps ${calledFields(fields)} unique${fields.length > 1 ? ' together' : ''}.`,
  })

/** `found`: where a foreign key of the same columns leads. */
export function noForeignKey(link: ManyToOne, found: string | null): Finding {
  const { collection, name, target } = link
  const wished = `${target.table} (${columnsOf(referencedFields(link))})`
  const message =
    found === null
      ? `No foreign key leads from ${quote(name)} of ${quote(collection.name)} to ${quote(wished)}.`
      : `The foreign key of ${quote(name)} of ${quote(collection.name)} leads to ${quote(found)}, and not to ${quote(wished)}.`
  const about = finding(collection, partsOf(link), {
    kind: 'foreign key',
    field: name,
    wished,
    found,
    message,
  })
  return { ...about, link }
}

export const columnsOf = (fields: readonly StoredField[]): string =>
  fields.map(({ column }) => column).join(', ')

/** Fields that shall be unique together: the key, unique fields, and those to which relations refer. */
export function uniquesOf(
  collection: Collection,
  collections: Iterable<Collection>,
): readonly (readonly StoredField[])[] {
  const { key, fields } = collection
  const alone = [...fields.values()].filter(
    (field): field is StoredField => 'column' in field && field.isUnique && field !== key,
  )
  const referenced = new Set<KeyTuple>()
  for (const other of collections)
    for (const field of other.fields.values())
      if (field.kind === 'm2o' && field.target === collection && field.references?.kind === 'key')
        referenced.add(field.references)
  const isOfTable = key && !(key.kind === 'scalar' && key.isRowNumber)
  const all = [...(isOfTable ? [partsOf(key)] : []), ...alone.map((field) => [field])]
  return [...all, ...[...referenced].map(partsOf)]
}
