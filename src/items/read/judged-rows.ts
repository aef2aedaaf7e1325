// Rows in memory, with the values by which they are judged.

import { render, sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { execute } from '../../execution/execute.ts'
import { isJudgedFamily, KnownValues, unknown } from '../../plan/filter/may-hold.ts'
import { type Key, keyIdentity, storedKey } from '../../plan/key.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import { type Collection, keyOf, type StoredField } from '../../schema/model.ts'
import { judgedValuesStatement } from '../../sql/key-statements.ts'
import { storedReading } from '../../sql/stored-column.ts'
import type { OperandValue } from '../../types/family-row.ts'

/** Maximum number of rows that a statement reads. */
const most = 500

/** Reads the existing ones of some rows, whoever may see them. */
export async function readJudgedRows(
  engine: EngineInternals,
  collection: Collection,
  keys: readonly Key[],
  fields: readonly StoredField[],
): Promise<ReadonlyMap<string, KnownValues>> {
  const { dialect } = engine
  const readKey = storedReading(keyOf(collection), dialect).read
  const cells = fields.map((field) => storedReading(field, dialect).read)
  const found = new Map<string, KnownValues>()
  for (let from = 0; from < keys.length; from += most) {
    const statement = judgedValuesStatement(collection, keys.slice(from, from + most), fields, dialect)
    for (const row of await execute(engine, statement, {})) {
      const key = storedKey(collection, readKey && row[0] ? readKey(row[0]) : row[0])
      found.set(
        keyIdentity(key),
        new KnownValues(
          new Map(
            fields.map((field, at) => {
              const cell = row[2 * at + 1]
              const isNull = cell === null || cell === undefined
              const value = isNull ? null : judgedValue(field, cells[at] ? cells[at](cell) : cell)
              return [field.column, row[2 * at + 2] ? value : unknown] as const
            }),
          ),
        ),
      )
    }
  }
  return found
}

/** A column may store values that may not be written. What is none of its type compares as nobody knows. */
function judgedValue(field: StoredField, input: unknown): OperandValue | typeof unknown {
  const read = readStored({ ...field, value: { ...field.value, isWide: true } }, input)
  return read.kind === 'value' ? read.value : unknown
}

/** Returns values that a row has had, in the form in which they compare. Of what was null it is not known what the database has held. */
export const judgedBefore = (
  fields: readonly StoredField[],
  values: Readonly<Record<string, unknown>>,
): KnownValues =>
  new KnownValues(
    new Map(
      fields.map((field) => {
        const value = values[field.name] ?? null
        return [field.column, value === null ? unknown : judgedValue(field, value)]
      }),
    ),
  )

/** Returns the fields of a collection whose values compare in memory as they do in the database. */
export async function judgedFields(
  engine: EngineInternals,
  collection: Collection,
): Promise<readonly StoredField[]> {
  const { dialect } = engine
  if (!dialect.isOrdinary) return []
  const fields = [...collection.fields.values()].flatMap((field) =>
    'column' in field && !field.value.isArray && isJudgedFamily(field.value.family) ? [field] : [],
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
