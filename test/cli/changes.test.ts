// `quernel changes` installs, removes and checks the change log of a database.
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { atEnd } from '../support/at-end.ts'
import { openPostgres } from '../support/databases.ts'
import { openShop, runHere, type Shop } from './command.ts'

let shop: Shop
beforeEach(() => {
  shop = openShop()
})
afterEach(() => shop.remove())

const run = (work: (database: BetterSqlite.Database) => void) => {
  const database = new BetterSqlite(shop.file)
  work(database)
  database.close()
}

describe('quernel changes', () => {
  it('installs, checks and removes', async () => {
    expect(await runHere(['changes', 'check', shop.file])).toMatchObject({
      code: 1,
      told: expect.stringContaining('no change log'),
    })
    run((database) => database.exec('create view names as select id, name from authors'))
    const installed = await runHere(['changes', 'install', shop.file, '--key', 'names=id'])
    expect(installed).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ statements were run/) })
    expect(installed.told).toContain('skipped: "names" has a table that is a view')
    expect((await runHere(['changes', 'install', shop.file])).out).toBe('Nothing to do.\n')
    run((database) => database.exec(`insert into authors values (3, 'Joan')`))
    const checked = await runHere(['changes', 'check', shop.file])
    expect(checked).toMatchObject({ code: 0 })
    expect(checked.out).toMatch(
      /^1 entries, \d+ bytes, the oldest of 2.*\nlogged: articles, authors, pairs\n$/,
    )
    run((database) => database.exec('drop trigger quernel_log_pairs_insert'))
    expect(await runHere(['changes', 'check', shop.file])).toMatchObject({
      code: 1,
      out: expect.stringContaining('broken: "pairs" lacks the trigger'),
    })
    expect((await runHere(['changes', 'remove', shop.file])).out).toMatch(/^\d+ statements were run/)
    expect(await runHere(['changes', 'check', shop.file])).toMatchObject({ code: 1 })
  })

  it('prints the statements where it is dry, and they do the same', async () => {
    const { out } = await runHere(['changes', 'install', shop.file, '--dry'])
    expect(await runHere(['changes', 'check', shop.file])).toMatchObject({ code: 1 })
    run((database) => database.exec(out))
    expect((await runHere(['changes', 'check', shop.file])).out).toContain('logged: articles, authors, pairs')
    run((database) => database.exec('delete from pairs'))
    const removal = await runHere(['changes', 'remove', shop.file, '--dry'])
    run((database) => database.exec(removal.out))
    expect(await runHere(['changes', 'check', shop.file])).toMatchObject({ code: 1 })
  })

  it('says which tables are not logged, such as one that was built anew', async () => {
    await runHere(['changes', 'install', shop.file])
    run((database) =>
      database.exec(`
        create table new_pairs (a integer not null, b integer not null, c integer, primary key (a, b));
        insert into new_pairs (a, b) select a, b from pairs;
        drop table pairs;
        alter table new_pairs rename to pairs;
      `),
    )
    const checked = await runHere(['changes', 'check', shop.file])
    expect(checked).toMatchObject({ code: 1, told: expect.stringContaining('Not all changes are logged') })
    expect(checked.out).toContain('logged: articles, authors\nnot logged: pairs\n')
    await runHere(['changes', 'install', shop.file])
    expect(await runHere(['changes', 'check', shop.file])).toMatchObject({ code: 0 })
  })

  it('removes the log of a database whose tables are gone', async () => {
    await runHere(['changes', 'install', shop.file])
    run((database) => {
      database.pragma('foreign_keys = off')
      database.exec('drop table pairs; drop table articles; drop table authors')
    })
    expect(await runHere(['changes', 'remove', shop.file])).toMatchObject({ code: 0 })
    run((database) => expect(database.prepare('select name from sqlite_master').all()).toEqual([]))
  })

  it('refuses what belongs to strangers, and says so of a log that is installed', async () => {
    const { db } = await openPostgres()
    const run = async (statement: string) =>
      (await sql.raw<Record<string, unknown>>(statement).execute(db)).rows
    const home = String((await run('select current_schema() as home'))[0]?.home)
    const [app, mallory, staff] = [`app_${home}`, `mallory_${home}`, `staff_${home}`]
    const roles = [app, mallory, staff].join(', ')
    for (const role of [app, mallory, staff]) await run(`create role ${role}`)
    atEnd(() => run(`drop owned by ${roles} cascade; drop role ${roles}`))
    await run(`grant create, usage on schema ${home} to ${roles}; grant ${staff} to ${app}, ${mallory}`)
    await run(`create table tasks (id integer primary key); alter table tasks owner to ${app}`)
    const url = new URL(inject('postgres').c)
    url.searchParams.set('options', `-c search_path=${home} -c role=${app}`)
    const changes = (...words: string[]) => runHere(['changes', ...words, String(url)])
    const told = expect.stringMatching(`is owned by ${staff}, .*: ${mallory}\\.[^]*alter table … owner to`)
    await run(
      `create table quernel_changes_xid (id integer); alter table quernel_changes_xid owner to ${staff}`,
    )
    for (const words of [['install'], ['install', '--dry']])
      expect(await changes(...words)).toMatchObject({ code: 1, told })
    await run('drop table quernel_changes_xid')
    expect(await changes('install')).toMatchObject({ code: 0 })
    expect(await changes('check')).toMatchObject({ code: 0 })
    await run(`alter table quernel_changes_marks owner to ${staff}`)
    expect(await changes('check')).toMatchObject({
      code: 1,
      out: expect.stringMatching(`unsafe: .*quernel_changes_marks is owned by ${staff}, .*: ${mallory}\\.\n`),
      told: expect.stringContaining('alter table … owner to'),
    })
    expect(await changes('install')).toMatchObject({ code: 1, told })
    expect(await changes('remove')).toMatchObject({ code: 0 })
  })

  it('says what it takes', async () => {
    expect(await runHere(['changes', 'remove', shop.file, '--include', 'pairs'])).toMatchObject({
      code: 2,
      told: expect.stringContaining('removes all of the log'),
    })
    expect(await runHere(['changes', shop.file])).toMatchObject({
      code: 2,
      told: expect.stringContaining('install, remove, check'),
    })
    expect(await runHere(['changes'])).toMatchObject({ code: 2 })
  })
})
