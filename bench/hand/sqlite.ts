import type { Party } from '../contestant.ts'
import { openSqlite } from '../sqlite-data.ts'
import { sqliteFlat, sqliteFlatTexts } from './sqlite-flat.ts'
import { sqliteFound, sqliteGroups } from './sqlite-found.ts'
import { sqliteOne, sqliteOneTexts, sqliteTree, sqliteTreeTexts } from './sqlite-tree.ts'

/** SQL by hand on better-sqlite3, with every statement prepared once. */
export function openHandSqlite(file: string): Party {
  const database = openSqlite(file)
  return {
    name: 'hand',
    objects: {
      ...sqliteFlat(database),
      ...sqliteTree(database),
      ...sqliteFound(database),
      ...sqliteGroups(database),
      ...sqliteOne(database),
    },
    texts: { ...sqliteFlatTexts(database), ...sqliteTreeTexts(database), ...sqliteOneTexts(database) },
    close: () => database.close(),
  }
}
