// The catalogue of a database: its tables and columns, in a form that all databases share, for introspection.

import type { FieldType, TemporalFamily } from '../types/families.ts'
import type { ColumnStorage } from '../types/family-row.ts'
import type { ValueType } from '../types/field-types.ts'
import type { TableName } from './phrase-types.ts'
import type { Sql } from './sql.ts'

/** The tables and views of a database. */
export interface Catalogue {
  readonly tables: readonly CatalogueTable[]
}

/** A table or a view. */
export interface CatalogueTable {
  /** The database schema of the table. */
  readonly schema: string
  readonly name: string
  /** A virtual table is made by an extension, such as a full-text index. */
  readonly kind: 'table' | 'view' | 'virtual'
  /** True if rows can be created, changed and deleted. */
  readonly isWritable: boolean
  /** True if the database enforces unique keys: it does not for views, nor for foreign tables. */
  readonly keepsKeys: boolean
  readonly note: string | null
  /** The columns that may be read. */
  readonly columns: readonly CatalogueColumn[]
  readonly primaryKey: readonly string[]
  /** Without the primary key, and without keys of some rows only. */
  readonly uniqueKeys: readonly (readonly string[])[]
  /** The columns with which indexes of all rows begin, where filters depend on it. Absent = they do not. */
  readonly indexed?: readonly string[]
  readonly foreignKeys: readonly CatalogueForeignKey[]
  /** A row number that identifies rows besides columns: the name under which it can be selected. */
  readonly rowNumber: string | null
}

/** A column of a table. */
export interface CatalogueColumn {
  readonly name: string
  /** The full type, as the database writes it: `numeric(10,2)[]`. */
  readonly declared: string
  /** The bare name of the type; that of the elements if the column is an array, and of the base if it is a domain. */
  readonly type: string
  /** The name by which statements find that type, with its schema where they need it. */
  readonly typeName: string
  /** True if values of that type can be equal. */
  readonly hasEquality: boolean
  readonly isArray: boolean
  readonly isNullable: boolean
  /** The source of its values: the caller; the caller, or else a default or a counter of the database; the
   *  database alone. */
  readonly source: 'caller' | 'default' | 'counter' | 'database'
  /** The default as the database writes it. */
  readonly default: string | null
  readonly length: number | null
  readonly precision: number | null
  readonly scale: number | null
  readonly enum: CatalogueEnum | null
  /** The dates or timestamps whose form a CHECK guarantees. Absent = none does. */
  readonly canonical?: TemporalFamily
  readonly note: string | null
  /** Name of the collation of its texts, if that is not the database's own. */
  readonly collation?: string | null
}

/** A type with listed values. */
export interface CatalogueEnum {
  readonly schema: string
  readonly name: string
  /** True if its name needs no schema. */
  readonly isVisible: boolean
  readonly values: readonly string[]
}

/** Columns with a key of another table. */
export interface CatalogueForeignKey {
  readonly columns: readonly string[]
  readonly table: { readonly schema: string; readonly name: string }
  readonly targetColumns: readonly string[]
  /** `cascade`, `set null`, `set default`, `restrict` or `no action`. */
  readonly onDelete: string
  /** True where both sides have a text in collations of which the database takes neither, so that no statement can compare them. */
  readonly isIncomparable?: true
}

/** The field type for a type of the database. */
export interface TypeGuess {
  readonly type: FieldType
  readonly storage?: ColumnStorage
  readonly srid?: number
  /** The name of the type of the database, if only that knows it. */
  readonly databaseType?: string
  /** True if values cannot be written. */
  readonly readonly?: true
  /** True if numbers of more than 32 bits were found where fewer were expected. */
  readonly wide?: true
  /** The reason why it may be wrong; the sentence continues after the column and its declared type. */
  readonly doubt?: string
  /** A CHECK that would hold for the rows that were looked at, and by which the column is known to have the form of results. */
  readonly check?: string
}

