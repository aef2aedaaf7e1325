import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import type { Pool } from 'pg'
import {
  change,
  columns,
  deletion,
  first,
  many,
  nextKey,
  nextViews,
  one,
  put,
  putMany,
  turns,
  type Writer,
} from '../written.ts'

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
  const goneOnes = eq(written.status, 'gone')
  const gone = db.delete(written).where(goneOnes).prepare('drizzle_gone')
  const told = db.delete(written).where(goneOnes).returning({ id }).prepare('drizzle_told')
  const { title } = written
  const placed = { title: sql.placeholder('title'), views: sql.placeholder('views') }
  const update = db
    .update(written)
    .set(placed as never)
    .where(eq(id, sql.placeholder('id')))
    .returning({ id, title })
    .prepare('drizzle_update')
  const updateGone = db
    .update(written)
    .set({ views: placed.views } as never)
    .where(goneOnes)
    .prepare('drizzle_update_gone')
  const removeOne = db
    .delete(written)
    .where(eq(id, sql.placeholder('id')))
    .prepare('drizzle_remove_one')
  const conflict = {
    target: id,
    set: Object.fromEntries(columns.map((column) => [column, sql.raw(`excluded.${column}`)])),
  }
  const putOne = db
    .insert(written)
    .values({ ...row, id: sql.placeholder('id') } as never)
    .onConflictDoUpdate(conflict)
    .returning({ id, title })
    .prepare('drizzle_put')
  const builder = {
    W9a: async () => first(await db.insert(written).values(one).returning({ id })),
    W9b: () => db.insert(written).values(many).returning({ id }).execute(),
    W9u: async () => {
      const key = nextKey()
      const item = db.update(written).set(change()).where(eq(id, key))
      return first(await item.returning({ id, title }))
    },
    W9q: async () => {
      const views = nextViews()
      return { updated: (await db.update(written).set({ views }).where(goneOnes)).rowCount }
    },
    W9p: async () =>
      first(await db.insert(written).values(put()).onConflictDoUpdate(conflict).returning({ id, title })),
    W9pb: () =>
      db
        .insert(written)
        .values([...putMany()])
        .onConflictDoUpdate(conflict)
        .returning({ id })
        .execute(),
    W10d: async () => ({
      deleted: (await db.delete(written).where(eq(id, turns.gone))).rowCount,
    }),
    W10: async () => ({ deleted: (await db.delete(written).where(goneOnes)).rowCount }),
    W10k: async () => deletion(await db.delete(written).where(goneOnes).returning({ id })),
  }
  const prepared = {
    W9a: async () => first(await single.execute(one)),
    W9u: async () => {
      const key = nextKey()
      return first(await update.execute({ ...change(), id: key }))
    },
    W9p: async () => first(await putOne.execute(put())),
    W9q: async () => ({ updated: (await updateGone.execute({ views: nextViews() })).rowCount }),
    W10d: async () => ({ deleted: (await removeOne.execute({ id: turns.gone })).rowCount }),
    W10: async () => ({ deleted: (await gone.execute()).rowCount }),
    W10k: async () => deletion(await told.execute()),
  }
  return { name: 'drizzle', forms: { builder, prepared } }
}
