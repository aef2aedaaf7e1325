import type { Database } from 'better-sqlite3'
import { eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
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
  const { title } = written
  const placed = { title: sql.placeholder('title'), views: sql.placeholder('views') }
  const update = db
    .update(written)
    .set(placed as never)
    .where(eq(id, sql.placeholder('id')))
    .returning({ id, title })
    .prepare()
  const updateGone = db
    .update(written)
    .set({ views: placed.views } as never)
    .where(goneOnes)
    .prepare()
  const removeOne = db
    .delete(written)
    .where(eq(id, sql.placeholder('id')))
    .prepare()
  const conflict = {
    target: id,
    set: Object.fromEntries(columns.map((column) => [column, sql.raw(`excluded.${column}`)])),
  }
  const putOne = db
    .insert(written)
    .values({ ...row, id: sql.placeholder('id') } as never)
    .onConflictDoUpdate(conflict)
    .returning({ id, title })
    .prepare()
  const builder = {
    W9a: () => first(db.insert(written).values(one).returning({ id }).all()),
    W9b: () => db.insert(written).values(many).returning({ id }).all(),
    W9u: () => {
      const key = nextKey()
      const item = db.update(written).set(change()).where(eq(id, key))
      return first(item.returning({ id, title }).all())
    },
    W9q: () => {
      const views = nextViews()
      return { updated: db.update(written).set({ views }).where(goneOnes).run().changes }
    },
    W9p: () =>
      first(db.insert(written).values(put()).onConflictDoUpdate(conflict).returning({ id, title }).all()),
    W9pb: () =>
      db
        .insert(written)
        .values([...putMany()])
        .onConflictDoUpdate(conflict)
        .returning({ id })
        .all(),
    W10d: () => ({
      deleted: db.delete(written).where(eq(id, turns.gone)).run().changes,
    }),
    W10: () => ({ deleted: db.delete(written).where(goneOnes).run().changes }),
    W10k: () => deletion(db.delete(written).where(goneOnes).returning({ id }).all()),
  }
  const prepared = {
    W9a: () => first(single.all(one)),
    W9u: () => {
      const key = nextKey()
      return first(update.all({ ...change(), id: key }))
    },
    W9p: () => first(putOne.all(put())),
    W9q: () => ({ updated: updateGone.run({ views: nextViews() }).changes }),
    W10d: () => ({ deleted: removeOne.run({ id: turns.gone }).changes }),
    W10: () => ({ deleted: gone.run().changes }),
    W10k: () => deletion(told.all()),
  }
  return { name: 'drizzle', forms: { builder, prepared } }
}
