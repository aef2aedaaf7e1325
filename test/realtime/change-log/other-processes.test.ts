// Writers in other processes, which know nothing of the engine: what they leave is what a watched list shows.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { describe, expect, inject, it } from 'vitest'
import { installChangeLog } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { type AnyTables, databases, openedOn, openPostgres } from '../../support/databases.ts'
import { watched, write } from './others.ts'
import { listen, logged, openTables, until } from './tables.ts'

describe('two processes beside this one', () => {
  it('write by better-sqlite3 alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quernel-others-'))
    atEnd(async () => rmSync(folder, { recursive: true }))
    const place = join(folder, 'data')
    const open = async () => {
      const database = new BetterSqlite(place)
      database.pragma('journal_mode = WAL')
      const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
      return openedOn(db)
    }
    const opened = await openTables({ open })
    await installChangeLog(opened.engine, logged)
    await watched(opened, () => write('sqlite', place))
  }, 120_000)

  it('write by pg alone', async () => {
    const opened = await openTables({ open: () => openPostgres() })
    const [row] = await opened.rows('select current_schema() as name')
    await installChangeLog(opened.engine, logged)
    await watched(opened, () => write('postgres', `${inject('postgres').c}#${row?.name}`))
  }, 120_000)
})

describe.each(databases)('on $name', (database) => {
  it('what triggers of the host write is told', async () => {
    const opened = await openTables(database)
    const { engine, run } = opened
    if (database.name === 'sqlite')
      await run(
        `create trigger hosts after update on people begin update tasks set title = 'by a trigger' where owner = new.id; end`,
      )
    else {
      await run(
        `create function hosts() returns trigger language plpgsql as $$ begin update tasks set title = 'by a trigger' where owner = new.id; return new; end $$`,
      )
      await run('create trigger hosts before update on people for each row execute function hosts()')
    }
    await installChangeLog(engine, logged)
    const listener = await listen(engine)
    await run(`update people set name = 'Eve' where id = 1`)
    await until(() => listener.texts.length >= 3)
    expect([...listener.texts].sort()).toEqual(['update people 1', 'update tasks 1', 'update tasks 2'])
  })
})
