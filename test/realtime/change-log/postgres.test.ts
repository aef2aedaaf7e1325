// What PostgreSQL does with triggers: partitions, statements of every kind, roles, and transactions that commit in any order.

import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { createEngine, defineSchema } from '../../../src/index.ts'
import { watchEveryMs } from '../../../src/realtime/change-log/logged-tables.ts'
import { changeLogSource, checkChangeLog, installChangeLog } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { databases, openPostgres } from '../../support/databases.ts'
import { integer, key, text } from '../../support/fields.ts'
import { Listener, listen, logged, type OpenedLog, openTables, until } from './tables.ts'

const database = databases.find(({ name }) => name === 'postgres') ?? { open: openPostgres }

let opened: OpenedLog
beforeEach(async () => {
  opened = await openTables(database)
})

async function connect(options: { readonly role?: string } = {}): Promise<pg.Client> {
  const [row] = await opened.rows('select current_schema() as name')
  const role = options.role === undefined ? '' : ` -c role=${options.role}`
  const client = new pg.Client({
    connectionString: inject('postgres').c,
    options: `-c search_path=${row?.name}${role}`,
  })
  await client.connect()
  atEnd(() => client.end())
  return client
}

describe('statements', () => {
  it('are logged whatever they are: conflicts, merges, copies, truncations', async () => {
    const { engine, run } = opened
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    const texts = async (statement: string, expected: readonly string[]) => {
      const before = heard.texts.length
      await run(statement)
      await until(() => heard.texts.length >= before + expected.length)
      expect(heard.texts.slice(before).toSorted()).toEqual(expected)
    }
    await texts(
      `insert into tasks values (1, 'x', 1), (5, 'new', 1) on conflict (id) do update set title = excluded.title`,
      ['create tasks 5', 'update tasks 1'],
    )
    await texts(`insert into tasks values (1, 'x', 1), (6, 'new', 1) on conflict do nothing`, [
      'create tasks 6',
    ])
    await texts(
      `merge into tasks using (values (5, 'gone'), (6, 'kept'), (7, 'made')) as v (id, title) on v.id = tasks.id
        when matched and v.title = 'gone' then delete when matched then update set title = v.title
        when not matched then insert values (v.id, v.title, null)`,
      ['create tasks 7', 'delete tasks 5', 'update tasks 6'],
    )
    await texts(
      'with gone as (delete from tasks where id = 7 returning *) insert into tasks select 8, title, owner from gone',
      ['create tasks 8', 'delete tasks 7'],
    )
    await texts(`copy tasks (id, title) from program 'printf "901,x\\n902,y\\n"' with (format csv)`, [
      'create tasks 901',
      'create tasks 902',
    ])
    await texts('truncate people cascade', ['any people', 'any tasks'])
  })

  it('are logged by whichever role, replica or one that owns nothing, which sees nothing of the log', async () => {
    const { engine, run, rows } = opened
    await installChangeLog(engine, logged)
    const role = `nobody_${randomBytes(4).toString('hex')}`
    const [home] = await rows('select current_schema() as name')
    await run(`create role ${role}`)
    atEnd(() => run(`drop owned by ${role}; drop role ${role}`))
    await run(`grant usage on schema ${home?.name} to ${role}`)
    await run(`grant insert, update, delete, select on tasks to ${role}`)
    const heard = await listen(engine)
    const client = await connect({ role })
    await client.query(`insert into tasks values (10, 'by nobody', null)`)
    await until(() => heard.texts.includes('create tasks 10'))
    for (const table of [
      'quernel_changes',
      'quernel_changes_state',
      'quernel_changes_marks',
      'quernel_changes_epoch',
    ])
      await expect(client.query(`select * from ${table}`)).rejects.toMatchObject({ code: '42501' })
    await expect(client.query('select quernel_changes_prune(10)')).rejects.toMatchObject({ code: '42501' })
    const replica = await connect()
    await replica.query('set session_replication_role = replica')
    await replica.query('delete from tasks where id = 10')
    await until(() => heard.texts.includes('delete tasks 10'))
  })

  it('of a role that may not create triggers are printed for whoever may', async () => {
    const { run, rows } = opened
    const role = `writer_${randomBytes(4).toString('hex')}`
    const [home] = await rows('select current_schema() as name')
    await run(`create role ${role} login`)
    atEnd(() => run(`drop owned by ${role}; drop role ${role}`))
    await run(`grant usage on schema ${home?.name} to ${role}; grant all on tasks to ${role}`)
    const { db } = await openPostgres()
    const { sql } = await import('kysely')
    await db.connection().execute(async (own) => {
      await sql.raw(`set search_path = ${home?.name}; set role ${role}`).execute(own)
      const engine = createEngine({ db: own, schema: opened.engine.schema })
      const refused = await installChangeLog(engine, ['tasks']).catch((error) => error)
      expect(refused).toMatchObject({ code: 'FORBIDDEN' })
      expect(refused.message).toMatch(/owning the table .*tasks, and CREATE on the schema test_/)
      expect(refused.message).not.toContain('create trigger')
      for (const statement of refused.extensions.statements) await run(statement)
      await sql.raw('reset role').execute(own)
    })
    expect((await checkChangeLog(opened.engine)).logged).toEqual(['tasks'])
  })

  it('of transactions in any order are told once they are committed, and never if they are undone', async () => {
    const { engine } = opened
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    const [slow, quick, undone] = [await connect(), await connect(), await connect()]
    await slow.query(`begin; insert into tasks values (20, 'slow', null)`)
    await undone.query(`begin; insert into tasks values (21, 'undone', null)`)
    await quick.query(`insert into tasks values (22, 'quick', null)`)
    await until(() => heard.texts.includes('create tasks 22'))
    await slow.query(`savepoint one; insert into tasks values (23, 'in a part', null); release one`)
    await slow.query(
      `savepoint two; insert into tasks values (24, 'in an undone part', null); rollback to two`,
    )
    await undone.query('rollback')
    await quick.query(`insert into tasks values (25, 'quick', null)`)
    await until(() => heard.texts.includes('create tasks 25'))
    expect(heard.texts).toEqual(['create tasks 22', 'create tasks 25'])
    await slow.query('commit')
    await until(() => heard.texts.length >= 4)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(heard.texts.slice(2).toSorted()).toEqual(['create tasks 20', 'create tasks 23'])
  })
})

