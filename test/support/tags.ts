// Two tags on SQLite, for tests of what stands before the engine.
import { createEngine, defineSchema, type Engine } from '../../src/index.ts'
import { type OpenDatabase, openSqlite } from './databases.ts'
import { key, text } from './fields.ts'

export const schema = defineSchema({ tags: { fields: { id: key, name: text } } })
export type Tags = Engine<typeof schema>

/** Opens an engine whose tags are hot and cold. */
export async function openTags(): Promise<{ readonly database: OpenDatabase; readonly engine: Tags }> {
  const database = await openSqlite()
  await database.run('create table tags (id integer primary key, name text)')
  await database.run("insert into tags values (1, 'hot'), (2, 'cold')")
  return { database, engine: createEngine({ db: database.db, schema }) }
}
