// Whose code runs as whom on PostgreSQL: nothing of the engine's own is used that somebody else owns.

import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { createEngine, type Engine, isEngineError } from '../../../src/index.ts'
import { changeLogSource, checkChangeLog, installChangeLog, removeChangeLog } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { type AnyTables, openPostgres } from '../../support/databases.ts'
import { Listener, listen, logged, openTables, schema, traces, until } from './tables.ts'

interface Person {
  readonly role: string
  readonly db: Kysely<AnyTables>
  readonly engine: Engine<typeof schema>
  readonly run: (statement: string) => Promise<readonly Record<string, unknown>[]>
}

let home: string
let admin: Person
let app: Person
let mallory: Person
const evidence = async () => (await admin.run('select * from evidence')).map(({ who }) => who)

beforeEach(async () => {
  const { db, engine, run, rows } = await openTables({ open: openPostgres })
  home = String((await rows('select current_schema() as name'))[0]?.name)
  const [own] = await rows('select current_user as role')
  admin = { role: String(own?.role), db, engine, run: rows }
  const person = async (name: string): Promise<Person> => {
    const role = `${name}_${randomBytes(4).toString('hex')}`
    await run(`create role ${role}; grant create, usage on schema ${home} to ${role}`)
    const pool = new pg.Pool({
      connectionString: inject('postgres').c,
      options: `-c search_path=${home} -c role=${role}`,
      max: 3,
    })
    const theirs = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
    atEnd(async () => {
      await theirs.destroy()
      await run(`drop owned by ${role} cascade; drop role ${role}`)
    })
    return {
      role,
      db: theirs,
      engine: createEngine({ db: theirs, schema }),
      run: async (statement) => (await pool.query(statement)).rows,
    }
  }
  app = await person('app')
  mallory = await person('mallory')
  await run('create table evidence (who text)')
  await run('grant insert on evidence to public')
  await give(app.role)
})

/** Gives the tables of the collections to a role. */
async function give(role: string): Promise<void> {
  for (const table of ['people', 'tasks', 'seats', 'keyless', 'named'])
    await admin.run(`alter table ${table} owner to ${role}`)
}

const install = ({ db }: Person) => createEngine({ db, schema, flows: {} }).install()

/** A function of a trigger that tells as whom it runs. */
const spy =
  'create function spy() returns trigger language plpgsql as $$ begin insert into evidence values (current_user); return new; end $$'

const decoys = [
  'create table quernel_changes (seq bigint generated always as identity, xid bigint, at timestamptz default now(), collection text, op text, key text, old text)',
  'create table quernel_changes_state (one integer primary key, pruned bigint, keep_ms bigint, keep_rows bigint)',
  'create table quernel_changes_marks (seq bigint primary key, xid bigint, at timestamptz)',
  'create table quernel_changes_epoch (one integer primary key, epoch text)',
]

/** What somebody with the right to create makes before the log is installed. */
const traps: Readonly<Record<string, readonly string[]>> = {
  'its tables, with triggers': [
    ...decoys,
    spy,
    ...['', '_state', '_marks', '_epoch'].map(
      (name) =>
        `create trigger spy before insert on quernel_changes${name} for each row execute function spy()`,
    ),
    'grant all on quernel_changes, quernel_changes_state, quernel_changes_marks, quernel_changes_epoch to public',
  ],
  'its tables, with rules': [
    ...decoys,
    'create rule spy as on insert to quernel_changes_state do also insert into evidence values (current_user)',
    'grant all on quernel_changes, quernel_changes_state, quernel_changes_marks, quernel_changes_epoch to public',
  ],
  'its tables, with policies that run functions': [
    ...decoys,
    'create function spy() returns boolean language plpgsql as $$ begin insert into evidence values (current_user); return true; end $$',
    'alter table quernel_changes_state enable row level security',
    'create policy spy on quernel_changes_state using (spy())',
    'grant all on quernel_changes, quernel_changes_state, quernel_changes_marks, quernel_changes_epoch to public',
  ],
  'views in the place of its tables': [
    'create function spy() returns bigint language plpgsql as $$ begin insert into evidence values (current_user); return 1; end $$',
    ...decoys.filter((text) => !text.includes('_state')),
    'create view quernel_changes_state as select 1 as one, spy() as pruned, spy() as keep_ms, spy() as keep_rows',
    'grant all on quernel_changes, quernel_changes_state, quernel_changes_marks, quernel_changes_epoch to public',
  ],
  'its sequence': ['create sequence quernel_changes_seq'],
  'a table of the name of its index': ['create table quernel_changes_xid (id integer)'],
  'a type of the name of its table': [`create type quernel_changes as enum ('a')`],
  'the function that prunes': [
    `create function quernel_changes_prune(most bigint) returns bigint language sql as 'select 0::bigint'`,
  ],
  'another function that prunes': [
    `create function quernel_changes_prune(most integer) returns bigint language sql as 'select 0::bigint'`,
  ],
  'the function of a trigger': [
    'create function quernel_log_tasks_log() returns trigger language plpgsql as $$ begin return null; end $$',
  ],
}

