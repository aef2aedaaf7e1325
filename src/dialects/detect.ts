import type { Dialect } from './dialect.ts'
import type { HostDatabase } from './host.ts'
import { type DialectName, dialectNamed, unknownDialect } from './named.ts'
import { postgres } from './postgres.ts'
import { sqlite } from './sqlite.ts'

/** The property under which a Kysely adapter of ours has its dialect. */
export const phraseBook: unique symbol = Symbol.for('quernel.dialect')

/** Returns the given dialect, by name or as an object; else the one of the Kysely instance. */
export function dialectOf(input: DialectName | Dialect | undefined, db?: HostDatabase): Dialect {
  if (typeof input === 'object') return input
  if (input !== undefined) return dialectNamed(input, { sqlite, postgres })
  const adapter = db?.getExecutor().adapter
  if (!adapter) throw unknownDialect('No dialect is given.')
  const own: unknown = Reflect.get(adapter, phraseBook)
  if (isDialect(own)) return own
  const { sql } = db.withoutPlugins().selectFrom('t').select('c').where('c', '=', 1).compile()
  const found = compiled.get(sql)
  if (!found || (found === postgres && !adapter.supportsTransactionalDdl))
    throw unknownDialect(`The dialect of this Kysely instance is not known: it compiles ${sql}`)
  return found
}

/** Dialects by what they make of a query. Names of classes say nothing: bundlers shorten them, and the host may have a second copy of Kysely. */
const compiled: ReadonlyMap<string, Dialect> = new Map([
  ['select "c" from "t" where "c" = ?', sqlite],
  ['select "c" from "t" where "c" = $1', postgres],
])

const isDialect = (value: unknown): value is Dialect =>
  typeof value === 'object' && value !== null && 'compare' in value
