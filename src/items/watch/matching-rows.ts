// Rows in memory, with the values by which they are compared.

import type { Dialect } from '../../dialects/dialect.ts'
import { render, sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { execute } from '../../execution/execute.ts'
import { isComparableFamily, KnownValues, type MemoryValue, unknown } from '../../plan/filter/may-hold.ts'
import { type Key, keyIdentity, storedKey } from '../../plan/key.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import { bindStatement } from '../../prepared/templates/template.ts'
import type { Row } from '../../rows/row.ts'
import { type Collection, keyOf, type StoredField } from '../../schema/model.ts'
import { comparableValuesStatement, openKeys } from '../../sql/key-statements.ts'
import type { Statement } from '../../sql/statement.ts'
import { storedReading } from '../../sql/stored-column.ts'
import { exactly } from '../../types/family-row.ts'
import { memoFor } from '../../values/memo.ts'

/** Maximum number of rows that a statement reads. */
const most = 500

/** Reads the existing ones of some rows, by their identities and whether or not a caller may see them. */
export async function readComparableRows(
  engine: EngineInternals,
  collection: Collection,
  keys: readonly Key[],
  fields: readonly StoredField[],
): Promise<ReadonlyMap<string, KnownValues>> {
  const { statement, identityOf, valuesOf } = reader(engine, collection, fields)
  const found = new Map<string, KnownValues>()
  for (let from = 0; from < keys.length; from += most) {
    const operands = keys.slice(from, from + most).map((key) => exactly(key as object))
    const bound = bindStatement(statement, new Map([[openKeys, operands]]))
    for (const row of await execute(engine, bound, {})) found.set(identityOf(row), valuesOf(row))
  }
  return found
}

interface ComparableReader {
  readonly fields: readonly StoredField[]
  readonly statement: Statement
  readonly identityOf: (row: Row) => string
  readonly valuesOf: (row: Row) => KnownValues
}

const readers = new WeakMap<object, WeakMap<Collection, ComparableReader>>()

/** Returns the reader of a collection. The last one is kept: most changes are read for the same fields. */
function reader(
  { dialect }: EngineInternals,
  collection: Collection,
  fields: readonly StoredField[],
): ComparableReader {
  const ofDialect = memoFor(readers, dialect, () => new WeakMap<Collection, ComparableReader>())
  const known = ofDialect.get(collection)
  const isSame =
    known?.fields.length === fields.length && fields.every((field, at) => known.fields[at] === field)
  const made = known && isSame ? known : newReader(collection, fields, dialect)
  ofDialect.set(collection, made)
  return made
}

function newReader(
  collection: Collection,
  fields: readonly StoredField[],
  dialect: Dialect,
): ComparableReader {
  const readKey = storedReading(keyOf(collection), dialect).read
  const cells = fields.map((field) => ({
    column: field.column,
    read: storedReading(field, dialect).read,
    comparable: comparableOf(field),
  }))
  return {
    fields,
    statement: comparableValuesStatement(collection, fields, dialect),
    identityOf: (row) => keyIdentity(storedKey(collection, readKey && row[0] ? readKey(row[0]) : row[0])),
    valuesOf: (row) => {
      const values = new Map<string, MemoryValue>()
      const inOrder = new Set<string>()
      for (const [at, { column, read, comparable }] of cells.entries()) {
        const [cell, kind] = [row[2 * at + 1], Number(row[2 * at + 2])]
        const value = cell === null || cell === undefined ? null : comparable(read ? read(cell) : cell)
        values.set(column, kind > 0 ? value : unknown)
        if (kind === 2) inOrder.add(column)
      }
      return new KnownValues(values, inOrder)
    },
  }
}

/** Returns how values of a field are read. A column may store values that may not be written. An invalid value of its type counts as unknown. */
function comparableOf(field: StoredField): (input: unknown) => MemoryValue {
  const held = { ...field, value: { ...field.value, isWide: true } }
  return (input) => {
    const read = readStored(held, input)
    return read.kind === 'value' ? read.value : unknown
  }
}

/** Returns values that a row has had, in the form in which they compare. Of what was null it is not known what the database has held. */
export const comparableBefore = (
  fields: readonly StoredField[],
  values: Readonly<Record<string, unknown>>,
): KnownValues =>
  new KnownValues(
    new Map(
      fields.map((field) => {
        const value = values[field.name] ?? null
        return [field.column, value === null ? unknown : comparableOf(field)(value)]
      }),
    ),
  )

/** Returns the fields of a collection whose values compare in memory as they do in the database. */
export async function comparableFields(
  engine: EngineInternals,
  collection: Collection,
): Promise<readonly StoredField[]> {
  const { dialect } = engine
  if (!dialect.isOrdinary) return []
  const fields = [...collection.fields.values()].flatMap((field) =>
    'column' in field && !field.value.isArray && isComparableFamily(field.value.family) ? [field] : [],
  )
  const texts = fields.filter(({ value }) => value.family === 'text')
  const bytewise = new Set(
    await byBytes(
      engine,
      collection,
      texts.filter(({ value }) => isPlainText(value)),
    ),
  )
  return fields.filter((field) => field.value.family !== 'text' || bytewise.has(field))
}

const isPlainText = ({ storage, enumType, databaseType }: StoredField['value']): boolean =>
  storage === undefined && enumType === undefined && databaseType === undefined

async function byBytes(
  engine: EngineInternals,
  collection: Collection,
  texts: readonly StoredField[],
): Promise<readonly StoredField[]> {
  const { dialect } = engine
  const cells = texts.map(({ column }, at) => {
    const isSo = dialect.comparesBytes?.(collection, column) ?? sql`1 = 0`
    return sql`case when ${isSo} then 1 else 0 end as ${dialect.identifier(String(at))}`
  })
  if (cells.length === 0) return []
  const [row] = await execute(engine, render(sql`select ${sql.join(cells, sql`, `)}`, dialect), {})
  return texts.filter((_, at) => Boolean(row?.[at]))
}