it.each(Object.entries(traps))(
  'where somebody made %s, neither the owner of the tables nor a superuser installs or reads it',
  async (_, statements) => {
    for (const statement of statements) await mallory.run(statement)
    const before = await traces(admin.run, 'postgres')
    for (const { engine, role } of [app, admin]) {
      await give(role)
      await expect(installChangeLog(engine, logged)).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        message: expect.stringContaining(`owned by ${mallory.role}`),
      })
      const heard = new Listener(engine, changeLogSource({ everyMs: 10 }))
      await until(() => heard.blind.includes('tasks'))
      await heard.stop()
      const isWhole = statements.length > 1
      if (isWhole) expect((await checkChangeLog(engine)).unsafe.join()).toContain(mallory.role)
    }
    await removeChangeLog(app.engine, ['tasks']).catch((error) => expect(isEngineError(error)).toBe(true))
    expect(await traces(admin.run, 'postgres')).toEqual(before)
    expect(await evidence()).toEqual([])
  },
)

/** What stays of whoever has made a table that is given to the application, each with what the refusal names. */
const left: Readonly<Record<string, readonly [statement: string, says: string]>> = {
  'a trigger': [
    'create trigger spy before insert on quernel_changes_marks for each row execute function spy()',
    'the function of the trigger',
  ],
  'a condition of a trigger': [
    'create trigger spy before insert on quernel_changes_marks for each row when (told()) execute function suppress_redundant_updates_trigger()',
    'the function of the trigger',
  ],
  'a rule': [
    'create rule spy as on insert to quernel_changes_epoch do also select told()',
    'the function of the rule',
  ],
  'a rule that writes to a table of theirs': [
    'create table evil (id integer); create rule spy as on insert to quernel_changes_epoch do also insert into evil values (1)',
    'the table of the rule',
  ],
  'a policy': [
    'alter table quernel_changes_state enable row level security; create policy spy on quernel_changes_state using (told())',
    'the function of the policy',
  ],
  'a default': [
    'alter table quernel_changes alter op set default told()::text',
    'the function of the default value',
  ],
  'a check': ['alter table quernel_changes_epoch add check (told())', 'the function of the table constraint'],
  'a generated column': [
    'alter table quernel_changes_epoch add spy boolean generated always as (told()) stored',
    'the function of the default value',
  ],
  'an index': ['create index spy on quernel_changes_marks ((told()))', 'the function of the index'],
  'a type': [
    `create type mood as enum ('a'); alter table quernel_changes add spy mood`,
    'the type of the table',
  ],
  'a table that inherits': ['create table heir () inherits (quernel_changes)', 'the table heir'],
}

it.each(Object.entries(left))(
  'who was given its tables does not use them with %s of who has made them',
  async (_, [statement, says]) => {
    await mallory.run(
      `create function told() returns boolean immutable language plpgsql as $$ begin return true; end $$; ${[...decoys, spy, statement].join(';')}`,
    )
    for (const name of ['', '_state', '_marks', '_epoch'])
      await admin.run(`alter table quernel_changes${name} owner to ${app.role}`)
    const refusal = {
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(`${says}.* is owned by ${mallory.role}`),
    }
    await expect(installChangeLog(app.engine, logged)).rejects.toMatchObject(refusal)
    expect((await checkChangeLog(app.engine)).unsafe).toContainEqual(refusal.message)
  },
)

