import type { Party } from '../contestant.ts'
import { openSqlite } from '../sqlite-data.ts'
import { sqliteFlat, sqliteFlatTexts } from './sqlite-flat.ts'
import { sqliteFound, sqliteGroups } from './sqlite-found.ts'
import { sqliteOne, sqliteOneTexts, sqliteTree, sqliteTreeTexts } from './sqlite-tree.ts'
import { stringified } from './stringified.ts'

/** SQL by hand on better-sqlite3, with every statement prepared once. */
export function openHandSqlite(file: string): Party {
  const database = openSqlite(file)
  const objects = {
    ...sqliteFlat(database),
    ...sqliteTree(database),
    ...sqliteFound(database),
    ...sqliteGroups(database),
    ...sqliteOne(database),
  }
  return {
    name: 'hand',
    objects,
    texts: { ...sqliteFlatTexts(database), ...sqliteTreeTexts(database), ...sqliteOneTexts(database) },
    stringified: stringified(objects, {
      W1: 'arrays',
      W2: 'json_array',
      W3: 'batches, chosen',
      W6: 'three statements',
      W7: 'arrays',
    }),
    close: () => database.close(),
  }
}