export interface CataloguePhrases {
  /** Selects everything in one statement: a row per table, with one text. Without names, the schemas of the search path. A partition is a
   *  part of its table, unless it is named itself. */
  statement(dbSchemas: readonly string[] | undefined, partitions: readonly string[]): Sql
  /** Selects the names of the other schemas that have tables, in which no bare name is looked up. Absent = there are none. */
  readonly otherSchemas?: Sql
  /** Reads the text of a table. */
  table(text: string): CatalogueTable
  /** Makes the database parse a view whose columns it did not return; fails for a broken one. Absent = it has
   *  parsed all. */
  readonly look?: (view: Pick<CatalogueTable, 'schema' | 'name'>) => Sql
  /** The form in which equivalent names are equal. */
  sameName(name: string): string
  /** Selects what a table of a name has: names as "0", and as "1" whether one is that of a `column` or of an `index`; nothing without the
   *  table. Absent = it cannot be known. */
  partsOf?(table: TableName): Sql
  /** Selects what the catalogue leaves out of tables of some names, because the role may not read it or an extension owns it: the schema as "0", the table as
   *  "1" and a column as "2", and as "3" whether the bare name may mean the table. Absent = it leaves out nothing. */
  hidden?(tables: readonly string[]): Sql
  /** The field type of a column; "other" or "opaque" if only the database knows its values. */
  guess(column: CatalogueColumn): TypeGuess
  /** True if a column can hold all values of a field's type. Absent = each can. */
  holds?(column: CatalogueColumn, type: ValueType): boolean
  /** True if tables stand in schemas of one database: foreign keys lead from one to another, and are added to tables that are there. */
  readonly hasSchemas?: true
  /** Phrases to sample columns whose type is a doubtful guess; absent = every column has values of its declared type. */
  readonly evidence?: EvidencePhrases
  /** The value of a default that is a plain constant; undefined if it is anything else. */
  constant(text: string): string | number | boolean | undefined
  /** Tests whether some columns identify the rows of a table. Absent = the database never guarantees that. */
  uniqueness?(
    table: { readonly table: string; readonly dbSchema: string | undefined },
    columns: readonly string[],
  ): UniquenessPhrases
}

/** Tests of some columns of a table: of its keys, and of those of its unique indexes that have all rows, no expressions, and are checked at once. */
export interface UniquenessPhrases {
  /** True if all columns of a key are among them, and values that are equal as columns are equal in the key. */
  readonly areUnique: Sql
  /** True if they are the columns of a key, in any order, and both compare values alike. */
  readonly areKey: Sql
}

/** A table, and some columns of it with the guesses of their types. */
export interface SampledColumns {
  readonly schema: string
  readonly table: string
  readonly columns: readonly { readonly name: string; readonly guess: TypeGuess }[]
}

/** Phrases that look at rows. Each selects one row, with a cell for each of its tables. */
export interface EvidencePhrases {
  /** True if columns of this type have to be sampled. */
  isNeeded(guess: TypeGuess): boolean
  /** Finds out which tables have rows: 1 or 0. */
  hasRows(tables: readonly SampledColumns[]): Sql
  /** Finds out whether the first rows hold values that matter although the declared type is not doubtful: 1 or 0. */
  hasExceptions(tables: readonly SampledColumns[], rows: number): Sql
  /** Samples the first rows: a JSON list of the kinds of values found, for each column. */
  kinds(tables: readonly SampledColumns[], rows: number): Sql
  /** The guess that fits the kinds found. */
  weigh(guess: TypeGuess, kinds: readonly string[]): TypeGuess
  /** Returns the CHECK that would promise that a column has the form of results; undefined if none does. */
  checkOf(column: string, guess: TypeGuess): string | undefined
  /** Finds out whether the first rows of the only column of each table meet its CHECK: 1 or 0. */
  meetChecks(tables: readonly SampledColumns[], rows: number): Sql
}
