// What a host bundles: Kysely and the engine over it, with how connections of Kysely's own drivers are known.
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { isOnlyConnection } from '../../../src/dialects/connections/kysely-connections.ts'
import { rawOf } from '../../../src/dialects/postgres/wire.ts'
import { createEngine, createItem, defineSchema, listItems } from '../../../src/index.ts'

export { Kysely, PostgresDialect, SqliteDialect }

const schema = defineSchema({
  notes: { fields: { id: { type: 'integer', key: true }, title: { type: 'string' } } },
})

/** Returns what an engine answers, and how its connection is known. */
export async function answersOf<Tables>(db: Kysely<Tables>): Promise<unknown> {
  const engine = createEngine({ db, schema })
  await createItem(engine, 'notes', { id: 1, title: 'Ada' })
  const { data: items } = await listItems(engine, 'notes')
  const connection = await db
    .getExecutor()
    .provideConnection(async (one) => ({ isOnly: isOnlyConnection(one), hasRaw: rawOf(one) !== undefined }))
  return { items, ...connection }
}