describe('a log', () => {
  it('is installed by the owner of the tables, and is safe', async () => {
    await installChangeLog(app.engine, logged)
    const heard = await listen(app.engine)
    await admin.run(`insert into tasks values (9, 'by a superuser', null)`)
    await until(() => heard.texts.includes('create tasks 9'))
    expect(await checkChangeLog(app.engine)).toMatchObject({ unsafe: [], logged: [...logged] })
    // Whoever looks as a superuser finds it so, too.
    expect(await checkChangeLog(admin.engine)).toMatchObject({ unsafe: [], logged: [...logged] })
    const others = await listen(admin.engine)
    await app.run(`insert into tasks values (10, 'by the owner', null)`)
    await until(() => others.texts.includes('create tasks 10'))
  })

  it('is installed again by a role that has the rights of its owner', async () => {
    await installChangeLog(app.engine, ['tasks'])
    await expect(installChangeLog(mallory.engine, ['people'])).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    })
    await admin.run(`grant ${app.role} to ${mallory.role}`)
    await installChangeLog(mallory.engine, ['people'])
    expect(await checkChangeLog(app.engine)).toMatchObject({ unsafe: [], logged: ['people', 'tasks'] })
  })

  it('is not installed by a superuser for tables of somebody else, whose casts would run', async () => {
    const before = await traces(admin.run, 'postgres')
    const refused = await installChangeLog(admin.engine, ['tasks']).catch((error) => error)
    expect(refused).toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining(`is owned by ${app.role}, whose code would run as ${admin.role}`),
      hint: expect.stringContaining('as the role that owns the tables'),
    })
    expect(await traces(admin.run, 'postgres')).toEqual(before)
    // Nor by its statements, whoever runs them.
    const { statements } = await installChangeLog(admin.engine, ['tasks'], { dryRun: true })
    await expect(admin.run(`begin; ${statements.join(';')}; commit`)).rejects.toThrow('is not safe')
    await admin.run('rollback')
    await app.run(`begin; ${statements.join(';')}; commit`)
    expect(await checkChangeLog(app.engine)).toMatchObject({ unsafe: [], logged: ['tasks'] })
  })

  it('is told to be unsafe once its tables, or those under it, belong to others', async () => {
    await installChangeLog(app.engine, logged)
    await admin.run(`alter table quernel_changes_marks owner to ${mallory.role}`)
    await admin.run(`alter table people owner to ${mallory.role}`)
    const { unsafe } = await checkChangeLog(app.engine)
    expect(unsafe.toSorted()).toEqual([
      `The change log is not safe: the function ${home}.quernel_log_people_log is owned by ${app.role}, whose code would run as ${mallory.role}.`,
      `The change log is not safe: the table people is owned by ${mallory.role}, whose code would run as ${app.role}.`,
      `The change log is not safe: the table ${home}.quernel_changes_marks is owned by ${mallory.role}, whose code would run as ${app.role}.`,
    ])
    await expect(installChangeLog(app.engine, logged)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
  })

  it('has no triggers of others, whose functions would run as its owner', async () => {
    await installChangeLog(app.engine, logged)
    await app.run(`grant trigger on quernel_changes to ${mallory.role}`)
    await mallory.run(spy)
    await mallory.run(
      'create trigger spy before insert on quernel_changes for each row execute function spy()',
    )
    expect((await checkChangeLog(app.engine)).unsafe).toEqual([
      expect.stringContaining(`the function of the trigger spy on ${home}.quernel_changes`),
    ])
  })

  it.each(['public', 'mallory'])(
    'grants nothing by default privileges by which code of others could run: to %s',
    async (who) => {
      const grantee = who === 'public' ? who : `${mallory.role} with grant option`
      for (const kind of ['tables', 'functions', 'sequences'])
        await app.run(`alter default privileges grant all on ${kind} to ${grantee}`)
      await installChangeLog(app.engine, logged)
      await mallory.run('create table evil (id integer)')
      await mallory.run(spy)
      const refuses = async () => {
        for (const statement of [
          ...['', '_state', '_marks', '_epoch'].flatMap((name) => [
            `create trigger spy before insert on quernel_changes${name} for each row execute function spy()`,
            `truncate quernel_changes${name}`,
          ]),
          'create table children (seq bigint references quernel_changes_marks)',
          'create trigger log after insert on evil for each row execute function quernel_log_tasks_log()',
          `select setval('quernel_changes_seq', 1)`,
          `select nextval('quernel_changes_seq')`,
        ])
          await expect(mallory.run(statement), statement).rejects.toMatchObject({ code: '42501' })
      }
      await refuses()
      // What readers may need stays as the host has granted it.
      if (who === 'mallory') await mallory.run('select * from quernel_changes')
      await mallory.run('select last_value from quernel_changes_seq')
      // A log of before is mended, too, and then nothing is left to do.
      await app.run(`grant trigger, truncate on quernel_changes to ${mallory.role} with grant option`)
      await mallory.run('grant trigger on quernel_changes to public')
      await app.run('grant all on sequence quernel_changes_seq to public')
      expect((await installChangeLog(app.engine, logged)).statements).not.toEqual([])
      expect((await installChangeLog(app.engine, logged)).statements).toEqual([])
      await refuses()
    },
  )

  it('writes no values of types of others, whose casts would run as its owner', async () => {
    await mallory.run(`create type mood as enum ('good')`)
    await mallory.run('create domain moods as mood[]; grant usage on type moods, mood to public')
    await admin.run('alter table seats drop constraint seats_pkey')
    for (const type of ['mood', 'moods']) {
      await admin.run(`alter table seats alter hall type ${type} using null`)
      const refused = await installChangeLog(app.engine, ['seats']).catch((error) => error)
      expect(refused).toMatchObject({ code: 'INVALID_OPTIONS' })
      expect([refused, ...(refused.errors ?? [])].map(({ message }: Error) => message)).toContainEqual(
        expect.stringContaining(`the type ${type} is owned by ${mallory.role}`),
      )
    }
    await admin.run('alter table seats alter hall type text')
    await installChangeLog(app.engine, ['seats'])
  })

  it('is mended where somebody has changed the settings of its functions', async () => {
    await installChangeLog(app.engine, logged)
    await app.run('alter function quernel_log_tasks_log() reset search_path')
    await app.run('alter function quernel_log_people_log() security invoker')
    expect((await checkChangeLog(app.engine)).broken).toMatchObject([
      { collection: 'people' },
      { collection: 'tasks' },
    ])
    await installChangeLog(app.engine, logged)
    expect(await checkChangeLog(app.engine)).toMatchObject({ broken: [], logged: [...logged] })
  })

  it('asks nothing that functions of others in the search path could answer', async () => {
    for (const statement of [
      'create function format(text, name, name) returns text language plpgsql as $$ begin insert into evidence values (current_user); return pg_catalog.format($1, $2, $3); end $$',
      'create function to_regclass(unknown text) returns regclass language plpgsql as $$ begin insert into evidence values (current_user); return null; end $$',
      `create function quernel_changes_look(bigint, text) returns text language plpgsql as $$ begin insert into evidence values (current_user); return 'x'; end $$`,
      'create operator || (function = quernel_changes_look, leftarg = bigint, rightarg = text)',
      'create function same(oid, regclass) returns boolean language plpgsql as $$ begin insert into evidence values (current_user); return $1 = $2::oid; end $$',
      'create operator = (function = same, leftarg = oid, rightarg = regclass)',
    ])
      await mallory.run(statement)
    await installChangeLog(app.engine, logged)
    const heard = await listen(app.engine)
    await app.run(`insert into tasks values (9, 'x', null)`)
    await until(() => heard.texts.includes('create tasks 9'))
    await checkChangeLog(app.engine)
    await removeChangeLog(app.engine)
    expect(await evidence()).toEqual([])
  })
})