describe('partitions', () => {
  const schema = defineSchema({
    events: { key: ['id', 'day'], fields: { id: integer, day: integer, text: text } },
  })
  const open = async () => {
    await opened.run(
      'create table events (id integer, day integer, text text, primary key (id, day)) partition by range (day)',
    )
    await opened.run('create table early partition of events for values from (0) to (10)')
    await opened.run(
      'create table late partition of events for values from (10) to (20) partition by range (day)',
    )
    await opened.run('create table latest partition of late for values from (10) to (20)')
    const engine = createEngine({ db: opened.db, schema })
    await installChangeLog(engine, ['events'])
    return engine
  }

  it('are logged when they are written, truncated and moved between, directly or not', async () => {
    const { run } = opened
    const engine = await open()
    expect(await installChangeLog(engine, ['events'])).toEqual({ statements: [], remarks: [] })
    const heard = await listen(engine)
    await run(`insert into events values (1, 1, 'a'), (2, 12, 'b')`)
    await run(`insert into latest values (3, 13, 'c')`)
    await run('update events set day = 11 where id = 1')
    await run(`update early set text = 'none'`)
    await run('delete from latest where id = 2')
    await until(() => heard.texts.length >= 6)
    expect(heard.texts).toEqual([
      'create events [1,1]',
      'create events [2,12]',
      'create events [3,13]',
      'delete events [1,1]',
      'create events [1,11]',
      'delete events [2,12]',
    ])
    await run('truncate latest')
    await until(() => heard.texts.includes('any events'))
    await run('truncate events')
    await until(() => heard.texts.filter((text) => text === 'any events').length > 1)
  })

  it('that come and go are noticed', async () => {
    const { run } = opened
    const engine = await open()
    const source = changeLogSource({ everyMs: 10, ...{ [watchEveryMs]: 30 } })
    const heard = new Listener(engine, source)
    await until(() => heard.batches.length > 0)
    expect(heard.blind).toEqual([])
    await run('alter table events detach partition early')
    await until(() => heard.texts.includes('any events'))
    expect(heard.blind).toEqual([])
    await run(`insert into early values (7, 7, 'apart')`)
    await run('alter table events attach partition early for values from (0) to (10)')
    await run(`insert into early values (8, 8, 'again')`)
    await until(() => heard.texts.includes('create events [8,8]'))
    await until(() => heard.texts.filter((text) => text === 'any events').length > 1)
    await run('create table new partition of events for values from (20) to (30)')
    await until(() => heard.blind.includes('events'))
    expect(heard.batches.findLast(({ blind }) => blind)?.blind?.[0]?.reason).toMatch(
      /lacks the trigger .*truncate/,
    )
    await run(`insert into new values (9, 21, 'new')`)
    await until(() => heard.texts.includes('create events [9,21]'))
    await installChangeLog(engine, ['events'])
    await until(() => heard.blind.length === 0)
  })

  it('that are foreign, and tables that others inherit from, are refused', async () => {
    const { run, db } = opened
    await run('create foreign data wrapper nowhere')
    await run('create server nothing foreign data wrapper nowhere')
    atEnd(() => run('drop foreign data wrapper nowhere cascade'))
    await run('create foreign table abroad (id integer) server nothing')
    await run('create table halves (id integer not null) partition by range (id)')
    const halves = defineSchema({
      abroad: { fields: { id: key } },
      halves: { fields: { id: key } },
    })
    const engine = createEngine({ db, schema: halves })
    await expect(installChangeLog(engine, ['abroad', 'halves'])).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: '"abroad" has a table that is a foreign table, whose rows others write.',
    })
    expect((await checkChangeLog(engine)).isInstalled).toBe(false)
    await installChangeLog(engine, ['halves'])
    const often = changeLogSource({ everyMs: 10, ...{ [watchEveryMs]: 30 } })
    const heard = new Listener(engine, often)
    await until(() => heard.batches.length > 0)
    expect(heard.blind).toEqual(['abroad'])
    await run('create foreign table far partition of halves for values from (0) to (10) server nothing')
    await until(() => heard.blind.includes('halves'))
    await expect(installChangeLog(engine, ['halves'])).rejects.toMatchObject({
      message: '"halves" has a table that has a partition that is a foreign table, whose rows others write.',
    })
    await run('create table base (id integer primary key)')
    await run('create table derived () inherits (base)')
    const bases = defineSchema({ base: { fields: { id: key } } })
    await expect(installChangeLog(createEngine({ db, schema: bases }), ['base'])).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: '"base" has a table that has tables that inherit from it, whose rows are written apart.',
    })
  })
})

