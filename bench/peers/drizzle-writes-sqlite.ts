import type { Database } from 'better-sqlite3'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { columns, deletion, first, many, one, type Writer } from '../written.ts'

const written = sqliteTable('written', {
  id: integer().primaryKey(),
  title: text().notNull(),
  body: text().notNull(),
  status: text().notNull(),
  published_at: text(),
  views: integer().notNull(),
  author: integer(),
})

/** @public Loaded by name, once the peers are installed. */
export function openWriter(database: Database): Writer {
  const db = drizzle(database)
  const { id } = written
  // Each value is put in by name.
  const row = Object.fromEntries(columns.map((column) => [column, sql.placeholder(column)]))
  const single = db
    .insert(written)
    .values(row as never)
    .returning({ id })
    .prepare()
  const goneOnes = eq(written.status, 'gone')
  const gone = db.delete(written).where(goneOnes).prepare()
  const told = db.delete(written).where(goneOnes).returning({ id }).prepare()
  const builder = {
    W9a: () => first(db.insert(written).values(one).returning({ id }).all()),
    W9b: () => db.insert(written).values(many).returning({ id }).all(),
    W10: () => ({ deleted: db.delete(written).where(goneOnes).run().changes }),
    W10k: () => deletion(db.delete(written).where(goneOnes).returning({ id }).all()),
  }
  const prepared = {
    W9a: () => first(single.all(one)),
    W10: () => ({ deleted: gone.run().changes }),
    W10k: () => deletion(told.all()),
  }
  return { name: 'drizzle', forms: { builder, prepared } }
}
