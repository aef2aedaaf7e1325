// `checkSchema` names what a database lacks of a schema, and changes nothing.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, defineSchema, filesDefinition } from '../../../src/index.ts'
import { checkSchema, introspectSchema } from '../../../src/introspect.ts'
import { installChangeLog } from '../../../src/realtime.ts'
import type { SchemaDefinition } from '../../../src/schema/definition.ts'
import type { Schema } from '../../../src/schema/model.ts'
import { databases, openPostgres } from '../../support/databases.ts'
import { run } from '../samples/sample.ts'

const id = { type: 'integer', key: true } as const
const text = { type: 'text' } as const
const schemaOf = (definition: SchemaDefinition) => defineSchema(definition as never) as Schema

interface Case {
  readonly title: string
  readonly statements: readonly string[]
  readonly definition: SchemaDefinition
  readonly on?: 'sqlite' | 'postgres'
  /** Kinds and sentences. */
  readonly differences: readonly string[]
}

const people = 'create table people (id integer primary key, name text not null)'
const cases: readonly Case[] = [
  {
    title: 'nothing, where all is there',
    statements: [people],
    definition: { people: { fields: { id, name: text } } },
    differences: [],
  },
  {
    title: 'a table',
    statements: [people],
    definition: { posts: { table: 'articles', fields: { id } } },
    differences: ['table: There is no table "articles" for the collection "posts".'],
  },
  {
    title: 'a column',
    statements: [people],
    definition: { people: { fields: { id, mail: { ...text, column: 'email' } } } },
    differences: ['column: The table "people" has no column "email" for "mail" of "people".'],
  },
  {
    title: 'a column that takes null, and one that refuses it',
    statements: ['create table people (id integer primary key, a text not null, b text)'],
    definition: { people: { fields: { id, a: { ...text, nullable: true }, b: text } } },
    differences: [
      'nullable: "a" of "people" may be null, which its column refuses.',
      'nullable: "b" of "people" is never null, and its column may be.',
    ],
  },
  {
    title: 'a type that cannot hold the values',
    statements: ['create table people (id integer primary key, age text not null, name integer not null)'],
    definition: { people: { fields: { id, age: { type: 'integer' }, name: text } } },
    differences: [
      expect.stringMatching(
        /^type: The column "age" of "people" is "text", which cannot hold all values of "age" of "people", of the type "integer"\.$/i,
      ),
      expect.stringMatching(
        /^type: The column "name" of "people" is "integer", which cannot hold all values of "name" of "people", of the type "text"\.$/i,
      ),
    ],
  },
  {
    title: 'sizes that are smaller than the schema says',
    on: 'postgres',
    statements: [
      'create table people (id integer primary key, name varchar(10) not null, code varchar(10) not null, cost numeric(6, 2) not null, big integer not null, wide integer not null)',
    ],
    definition: {
      people: {
        fields: {
          id,
          name: { type: 'string', length: 20 },
          code: { type: 'string' },
          cost: { type: 'decimal', precision: 8, scale: 2 },
          big: { type: 'bigInteger' },
          wide: { type: 'integer', wide: true },
        },
      },
    },
    differences: [
      'type: The column "name" of "people" is "character varying(10)", which cannot hold all values of "name" of "people", of the type "string" and the length 20.',
      'type: The column "cost" of "people" is "numeric(6,2)", which cannot hold all values of "cost" of "people", of the type "decimal" with 8 digits, 2 of them behind the point.',
      'type: The column "big" of "people" is "integer", which cannot hold all values of "big" of "people", of the type "bigInteger".',
      'type: The column "wide" of "people" is "integer", which cannot hold all values of "wide" of "people", of the type "integer" with more than 32 bits.',
    ],
  },
  {
    title: 'values of an enum',
    on: 'postgres',
    statements: [
      "create type state as enum ('open', 'paid')",
      'create table orders (id integer primary key, a state not null, b state not null, c state not null, d text not null)',
    ],
    definition: {
      orders: {
        fields: {
          id,
          a: { type: 'string', values: ['paid'], enumType: 'state' },
          b: { type: 'string', values: ['open', 'lost'], enumType: 'state' },
          c: text,
          d: { type: 'string', values: ['open'], enumType: 'state' },
        },
      },
    },
    differences: [
      'type: The column "b" of "orders" is "state", which cannot hold all values of "b" of "orders", of the type "string" with the values "open", "lost" of "state".',
      'type: The column "c" of "orders" is "state", which cannot hold all values of "c" of "orders", of the type "text".',
      'type: The column "d" of "orders" is "text", which cannot hold all values of "d" of "orders", of the type "string" with the values "open" of "state".',
    ],
  },
  {
    title: 'a default and a generated value',
    statements: [
      'create table people (id integer primary key, made text not null, total integer not null, twice integer generated always as (total * 2) stored)',
    ],
    definition: {
      people: {
        fields: {
          id,
          made: { ...text, defaulted: true },
          total: { type: 'integer', generated: true },
          twice: { type: 'integer', nullable: true },
        },
      },
    },
    differences: [
      'default: The database has no default for "made" of "people".',
      'generated: The database does not generate "total" of "people".',
      'generated: The database generates "twice" of "people", so that no payload may name it.',
    ],
  },
  {
    title: 'unique columns, alone and together',
    statements: [
      'create table people (id integer not null, mail text not null, a integer not null, b integer not null)',
      'create unique index people_mail on people (mail, a)',
    ],
    definition: {
      people: {
        fields: { id, mail: { ...text, unique: true }, a: { type: 'integer' }, b: { type: 'integer' } },
      },
      pairs: { table: 'people', key: ['a', 'b'], fields: { a: { type: 'integer' }, b: { type: 'integer' } } },
      whole: {
        table: 'people',
        key: ['mail', 'a', 'b'],
        fields: { mail: text, a: { type: 'integer' }, b: { type: 'integer' } },
      },
    },
    differences: [
      'unique: Nothing in the database keeps "id" of "people" unique.',
      'unique: Nothing in the database keeps "mail" of "people" unique.',
      'unique: Nothing in the database keeps "a" and "b" of "pairs" unique together.',
    ],
  },
  {
    title: 'foreign keys',
    statements: [
      people,
      'create table robots (id integer primary key)',
      'create table posts (id integer primary key, a integer references people, b integer references robots, c integer, d integer references people (id))',
    ],
    definition: {
      people: { fields: { id } },
      posts: {
        fields: {
          id,
          a: { type: 'm2o', to: 'people', nullable: true },
          b: { type: 'm2o', to: 'people', nullable: true },
          c: { type: 'm2o', to: 'people', nullable: true },
          owner: { type: 'm2o', to: 'people', column: 'd', nullable: true },
        },
      },
    },
    differences: [
      'foreign key: The foreign key of "b" of "posts" leads to "robots (id)", and not to "people (id)".',
      'foreign key: No foreign key leads from "c" of "posts" to "people (id)".',
    ],
  },
  {
    title: 'an index, where the catalogue tells of them',
    on: 'sqlite',
    statements: [
      'create table tags (id integer primary key, a text, b text)',
      'create index tags_b on tags (b)',
    ],
    definition: {
      tags: {
        fields: {
          id,
          a: { ...text, nullable: true, indexed: true },
          b: { ...text, nullable: true, indexed: true },
        },
      },
    },
    differences: ['index: No index begins with the column of "a" of "tags".'],
  },
  {
    title: 'a view as far as it can be',
    statements: [people, 'create view names as select id, name, id as person from people'],
    definition: {
      names: {
        fields: {
          id,
          name: { ...text, unique: true },
          lost: text,
          person: { type: 'm2o', to: 'people' },
        },
      },
      people: { fields: { id } },
    },
    differences: ['column: The table "names" has no column "lost" for "lost" of "names".'],
  },
]

