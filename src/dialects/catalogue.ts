// What a database says of its own tables, in words that all databases share.
import type { ColumnStorage, FieldType } from '../schema/field-types.ts'
import type { Sql } from './sql.ts'

/** What a database says of its tables and views. */
export interface Catalogue {
  readonly tables: readonly CatalogueTable[]
}

/** A table or a view, as the database has it. */
export interface CatalogueTable {
  /** The schema of the database that holds it. */
  readonly schema: string
  readonly name: string
  /** A virtual table is what an extension makes of others, such as an index of words. */
  readonly kind: 'table' | 'view' | 'virtual'
  /** Whether rows can be created, changed and deleted. */
  readonly isWritable: boolean
  /** Whether the database keeps unique what is said to be: it does not in views, nor in tables that are elsewhere. */
  readonly keepsKeys: boolean
  readonly note: string | null
  /** Those that may be read. */
  readonly columns: readonly CatalogueColumn[]
  readonly primaryKey: readonly string[]
  /** Without the primary key, and without those that hold for some rows only. */
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly foreignKeys: readonly CatalogueForeignKey[]
  /** What tells its rows apart besides columns: the name under which it can be asked for. */
  readonly rowNumber: string | null
}

/** A column, as the database has it. */
export interface CatalogueColumn {
  readonly name: string
  /** The type in full, as the database writes it: `numeric(10,2)[]`. */
  readonly declared: string
  /** The name of the type alone; that of the elements where the column is an array, and of the base where it is a domain. */
  readonly type: string
  readonly isArray: boolean
  readonly isNullable: boolean
  /** Who says what is in it: the caller; the caller, or else a default or a counter of the database; the database alone. */
  readonly source: 'caller' | 'default' | 'counter' | 'database'
  /** The default as the database writes it. */
  readonly default: string | null
  readonly length: number | null
  readonly precision: number | null
  readonly scale: number | null
  readonly enum: CatalogueEnum | null
  readonly note: string | null
}

/** A type whose values are listed. */
export interface CatalogueEnum {
  readonly schema: string
  readonly name: string
  /** Whether its name is enough. */
  readonly isVisible: boolean
  readonly values: readonly string[]
}

/** Columns that hold a key of another table. */
export interface CatalogueForeignKey {
  readonly columns: readonly string[]
  readonly table: { readonly schema: string; readonly name: string }
  readonly targetColumns: readonly string[]
  /** `cascade`, `set null`, `set default`, `restrict` or `no action`. */
  readonly onDelete: string
}

/** What a type of the database is among the types of fields. */
export interface TypeGuess {
  readonly type: FieldType
  readonly storage?: ColumnStorage
  readonly srid?: number
  /** Numbers of more than 32 bits were found where fewer were expected. */
  readonly wide?: true
  /** Why it may be wrong; the sentence goes on after the column and what it is declared as. */
  readonly doubt?: string
}

export interface CataloguePhrases {
  /** Everything in one statement: a row per table, with one text. Without names, the schemas that a bare name is looked up in. */
  statement(dbSchemas: readonly string[] | undefined): Sql
  /** What a text of the statement says. */
  table(text: string): CatalogueTable
  /** Makes the database look at a view of which it has told no columns; fails where there are none. Absent = it has looked at all. */
  readonly look?: (view: Pick<CatalogueTable, 'schema' | 'name'>) => Sql
  /** The form in which names are equal that mean the same. */
  sameName(name: string): string
  /** Undefined where no type of a field can hold it. */
  guess(column: CatalogueColumn): TypeGuess | undefined
  /** What columns hold whose type was guessed with a doubt; absent = every column holds what it is declared as. */
  readonly evidence?: EvidencePhrases
  /** The value of a default that is a plain constant; undefined where it is anything else. */
  constant(text: string): string | number | boolean | undefined
}

export interface ColumnPlace {
  readonly schema: string
  readonly table: string
  readonly column: string
}

export interface EvidencePhrases {
  /** Whether columns have to be looked at that may be of the type. */
  isNeeded(guess: TypeGuess): boolean
  /** Looks at the first rows: one row per column, with a JSON list of the kinds of values that were found. */
  statement(columns: readonly ColumnPlace[], rows: number): Sql
  /** The guess that fits what was found. */
  weigh(guess: TypeGuess, kinds: readonly string[]): TypeGuess
}
