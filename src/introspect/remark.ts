// Remarks about parts of the database that the schema leaves out or changes.
import type { CatalogueColumn, CataloguePhrases, CatalogueTable, TypeGuess } from '../dialects/catalogue.ts'
import { quote } from '../errors/errors.ts'
import type { CollectionOverride, FieldOverride, IntrospectOptions } from './introspect-options.ts'

export interface Drafting {
  readonly phrases: CataloguePhrases
  readonly options: IntrospectOptions
  readonly report: Report
}

/** Draft of a collection, with what is known of its table. */
export interface TableDraft {
  readonly table: CatalogueTable
  readonly name: string
  /** True if the name of the database schema is part of the definition. */
  readonly isQualified: boolean
  readonly override: CollectionOverride
  /** Names of all columns, including those that are left out. */
  readonly names: ReadonlySet<string>
  readonly columns: readonly DraftColumn[]
  /** The columns of its key, in their order; none if nothing identifies its rows. */
  readonly key: readonly DraftColumn[]
}
export interface DraftColumn {
  readonly column: CatalogueColumn
  readonly field: string
  readonly guess: TypeGuess
  readonly override: FieldOverride | undefined
  /** True for the number of a row, which is no column of the table. */
  readonly isRowNumber?: true
}

export interface NamedTable {
  readonly table: CatalogueTable
  readonly name: string
}

/** Kinds of remarks: consequences of everything that a schema cannot hold as it is, or that the database does not declare. */
const remarkKinds = {
  NO_NAME: 'skipped',
  NO_COLUMNS: 'skipped',
  VIRTUAL_TABLE: 'skipped',
  VIEW_WITHOUT_KEY: 'limited',
  NO_KEY: 'limited',
  UNFIT_KEY: 'limited',
  UNKNOWN_TYPE: 'limited',
  FOREIGN_KEY_OUTSIDE: 'skipped',
  FOREIGN_KEY_TO_NO_KEY: 'skipped',
  FOREIGN_KEY_TWICE: 'skipped',
  CIRCLE_OF_KEYS: 'skipped',
  NAME_CHANGED: 'renamed',
  NAME_REFUSED: 'renamed',
  RELATION_NAMED: 'renamed',
  KEY_GUESSED: 'guessed',
  KEY_UNSURE: 'guessed',
  TYPE_GUESSED: 'guessed',
} as const satisfies Record<string, 'skipped' | 'limited' | 'renamed' | 'guessed'>

/** Code of a remark. */
export type RemarkCode = keyof typeof remarkKinds

/** A part of the database that the schema leaves out, limits or changes. */
export interface Remark {
  readonly code: RemarkCode
  readonly kind: (typeof remarkKinds)[RemarkCode]
  readonly dbSchema: string
  readonly table: string
  readonly column?: string
  /** A sentence that names the place. */
  readonly message: string
  /** Suggestion. */
  readonly hint?: string
  /** The suggestion in words of the command, where that says it otherwise. */
  readonly commandHint?: string
}

export type Report = (
  code: RemarkCode,
  place: { readonly table: CatalogueTable; readonly column?: string | undefined },
  message: string,
  hints?: Hints,
) => void

/** The suggestion of a remark, in words of code and of the command. */
export type Hints = Pick<Remark, 'hint' | 'commandHint'>

export function newReport(): { readonly remarks: readonly Remark[]; readonly report: Report } {
  const remarks: Remark[] = []
  const report: Report = (code, { table, column }, message, { hint, commandHint } = {}) => {
    remarks.push({
      code,
      kind: remarkKinds[code],
      dbSchema: table.schema,
      table: table.name,
      ...(column !== undefined && { column }),
      message,
      ...(hint !== undefined && { hint }),
      ...(commandHint !== undefined && { commandHint }),
    })
  }
  return { remarks, report }
}

export const called = (
  { name, kind }: Pick<CatalogueTable, 'name' | 'kind'>,
  column?: string | readonly string[],
): string => {
  const whole = `the ${kind === 'view' ? 'view' : 'table'} ${quote(name)}`
  if (column === undefined) return whole.replace('the', 'The')
  const names = typeof column === 'string' ? [column] : column
  return `${names.length === 1 ? 'The column' : 'The columns'} ${names.map(quote).join(', ')} of ${whole}`
}