describe.each(databases)('checkSchema finds on $name', ({ name, open }) => {
  it.each(cases.filter(({ on = name }) => on === name))(
    '$title',
    async ({ statements, definition, differences }) => {
      const { db } = await open()
      await run(db, ...statements)
      const found = await checkSchema(db, schemaOf(definition))
      expect(found.map(({ kind, message }) => `${kind}: ${message}`)).toEqual(differences)
    },
  )

  it('says of each what is wished and what is found', async () => {
    const { db } = await open()
    await run(db, 'create table people (id integer primary key, a text not null)')
    const schema = schemaOf({ people: { fields: { id, a: { ...text, nullable: true }, b: text } } })
    expect(await checkSchema(db, schema)).toEqual([
      {
        kind: 'nullable',
        collection: 'people',
        field: 'a',
        wished: 'nullable',
        found: 'not null',
        message: '"a" of "people" may be null, which its column refuses.',
      },
      {
        kind: 'column',
        collection: 'people',
        field: 'b',
        wished: 'b',
        found: null,
        message: 'The table "people" has no column "b" for "b" of "people".',
      },
    ])
  })

  it('the tables of the engine that are not installed, or old', async () => {
    const { db } = await open()
    await run(db, people)
    const schema = schemaOf({ people: { versioned: true, fields: { id, name: text } } })
    const options = { files: {}, flows: {} }
    const sentences = async (more = options) =>
      (await checkSchema(db, schema, more)).map(({ message }) => message)
    expect((await checkSchema(db, schema)).map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      'own table: There is no table "versions", which engine.install() creates.',
    ])
    expect(await sentences()).toHaveLength(6)
    const storage = {} as never // nothing is stored
    await createEngine({ db, schema, flows: {}, storage }).install()
    expect(await sentences()).toEqual([])
    await run(db, 'drop index quernel_runs_due_number')
    expect(await sentences()).toEqual([
      'The table "quernel_runs" of the engine is old: it lacks the index "quernel_runs_due_number".',
    ])
    await run(db, 'alter table quernel_flows rename column tick to other')
    expect((await sentences())[1]).toMatch(
      /^The table "quernel_flows" of the engine is old: it lacks the column "/,
    )
  })

  it('once what the schema and the engine both describe', async () => {
    const { db } = await open()
    const schema = schemaOf({ files: filesDefinition as SchemaDefinition[string] })
    expect((await checkSchema(db, schema)).map(({ kind }) => kind)).toEqual(['table'])
    expect((await checkSchema(db, schema, { files: {} })).map(({ kind }) => kind)).toEqual(['own table'])
  })

  it('a change log that sleeps', async () => {
    const { db } = await open()
    await run(db, people, 'create table tags (id integer primary key)')
    const schema = schemaOf({ people: { fields: { id, name: text } }, tags: { fields: { id } } })
    await installChangeLog(createEngine({ db, schema }), ['people'])
    expect(await checkSchema(db, schema)).toEqual([])
    const on = name === 'sqlite' ? '' : ' on people'
    await run(db, `drop trigger quernel_log_people_insert${on}`)
    expect(await checkSchema(db, schema)).toMatchObject([
      {
        kind: 'change log',
        collection: 'people',
        message: expect.stringContaining('The change log lacks changes of "people", which lacks the trigger'),
      },
    ])
  })
})

