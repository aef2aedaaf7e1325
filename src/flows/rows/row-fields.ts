// Fields of rows that are flows, and marks of the rows: their keys, each with a text that differs where the row does.
import { createHash } from 'node:crypto'
import { render, type Sql, sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { quote } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import { storedFieldsOf } from '../../plan/write/defaults.ts'
import { type Collection, isStored, keyFieldsOf, type Schema } from '../../schema/model.ts'
import { tableName } from '../../sql/frame.ts'
import { badOption } from '../reject.ts'
import type { CollectionFlows } from './collection-flows.ts'
import { checkGuarded } from './guarded-fields.ts'

const wanted = ['name', 'trigger', 'operations'] as const
const optional = ['access', 'first', 'active'] as const

/** Returns the collection whose rows are flows. */
export function collectionOf(schema: Schema, { collection: name }: CollectionFlows): Collection {
  const collection = schema.collections.get(name)
  if (collection) return collection
  throw badOption(`There is no collection ${quote(name)} whose rows are flows.`, ['flows'])
}

/** Returns the fields of a row that are read, and refuses a collection that lacks one. */
export function fieldsOf(
  schema: Schema,
  collection: Collection,
  { collection: name, author }: CollectionFlows,
): readonly string[] {
  const missing = wanted.find((one) => !isStoredIn(collection, one))
  if (missing !== undefined)
    throw badOption(`The collection ${quote(name)} has no field ${quote(missing)}, which a flow has.`, [
      'flows',
    ])
  if (author !== undefined) checkGuarded(schema, collection, author)
  const all = [...wanted, ...optional.filter((one) => isStoredIn(collection, one))]
  return author === undefined ? all : [...all, author]
}

const isStoredIn = ({ fields }: Collection, name: string): boolean => {
  const field = fields.get(name)
  return field !== undefined && isStored(field)
}

/** The mark of a row. */
export interface RowMark {
  /** Its key, as results and filters name it. */
  readonly key: unknown
  readonly mark: string
}

/** Families of keys whose texts name them. */
const named: readonly string[] = ['integer', 'text', 'uuid']

/** Returns the marks of rows in the order of their keys, by the texts of their keys; undefined where nobody can say. */
export async function marksOf(
  engine: EngineInternals,
  collection: Collection,
  most: number,
): Promise<ReadonlyMap<string, RowMark> | undefined> {
  const { dialect } = engine
  const keys = collection.key ? keyFieldsOf(collection) : []
  const [key] = keys
  if (!dialect.mark || !key || keys.length > 1) return undefined
  const { family, storage, isArray } = key.value
  if (!named.includes(family) || storage !== undefined || isArray) return undefined
  const column = dialect.identifier(key.column)
  const columns = storedFieldsOf(collection).map((field) => dialect.identifier(field.column))
  const statement: Sql = sql`select cast(${column} as text) as ${dialect.identifier('k')}, ${dialect.mark(columns)} as ${dialect.identifier('m')} from ${tableName(collection, dialect)} order by ${column} limit ${sql.val(most)}`
  const rows = await execute(engine, render(statement, dialect), {})
  const isNumber = family === 'integer'
  return new Map(
    rows.map((row) => {
      const text = String(Reflect.get(row, 'k'))
      const mark = createHash('sha256')
        .update(String(Reflect.get(row, 'm')))
        .digest('base64')
      return [text, { key: isNumber && Number.isSafeInteger(Number(text)) ? Number(text) : text, mark }]
    }),
  )
}
