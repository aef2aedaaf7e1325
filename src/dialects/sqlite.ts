import { sqliteBookmark } from './bookmarks.ts'
import type { Dialect } from './dialect.ts'
import { identifier, sql } from './sql.ts'
import { catalogue } from './sqlite/catalogue.ts'
import { breachOf, faultOf, isBeyondJson, isTransient, lacksTable } from './sqlite/driver-errors.ts'
import { comparesBytes, isOrdinary, sortsAsShown } from './sqlite/ordinary.ts'
import { phrases } from './sqlite/phrases.ts'
import * as triggers from './sqlite/triggers.ts'
import { valueSets } from './sqlite/value-sets.ts'

/** The phrases of SQLite without functions of the engine, whichever driver opens it.
 *  @example compileFilter({ schema, dialect: sqlite }, 'articles', { title: 'Tea' }).sql // → '"articles"."title" = ?' */
export const sqlite: Dialect = {
  ...phrases,
  ...triggers,
  catalogue,
  valueSets,
  faultOf,
  breachOf,
  isTransient,
  lacksTable,
  isBeyondJson,
  comparesBytes,
  isOrdinary,
  sortsAsShown,
  bookmark: sqliteBookmark,
  // An index stands in the file of its table, and names that alone.
  // Of a column that has few values it may take the key in place of an index that holds a few of the rows.
  byIndex: (name) => sql` indexed by ${identifier(name)}`,
  indexOn: (name, { table, dbSchema }) => {
    const file = dbSchema === undefined ? sql`` : sql`${identifier(dbSchema)}.`
    return sql`${file}${identifier(name)} on ${identifier(table)}`
  },
}
