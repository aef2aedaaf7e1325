// Servers that crash, are restored, promoted and fed by others: numbers of transactions come twice then, and nothing may be lost for it.
// QUERNEL_LONG=1 kills a backend 200 times.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { createEngine, type Engine } from '../../../src/index.ts'
import { watchEveryMs } from '../../../src/realtime/change-log/logged-tables.ts'
import { changeLogSource, installChangeLog } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { isLong } from '../../support/long-runs.ts'
import { launchPair, launchPostgres } from '../../support/postgres-server.ts'
import { Listener, listen, schema, until } from './tables.ts'

const tables = `create table people (id integer primary key, name text unique);
  create table tasks (id integer primary key, title text, owner integer references people on delete set null);
  create table seats (hall text, number integer, guest text, primary key (hall, number))`

async function launch(settings: Readonly<Record<string, string>> = {}) {
  const home = await mkdtemp(join(tmpdir(), 'quernel-changes-'))
  const end = new AbortController()
  const server = await launchPostgres(home, end.signal, settings)
  atEnd(async () => {
    end.abort()
    await server.ended
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  })
  return { server, url: server.url, home }
}

function engineOn(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  // The server ends connections when one of its processes is killed.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  atEnd(() => db.destroy())
  const run = async (text: string) => {
    for (;;) {
      try {
        return (await pool.query(text)).rows
      } catch (error) {
        // While the server recovers.
        if (
          !(error instanceof Error) ||
          !/terminat|recover|starting|not yet accept|ECONN|reset/i.test(error.message)
        )
          throw error
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  return { engine: createEngine({ db, schema }), run }
}

it('a backend that is killed lets readers begin anew, and no change is lost', async () => {
  const { url } = await launch({ synchronous_commit: 'on' })
  const { engine, run } = engineOn(url)
  await run(tables)
  await installChangeLog(engine, ['tasks'])
  let position: string | undefined
  for (let round = 0; round < (isLong ? 200 : 3); round++) {
    const first = new Listener(engine, changeLogSource({ everyMs: 10 }), position)
    await until(() => first.batches.length > 0)
    await run(`insert into tasks (id) values (${round * 10})`)
    await until(() => first.isBroken || first.texts.includes(`create tasks ${round * 10}`))
    await first.stop()
    position = String(first.batches.at(-1)?.position)
    const victim = new pg.Client(url)
    victim.on('error', () => undefined)
    await victim.connect()
    // Given and undone, so that they are given again after the crash.
    for (let count = 0; count < 300; count++)
      await victim.query('begin; select pg_current_xact_id(); rollback')
    const look = new Listener(engine, changeLogSource({ everyMs: 10 }), position)
    await until(() => look.batches.length > 0)
    await look.stop()
    position = String(look.batches.at(-1)?.position)
    const { rows } = await victim.query('select pg_backend_pid() as pid')
    process.kill(rows[0].pid, 'SIGKILL')
    await victim.end().catch(() => undefined)
    // The other processes go on for a moment.
    await until(async () => (await run('select from quernel_changes_epoch')).length === 0)
    await run(`insert into tasks (id) values (${round * 10 + 1})`)
    const after = await comeBack(engine, position)
    await until(() => after.isBroken || after.texts.includes(`create tasks ${round * 10 + 1}`))
    expect(after.isBroken).toBe(true)
    await after.stop()
    position = String(after.batches.at(-1)?.position)
  }
})

/** Listens again until that succeeds, as a feed does. */
async function comeBack(engine: Engine, position: string): Promise<Listener> {
  for (;;) {
    const listener = new Listener(engine, changeLogSource({ everyMs: 10 }), position)
    await until(() => listener.batches.length > 0 || listener.failure !== undefined)
    if (listener.failure === undefined) return listener
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

it('a transaction that was prepared is told once it is committed, however late, and by whom', async () => {
  const { url } = await launch({ max_prepared_transactions: '4' })
  const { engine, run } = engineOn(url)
  await run(tables)
  await installChangeLog(engine, ['tasks'], { keep: { rows: 1_000, forMs: 1_000 } })
  const heard = await listen(engine)
  await run(`begin; insert into tasks (id) values (1); prepare transaction 'slow'`)
  await run(`begin; insert into tasks (id) values (2); prepare transaction 'undone'`)
  // Old entries are pruned meanwhile, but none that came later than it began.
  for (let first = 10; first < 8_010; first += 2_000)
    await run(`insert into tasks (id) select generate_series(${first}, ${first + 1_999})`)
  await until(() => heard.texts.length >= 8_000)
  await run(`rollback prepared 'undone'`)
  await run(`commit prepared 'slow'`)
  await until(() => heard.texts.length > 8_000)
  expect(heard.texts.slice(8_000)).toEqual(['create tasks 1'])
  expect(heard.isBroken).toBe(false)
})

it('a dump that is restored brings the epoch along, and lets readers begin anew', async () => {
  const [old, fresh] = [await launch(), await launch()]
  const { engine, run } = engineOn(old.url)
  await run(tables)
  await installChangeLog(engine, ['tasks'])
  const first = await listen(engine)
  await run('insert into tasks (id) values (1)')
  await until(() => first.texts.length > 0)
  await first.stop()
  const position = String(first.batches.at(-1)?.position)
  // What a dump holds: the statements, and the rows of the log, of unlogged tables, too.
  const restored = engineOn(fresh.url)
  await restored.run(tables)
  await installChangeLog(restored.engine, ['tasks'])
  const [row] = await run('select epoch from quernel_changes_epoch')
  await restored.run(`insert into quernel_changes_epoch values (1, '${row.epoch}')`)
  const again = new Listener(restored.engine, changeLogSource({ everyMs: 10 }), position)
  await until(() => again.batches.length > 0)
  expect(again.isBroken).toBe(true)
  await restored.run('insert into tasks (id) values (3)')
  await until(() => again.texts.includes('create tasks 3'))
})

it('files that are put back while the server is away let readers begin anew', async () => {
  const { server, home } = await launch()
  const end = new AbortController()
  const data = join(home, 'data')
  let running = server
  const shutDown = async () => {
    const [pid] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
    process.kill(Number(pid), 'SIGINT')
    await running.ended
  }
  const startAgain = async () => {
    running = await server.again(end.signal)
    return engineOn(running.url)
  }
  atEnd(async () => {
    end.abort()
    await running.ended
  })
  const old = engineOn(server.url)
  await old.run(tables)
  await installChangeLog(old.engine, ['tasks'])
  await (await listen(old.engine)).stop()
  await shutDown()
  await promisify(execFile)('cp', ['-a', data, join(home, 'cold')])
  const { engine, run } = await startAgain()
  const heard = await listen(engine)
  await run('insert into tasks (id) values (1)')
  await until(() => heard.texts.length > 0)
  await heard.stop()
  const position = String(heard.batches.at(-1)?.position)
  await shutDown()
  await rm(data, { recursive: true })
  await promisify(execFile)('cp', ['-a', join(home, 'cold'), data])
  const restored = await startAgain()
  // As many transactions as before: no number is smaller.
  for (let count = 0; count < 20; count++) await restored.run('select pg_current_xact_id()')
  const again = new Listener(restored.engine, changeLogSource({ everyMs: 10 }), position)
  await until(() => again.batches.length > 0)
  expect(again.isBroken).toBe(true)
  await restored.run('insert into tasks (id) values (3)')
  await until(() => again.texts.includes('create tasks 3'))
})

it('a standby that is promoted lets readers begin anew', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quernel-changes-'))
  const end = new AbortController()
  const { first, copy } = await launchPair(home, end.signal)
  atEnd(async () => {
    end.abort()
    await Promise.all([first.ended, copy.ended])
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  })
  const before = engineOn(first.url)
  await before.run(tables)
  await installChangeLog(before.engine, ['tasks'])
  const heard = await listen(before.engine)
  await before.run('insert into tasks (id) values (1)')
  await until(() => heard.texts.length > 0)
  await heard.stop()
  const position = String(heard.batches.at(-1)?.position)
  const after = engineOn(copy.url)
  await until(async () => {
    const rows = await after.run(`select 1 where to_regclass('tasks') is not null`)
    return rows.length > 0
  })
  // A copy cannot be read: nobody there could say which epoch it is.
  const early = new Listener(after.engine, changeLogSource({ everyMs: 10 }), position)
  await until(() => early.failure !== undefined)
  await after.run('select pg_promote()')
  await until(async () => (await after.run('select pg_is_in_recovery() as is'))[0].is === false)
  const again = new Listener(after.engine, changeLogSource({ everyMs: 10 }), position)
  await until(() => again.batches.length > 0)
  expect(again.isBroken).toBe(true)
  await after.run('insert into tasks (id) values (2)')
  await until(() => again.texts.includes('create tasks 2'))
})

it('a table that a subscription fills is logged row by row, and noticed where it was not', async () => {
  const { url } = await launch({ wal_level: 'logical' })
  const admin = engineOn(url)
  await admin.run('create database target')
  const target = new URL(url)
  target.pathname = 'target'
  const { engine, run } = engineOn(target.href)
  await admin.run(tables)
  await run(tables)
  await installChangeLog(engine, ['tasks'])
  const heard = new Listener(engine, changeLogSource({ everyMs: 10, ...{ [watchEveryMs]: 50 } }))
  await until(() => heard.batches.length > 0)
  expect(heard.blind).not.toContain('tasks')
  await admin.run('create publication p for table tasks')
  // A slot that is made by hand, because the server would wait for itself otherwise.
  await admin.run(`select pg_create_logical_replication_slot('s', 'pgoutput')`)
  await run(
    `create subscription s connection '${url}' publication p with (create_slot = false, slot_name = 's', copy_data = false)`,
  )
  atEnd(() => run('drop subscription if exists s'))
  await until(() => heard.blind.includes('tasks'))
  await installChangeLog(engine, ['tasks'])
  await until(() => !heard.blind.includes('tasks'))
  await admin.run('insert into tasks (id) values (1), (2)')
  await until(() => heard.texts.includes('create tasks 2'))
  await admin.run('update tasks set title = id::text')
  await until(() => heard.texts.filter((text) => text.startsWith('update')).length >= 2)
  await admin.run('truncate tasks')
  await until(() => heard.texts.filter((text) => text === 'any tasks').length > 1)
})
