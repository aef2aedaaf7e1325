// Finds the key of a table: the columns that identify its rows.
import type { CatalogueTable } from '../dialects/catalogue.ts'
import { quote } from '../errors/errors.ts'
import { canBeKey } from '../types/families.ts'
import { fieldTypes } from '../types/field-types.ts'
import { declaredKey } from './declared-key.ts'
import { called, type RemarkCode, type Report } from './remark.ts'
import type { DraftColumn, NamedTable } from './table-draft.ts'

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

/** Returns columns by name, if all of them can be in a key. */
function keyOf(names: readonly string[], columns: KeyColumns): KeyColumns | undefined {
  const found = names.flatMap((name) => columns.find(({ column }) => column.name === name) ?? [])
  return names.length > 0 && found.length === names.length && found.every(isFit) ? found : undefined
}

export function isFit({ guess, column, override }: DraftColumn): boolean {
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