describe('checkSchema on PostgreSQL', () => {
  it('says what the role may not read, and not that it is missing', async () => {
    const { db } = await openPostgres()
    const role = `reader_${process.pid}`
    await run(db, 'create table people (id integer primary key, name text not null, mail text not null)')
    await run(db, 'create table secrets (id integer primary key)', `create schema away_${role}`)
    await run(db, `create table away_${role}.far (id integer primary key)`, `create role ${role}`)
    const home = (await sql<{ home: string }>`select current_schema() as home`.execute(db)).rows[0]?.home
    await run(db, `grant usage on schema ${home} to ${role}`, `grant select (id, name) on people to ${role}`)
    const schema = schemaOf({
      people: { fields: { id, name: text, mail: text, lost: text } },
      secrets: { fields: { id } },
      far: { dbSchema: `away_${role}`, fields: { id } },
      near: { table: 'far', fields: { id } },
    })
    const found = await db.transaction().execute(async (transaction) => {
      await sql.raw(`set local search_path = ${home}, away_${role}`).execute(transaction)
      await sql.raw(`set local role ${role}`).execute(transaction)
      return checkSchema(transaction, schema)
    })
    const hidden = 'is there, and the role of this connection may not read it, so'
    expect(found.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      `unreadable: The column "mail" of "people" ${hidden} "people" is not checked in full.`,
      'column: The table "people" has no column "lost" for "lost" of "people".',
      'unreadable: The table "secrets" has no columns that can be read, so "secrets" is not checked in full.',
      'unreadable: The table "far" has no columns that can be read, so "far" is not checked in full.',
      `unreadable: The table "far" ${hidden} "near" is not checked in full.`,
    ])
    await run(db, `drop owned by ${role}`, `drop role ${role}`, `drop schema away_${role} cascade`)
  })

  it('checks partitions, foreign keys between schemas, and tables of inheritance', async () => {
    const { db } = await openPostgres()
    await run(
      db,
      'create table events (id integer not null, day date not null, primary key (id, day)) partition by range (day)',
      "create table events_2026 partition of events for values from ('2026-01-01') to ('2027-01-01')",
    )
    const fields = { id: { type: 'integer' }, day: { type: 'date' }, lost: text } as const
    const schema = schemaOf({
      events: { key: ['id', 'day'], fields },
      events_2026: { key: ['id', 'day'], fields },
    })
    expect((await checkSchema(db, schema)).map(({ message }) => message)).toEqual([
      'The table "events" has no column "lost" for "lost" of "events".',
      'The table "events_2026" has no column "lost" for "lost" of "events_2026".',
    ])
    expect(await checkSchema(db, await introspectSchema(db))).toEqual([])
  })

  it('checks foreign tables as far as they can be', async () => {
    const { db } = await openPostgres()
    const wrapper = `away_${process.pid}`
    await run(
      db,
      'create extension if not exists file_fdw schema pg_catalog',
      `create server ${wrapper} foreign data wrapper file_fdw`,
      `create foreign table far (id integer not null, name text) server ${wrapper} options (filename '/dev/null')`,
    )
    const name = { type: 'string', unique: true, nullable: true } as const
    const schema = schemaOf({ far: { fields: { id, name, age: { type: 'integer', nullable: true } } } })
    expect((await checkSchema(db, schema)).map(({ message }) => message)).toEqual([
      'The table "far" has no column "age" for "age" of "far".',
    ])
    await run(db, `drop server ${wrapper} cascade`)
  })

  it('checks foreign tables whose wrapper has no handler, and views of them', async () => {
    const { db } = await openPostgres()
    const wrapper = `mute_${process.pid}`
    await run(
      db,
      `create foreign data wrapper ${wrapper}`,
      `create server ${wrapper} foreign data wrapper ${wrapper}`,
      `create foreign table far (id integer not null, name text) server ${wrapper}`,
      'create view near as select id, name from far',
      'create view nearer as select id from near',
    )
    const name = { type: 'string', nullable: true } as const
    const fields = { id, name, age: { type: 'integer', nullable: true } } as const
    const schema = schemaOf({ far: { fields }, near: { fields }, nearer: { fields: { id } } })
    expect((await checkSchema(db, schema)).map(({ message }) => message)).toEqual([
      'The table "far" has no column "age" for "age" of "far".',
      'The table "near" has no column "age" for "age" of "near".',
    ])
    const { definition } = await introspectSchema(db)
    expect(Object.keys(definition)).toEqual(['far', 'near', 'nearer'])
    expect(definition.near?.fields).toMatchObject({ name: { readonly: true } })
    await run(db, `drop foreign data wrapper ${wrapper} cascade`)
  })

  it('says that the role may not look for the tables and the change log of the engine', async () => {
    const { db } = await openPostgres()
    const role = `blind_${process.pid}`
    const home = (await sql<{ home: string }>`select current_schema() as home`.execute(db)).rows[0]?.home
    await run(db, people, `create role ${role}`)
    const schema = schemaOf({ people: { versioned: true, fields: { id, name: text } } })
    const engine = createEngine({ db, schema })
    await engine.install()
    await installChangeLog(engine, ['people'])
    // A statement that is refused fails the transaction, which newer versions of Kysely do not commit.
    const undone = new Error('undone')
    const seenBy = async (rights: string) => {
      let seen: readonly string[] = []
      const work = db.transaction().execute(async (transaction) => {
        if (rights !== '') await sql.raw(rights).execute(transaction)
        await sql.raw(`set local role ${role}`).execute(transaction)
        seen = (await checkSchema(transaction, schema)).map(({ kind, message }) => `${kind}: ${message}`)
        throw undone
      })
      await expect(work).rejects.toBe(undone)
      return seen
    }
    const hidden = 'is there, and the role of this connection may not read it, so'
    expect(await seenBy('')).toEqual([
      `unreadable: The table "people" ${hidden} "people" is not checked in full.`,
      `unreadable: The table "versions" ${hidden} "versions" is not checked in full.`,
    ])
    expect(await seenBy(`grant usage on schema ${home} to ${role}`)).toEqual([
      'unreadable: The table "people" has no columns that can be read, so "people" is not checked in full.',
      'unreadable: The change log is there, and the role of this connection may not read it, so it is not checked.',
    ])
    await run(db, `drop owned by ${role}`, `drop role ${role}`)
  })
})