describe('an owner that is none of the installing role', () => {
  it('is trusted if nobody else may act as it, or if it may replace the tables anyway', async () => {
    await installChangeLog(app.engine, logged)
    await install(app)
    const [{ version } = {}] = await admin.run(`select current_setting('server_version_num')::int as version`)
    const tables = ['quernel_changes_marks', 'quernel_flows']
    const [staff, middle] = [`staff_${home}`, `middle_${home}`]
    const [a, m, superuser] = [app.role, mallory.role, admin.role]
    await admin.run(`create role ${staff}; create role ${middle}`)
    atEnd(() => admin.run(`drop owned by ${staff}, ${middle} cascade; drop role ${staff}, ${middle}`))
    // Who may act as the owner besides; "-" if the installing role has not even its rights.
    const cases: readonly (readonly [others: string, grant: string, undo?: string, owner?: string])[] = [
      ['', `grant ${staff} to ${a}`],
      ['', `grant ${staff} to ${middle}; grant ${middle} to ${a}`],
      ['-', `grant ${staff} to ${m}`],
      [m, `grant ${staff} to ${a}, ${m}`],
      [m, `grant ${staff} to ${a}; grant ${staff} to ${m} with admin option`],
      [`${m}, ${middle}`, `grant ${staff} to ${a}, ${middle}; grant ${middle} to ${m}`],
      [m, `grant ${staff} to ${middle}; grant ${middle} to ${a}, ${m}`],
      [
        'every role that can log in',
        `grant ${staff} to ${a}; alter role ${staff} login`,
        `alter role ${staff} nologin`,
      ],
      [
        middle,
        `grant ${staff} to ${a}, ${middle}; alter role ${middle} createrole`,
        `alter role ${middle} nocreaterole`,
      ],
      ['-', `alter role ${a} noinherit; grant ${staff} to ${a}`, `alter role ${a} inherit`],
      [m, `alter role ${m} noinherit; grant ${staff} to ${a}, ${m}`, `alter role ${m} inherit`],
      ['', `grant ${staff} to ${a}, ${m}; alter role ${m} superuser`, `alter role ${m} nosuperuser`],
      ['', `grant ${staff} to ${a}, ${m}; grant ${a} to ${m}`],
      [
        '',
        `grant ${staff} to ${a}, ${m}; alter schema ${home} owner to ${m}`,
        `alter schema ${home} owner to ${superuser}`,
      ],
      ['', `alter schema ${home} owner to ${staff}`, `alter schema ${home} owner to ${superuser}`],
      ['', '', '', 'pg_database_owner'],
      ...(Number(version) < 160_000
        ? []
        : ([
            [m, `grant ${staff} to ${a}; grant ${staff} to ${m} with inherit true, set false`],
            [m, `grant ${staff} to ${a}; grant ${staff} to ${m} with inherit false, set false`],
            ['', `grant ${staff} to ${a} with inherit true, set false`],
            ['-', `grant ${staff} to ${a} with inherit false, set true`],
            // Who makes a role is an admin of it, and of the installing one, too.
            [
              '',
              `grant ${staff} to ${a}; grant ${staff}, ${a} to ${m} with inherit false, set false, admin true`,
            ],
          ] as const)),
    ]
    for (const [others, grant, undo = '', owner = staff] of cases) {
      await admin.run(grant)
      for (const table of tables) await admin.run(`alter table ${table} owner to ${owner}`)
      const whose = others === '' || others === '-' ? '' : `, and as whom these may act: ${others}`
      const unsafe = tables.map(
        (table) => `the table ${home}.${table} is owned by ${owner}, whose code would run as ${a}${whose}`,
      )
      const found = await Promise.all([
        checkChangeLog(app.engine).then(({ unsafe: [first] }) => first),
        installChangeLog(app.engine, logged).then(
          () => undefined,
          (error) => error,
        ),
        install(app).then(
          () => undefined,
          (error) => error,
        ),
      ])
      const says = (at: number) => expect.stringContaining(`${unsafe[at]}.`)
      const refused = (at: number) =>
        expect.objectContaining({
          code: 'INVALID_OPTIONS',
          message: says(at),
          hint: expect.stringContaining('alter table … owner to'),
        })
      expect(found, grant).toEqual(
        others === '' ? [undefined, undefined, undefined] : [says(0), refused(0), refused(1)],
      )
      for (const table of tables) await admin.run(`alter table ${table} owner to ${a}`)
      await admin.run(
        `${undo}; revoke ${staff} from ${a}, ${m}, ${middle}; revoke ${middle} from ${a}, ${m}; revoke ${a} from ${m}`,
      )
    }
  })

  it('is none whose rights a superuser has, whatever it owns', async () => {
    await installChangeLog(app.engine, ['tasks'])
    await admin.run(`alter schema ${home} owner to ${app.role}`)
    await expect(installChangeLog(admin.engine, ['tasks'])).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    await admin.run(`alter schema ${home} owner to ${admin.role}`)
  })
})

