// Judges whether the tables of a database are usable: read, and written where they have a key.
import { sql } from 'kysely'
import type { HostDatabase } from '../../src/dialects/host.ts'
import {
  createEngine,
  createItem,
  deleteItem,
  type Engine,
  getItem,
  isEngineError,
  listItems,
  updateItem,
} from '../../src/index.ts'
import { type CatalogueTable, introspectSchema, readCatalogue } from '../../src/introspect.ts'
import { type Collection, isToMany, keyFieldsOf } from '../../src/schema/model.ts'
import { sampleItem } from './sample-item.ts'

/** What is to be known of the database. */
export interface Judged {
  /** Lets rows be written without what they refer to, in a transaction. */
  readonly unbound: string | undefined
  readonly schemas: (db: HostDatabase) => Promise<readonly string[]>
}

export interface Verdict {
  readonly table: string
  /** True if the database tells its rows apart: by a primary key, or by unique columns that are never null. */
  readonly hasKey: boolean
  readonly is: 'usable' | 'reported' | 'missing'
  /** What is missing, or what the report says. */
  readonly why?: string
}

export async function judge(db: HostDatabase, home: Judged): Promise<readonly Verdict[]> {
  const dbSchemas = await home.schemas(db)
  const { tables } = await readCatalogue(db, { dbSchemas })
  const schema = await introspectSchema(db, { dbSchemas })
  const engine = createEngine({ db, schema })
  const verdicts: Verdict[] = []
  for (const table of tables) {
    const at = { table: `${table.schema}.${table.name}`, hasKey: hasKey(table) }
    const collection = [...schema.collections.values()].find(
      (one) => one.table === table.name && (one.dbSchema ?? table.schema) === table.schema,
    )
    const remarks = schema.report.filter((one) => one.table === table.name && one.dbSchema === table.schema)
    if (!collection) {
      const remark = remarks.find(({ kind }) => kind === 'skipped')
      verdicts.push({ ...at, ...(remark ? { is: 'reported', why: remark.message } : unmentioned) })
      continue
    }
    const lost = table.columns.filter(
      ({ name }) =>
        ![...collection.fields.values()].some((field) => 'column' in field && field.column === name) &&
        !remarks.some(({ column }) => column === name),
    )
    const [column] = lost
    const [limit] = at.hasKey && !collection.key ? remarks.filter(({ kind }) => kind === 'limited') : []
    if (limit) {
      verdicts.push({ ...at, is: 'reported', why: limit.message })
      continue
    }
    const why = column
      ? `the column ${column.name} is lost in silence`
      : await failureOf(engine, collection, table, home)
    verdicts.push({ ...at, ...(why === undefined ? { is: 'usable' } : { is: 'missing', why }) })
  }
  return verdicts
}

const unmentioned = { is: 'missing', why: 'it is neither a collection nor in the report' } as const

function hasKey({ primaryKey, uniqueKeys, columns }: CatalogueTable): boolean {
  const isNullable = (name: string) => columns.find((column) => column.name === name)?.isNullable ?? true
  return primaryKey.length > 0 || uniqueKeys.some((names) => !names.some(isNullable))
}

/** Why a collection is not usable, if it is not. */
async function failureOf(
  engine: Engine,
  collection: Collection,
  table: CatalogueTable,
  home: Judged,
): Promise<string | undefined> {
  const { name } = collection
  // A list has no keys to show where nothing tells its items apart.
  const fields = [...collection.fields.values()].map((field) =>
    isToMany(field) ? `${field.name}.*` : field.name,
  )
  try {
    await listItems(engine, name, { limit: 3, fields: fields as never })
  } catch (error) {
    return `it cannot be listed: ${told(error)}`
  }
  if (!hasKey(table) || !table.isWritable || !collection.key) return undefined
  let why: string | undefined
  for (const numbers of tries) {
    why = await written(engine, collection, sampleItem(collection, table, numbers), home)
    if (why === undefined) return undefined
  }
  return why
}

/** Numbers of sample items, until the database takes one. */
const tries = [
  { links: 1, own: 1 },
  { links: 1, own: 101 },
  { links: 101, own: 32_003 },
  { links: 1, own: 7, isWhole: true },
]

class Undo extends Error {}

/** Creates an item, reads, changes and deletes it, and undoes all of it. */
async function written(
  engine: Engine,
  { name, key }: Collection,
  item: object,
  { unbound }: Judged,
): Promise<string | undefined> {
  let step = 'created'
  try {
    await engine.transaction(async (inside) => {
      if (unbound) await sql.raw(unbound).execute(inside.db)
      const names = keyFieldsOf({ key }).map((field) => field.name)
      const fields = names as never
      const created: unknown = await createItem(inside, name, item as never, { fields: ['*'] })
      const parts = names.map((part) => Reflect.get(Object(created), part))
      const own = (parts.length === 1 ? parts[0] : parts) as never
      step = 'read by its key'
      await getItem(inside, name, own, { fields })
      step = 'updated'
      await updateItem(inside, name, own, {} as never)
      step = 'deleted'
      await deleteItem(inside, name, own)
      throw new Undo()
    })
  } catch (error) {
    if (error instanceof Undo) return undefined
    // What the database itself checks is not ours to know.
    if (isEngineError(error) && isChecked(error)) return undefined
    return `an item cannot be ${step}: ${told(error)}`
  }
  return undefined
}

const isChecked = (error: Error): boolean => {
  const code = Reflect.get(Object(error.cause), 'code')
  return code === '23514' || code === 'SQLITE_CONSTRAINT_CHECK' || code === 'P0001'
}

const told = (error: unknown): string =>
  isEngineError(error) ? `${error.code} ${error.message} ${String(error.cause ?? '')}`.trim() : String(error)
