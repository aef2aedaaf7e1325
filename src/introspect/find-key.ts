// Finds the key of a table: the column that identifies its rows. A collection has one key, which is one column.
import type { CatalogueColumn, CatalogueTable } from '../dialects/catalogue.ts'
import { type EngineError, fault, quote } from '../errors/errors.ts'
import { canBeKey } from '../types/families.ts'
import { fieldTypes } from '../types/field-types.ts'
import { called, type RemarkCode, type Tell } from './remark.ts'
import type { DraftColumn, NamedTable } from './table-draft.ts'

/** Returns the declared key, else that of the table, else a unique column that is never null. */
export function findKey(
  { table, name }: NamedTable,
  declared: string | undefined,
  columns: readonly DraftColumn[],
  tell: Tell,
): DraftColumn | undefined {
  if (declared !== undefined) return declaredKey({ table, name }, declared, columns, tell)
  const { primaryKey } = table
  const [first] = primaryKey
  const own = primaryKey.length === 1 ? columns.find(({ column }) => column.name === first) : undefined
  if (own && isFit(own)) return own
  const other = columns.find((column) => isUnique(table, column) && isFit(column))
  if (other) {
    const why = own
      ? 'the primary key cannot be one'
      : primaryKey.length > 1
        ? `the primary key has ${primaryKey.length} columns`
        : 'there is no other'
    const place = { table, column: other.column.name }
    tell(
      'KEY_GUESSED',
      place,
      `${called(table, other.column.name)} is taken for its key: it is unique, and ${why}.`,
    )
    return other
  }
  const { code, says, hint } = keylessness(table, name, own)
  tell(code, { table, column: own?.column.name }, says, hint)
  return undefined
}

const isUnique = (table: CatalogueTable, { column }: DraftColumn): boolean =>
  !column.isNullable && tellsRowsApart(table, column.name)

function isFit({ guess, column, override }: DraftColumn): boolean {
  if (override === false) return false
  const type = override?.type ?? guess?.type
  if (type === undefined || column.isArray) return false
  return type === 'm2o' || (isScalar(type) && canBeKey(fieldTypes[type].family))
}

const isScalar = (type: string): type is keyof typeof fieldTypes => Object.hasOwn(fieldTypes, type)

function declaredKey(
  { table, name }: NamedTable,
  declared: string,
  columns: readonly DraftColumn[],
  tell: Tell,
): DraftColumn {
  const known = columns.find(({ column }) => column.name === declared)
  if (known) {
    const isUnique = tellsRowsApart(table, declared)
    if (!isUnique && table.keepsKeys)
      throw unfitKey(
        table,
        name,
        `${called(table, declared)} cannot be its key: nothing in the database keeps its values unique.`,
      )
    if (!isUnique || known.column.isNullable) tellUnsure(table, known.column, isUnique, tell)
    return known
  }
  if (declared === table.rowNumber)
    return { column: rowNumber(declared), field: declared, guess: { type: 'integer' }, override: undefined }
  throw unfitKey(
    table,
    name,
    `The table ${quote(table.name)} has no column ${quote(declared)} to be its key.`,
  )
}

const tellsRowsApart = ({ primaryKey, uniqueKeys }: CatalogueTable, column: string): boolean =>
  [primaryKey, ...uniqueKeys].some(([name, ...others]) => name === column && others.length === 0)

/** Remarks a doubtful key: a view cannot declare unique columns, and a nullable column has rows without a key. */
function tellUnsure(table: CatalogueTable, column: CatalogueColumn, isUnique: boolean, tell: Tell): void {
  const doubt = isUnique
    ? 'it may be null, and rows in which it is cannot be reached by key'
    : 'it is not known whether its values are unique, and what is meant for one row of several with the same key fails'
  tell(
    'KEY_UNSURE',
    { table, column: column.name },
    `${called(table, column.name)} is declared its key: ${doubt}.`,
  )
}

/** Returns the error for a column that cannot be the key. It suggests only columns that can. */
function unfitKey(table: CatalogueTable, name: string, says: string): EngineError {
  const { columns, rowNumber: number } = table
  const unique = columns.map((column) => column.name).filter((column) => tellsRowsApart(table, column))
  const named = table.keepsKeys ? unique : columns.map((column) => column.name)
  const all = [...named, ...(number === null ? [] : [number])]
  const hint = all.length > 0 ? `Name one of ${all.map(quote).join(', ')}` : 'No column of it is unique'
  return fault('INVALID_OPTIONS', says, {
    path: ['override', name, 'key'],
    hint: table.keepsKeys ? `${hint}, or give the column a unique index.` : `${hint}.`,
  })
}

const rowNumber = (name: string): CatalogueColumn => ({
  name,
  declared: 'INTEGER',
  type: 'INTEGER',
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

interface Keylessness {
  readonly code: RemarkCode
  readonly says: string
  readonly hint: string
}

/** Returns the reason why a table has no key for a collection. */
function keylessness(table: CatalogueTable, name: string, own: DraftColumn | undefined): Keylessness {
  const { primaryKey, rowNumber: number, kind } = table
  const whole = called(table)
  const declaring = (key: string) => `override: { ${JSON.stringify(name)}: { key: '${key}' } }`
  const byNumber = number === null ? '' : `, or take the number that each row has: ${declaring(number)}`
  if (own)
    return {
      code: 'UNFIT_KEY',
      says: `${called(table, own.column.name)} is its primary key, and a value of ${quote(own.column.declared)} cannot be a key here.`,
      hint: `Declare another${byNumber}.`,
    }
  if (primaryKey.length > 1)
    return {
      code: 'COMPOSITE_KEY',
      says: `${whole} has a primary key of ${primaryKey.length} columns (${primaryKey.map(quote).join(', ')}), and a collection has a key of one.`,
      hint: `Add a column that numbers the rows${byNumber}.`,
    }
  if (kind === 'view')
    return {
      code: 'VIEW_WITHOUT_KEY',
      says: `${whole} does not say what tells its rows apart.`,
      hint: `Declare it: ${declaring('…')}.`,
    }
  return {
    code: 'NO_KEY',
    says: `${whole} has no key, and no other column that is unique and never null.`,
    hint: `Add a key${byNumber}.`,
  }
}
