// The SQL that `quernel diff` prints for random pairs of schemas runs, and leaves no difference but those that its comments name.
import { describe, expect, it } from 'vitest'
import { defineSchema, filesDefinition } from '../../../src/index.ts'
import { additionsFor } from '../../../src/introspect/additions.ts'
import { compare } from '../../../src/introspect/check-schema.ts'
import { checkSchema } from '../../../src/introspect.ts'
import type { FieldDefinition, SchemaDefinition } from '../../../src/schema/definition.ts'
import type { Schema } from '../../../src/schema/model.ts'
import { Random } from '../../property/seeded-random.ts'
import { databases, type OpenDatabase, openPostgres } from '../../support/databases.ts'
import { drawsOf } from '../../support/draws.ts'
import { run } from '../samples/sample.ts'

const schemaOf = (definition: SchemaDefinition) => defineSchema(definition as never) as Schema

const names = ['a', 'Order', 'say "hi"', "it's", 'x y', 'tab;le', 'Größe', 'group']
const scalars: readonly FieldDefinition[] = [
  { type: 'text' },
  { type: 'string', length: 12, default: "it's -- so" },
  { type: 'string', default: '' },
  { type: 'integer', default: -7 },
  { type: 'integer', wide: true },
  { type: 'bigInteger' },
  { type: 'float', default: 0.25 },
  { type: 'decimal', precision: 9, scale: 3 },
  { type: 'decimal', storage: 'text' },
  { type: 'boolean', default: true },
  { type: 'uuid' },
  { type: 'date' },
  { type: 'time' },
  { type: 'dateTime' },
  { type: 'timestamp', defaulted: true },
  { type: 'timestamp', storage: 'milliseconds' },
  { type: 'json', default: {} },
  { type: 'csv' },
  { type: 'hash' },
  { type: 'binary' },
  { type: 'text', array: true },
  { type: 'integer', generated: true },
  { type: 'string', enumType: 'state', values: ['open'] },
]
const keys: readonly FieldDefinition[] = [
  { type: 'integer', key: true },
  { type: 'uuid', key: true },
  { type: 'string', key: true },
  { type: 'bigInteger', key: true },
]

function drawField(random: Random, tables: readonly string[]): FieldDefinition {
  const nullable = random.chance(0.5) && ({ nullable: true } as const)
  if (random.chance(0.35)) {
    const link = { type: 'm2o', to: random.one(tables), ...nullable } as const
    return random.chance(0.2) ? { ...link, unique: true } : link
  }
  const field = random.one(scalars)
  const isPlain =
    !('array' in field) && field.type !== 'json' && field.type !== 'csv' && field.type !== 'hash'
  return {
    ...field,
    ...nullable,
    ...(isPlain && random.chance(0.2) && { unique: true }),
    ...(isPlain && random.chance(0.2) && { indexed: true }),
  } as FieldDefinition
}

/** Draws a schema; of another one, it keeps a part and edits the rest. */
function drawSchema(random: Random, before: SchemaDefinition = {}): SchemaDefinition {
  const kept = Object.keys(before).filter(() => random.chance(0.7))
  const tables = [...new Set([...kept, ...random.some(names, 4), 'only'])]
  return Object.fromEntries(
    tables.map((name) => {
      const old = before[name]?.fields
      const isPair = old ? old.left !== undefined : random.chance(0.15)
      const fields: Record<string, FieldDefinition> = isPair
        ? { left: old?.left ?? { type: 'integer' }, right: old?.right ?? { type: 'uuid' } }
        : { id: old?.id ?? random.one(keys) }
      for (const [field, one] of Object.entries(old ?? {}))
        if (random.chance(0.7) && (one.type !== 'm2o' || tables.includes(one.to))) fields[field] ??= one
      for (const field of random.some(names, 4)) fields[field] ??= drawField(random, tables)
      return [name, { ...(isPair && { key: ['left', 'right'] }), fields }]
    }),
  ) as SchemaDefinition
}

/** The draw, without relations to what has several keys, and with a key in each collection. */
function sound(definition: SchemaDefinition): SchemaDefinition {
  return Object.fromEntries(
    Object.entries(definition).map(([name, collection]) => {
      const fields = Object.entries(collection.fields).map(([field, one]) =>
        one.type === 'm2o' && definition[one.to]?.key !== undefined
          ? [field, { type: 'text', nullable: true }]
          : [field, one],
      )
      return [name, { ...collection, fields: Object.fromEntries(fields) }]
    }),
  ) as SchemaDefinition
}

