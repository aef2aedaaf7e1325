// Tables that are more, or less, than tables: views that are written through triggers, partitions, inheritance, foreign and temporary tables,
// tables of one name, generated keys, and names of all kinds.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, deleteItem, getItem, listItems, updateItem } from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { databases, openPostgres, openSqlite } from '../../support/databases.ts'
import { integer, many, one } from '../../support/fields.ts'
import { run } from '../samples/sample.ts'

const id = { type: 'integer', key: true }

describe.each(databases)('on $name', ({ name, open }) => {
  it('names of all kinds stay in keys and relations of several columns', async () => {
    const { db } = await open()
    const long = name === 'sqlite' ? 'ä'.repeat(80) : 'ä'.repeat(31)
    await run(
      db,
      'create table "Große Bestellung" ("Bestell Nr" integer, "Zeile" integer, "Menge" integer, primary key ("Bestell Nr", "Zeile"))',
      'create table "日本" ("番号" integer primary key, "Bestell Nr" integer, "Zeile" integer, foreign key ("Bestell Nr", "Zeile") references "Große Bestellung")',
      `create table "${long}" ("${long}" integer, "Select" integer, primary key ("${long}", "Select"))`,
      `insert into "Große Bestellung" values (7, 1, 12)`,
      `insert into "日本" values (1, 7, 1)`,
      `insert into "${long}" values (3, 4)`,
    )
    const schema = await introspectSchema(db)
    expect(schema.report).toEqual([])
    const engine = createEngine({ db, schema })
    expect(
      await listItems(engine, '日本', {
        fields: ['番号', 'Große Bestellung.Menge'],
        filter: { 'Große Bestellung': { Menge: 12 } },
      }),
    ).toEqual({ data: [{ 番号: 1, 'Große Bestellung': { Menge: 12 } }] })
    expect(await getItem(engine, 'Große Bestellung', [7, 1], { fields: ['日本.番号'] })).toEqual({
      日本: [{ 番号: 1 }],
    })
    expect(await getItem(engine, long, [3, 4])).toEqual({ [long]: 3, Select: 4 })
  })

  it('generated columns are in keys, and are not written', async () => {
    const { db } = await open()
    await run(
      db,
      'create table doubled (a integer not null, b integer not null generated always as (a * 2) stored, unique (a, b))',
      'insert into doubled (a) values (4)',
    )
    const schema = await introspectSchema(db)
    expect(schema.definition.doubled).toEqual({
      key: ['a', 'b'],
      fields: { a: integer, b: { type: 'integer', generated: true } },
    })
    expect(await getItem(createEngine({ db, schema }), 'doubled', [4, 8])).toEqual({ a: 4, b: 8 })
  })
})

describe('views of SQLite', () => {
  it('are written through triggers if there is one for each way to write', async () => {
    const { db } = await openSqlite()
    await run(
      db,
      'create table a (id integer primary key, x text)',
      'create view v as select id, x from a',
      'create trigger v_update_insert instead of insert on v begin insert into a values (new.id, new.x); end',
      'create trigger v2 INSTEAD\nOF UPDATE on v begin update a set x = new.x where id = old.id; end',
      'create trigger v3 instead of delete on v begin delete from a where id = old.id; end',
      'create view w as select id, x from a',
      'create trigger w_update_delete instead of insert on w begin insert into a values (new.id, new.x); end',
    )
    const engine = createEngine({
      db,
      schema: await introspectSchema(db, { override: { v: { key: 'id' }, w: { key: 'id' } } }),
    })
    expect(await createItem(engine, 'v', { id: 1, x: 'a' })).toEqual({ id: 1, x: 'a' })
    expect(await updateItem(engine, 'v', 1, { x: 'b' })).toEqual({ id: 1, x: 'b' })
    expect(await getItem(engine, 'w', 1)).toEqual({ id: 1, x: 'b' })
    // A change that the view would pass over.
    await expect(updateItem(engine, 'w', 1, { x: 'c' })).rejects.toThrow('"x" is read-only.')
    await deleteItem(engine, 'v', 1)
    expect(await listItems(engine, 'a')).toEqual({ data: [] })
  })

  it('and tables that are temporary are in a schema of their own', async () => {
    const { db } = await openSqlite()
    await run(db, 'create table a (id integer primary key)', 'create temp table t (id integer primary key)')
    expect((await introspectSchema(db)).definition).toEqual({ a: { fields: { id } } })
    const found = await introspectSchema(db, { dbSchemas: ['temp'] })
    expect(found.definition).toEqual({ t: { dbSchema: 'temp', fields: { id } } })
    expect(await createItem(createEngine({ db, schema: found }), 't', {})).toEqual({ id: 1 })
  })
})

