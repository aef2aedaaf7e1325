import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { type Counts, tables } from './data.ts'

/** The file that holds the data; made when no run before left one that is the same. */
export function sqliteFile(counts: Counts): string {
  const file = join(tmpdir(), `quernel-bench-${fingerprint(counts)}.sqlite`)
  if (!existsSync(file)) build(file, counts)
  return file
}

/** Tells data apart: by what makes it, and how much there is of it. */
export function fingerprint(counts: Counts): string {
  const hash = createHash('sha256').update(JSON.stringify(counts))
  for (const name of ['data.ts', 'drawing.ts']) hash.update(readFileSync(new URL(name, import.meta.url)))
  return hash.digest('hex').slice(0, 12)
}

function build(file: string, counts: Counts): void {
  const draft = `${file}-${process.pid}`
  const database = new BetterSqlite(draft)
  try {
    database.pragma('synchronous = off')
    for (const [name, table] of Object.entries(tables)) {
      const columns = Object.entries(table.columns)
      database.exec(
        `create table ${name} (${columns.map(([column, [type]]) => `${column} ${type}`).join(', ')})`,
      )
      const insert = database.prepare(`insert into ${name} values (${columns.map(() => '?').join(', ')})`)
      database.transaction(() => {
        for (const row of table.rows(counts)) insert.run(row)
      })()
      for (const [index, columns] of table.indexes.entries()) {
        database.exec(`create index ${name}_${index} on ${name} (${columns})`)
      }
    }
    database.exec('analyze')
    database.pragma('journal_mode = wal')
    database.close()
    renameSync(draft, file)
  } finally {
    database.close()
    rmSync(draft, { force: true })
  }
}

const connections = new Map<string, BetterSqlite.Database>()

/** The connection to the data, which all have in common. Each has a cache of its own, of which the processor holds the pages that were
 *  read last, so whoever asks in more forms on one of his own is answered sooner. */
export function openSqlite(file: string): BetterSqlite.Database {
  const known = connections.get(file)
  if (known?.open) return known
  const database = new BetterSqlite(file)
  for (const pragma of cachePragmas) database.pragma(pragma)
  connections.set(file, database)
  return database
}

/** A cache that holds all of the data, as PostgreSQL's does; the second reads every page once. */
export const cachePragmas = ['cache_size = -524288', 'quick_check'] as const
