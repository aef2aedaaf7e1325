// One table with every column, on one database, and the same rows as items.
import { sql } from 'kysely'
import {
  compileFilter,
  createEngine,
  defineSchema,
  type Engine,
  isEngineError,
  matchesFilter,
} from '../../src/index.ts'
import type { CollectionDefinition, FieldDefinition, SchemaDefinition } from '../../src/schema/definition.ts'
import { insert, type OpenDatabase, type TestDatabase } from '../support/databases.ts'
import { type Cell, type Column, columns } from './columns.ts'

export type Filter = Readonly<Record<string, unknown>>
type Item = Readonly<Record<string, unknown>>
type Db = OpenDatabase['db']

/** `$NOW`, in every test: halfway through a second, on a leap day. */
export const now = new Date('2024-02-29T12:30:15.123Z')

/** What a filter comes to: the ids it selects, or the code of the error that refuses it. */
export type Outcome = readonly number[] | string

export interface Table {
  readonly engine: Engine
  readonly columns: readonly Column[]
  /** The highest id that tells rows of the column apart. */
  readonly lastOf: (column: Column) => number
  readonly last: number
  readonly inMemory: (filter: Filter, upTo?: number) => Outcome
  /** Many filters in few statements. */
  readonly inSql: (filters: readonly Filter[], upTo?: number) => Promise<Outcome[]>
  readonly byWhere: (filter: Filter) => Promise<Outcome>
  /** The same table, with an engine of other options. */
  readonly having: (options: {
    readonly timezone?: string
    readonly negationMatchesNull?: boolean
    readonly collation?: 'codepoint'
  }) => Table
}

/** Makes the table. The first row holds no value at all; behind its last cell a column begins again. */
export async function makeTable(name: TestDatabase['name'], db: Db): Promise<Table> {
  const homes = columns.flatMap((column) => {
    const home = column.homes[name]
    return home ? [{ column, home, cells: [[null, null], ...home.cells] satisfies Cell[] }] : []
  })
  const last = Math.max(...homes.map(({ cells }) => cells.length))
  await createTypes(name, db)
  const declarations = homes.map(({ column, home }) => sql`${sql.id(column.name)} ${sql.raw(home.declared)}`)
  await sql`create table nasty (id integer primary key, ${sql.join(declarations)})`.execute(db)

  const items: Item[] = []
  for (let id = 1; id <= last; id++) {
    const at = ({ cells }: (typeof homes)[number]): Cell => cells[(id - 1) % cells.length] ?? [null, null]
    const written = homes.filter(({ column }) => !column.field.generated)
    await insert(db, 'nasty', {
      id,
      ...Object.fromEntries(written.map((home) => [home.column.name, at(home)[0]])),
    })
    items.push({ id, ...Object.fromEntries(homes.map((home) => [home.column.name, at(home)[1]])) })
  }
  const fields: Record<string, FieldDefinition> = { id: { type: 'integer', key: true } }
  for (const { column } of homes) fields[column.name] = column.field
  const definition: SchemaDefinition = { nasty: { fields } satisfies CollectionDefinition }
  const lastOf = (column: Column) => homes.find((home) => home.column === column)?.cells.length ?? 0
  const make = (options: object): Table => {
    const engine = createEngine({ db, schema: defineSchema(definition), clock: () => now, ...options })
    return {
      engine,
      ...judged(engine, items),
      columns: homes.map(({ column }) => column),
      last,
      lastOf,
      having: make,
    }
  }
  return make({})
}

async function createTypes(name: TestDatabase['name'], db: Db): Promise<void> {
  if (name !== 'postgres') return
  await sql`create type mood as enum ('happy', 'it''s "fine"', 'é', 'ok', 'Ok', 'sad')`.execute(db)
  await sql`create domain title as text check (length(value) < 1000)`.execute(db)
  await sql`create domain positive as integer check (value >= 0)`.execute(db)
}

function judged(engine: Engine, items: readonly Item[]) {
  const expressionOf = (filter: Filter) => compileFilter(engine, 'nasty', filter).expression
  const inMemory = (filter: Filter, upTo = items.length): Outcome =>
    refusable(() =>
      items
        .slice(0, upTo)
        .filter((item) => matchesFilter(engine, 'nasty', filter, item))
        .map((item) => Number(item.id)),
    )

  const byWhere = async (filter: Filter): Promise<Outcome> => {
    const expression = refusable(() => expressionOf(filter))
    if (typeof expression === 'string') return expression
    const rows = await engine.db.selectFrom('nasty').select('id').where(expression).orderBy('id').execute()
    return rows.map(({ id }) => Number(id))
  }

  const inSql = async (filters: readonly Filter[], upTo = items.length): Promise<Outcome[]> => {
    const outcomes: Outcome[] = []
    for (let start = 0; start < filters.length; start += batch) {
      outcomes.push(...(await inOneStatement(filters.slice(start, start + batch), upTo)))
    }
    return outcomes
  }
  const inOneStatement = async (filters: readonly Filter[], upTo: number): Promise<Outcome[]> => {
    const expressions = filters.map((filter) => refusable(() => expressionOf(filter)))
    const asked = expressions.flatMap((one, index) =>
      typeof one === 'string' ? [] : [sql`case when ${one} then 1 else 0 end as ${sql.ref(`f${index}`)}`],
    )
    if (asked.length === 0) return expressions.filter((one) => typeof one === 'string')
    const query = sql<
      Record<string, number>
    >`select id, ${sql.join(asked)} from nasty where id <= ${sql.lit(upTo)} order by id`
    try {
      const { rows } = await query.execute(engine.db)
      return expressions.map((one, index) =>
        typeof one === 'string'
          ? one
          : rows.filter((row) => Number(row[`f${index}`]) === 1).map((row) => Number(row.id)),
      )
    } catch (error) {
      // Which of them it was, is found one by one.
      if (filters.length === 1) return [`the database refused: ${String(error)}`]
      const half = Math.ceil(filters.length / 2)
      return [
        ...(await inOneStatement(filters.slice(0, half), upTo)),
        ...(await inOneStatement(filters.slice(half), upTo)),
      ]
    }
  }
  return { inMemory, byWhere, inSql }
}

const batch = 200

function refusable<Value>(work: () => Value): Value | string {
  try {
    return work()
  } catch (error) {
    if (isEngineError(error)) return error.code
    throw error
  }
}
