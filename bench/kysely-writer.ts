import type { ExpressionBuilder, Kysely, OnConflictDatabase } from 'kysely'
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
  type Tables,
  turns,
  type Writer,
} from './written.ts'

/** What an update sets: the values of the row that is not inserted. */
const excluded = ({ ref }: ExpressionBuilder<OnConflict, 'excluded'>) =>
  Object.fromEntries(columns.map((column) => [column, ref(`excluded.${column}`)]))

type OnConflict = OnConflictDatabase<Tables, 'written'>

export function kyselyWriter(db: Kysely<Tables>): Writer {
  const builder = {
    W9a: async () =>
      first(
        await db
          .insertInto('written')
          .values(one as Tables['written'])
          .returning('id')
          .execute(),
      ),
    W9b: () =>
      db.transaction().execute(async (transaction) => {
        const items: { id: number }[] = []
        for (const half of [many.slice(0, 500), many.slice(500)])
          items.push(
            ...(await transaction
              .insertInto('written')
              .values(half as Tables['written'][])
              .returning('id')
              .execute()),
          )
        return items
      }),
    W9u: async () => {
      const id = nextKey()
      const item = db.updateTable('written').set(change()).where('id', '=', id)
      return first(await item.returning(['id', 'title']).execute())
    },
    W9q: async () => {
      const { numUpdatedRows } = await db
        .updateTable('written')
        .set({ views: nextViews() })
        .where('status', '=', 'gone')
        .executeTakeFirstOrThrow()
      return { updated: Number(numUpdatedRows) }
    },
    W9p: async () =>
      first(
        await db
          .insertInto('written')
          .values(put())
          .onConflict((conflict) => conflict.column('id').doUpdateSet(excluded))
          .returning(['id', 'title'])
          .execute(),
      ),
    W9pb: () =>
      db.transaction().execute(async (transaction) => {
        const items: { id: number }[] = []
        const rows = putMany()
        for (const half of [rows.slice(0, 500), rows.slice(500)])
          items.push(
            ...(await transaction
              .insertInto('written')
              .values(half)
              .onConflict((conflict) => conflict.column('id').doUpdateSet(excluded))
              .returning('id')
              .execute()),
          )
        return items
      }),
    W10d: async () => {
      const { numDeletedRows } = await db
        .deleteFrom('written')
        .where('id', '=', turns.gone)
        .executeTakeFirstOrThrow()
      return { deleted: Number(numDeletedRows) }
    },
    W10: async () => {
      const { numDeletedRows } = await db
        .deleteFrom('written')
        .where('status', '=', 'gone')
        .executeTakeFirstOrThrow()
      return { deleted: Number(numDeletedRows) }
    },
    W10k: async () =>
      deletion(await db.deleteFrom('written').where('status', '=', 'gone').returning('id').execute()),
  }
  return { name: 'kysely', forms: { builder } }
}
