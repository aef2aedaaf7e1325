// Tables with random keys of several columns, and foreign keys between them: what leads to what is compared with the rows themselves.
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  type FieldDefinition,
  getItem,
  listItems,
  type SchemaDefinition,
} from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { Random } from '../../property/seeded-random.ts'
import { databases } from '../../support/databases.ts'
import { isShort } from '../../support/long-runs.ts'
import { run } from '../samples/sample.ts'

const rounds = Number(process.env.QUERNEL_INTROSPECT_RUNS ?? (isShort ? 5 : 25))
const seed = Number(process.env.QUERNEL_SEED ?? 1)

type Value = number | string | null
type Row = Readonly<Record<string, Value>>

interface Column {
  readonly name: string
  readonly type: 'integer' | 'varchar(9)'
  readonly isNullable: boolean
}

interface ForeignKey {
  readonly columns: readonly string[]
  readonly to: Table
}

interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  /** None for a table without a key. */
  readonly key: readonly string[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly rows: readonly Row[]
}

function randomTables(random: Random): readonly Table[] {
  const tables: Table[] = []
  const count = 2 + random.below(4)
  for (let at = 0; at < count; at++) tables.push(randomTable(`t${at}`, tables, random))
  return tables
}

function randomTable(name: string, others: readonly Table[], random: Random): Table {
  const columns: Column[] = []
  const add = (type: Column['type'], isNullable: boolean) => {
    const column: Column = { name: `c${columns.length}`, type, isNullable }
    columns.push(column)
    return column.name
  }
  const foreignKeys: ForeignKey[] = []
  for (const to of others.filter((other) => other.key.length > 0 && random.chance(0.5))) {
    const isNullable = random.chance(0.4)
    const parts = to.columns.filter((column) => to.key.includes(column.name))
    // A column may be in two foreign keys, as that of a tenant is.
    const held = parts.map(({ type }) => {
      const shared = columns.find((column) => column.type === type && !column.isNullable)
      return shared && random.chance(0.3) ? shared.name : add(type, isNullable)
    })
    if (new Set(held).size === held.length) foreignKeys.push({ columns: held, to })
  }
  const own = Array.from({ length: 1 + random.below(2) }, () =>
    add(random.one(['integer', 'varchar(9)']), false),
  )
  const candidates = columns.filter(({ isNullable }) => !isNullable).map((column) => column.name)
  const key = random.chance(0.15) ? [] : [...new Set([...random.some(candidates, 3), random.one(own)])]
  return { name, columns, key, foreignKeys, rows: randomRows({ columns, key, foreignKeys }, random) }
}

function randomRows(
  { columns, key, foreignKeys }: Omit<Table, 'name' | 'rows'>,
  random: Random,
): readonly Row[] {
  const rows = new Map<string, Row>()
  for (let at = 0; at < 6; at++) {
    const row: Record<string, Value> = {}
    for (const { name, type, isNullable } of columns)
      row[name] =
        isNullable && random.chance(0.3)
          ? null
          : type === 'integer'
            ? random.below(3)
            : random.one(['a', 'B', 'ä'])
    for (const { columns: held, to } of foreignKeys) {
      const target = to.rows.length === 0 ? undefined : random.one(to.rows)
      for (const [part, column] of held.entries())
        row[column] = target?.[keyOf(to)[part] ?? ''] ?? row[column] ?? null
      if (
        random.chance(0.2) &&
        held.every((name) => columns.find((column) => column.name === name)?.isNullable)
      )
        for (const column of held) row[column] = null
    }
    // A later foreign key may have changed a column of an earlier one.
    const isWhole = foreignKeys.every(
      ({ columns: held, to }) => held.some((name) => row[name] === null) || targetOf(row, held, to),
    )
    if (isWhole) rows.set(key.length === 0 ? String(at) : JSON.stringify(key.map((name) => row[name])), row)
  }
  return [...rows.values()]
}

/** The columns of a key in the order of the table, in which they are declared. */
const keyOf = ({ columns, key }: Pick<Table, 'columns' | 'key'>) =>
  columns.map(({ name }) => name).filter((name) => key.includes(name))

const targetOf = (row: Row, held: readonly string[], to: Table): Row | undefined =>
  to.rows.find((target) => keyOf(to).every((name, part) => target[name] === row[held[part] ?? '']))

