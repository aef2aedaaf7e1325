import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { sqliteDialect } from 'quernel/sqlite'
import { relatedWriter } from '../hand/sqlite-related-writes.ts'
import { handWriter } from '../hand/sqlite-writes.ts'
import { kyselyWriter } from '../kysely-writer.ts'
import { quernelWriters, relatedQuernelWriter, watchedWriters } from '../quernel-writers.ts'
import {
  filling,
  going,
  logStays,
  names,
  relatedTables,
  type Tables,
  tableOf,
  turns,
  valuesOf,
  type Writer,
} from '../written.ts'
import { type Ground, type GroundKind, installedWriter } from './ground.ts'

export async function sqliteGround(kind: GroundKind): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'quernel-bench-written-'))
  const file = join(folder, 'written.sqlite')
  const database = new Database(file)
  // As better-sqlite3 advises servers to.
  database.pragma('journal_mode = wal')
  // Whose call it is that brings the log into the file is a matter of luck, so it is brought there in between.
  database.pragma(logStays)
  const settle = () => database.pragma('wal_checkpoint(truncate)')
  if (kind === 'related') database.exec(relatedTables(series))
  database.exec(tableOf(kind, 'integer primary key', 'text'))
  const { stays, goes } = filling(series)
  const fill = database.prepare(goes)
  const insertGoing = database.prepare(`insert into written (${names}) values (?, ?, ?, ?, ?, ?)`)
  return {
    writers: await writersOf[kind](database, file),
    prepare: async () => database.exec(stays),
    fill: async () => {
      fill.run()
      settle()
    },
    fillOne: async () => {
      turns.gone = Number(insertGoing.run(...valuesOf(going)).lastInsertRowid)
    },
    settle: async () => settle(),
    clear: async () => {
      database.exec('delete from written')
      settle()
    },
    numbers: async (statement) => database.prepare<[], number>(statement).pluck().all(),
    close: async () => {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

const series = (count: number) =>
  `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s)`

const writersOf: Readonly<
  Record<GroundKind, (database: Database.Database, file: string) => Promise<readonly Writer[]>>
> = {
  alone: async (database, file) => {
    const plain = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
    return [
      ...handWriter(database),
      ...quernelWriters(new Kysely<Tables>({ dialect: sqliteDialect({ database }) }), plain),
      kyselyWriter(plain),
      await installedWriter('drizzle-writes-sqlite', database),
      await installedWriter('prisma-writes', 'sqlite', file),
      await installedWriter('zenstack-writes', 'alone', database),
    ]
  },
  related: async (database) => [
    relatedWriter(database),
    relatedQuernelWriter(new Kysely<Tables>({ dialect: sqliteDialect({ database }) })),
    await installedWriter('zenstack-writes', 'related', database),
  ],
  watched: async (database) => watchedWriters(new Kysely<Tables>({ dialect: sqliteDialect({ database }) })),
}
