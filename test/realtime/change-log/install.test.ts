// The change log is installed, mended and removed.
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, defineSchema, deleteItem, updateItem } from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { checkChangeLog, installChangeLog, removeChangeLog } from '../../../src/realtime.ts'
import { databases } from '../../support/databases.ts'
import { listen, logged, openTables, traces, until } from './tables.ts'

describe.each(databases)('on $name', (database) => {
  it('logs rows that are created, updated and deleted, by whomever', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    await run(`insert into tasks values (3, 'Hide', 2), (4, 'Seek', null)`)
    await run('update tasks set owner = 2 where id = 1')
    await run(`insert into seats values ('A,1', 7, null)`)
    await run('delete from people where id = 1')
    await until(() => heard.texts.some((text) => text.startsWith('delete people')))
    await until(() => heard.texts.includes('update tasks 2'))
    expect(heard.texts.toSorted()).toEqual([
      'create seats ["A,1",7]',
      'create tasks 3',
      'create tasks 4',
      'delete people 1',
      'update tasks 1',
      // By the foreign key that sets it to null.
      'update tasks 2',
    ])
    const updates = heard.changes.filter(({ collection, operation }) => collection === 'tasks' && !operation)
    expect(updates.flatMap(({ before }) => before)).toEqual([
      { id: 1, owner: 1 },
      { id: 2, owner: 1 },
    ])
  })

  it('logs a changed key as two rows', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    await run('update tasks set id = 20 where id = 2')
    await until(() => heard.texts.length >= 2)
    expect(heard.texts.toSorted()).toEqual(['create tasks 20', 'update tasks 2'])
  })

  it('tells what the engine writes itself once', async () => {
    const { engine } = await openTables(database)
    await installChangeLog(engine, logged)
    const heard = await listen(engine, { everyMs: 600_000 })
    await createItem(engine, 'tasks', { id: 9, title: 'Sing' })
    await until(() => heard.texts.length > 0)
    await updateItem(engine, 'tasks', 9, { title: 'Hum' })
    await until(() => heard.texts.length > 1)
    await deleteItem(engine, 'tasks', 9)
    await until(() => heard.texts.length > 2)
    expect(heard.texts).toEqual(['create tasks 9', 'update tasks 9', 'delete tasks 9'])
  })

  it('changes nothing when it is installed twice', async () => {
    const { engine } = await openTables(database)
    const first = await installChangeLog(engine, logged)
    expect(first.statements.length).toBeGreaterThan(5)
    expect(await installChangeLog(engine, logged)).toEqual({ statements: [], remarks: [] })
    expect(await installChangeLog(engine, ['tasks'], { keep: { rows: 5_000 } })).toMatchObject({
      statements: [expect.stringContaining('5000')],
    })
    expect(await installChangeLog(engine, logged)).toEqual({ statements: [], remarks: [] })
  })

  it('is installed by several at once, of whom one does it', async () => {
    const { engine } = await openTables(database)
    const reports = await Promise.all([1, 2, 3, 4].map(() => installChangeLog(engine, logged)))
    expect(reports.filter(({ statements }) => statements.length > 0)).toHaveLength(1)
    expect(await checkChangeLog(engine)).toMatchObject({ isInstalled: true, broken: [], logged: [...logged] })
    const removals = await Promise.all([1, 2].map(() => removeChangeLog(engine)))
    expect(removals.filter(({ statements }) => statements.length > 0)).toHaveLength(1)
  })

  it('commits with the transaction in which it is installed', async () => {
    const { engine } = await openTables(database)
    const undone = engine.transaction(async (inside) => {
      await installChangeLog(inside, logged)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect((await checkChangeLog(engine)).isInstalled).toBe(false)
    await engine.transaction((inside) => installChangeLog(inside, logged))
    expect((await checkChangeLog(engine)).logged).toEqual([...logged])
  })

  it('takes names for those of others in no case', async () => {
    const { db, run } = await openTables(database)
    const long = 'x'.repeat(58)
    const tables = {
      tasks: 'tasks',
      tasks_before: 'tasks_before',
      Tasks: 'tasks of others',
      quoted: 'we"ird',
      [`${long}1`]: `${long}1`,
      [`${long}2`]: `${long}2`,
    }
    const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
    for (const table of Object.values(tables).slice(1))
      await run(`create table ${quoted(table)} ("I""d" integer primary key)`)
    const key = (table: string) => (table === 'tasks' ? 'id' : 'I"d')
    const schema = defineSchema(
      Object.fromEntries(
        Object.entries(tables).map(([name, table]) => [
          name,
          { table, fields: { id: { type: 'integer', key: true, column: key(table) } } } as const,
        ]),
      ),
    )
    const engine = createEngine({ db, schema })
    const names = Object.keys(tables)
    await installChangeLog(engine, names)
    expect(await checkChangeLog(engine)).toMatchObject({ broken: [], logged: names })
    expect((await installChangeLog(engine, names)).statements).toEqual([])
    const heard = await listen(engine)
    for (const table of Object.values(tables))
      await run(`insert into ${quoted(table)} (${quoted(key(table))}) values (77)`)
    await until(() => heard.texts.length >= names.length)
    expect(heard.texts).toEqual(names.map((name) => `create ${name} 77`))
    await removeChangeLog(engine, ['tasks_before'])
    expect(await checkChangeLog(engine)).toMatchObject({
      broken: [],
      logged: names.filter((name) => name !== 'tasks_before'),
    })
  })

  it('returns its statements, and runs none, where it is dry', async () => {
    const { engine, run } = await openTables(database)
    const { statements } = await installChangeLog(engine, logged, { dryRun: true })
    expect((await checkChangeLog(engine)).isInstalled).toBe(false)
    for (const statement of statements) await run(statement)
    expect(await checkChangeLog(engine)).toMatchObject({ isInstalled: true, logged: [...logged] })
    expect(await installChangeLog(engine, logged)).toEqual({ statements: [], remarks: [] })
  })

  it('leaves no trace when it is removed', async () => {
    const { engine, db, run, rows } = await openTables(database)
    const before = await traces(rows, database.name)
    await installChangeLog(engine, logged)
    await run(`insert into people values (5, 'Eve')`)
    expect(await traces(rows, database.name)).not.toEqual(before)
    await removeChangeLog(engine, ['people'])
    const status = await checkChangeLog(engine)
    expect(status.logged).toEqual(['tasks', 'seats'])
    // The last entry stays, where its number is the next one's.
    expect(status.rows).toBeLessThanOrEqual(1)
    await run(`insert into people values (6, 'Fay')`)
    await removeChangeLog(engine)
    expect(await traces(rows, database.name)).toEqual(before)
    await sql`insert into tasks values (7, 'Rest', 1)`.execute(db)
    expect(await removeChangeLog(engine)).toEqual({ statements: [], remarks: [] })
  })

  it('is no collection of an introspected schema', async () => {
    const { engine, db } = await openTables(database)
    const before = await introspectSchema(db)
    await installChangeLog(engine, logged)
    const after = await introspectSchema(db)
    expect([...after.collections.keys()]).toEqual([...before.collections.keys()])
  })

  it('refuses what cannot be logged, and installs nothing of it', async () => {
    const { engine } = await openTables(database)
    const refused = await installChangeLog(engine, ['tasks', 'named', 'keyless', 'nowhere']).catch(
      (error) => error,
    )
    expect(refused).toMatchObject({ code: 'INVALID_OPTIONS' })
    expect(refused.errors.map(({ message }: Error) => message)).toEqual([
      '"keyless" has no key, so that its written rows could not be identified.',
      '"named" has a table that is a view, which has no rows of its own.',
      '"nowhere" has a table that does not exist.',
    ])
    // @ts-expect-error There is no such collection.
    await expect(installChangeLog(engine, ['taks'])).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      hint: 'Did you mean "tasks"?',
    })
    expect((await checkChangeLog(engine)).isInstalled).toBe(false)
  })

  it('whose settings somebody has deleted is none, until it is installed again and read anew', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    const heard = await listen(engine)
    await run('delete from quernel_changes_state')
    expect((await checkChangeLog(engine)).isInstalled).toBe(false)
    await until(() => heard.blind.includes('tasks'))
    const mended = await installChangeLog(engine, logged)
    expect(mended.statements).toHaveLength(1)
    expect((await checkChangeLog(engine)).isInstalled).toBe(true)
    await until(() => !heard.blind.includes('tasks'))
    await run(`insert into tasks values (9, 'Draw', null)`)
    await until(() => heard.texts.includes('create tasks 9'))
    expect((await installChangeLog(engine, logged)).statements).toEqual([])
  })

  it('of which a part is missing is removed, and leaves no trace', async () => {
    const { engine, run, rows } = await openTables(database)
    const before = await traces(rows, database.name)
    await installChangeLog(engine, logged)
    await run('drop table quernel_changes_state')
    await expect(installChangeLog(engine, logged)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    await removeChangeLog(engine)
    expect(await traces(rows, database.name)).toEqual(before)
  })

  it('leaves a table of its name alone that is somebody else’s', async () => {
    const { engine, run, rows } = await openTables(database)
    await run('create table quernel_changes (id integer primary key, note text)')
    await run(`insert into quernel_changes values (1, 'mine')`)
    for (const call of [() => installChangeLog(engine, logged), () => removeChangeLog(engine)])
      await expect(call()).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        message: expect.stringContaining('none of the change log'),
      })
    expect(await rows('select note from quernel_changes')).toEqual([{ note: 'mine' }])
  })

  it('finds triggers that are gone or older than the schema, and mends them', async () => {
    const { engine, run } = await openTables(database)
    await installChangeLog(engine, logged)
    await run(
      database.name === 'sqlite'
        ? 'drop trigger quernel_log_tasks_update'
        : 'alter table tasks disable trigger quernel_log_tasks_update',
    )
    expect((await checkChangeLog(engine)).broken).toEqual([
      { collection: 'tasks', reason: expect.stringContaining('quernel_log_tasks_update') },
    ])
    await installChangeLog(engine, logged)
    expect(await checkChangeLog(engine)).toMatchObject({ broken: [], logged: [...logged] })
    const heard = await listen(engine)
    await run(`update tasks set title = 'again'`)
    await until(() => heard.texts.length === 2)
  })
})