describe('on PostgreSQL', () => {
  it('views are written as the database or a trigger does it', async () => {
    const { db } = await openPostgres()
    await run(
      db,
      'create table a (id int primary key, x text)',
      'create view simple as select id, x from a',
      'create view joined as select a.id, b.x from a join a as b on b.id = a.id',
      'create materialized view kept as select id, x from a',
      'create unique index on kept (id)',
      `create function write_joined() returns trigger language plpgsql as $$ begin
        if tg_op = 'INSERT' then insert into a values (new.id, new.x); return new; end if;
        if tg_op = 'UPDATE' then update a set x = new.x where id = old.id; return new; end if;
        delete from a where id = old.id; return old; end $$`,
      'create trigger t instead of insert or update or delete on joined for each row execute function write_joined()',
    )
    const override = { simple: { key: 'id' }, joined: { key: 'id' }, kept: { key: 'id' } }
    const engine = createEngine({ db, schema: await introspectSchema(db, { override }) })
    for (const view of ['simple', 'joined']) {
      expect(await createItem(engine, view, { id: 1, x: 'a' })).toEqual({ id: 1, x: 'a' })
      expect(await updateItem(engine, view, 1, { x: 'b' })).toEqual({ id: 1, x: 'b' })
      await deleteItem(engine, view, 1)
      expect(await listItems(engine, 'a')).toEqual({ data: [] })
    }
    await expect(createItem(engine, 'kept', { id: 1 })).rejects.toThrow('"id" is read-only.')
  })

  it('a partition is a part of its table unless it is named', async () => {
    const { db } = await openPostgres()
    await run(
      db,
      'create table rooms (id int primary key)',
      'create table days (day date, room int references rooms, primary key (day, room)) partition by range (day)',
      "create table days_24 partition of days for values from ('2024-01-01') to ('2025-01-01')",
      "create table days_25 partition of days for values from ('2025-01-01') to ('2026-01-01')",
      'create table notes (id int primary key, day date, room int, foreign key (day, room) references days)',
      'insert into rooms values (1)',
      "insert into days values ('2024-05-01', 1), ('2025-05-01', 1)",
      "insert into notes values (1, '2024-05-01', 1)",
    )
    const whole = await introspectSchema(db)
    expect(Object.keys(whole.definition)).toEqual(['days', 'notes', 'rooms'])
    expect(
      await listItems(createEngine({ db, schema: whole }), 'notes', { fields: ['id', 'days.room.days.day'] }),
    ).toEqual({ data: [{ id: 1, days: { room: { days: [{ day: '2024-05-01' }, { day: '2025-05-01' }] } } }] })
    const { definition, report } = await introspectSchema(db, { include: ['rooms', '*s_24', 'days_24'] })
    expect(definition).toEqual({
      rooms: { fields: { id, days_24: many('days_24.room') } },
      days_24: { key: ['day', 'room'], fields: { day: { type: 'date' }, room: one('rooms') } },
    })
    expect(report).toEqual([])
  })

  it('a table from which others inherit may have a key twice, which is in the report', async () => {
    const { db } = await openPostgres()
    await run(
      db,
      'create table places (id int primary key, name text)',
      'create table towns (size int) inherits (places)',
      "insert into places values (1, 'a'), (2, 'b')",
      "insert into towns values (1, 'c', 5)",
    )
    const schema = await introspectSchema(db)
    expect(schema.report).toMatchObject([
      {
        code: 'KEY_UNSURE',
        message:
          'The column "id" of the table "places" is taken for its key: it is its primary key, though rows of tables that inherit from it may have the same.',
      },
      { code: 'NO_KEY', table: 'towns' },
    ])
    const engine = createEngine({ db, schema })
    await expect(updateItem(engine, 'places', 1, { name: 'd' })).rejects.toMatchObject({
      code: 'RECORD_NOT_UNIQUE',
    })
    expect(await updateItem(engine, 'places', 2, { name: 'd' })).toEqual({ id: 2, name: 'd' })
  })

  it('a foreign table is read, and told apart by what is declared', async () => {
    const { db } = await openPostgres()
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
    const schemaName = rows[0]?.schema ?? ''
    await run(
      db,
      'create extension if not exists file_fdw schema public',
      `create server ${schemaName}_files foreign data wrapper file_fdw`,
      `create foreign table lines (id int, x text) server ${schemaName}_files options (program 'echo 1,a', format 'csv')`,
    )
    const { report } = await introspectSchema(db)
    expect(report).toMatchObject([
      {
        code: 'NO_KEY',
        message:
          'The table "lines" does not say what identifies its rows, so its rows can be read and not written.',
        hint: `Declare it: override: { "lines": { key: '…' } }.`,
      },
    ])
    const schema = await introspectSchema(db, { override: { lines: { key: 'id' } } })
    expect(await getItem(createEngine({ db, schema }), 'lines', 1)).toEqual({ id: 1, x: 'a' })
    await run(db, `drop server ${schemaName}_files cascade`)
  })

  it('a temporary table hides no other one', async () => {
    const { db } = await openPostgres()
    await run(db, 'create table a (id int primary key)')
    await db.connection().execute(async (own) => {
      await run(own, 'create temp table a (x text)', 'create temp table b (x text)')
      expect((await introspectSchema(own)).definition).toEqual({ a: { fields: { id } } })
      await run(own, 'drop table pg_temp.a', 'drop table pg_temp.b')
    })
  })

  it('tables of one name in two schemas are two collections, whatever else has their names', async () => {
    const { db } = await openPostgres()
    const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db)
    const first = rows[0]?.schema ?? ''
    const second = `${first}_more`
    await run(
      db,
      `create schema ${second}`,
      'create table users (id int primary key)',
      `create table ${second}.users (id int primary key, home int references users)`,
      `create table "${second}_users" (id int primary key)`,
      `create table ${second}.likes (home int references users, away int references ${second}.users, primary key (home, away))`,
      'insert into users values (1)',
      `insert into ${second}.users values (2, 1)`,
      `insert into ${second}.likes values (1, 2)`,
    )
    const schema = await introspectSchema(db, { dbSchemas: [first, second] })
    expect(Object.keys(schema.definition)).toEqual([
      `${second}_users`,
      'users',
      `${second}_likes`,
      `${second}_users_2`,
    ])
    expect(schema.report).toMatchObject([
      { code: 'NAME_CHANGED', table: 'users', dbSchema: second },
      { code: 'RELATION_NAMED' },
    ])
    const engine = createEngine({ db, schema })
    const through = `${second}_users_2_through_${second}_likes`
    expect(
      await listItems(engine, 'users', { fields: ['id', `${second}_users_2.id`, `${through}.away.id`] }),
    ).toEqual({ data: [{ id: 1, [`${second}_users_2`]: [{ id: 2 }], [through]: [{ away: { id: 2 } }] }] })
    await run(db, `drop schema ${second} cascade`)
  })
})