const additionsTo = async ({ db }: OpenDatabase, schema: Schema) => {
  const text = additionsFor(await compare(db, schema, {}))
  const lines = text.split(/(?<=;)\n|(?<=^--.*)\n/m).filter((line) => line !== '')
  return {
    statements: lines.filter((line) => !line.startsWith('-- ')),
    comments: lines.filter((line) => line.startsWith('-- ')),
  }
}

describe.each(databases)('what is printed for $name', ({ open }) => {
  it('runs for random pairs of schemas, and its comments name what is left', async () => {
    const draws = drawsOf('pairs of schemas')
    let written = 0
    for (let seed = 1; seed <= draws; seed++) {
      const random = new Random(seed)
      const opened = await open()
      const before = sound(drawSchema(random))
      for (const definition of [before, sound(drawSchema(random, before))]) {
        const schema = schemaOf(definition)
        const { statements, comments } = await additionsTo(opened, schema)
        const title = `seed ${seed}\n${[...statements, ...comments].join('\n')}`
        await run(opened.db, ...statements).catch((error: unknown) => {
          throw new Error(`${title}\n${String(error)}`)
        })
        written += statements.length
        const left = (await checkSchema(opened.db, schema)).map(({ message }) => message)
        const told = comments.join('\n')
        expect(
          left.filter((message) => !told.includes(message.replace(/[\r\n]/g, ' '))),
          title,
        ).toEqual([])
        expect(comments.length, title).toBe(left.length)
        // The second time there is nothing to add but what was left to a look at the rows.
        const again = (await additionsTo(opened, schema)).statements
        expect(
          again.filter((statement) => !statement.startsWith('create unique index')),
          title,
        ).toEqual([])
      }
      await opened.close()
    }
    expect(written).toBeGreaterThan(draws * 3)
  })

  it('creates the tables of the engine, and leaves old ones to it', async () => {
    const opened = await open()
    const id = { type: 'integer', key: true } as const
    const schema = schemaOf({
      posts: { versioned: true, fields: { id, file: { type: 'm2o', to: 'files', nullable: true } } },
      files: filesDefinition as SchemaDefinition[string],
    })
    const options = { files: {}, flows: {} }
    const text = async () => additionsFor(await compare(opened.db, schema, options))
    for (const statement of (await text()).split(';\n').filter((line) => line !== ''))
      await run(opened.db, statement)
    expect(await checkSchema(opened.db, schema, options)).toEqual([])
    expect(await text()).toBe('')
    await run(opened.db, 'drop index quernel_runs_due_number')
    expect(await text()).toMatch(
      /^create index if not exists "quernel_runs_due_number" on "quernel_runs" \("due", "number"\) where .*;\n$/,
    )
    await run(opened.db, 'drop index quernel_runs_flow_lane')
    expect(await text()).toBe(
      '-- Not written, as engine.install() knows what to do: The table "quernel_runs" of the engine is old: it lacks the index "quernel_runs_due_number", "quernel_runs_flow_lane".\n',
    )
  })

  it('never drops, renames or alters', async () => {
    const opened = await open()
    await run(
      opened.db,
      'create table other (id integer primary key)',
      'create table people (id integer primary key, old text, age text not null, boss integer references other)',
      'create view names as select id, old from people',
    )
    const id = { type: 'integer', key: true } as const
    const schema = schemaOf({
      people: {
        fields: {
          id,
          age: { type: 'integer', nullable: true },
          boss: { type: 'm2o', to: 'people', nullable: true },
        },
      },
      names: { fields: { id, age: { type: 'text', nullable: true } } },
    })
    const { statements, comments } = await additionsTo(opened, schema)
    expect(statements).toEqual([])
    expect(comments.map((comment) => /^-- Not written, as ([^:]*): /.exec(comment)?.[1])).toEqual([
      'it is no plain table',
      'none that is there is dropped',
      'the type of a column is not altered',
      'what a column allows is not altered',
    ])
  })
})

describe('what is printed for a schema of PostgreSQL', () => {
  it('creates it where no table stands in it', async () => {
    const opened = await openPostgres()
    const dbSchema = `added_${process.pid}`
    const schema = schemaOf({
      posts: { dbSchema, fields: { id: { type: 'integer', key: true }, of: { type: 'm2o', to: 'people' } } },
      people: { fields: { id: { type: 'integer', key: true, generated: true } } },
    })
    const { statements, comments } = await additionsTo(opened, schema)
    await run(opened.db, ...statements)
    expect(statements[0]).toBe(`create schema if not exists "${dbSchema}";`)
    expect(comments).toEqual([
      '-- Not written, as the key is counted up where none is given: The database does not generate "id" of "people".',
    ])
    expect((await checkSchema(opened.db, schema)).map(({ kind }) => kind)).toEqual(['generated'])
    await run(opened.db, `drop schema ${dbSchema} cascade`)
  })
})
