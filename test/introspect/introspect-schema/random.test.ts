// Tables of random schemas are made, and read again: what comes out is what went in.
import { describe, expect, it } from 'vitest'
import { createEngine, listItems } from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { Random } from '../../property/seeded-random.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { isShort } from '../../support/long-runs.ts'
import { run } from '../samples/sample.ts'

const rounds = Number(process.env.QUERNEL_INTROSPECT_RUNS ?? (isShort ? 5 : 25))
const seed = Number(process.env.QUERNEL_SEED ?? 1)

interface Kind {
  readonly declared: string
  readonly field: Readonly<Record<string, unknown>>
  /** A constant as SQL, and as a field has it. */
  readonly start?: readonly [sql: string, value: unknown]
  readonly isKey?: true
}

const kinds: Readonly<Record<TestDatabase['name'], readonly Kind[]>> = {
  sqlite: [
    { declared: 'integer', field: { type: 'integer' }, start: ['-7', -7], isKey: true },
    {
      declared: 'varchar(12)',
      field: { type: 'string', length: 12 },
      start: ["'it''s'", "it's"],
      isKey: true,
    },
    { declared: 'bigint', field: { type: 'bigInteger' } },
    { declared: 'text', field: { type: 'text' }, start: ["''", ''] },
    { declared: 'decimal(9, 3)', field: { type: 'decimal', precision: 9, scale: 3 } },
    { declared: 'double', field: { type: 'float' }, start: ['0.25', 0.25] },
    { declared: 'blob', field: { type: 'binary' } },
    { declared: 'json', field: { type: 'json' } },
  ],
  postgres: [
    { declared: 'integer', field: { type: 'integer' }, start: ['-7', -7], isKey: true },
    {
      declared: 'varchar(12)',
      field: { type: 'string', length: 12 },
      start: ["'it''s'", "it's"],
      isKey: true,
    },
    { declared: 'uuid', field: { type: 'uuid' }, isKey: true },
    { declared: 'bigint', field: { type: 'bigInteger' }, isKey: true },
    { declared: 'text', field: { type: 'text' }, start: ["''", ''] },
    { declared: 'numeric(9, 3)', field: { type: 'decimal', precision: 9, scale: 3 } },
    { declared: 'double precision', field: { type: 'float' }, start: ['0.25', 0.25] },
    { declared: 'boolean', field: { type: 'boolean' }, start: ['true', true] },
    { declared: 'timestamptz', field: { type: 'timestamp' } },
    { declared: 'bytea', field: { type: 'binary' } },
    { declared: 'jsonb', field: { type: 'json' } },
    { declared: 'text[]', field: { type: 'text', array: true } },
  ],
}

const names = [
  'order',
  'select',
  'Größe',
  'a b',
  'say "hi"',
  'CamelCase',
  "it's",
  'x',
  'group',
  '日本',
  'user',
  'id2',
  'to%',
  'tab;le',
]

interface Column {
  readonly name: string
  readonly declared: string
  readonly field: Readonly<Record<string, unknown>>
}

interface Table {
  readonly name: string
  readonly key: Column
  readonly columns: readonly Column[]
  /** The column that leads to each table. */
  readonly links: readonly { readonly column: string; readonly to: string }[]
}

function randomTables(random: Random, own: readonly Kind[]): readonly Table[] {
  const tables: Table[] = []
  for (const name of random.some(names, 7)) tables.push(randomTable(name, tables, random, own))
  return tables.length === 0 ? [randomTable('only', [], random, own)] : tables
}

function randomTable(name: string, others: readonly Table[], random: Random, own: readonly Kind[]): Table {
  const [keyName = 'id', ...columnNames] = random.some(names, 8)
  const kind = random.one(own.filter(({ isKey }) => isKey))
  const key: Column = {
    name: keyName,
    declared: `${kind.declared} not null primary key`,
    field: { ...kind.field, key: true },
  }
  const self: Table = { name, key, columns: [], links: [] }
  const links: { column: string; to: string }[] = []
  const columns = columnNames.map((column): Column => {
    const isNullable = random.chance(0.5)
    const rule = isNullable ? '' : ' not null'
    if (random.chance(0.4)) {
      const target = random.one([...others, self])
      links.push({ column, to: target.name })
      const declared = `${target.key.declared.replace(' not null primary key', '')}${rule} references ${quoted(target.name)}`
      return {
        name: column,
        declared,
        field: { type: 'm2o', to: target.name, ...(isNullable && { nullable: true }) },
      }
    }
    const { declared, field, start } = random.one(own)
    const isUnique = start !== undefined && random.chance(0.2)
    const hasDefault = start !== undefined && random.chance(0.4)
    return {
      name: column,
      declared: `${declared}${rule}${isUnique ? ' unique' : ''}${hasDefault ? ` default ${start[0]}` : ''}`,
      field: {
        ...field,
        ...(isNullable && { nullable: true }),
        ...(isUnique && { unique: true }),
        ...(hasDefault && { default: start[1] }),
      },
    }
  })
  return { ...self, columns, links }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

const statementOf = ({ name, key, columns }: Table) =>
  `create table ${quoted(name)} (${[key, ...columns].map((column) => `${quoted(column.name)} ${column.declared}`).join(', ')})`

/** Where each table is led to from, in words that say no name of a relation. */
function relationsOf(tables: readonly Table[]): readonly string[] {
  return tables
    .flatMap(({ name, columns, links }) => {
      const [one, other] = links
      const isJunction = links.length === 2 && columns.length === 2
      if (!isJunction || !one || !other) return links.map(({ column, to }) => `${to} o2m ${name}.${column}`)
      return [
        `${one.to} m2m ${name}.${one.column} ${other.column}`,
        `${other.to} m2m ${name}.${other.column} ${one.column}`,
      ]
    })
    .sort()
}

describe.each(databases)('random tables of $name', ({ name, open }) => {
  it(`are read as they were made, from the seed ${seed}`, async () => {
    let read = 0
    for (let round = 0; round < rounds; round++) {
      const tables = randomTables(new Random(seed + round), kinds[name])
      const { db, close } = await open()
      await run(db, ...tables.map(statementOf))
      const schema = await introspectSchema(db)
      const title = `seed ${seed + round}`
      const found = Object.entries(schema.definition)
      expect(found.map(([table]) => table).sort(), title).toEqual(tables.map((table) => table.name).sort())
      for (const { name: table, key, columns } of tables) {
        const { fields = {} } = schema.definition[table] ?? {}
        const stored = Object.entries(fields).filter(([, { type }]) => type !== 'o2m' && type !== 'm2m')
        const wanted = [key, ...columns].map((column) => [column.name, column.field])
        expect(Object.fromEntries(stored), `${title}, ${table}`).toEqual(Object.fromEntries(wanted))
      }
      const relations = found.flatMap(([table, { fields }]) =>
        Object.values(fields).flatMap((field) => {
          if (field.type === 'o2m') return [`${table} o2m ${field.from}`]
          return field.type === 'm2m' ? [`${table} m2m ${field.through} ${field.to}`] : []
        }),
      )
      expect(relations.sort(), title).toEqual(relationsOf(tables))
      const engine = createEngine({ db, schema })
      for (const [table] of found)
        expect(await listItems(engine, table, { fields: ['*.*'] }), `${title}, ${table}`).toEqual({
          data: [],
        })
      read += relations.length
      await close()
    }
    expect(read).toBeGreaterThan(rounds)
  })
})
