// The change log through a real PgBouncer in transaction mode, of which every reader and writer is a client: `npm run test:pgbouncer`.

import { Kysely } from 'kysely'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { postgresDialect } from '../../../src/postgres.ts'
import { checkChangeLog, installChangeLog } from '../../../src/realtime.ts'
import { atEnd } from '../../support/at-end.ts'
import { type AnyTables, openedOn } from '../../support/databases.ts'
import { startPgBouncer } from '../../support/pgbouncer.ts'
import { watched, write } from './others.ts'
import { logged, openTables } from './tables.ts'

it('tells what two processes write, and is installed and checked there', async () => {
  const name = `logged_${process.pid}`
  const admin = new pg.Client(inject('postgres').c)
  await admin.connect()
  await admin.query(`create database ${name} template template0 encoding 'UTF8'`)
  atEnd(async () => {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  })
  const url = new URL(inject('postgres').c)
  url.pathname = name
  const pooler = await startPgBouncer(url.href)
  atEnd(() => pooler.stop())
  const open = async () => {
    const pool = new pg.Pool({ connectionString: pooler.url, max: 8 })
    const db = new Kysely<AnyTables>({ dialect: postgresDialect({ pool, pooled: true }) })
    return openedOn(db)
  }
  const opened = await openTables({ open })
  await installChangeLog(opened.engine, logged)
  await watched(opened, () => write('postgres', pooler.url))
  expect((await checkChangeLog(opened.engine)).rows).toBeGreaterThan(300)
}, 120_000)
