// Prisma's client has connections of its own.
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient as PostgresClient } from '../generated/postgres/client.ts'
import { PrismaClient as SqliteClient } from '../generated/sqlite/client.ts'
import type { DatabaseName } from '../options.ts'
import { change, logStays, many, nextKey, nextViews, one, put, turns, type Writer } from '../written.ts'

const clients: Readonly<Record<DatabaseName, (place: string) => SqliteClient>> = {
  sqlite: (file) => new SqliteClient({ adapter: new PrismaBetterSqlite3({ url: `file:${file}` }) }),
  // Two generated types that differ in names only.
  postgres: (url) =>
    new PostgresClient({ adapter: new PrismaPg({ connectionString: url }) }) as unknown as SqliteClient,
}

/** @public Loaded by name, once the peers are installed. */
export async function openWriter(database: DatabaseName, place: string): Promise<Writer> {
  const client = clients[database](place)
  if (database === 'sqlite') await client.$queryRawUnsafe(`pragma ${logStays}`)
  const select = { id: true } as const
  const methods = {
    W9a: () => client.written.create({ data: one, select }),
    W9b: () => client.written.createManyAndReturn({ data: many, select }),
    W9u: () =>
      client.written.update({
        where: { id: nextKey() },
        data: change(),
        select: { id: true, title: true },
      }),
    W9q: async () => {
      const data = { views: nextViews() }
      return { updated: (await client.written.updateMany({ where: { status: 'gone' }, data })).count }
    },
    W9p: () => {
      const item = put()
      const { id, ...rest } = item
      return client.written.upsert({
        where: { id },
        create: item,
        update: rest,
        select: { id: true, title: true },
      })
    },
    W10d: async () => {
      await client.written.delete({ where: { id: turns.gone }, select })
      return { deleted: 1 }
    },
    // It counts them, and returns no keys.
    W10: async () => ({ deleted: (await client.written.deleteMany({ where: { status: 'gone' } })).count }),
  }
  return { name: 'prisma', forms: { methods }, close: () => client.$disconnect() }
}
