import { createEngine } from 'quernel'
import { openDatabase } from './database.ts'
import { schema } from './schema.ts'

/** Without a place it is the database of the server. */
export async function openEngine(place?: string) {
  const db = await openDatabase(place)
  const engine = createEngine({
    db,
    schema,
    variables: { $CURRENT_USER: 'people' }, // where $CURRENT_USER.team is looked up
    flows: {}, // install() below makes the tables of their runs
  })
  await engine.install()
  return { db, engine }
}