describe('values', () => {
  it('of keys of every type are told as results show them', async () => {
    const { run, db } = opened
    const { schema, tables, inserts, keys } = keyed
    for (const table of tables) await run(table)
    const engine = createEngine({ db, schema })
    await installChangeLog(engine, [...schema.collections.keys()] as 'bigs'[])
    const heard = await listen(engine)
    for (const insert of inserts) await run(insert)
    await until(() => heard.texts.length >= keys.length)
    expect(heard.texts).toEqual(keys)
  })
})

describe('a table', () => {
  it('with columns of any name is written to, and not refused for what the log calls its own', async () => {
    const { db, run } = opened
    const names = [
      'own',
      'written',
      'last',
      'q',
      'm',
      'key',
      'op',
      'old',
      'xid',
      'collection',
      'tg_op',
    ] as const
    await run(
      `create table owned (id integer primary key, ${names.map((name) => `"${name}" integer`).join(', ')})`,
    )
    const owned = defineSchema({ owned: { fields: { id: key } } })
    const engine = createEngine({ db, schema: owned })
    await installChangeLog(engine, ['owned'])
    const heard = await listen(engine)
    await run('insert into owned (id, own) values (1, 5)')
    await run('update owned set own = 6, id = 2')
    await run('delete from owned')
    await until(() => heard.texts.length >= 4)
    expect(heard.texts).toEqual(['create owned 1', 'update owned 1', 'create owned 2', 'delete owned 2'])
  })

  it('whose key is a fraction is told by all of its digits, however few the session of a writer shows', async () => {
    const { db, run } = opened
    await run('create table measures (id double precision primary key, n integer)')
    const measures = defineSchema({ measures: { fields: { id: { type: 'float', key: true } } } })
    const engine = createEngine({ db, schema: measures })
    await installChangeLog(engine, ['measures'])
    const heard = await listen(engine)
    await run(
      'set extra_float_digits = -5; insert into measures values (0.1::float8 + 0.2::float8); reset extra_float_digits',
    )
    await until(() => heard.texts.length > 0)
    expect(heard.texts).toEqual(['create measures 0.30000000000000004'])
  })
})

const keyed = {
  schema: defineSchema({
    bigs: { fields: { id: { type: 'bigInteger', key: true } } },
    uuids: { fields: { id: { type: 'uuid', key: true } } },
    bytes: { fields: { id: { type: 'binary', encoding: 'hex', key: true } } },
    days: { key: ['day', 'at'], fields: { day: { type: 'date' }, at: { type: 'timestamp' } } },
    decimals: { fields: { id: { type: 'decimal', key: true, scale: 2 } } },
    wides: { fields: { id: { type: 'integer', wide: true, key: true } } },
  }),
  tables: [
    'create table bigs (id bigint primary key)',
    'create table uuids (id uuid primary key)',
    'create table bytes (id bytea primary key)',
    'create table days (day date, at timestamptz, primary key (day, at))',
    'create table decimals (id numeric(20, 2) primary key)',
    'create table wides (id bigint primary key)',
  ],
  inserts: [
    'insert into bigs values (9007199254740993)',
    `insert into uuids values ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11')`,
    `insert into bytes values ('\\xdeadbeef')`,
    `set time zone 'Asia/Tokyo'; insert into days values ('2024-02-29', '2024-02-29T12:00:00.5Z'); reset time zone`,
    'insert into decimals values (1.5)',
    'insert into wides values (9007199254740991)',
  ],
  keys: [
    'create bigs "9007199254740993"',
    'create uuids "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"',
    'create bytes "deadbeef"',
    'create days ["2024-02-29","2024-02-29T12:00:00.500Z"]',
    'create decimals "1.50"',
    'create wides 9007199254740991',
  ],
}
