import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'
import { columns, many, one, type Writer } from '../written.ts'

const written = pgTable('written', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  title: text().notNull(),
  body: text().notNull(),
  status: text().notNull(),
  published_at: timestamp({ withTimezone: true, mode: 'string' }),
  views: integer().notNull(),
  author: integer(),
})

/** @public Loaded by name, once the peers are installed. */
export function openWriter(pool: Pool): Writer {
  const db = drizzle(pool)
  const { id } = written
  // Each value is put in by name.
  const row = Object.fromEntries(columns.map((column) => [column, sql.placeholder(column)]))
  const single = db
    .insert(written)
    .values(row as never)
    .returning({ id })
    .prepare('drizzle_single')
  const gone = db.delete(written).where(eq(written.status, 'gone')).returning({ id }).prepare('drizzle_gone')
  const builder = {
    W9a: () => db.insert(written).values(one).returning({ id }).execute(),
    W9b: () => db.insert(written).values(many).returning({ id }).execute(),
    W10: () => db.delete(written).where(eq(written.status, 'gone')).returning({ id }).execute(),
  }
  const prepared = { W9a: () => single.execute(one), W10: () => gone.execute() }
  return { name: 'drizzle', forms: { builder, prepared } }
}