function statementsOf(table: Table): readonly string[] {
  const { name, columns, foreignKeys, rows } = table
  const list = (names: readonly string[]) => `(${names.join(', ')})`
  const parts = [
    ...columns.map((column) => `${column.name} ${column.type}${column.isNullable ? '' : ' not null'}`),
    ...(table.key.length > 0 ? [`primary key ${list(keyOf(table))}`] : []),
    ...foreignKeys.map(
      ({ columns: held, to }) => `foreign key ${list(held)} references ${to.name} ${list(keyOf(to))}`,
    ),
  ]
  const literal = (value: Value | undefined) =>
    typeof value === 'string' ? `'${value}'` : String(value ?? 'null')
  return [
    `create table ${name} ${list(parts)}`,
    ...rows.map(
      (row) => `insert into ${name} values ${list(columns.map((column) => literal(row[column.name])))}`,
    ),
  ]
}

const shownKey = (table: Table, row: Row) => {
  const parts = keyOf(table).map((name) => row[name])
  return parts.length === 1 ? parts[0] : parts
}

/** The names of the columns by which a field leads to another table. */
const heldBy = (name: string, field: FieldDefinition | undefined): readonly string[] =>
  field?.type === 'm2o' ? (field.by ?? [name]) : []

/** What the rows say that a relation has. */
function expected(
  row: Row,
  at: Table,
  name: string,
  definition: SchemaDefinition,
  tables: readonly Table[],
): unknown {
  const field = definition[at.name]?.fields[name]
  const tableNamed = (wanted: string) => tables.find((table) => table.name === wanted) ?? at
  if (field?.type === 'm2o') {
    const held = heldBy(name, field)
    return held.some((column) => row[column] === null)
      ? null
      : (targetOf(row, held, tableNamed(field.to)) ?? null)
  }
  const route = field && 'from' in field ? field.from : field && 'through' in field ? field.through : ''
  const [child = '', back = ''] = route.split('.')
  const owner = tableNamed(child)
  const held = heldBy(back, definition[child]?.fields[back])
  return owner.rows.filter((one) => keyOf(at).every((part, place) => one[held[place] ?? ''] === row[part]))
}

describe.each(databases)('random keys of $name', ({ open }) => {
  it(`lead where the rows say, from the seed ${seed}`, async () => {
    let relations = 0
    for (let round = 0; round < rounds; round++) {
      const title = `seed ${seed + round}`
      const tables = randomTables(new Random(seed + round))
      const { db, close } = await open()
      await run(db, ...tables.flatMap(statementsOf))
      const schema = await introspectSchema(db)
      const { definition } = schema
      const engine = createEngine({ db, schema })
      for (const table of tables) {
        const named = Object.entries(definition[table.name]?.fields ?? {}).filter(
          ([, { type }]) => type === 'm2o' || type === 'o2m' || type === 'm2m',
        )
        relations += named.length
        for (const [name] of named) {
          const what = `${title}, ${table.name}.${name}`
          const columns = table.columns.filter((column) => column.name !== name).map((column) => column.name)
          const far = definitionOf(definition, table.name, name)
          const own =
            tables.find((other) => other.name === far)?.columns.map((column) => `${name}.${column.name}`) ??
            []
          const { data } = await listItems(engine, table.name, { fields: [...columns, ...own] })
          const wanted = table.rows.map((row) => ({
            ...Object.fromEntries(columns.map((column) => [column, row[column]])),
            [name]: expected(row, table, name, definition, tables),
          }))
          expect(data.map(comparable).sort(), what).toEqual(wanted.map(comparable).sort())
        }
        for (const row of table.key.length > 0 ? table.rows : [])
          expect(
            await getItem(engine, table.name, shownKey(table, row) as never, {
              fields: table.columns.map(({ name }) => name),
            }),
            `${title}, ${table.name}`,
          ).toEqual(row)
      }
      await close()
    }
    expect(relations).toBeGreaterThan(rounds)
  })
})

/** The collection in which a path goes on behind a relation. */
function definitionOf(definition: SchemaDefinition, collection: string, name: string): string {
  const field = definition[collection]?.fields[name]
  if (field?.type === 'm2o') return field.to
  const route = field && 'from' in field ? field.from : field && 'through' in field ? field.through : ''
  return route.split('.')[0] ?? ''
}

/** An item as text, whatever the order of its members and of the items in its lists. */
const comparable = (item: unknown): string =>
  JSON.stringify(item, (_name, value: unknown) =>
    Array.isArray(value)
      ? value.map((one) => comparable(one)).sort()
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
        : value,
  )
