import { postgresBookmark } from './bookmarks.ts'
import { rightsOfOthers, strangers } from './change-log/postgres-owners.ts'
import { catalogue } from './postgres/catalogue.ts'
import {
  breachOf,
  cannotReadJson,
  faultOf,
  isOutdated,
  isTransient,
  lacksTable,
  refusesLock,
  refusesOperand,
} from './postgres/driver-errors.ts'
import { isOrdinary, sortsAsShown } from './postgres/infinities.ts'
import { comparable, phrases } from './postgres/phrases.ts'
import * as triggers from './postgres/triggers.ts'
import { valueSets } from './postgres/value-sets.ts'
import { type PostgresDialect, postgresWith } from './postgres/with.ts'

const whole = {
  ...phrases,
  ...triggers,
  catalogue,
  faultOf,
  breachOf,
  refusesOperand,
  cannotReadJson,
  isOutdated,
  isTransient,
  lacksTable,
  refusesLock,
  rightsOfOthers,
  strangers,
  valueSets,
  isOrdinary,
  sortsAsShown,
  bookmark: postgresBookmark,
}

/** The phrases of PostgreSQL 14 and later. Geometry is PostGIS.
 *  @example compileFilter({ schema, dialect: postgres }, 'articles', { title: 'Tea' }).sql // → '"articles"."title" = $1' */
export const postgres: PostgresDialect = {
  ...whole,
  with: (options) => postgresWith(whole, comparable, options),
}
