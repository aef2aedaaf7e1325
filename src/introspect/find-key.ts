// Finds the key of a table: the columns that identify its rows.
import type { CatalogueColumn, CatalogueTable } from '../dialects/catalogue.ts'
import { type EngineError, fault, quote } from '../errors/errors.ts'
import { canBeKey } from '../types/families.ts'
import { fieldTypes } from '../types/field-types.ts'
import { called, type DraftColumn, type NamedTable, type RemarkCode, type Report } from './remark.ts'

type KeyColumns = readonly DraftColumn[]

/** Returns the declared key, else the primary key, else unique columns that are never null, else the two ends of a junction. Empty, with a
 *  remark, for a table without a key: its rows can be read. */
export function findKey(
  { table, name }: NamedTable,
  declared: string | readonly string[] | undefined,
  columns: KeyColumns,
  report: Report,
): KeyColumns {
  if (declared !== undefined) return declaredKey({ table, name }, declared, columns, report)
  const own = keyOf(table.primaryKey, columns)
  if (own && !table.keepsKeys)
    reportGuessed(
      'KEY_UNSURE',
      { table, key: own },
      'its primary key, though rows of tables that inherit from it may have the same',
      report,
    )
  if (own) return own
  const other = uniqueKey(table, columns)
  if (other) {
    const why = table.primaryKey.length > 0 ? 'the primary key cannot be one' : 'there is no other'
    reportGuessed('KEY_GUESSED', { table, key: other }, `unique, and ${why}`, report)
    return other
  }
  const ends = junctionKey(table, columns)
  if (ends) {
    const unverified = ends.some(({ column }) => column.isNullable)
      ? 'nothing keeps rows from having the same, nor from having none'
      : 'nothing keeps rows from having the same'
    reportGuessed('KEY_UNSURE', { table, key: ends }, `all that it has, though ${unverified}`, report)
    return ends
  }
  const { code, says, hintWith } = keylessness(table, columns)
  const [first] = code === 'UNFIT_KEY' ? table.primaryKey : []
  const hint = hintWith((key) => `override: { ${JSON.stringify(name)}: { key: '${key}' } }`)
  const commandHint = hintWith((key) => `--key ${JSON.stringify(`${name}=${key}`)}`)
  report(code, { table, column: first }, says, { hint, commandHint })
  return []
}

function keyOf(names: readonly string[], columns: KeyColumns): KeyColumns | undefined {
  const found = names.flatMap((name) => columns.find(({ column }) => column.name === name) ?? [])
  return names.length > 0 && found.length === names.length && found.every(isFit) ? found : undefined
}

function isFit({ guess, column, override }: DraftColumn): boolean {
  if (override === false) return false
  const type = override?.type ?? guess.type
  if (column.isArray) return false
  return type === 'm2o' || (isScalar(type) && canBeKey(fieldTypes[type].family))
}

const isScalar = (type: string): type is keyof typeof fieldTypes => Object.hasOwn(fieldTypes, type)

/** Returns the fewest columns that are unique together and never null. Of several, the first in the table. */
function uniqueKey({ uniqueKeys }: CatalogueTable, columns: KeyColumns): KeyColumns | undefined {
  const placeOf = (key: KeyColumns) => Math.min(...key.map((of) => columns.indexOf(of)))
  const [best] = uniqueKeys
    .flatMap((names) => {
      const key = keyOf(names, columns)
      return key && !key.some(({ column }) => column.isNullable) ? [key] : []
    })
    .sort((one, next) => one.length - next.length || placeOf(one) - placeOf(next))
  return best
}

/** Returns the columns of a table that holds two foreign keys and nothing else. */
function junctionKey({ kind, foreignKeys, ...table }: CatalogueTable, columns: KeyColumns) {
  const [one, other, ...more] = foreignKeys
  if (kind !== 'table' || !one || !other || more.length > 0) return undefined
  const names = [...new Set([...one.columns, ...other.columns])]
  const hasAllColumns = names.length === table.columns.length
  const isTwice = [one, other].some((key) => key.columns.length === names.length)
  return hasAllColumns && !isTwice ? keyOf(names, columns) : undefined
}

function reportGuessed(
  code: RemarkCode,
  { table, key }: { readonly table: CatalogueTable; readonly key: KeyColumns },
  says: string,
  report: Report,
): void {
  const names = key.map(({ column }) => column.name)
  const [is, its] = names.length === 1 ? ['is taken', 'it is'] : ['together are taken', 'they are']
  report(code, { table, column: names[0] }, `${called(table, names)} ${is} for its key: ${its} ${says}.`)
}

interface Keylessness {
  readonly code: 'UNFIT_KEY' | 'VIEW_WITHOUT_KEY' | 'NO_KEY'
  readonly says: string
  /** Returns what to do about it, with the words that declare a key. */
  readonly hintWith: (declaring: (key: string) => string) => string
}

/** Returns the reason why a table has no key. */
function keylessness(table: CatalogueTable, columns: KeyColumns): Keylessness {
  const { primaryKey, rowNumber: number, kind } = table
  const byNumber = (declaring: (key: string) => string) =>
    number === null ? '' : `, or take the number that each row has: ${declaring(number)}`
  const readOnly = 'so its rows can be read and not written'
  const unfit = columns.find((of) => primaryKey.includes(of.column.name) && !isFit(of))
  const [is, cannot] = primaryKey.length === 1 ? ['is', 'be'] : ['are', 'be in']
  if (primaryKey.length > 0)
    return {
      code: 'UNFIT_KEY',
      says: `${called(table, primaryKey)} ${is} its primary key, and a value of ${quote(unfit?.column.declared ?? '')} cannot ${cannot} a key here, ${readOnly}.`,
      hintWith: (declaring) => `Declare another${byNumber(declaring)}.`,
    }
  if (kind === 'view' || !table.keepsKeys)
    return {
      code: kind === 'view' ? 'VIEW_WITHOUT_KEY' : 'NO_KEY',
      says: `${called(table)} does not say what identifies its rows, ${readOnly}.`,
      hintWith: (declaring) => `Declare it: ${declaring('…')}.`,
    }
  return {
    code: 'NO_KEY',
    says: `${called(table)} has no key, and no columns that are unique and never null, ${readOnly}.`,
    hintWith: (declaring) => `Add a key${byNumber(declaring)}.`,
  }
}

/** Returns the columns of a declared key. Those of a table have to be unique. */
function declaredKey(
  { table, name }: NamedTable,
  declared: string | readonly string[],
  columns: readonly DraftColumn[],
  report: Report,
): readonly DraftColumn[] {
  const names = typeof declared === 'string' ? [declared] : declared
  const known = names.flatMap((one) => columns.find(({ column }) => column.name === one) ?? [])
  if (known.length < names.length || names.length === 0)
    return [rowNumberOf({ table, name }, names, columns, report)]
  const isUnique = keepsUnique(table, names)
  if (!isUnique && table.keepsKeys)
    throw unfitKey(
      { table, name },
      `${called(table, names)} cannot be its key: nothing in the database keeps ${names.length === 1 ? 'its values' : 'their values'} unique.`,
    )
  const isNullable = known.some(({ column }) => column.isNullable)
  if (!isUnique || isNullable) reportUnsure(table, names, isUnique, report)
  return known
}

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
export const keepsUnique = (
  { primaryKey, uniqueKeys }: CatalogueTable,
  columns: readonly string[],
): boolean =>
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
