// Keys that the host declares: columns, or the number that SQLite gives to each row.
import type { CatalogueColumn, CatalogueTable } from '../dialects/catalogue.ts'
import { type EngineError, fault, quote } from '../errors/errors.ts'
import { called, type Report } from './remark.ts'
import type { DraftColumn, NamedTable } from './table-draft.ts'

/** Returns the columns of a declared key. Those of a table have to be unique. */
export function declaredKey(
  { table, name }: NamedTable,
  declared: string | readonly string[],
  columns: readonly DraftColumn[],
  report: Report,
): readonly DraftColumn[] {
  const names = typeof declared === 'string' ? [declared] : declared
  const known = names.flatMap((one) => columns.find(({ column }) => column.name === one) ?? [])
  if (known.length < names.length || names.length === 0)
    return [rowNumberOf({ table, name }, names, columns, report)]
  const isUnique = reportApart(table, names)
  if (!isUnique && table.keepsKeys)
    throw unfitKey(
      { table, name },
      `${called(table, names)} cannot be its key: nothing in the database keeps ${names.length === 1 ? 'its values' : 'their values'} unique.`,
    )
  const isNullable = known.some(({ column }) => column.isNullable)
  if (!isUnique || isNullable) reportUnsure(table, names, isUnique, report)
  return known
}

/** Returns the number of a row as a column. */
function rowNumberOf(
  { table, name }: NamedTable,
  names: readonly string[],
  columns: readonly DraftColumn[],
  report: Report,
): DraftColumn {
  const missing = names.find((one) => !columns.some(({ column }) => column.name === one)) ?? ''
  if (names.length > 1 || missing !== table.rowNumber)
    throw unfitKey(
      { table, name },
      names.length === 0
        ? `A key of the table ${quote(table.name)} needs a column.`
        : `The table ${quote(table.name)} has no column ${quote(missing)} to be its key.`,
    )
  const says = `${called(table)} is declared to have the number of a row for its key: VACUUM may give a row another one.`
  report('KEY_UNSURE', { table, column: missing }, says)
  return {
    column: rowNumber(missing),
    field: missing,
    guess: { type: 'integer' },
    override: undefined,
    isRowNumber: true,
  }
}

/** True if the database keeps some columns unique together: all of a key are among them. */
const reportApart = ({ primaryKey, uniqueKeys }: CatalogueTable, columns: readonly string[]): boolean =>
  [primaryKey, ...uniqueKeys].some((key) => key.length > 0 && key.every((name) => columns.includes(name)))

/** Remarks a doubtful key: a view cannot declare unique columns, and a nullable column has rows without a key. */
function reportUnsure(
  table: CatalogueTable,
  names: readonly string[],
  isUnique: boolean,
  report: Report,
): void {
  const isOne = names.length === 1
  const unverified = isUnique
    ? `${isOne ? 'it' : 'one of them'} may be null, and rows in which it is cannot be reached by key`
    : `it is not known whether ${isOne ? 'its' : 'their'} values are unique, and what is meant for one row of several with the same key fails`
  const says = `${called(table, names)} ${isOne ? 'is' : 'are'} declared its key: ${unverified}.`
  report('KEY_UNSURE', { table, column: names[0] }, says)
}

/** Returns the error for columns that cannot be the key. It suggests only columns that can. */
function unfitKey({ table, name }: NamedTable, says: string): EngineError {
  const { columns, primaryKey, uniqueKeys, rowNumber: number } = table
  const keys = [primaryKey, ...uniqueKeys].filter((key) => key.length > 0)
  const unique = keys.map((key) => (key.length === 1 ? quote(key[0]) : `[${key.map(quote).join(', ')}]`))
  const named = table.keepsKeys ? [...new Set(unique)] : columns.map((column) => quote(column.name))
  const all = [...named, ...(number === null ? [] : [quote(number)])]
  const hint = all.length > 0 ? `Name one of ${all.join(', ')}` : 'No column of it is unique'
  return fault('INVALID_OPTIONS', says, {
    path: ['override', name, 'key'],
    hint: table.keepsKeys ? `${hint}, or give the column a unique index.` : `${hint}.`,
  })
}

const rowNumber = (name: string): CatalogueColumn => ({
  name,
  declared: 'INTEGER',
  type: 'INTEGER',
  typeName: 'INTEGER',
  hasEquality: true,
  isArray: false,
  isNullable: false,
  source: 'counter',
  default: null,
  length: null,
  precision: null,
  scale: null,
  enum: null,
  note: null,
})