describe('the other tables of an engine', () => {
  it.each([
    ['its table of versions', 'create table versions (id integer)'],
    ['the table of runs', 'create table quernel_runs (id integer)'],
    ['a view of the steps', 'create view quernel_steps as select 1 as id'],
    ['a type of the name of the flows', `create type quernel_flows as enum ('a')`],
    ['a table of the name of an index', 'create table quernel_runs_flow_tick (id integer)'],
  ])('are not those of others: %s', async (_, statement) => {
    await mallory.run(statement)
    const before = await traces(admin.run, 'postgres')
    for (const person of [app, admin])
      await expect(install(person)).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        message: expect.stringContaining(`owned by ${mallory.role}`),
      })
    expect(await traces(admin.run, 'postgres')).toEqual(before)
  })

  it.each(['public', 'mallory'])(
    'grant nothing by default privileges by which code of others could run: to %s',
    async (who) => {
      const grantee = who === 'public' ? who : mallory.role
      for (const kind of ['tables', 'sequences'])
        await app.run(`alter default privileges grant all on ${kind} to ${grantee}`)
      await install(app)
      await mallory.run(spy)
      const tables = ['versions', 'quernel_runs', 'quernel_steps', 'quernel_flows', 'quernel_runs_workers']
      const refuses = async (some = tables) => {
        for (const statement of [
          ...some.flatMap((table) => [
            `create trigger spy before insert on ${table} for each row execute function spy()`,
            `truncate ${table}`,
            `create table children (id uuid references ${table})`,
          ]),
          `select setval('quernel_steps_id_seq', 1)`,
          `select nextval('quernel_runs_number_seq')`,
        ])
          await expect(mallory.run(statement), statement).rejects.toMatchObject({ code: '42501' })
      }
      await refuses()
      // What workers need stays as the host has granted it.
      await mallory.run('insert into quernel_runs_workers select * from quernel_runs_workers')
      // Tables of before are mended, too; of one that may be the host's own, what the host has granted stays.
      await app.run(`grant all on ${tables.join(', ')} to ${grantee}`)
      await app.run(`grant all on all sequences in schema ${home} to ${grantee}`)
      await install(app)
      await refuses(tables.slice(1))
      await mallory.run('create trigger spy before insert on versions for each row execute function spy()')
      await expect(install(app)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    },
  )

  it('may be those of whoever owns all tables of the host, and have no triggers of others', async () => {
    await install(app)
    await admin.run(`grant all on all tables in schema ${home} to ${mallory.role}`)
    // Nothing is left to create.
    await install(mallory)
    await mallory.run(spy)
    await mallory.run('create trigger spy before insert on quernel_runs for each row execute function spy()')
    await expect(install(app)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    await app.run('drop trigger spy on quernel_runs')
    // The owner of one of the tables is not the host.
    await admin.run(`alter table quernel_runs owner to ${mallory.role}`)
    await admin.run(`alter table people owner to ${mallory.role}`)
    await expect(install(app)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    await admin.run(`grant ${mallory.role} to ${app.role}`)
    await install(app)
  })
})

it('nobody waits without end for the lock of an installation, which anybody may hold', async () => {
  const holder = new pg.Client(inject('postgres').c)
  await holder.connect()
  const options = `-c search_path=${home} -c lock_timeout=50`
  const pool = new pg.Pool({ connectionString: inject('postgres').c, options })
  const db = new Kysely<AnyTables>({ dialect: new PostgresDialect({ pool }) })
  atEnd(async () => {
    await db.destroy()
    await holder.end()
  })
  const engine = createEngine({ db, schema, flows: {} })
  await holder.query('select pg_advisory_lock(7310868519)')
  const held = { code: 'SERVICE_UNAVAILABLE', message: 'Another transaction holds what this one works with.' }
  await expect(engine.install()).rejects.toMatchObject(held)
  await holder.query('select pg_advisory_unlock(7310868519)')
  await engine.install()
  expect((await pool.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '50ms' }])
})
