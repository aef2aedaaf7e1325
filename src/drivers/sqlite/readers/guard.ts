// Statements that end when they are abandoned: each row of a scanned table asks a function that fails then. No driver can interrupt SQLite.
import { isMarked } from '../../../dialects/connections/statement-mark.ts'
import { Cache } from '../../../values/cache.ts'
import type { equipDatabase } from '../equip.ts'

type Database = ReturnType<typeof equipDatabase>

/** Maximum number of statements whose guarded text is kept. */
const textsKept = 500

/** Returns the function that guards the engine's statements by a function of SQL with this name. */
export function guardedBy(
  name: string,
  database: Database,
): (sql: string, parameters: readonly unknown[]) => string {
  const texts = new Cache<string>(textsKept)
  return (sql, parameters) => {
    if (!isMarked(sql)) return sql
    const known = texts.get(sql)
    if (known !== undefined) return known
    const text = guarded(name, database, sql, parameters)
    texts.set(sql, text)
    return text
  }
}

/** Returns the statement as it is where the database would run the guarded one by another plan, or refuses it: a table may have no rowid. */
function guarded(name: string, database: Database, sql: string, parameters: readonly unknown[]): string {
  const planOf = (text: string) =>
    database.once(`explain query plan ${text}`, parameters).map((step) => String(Object(step).detail))
  try {
    const plan = planOf(sql)
    const scanned = new Set(plan.map((detail) => /^SCAN (_q\d+)/.exec(detail)?.[1]))
    const text = sql.replace(tableAndAlias, (whole, word: string, table: string, alias: string) =>
      scanned.has(alias) ? ` ${word} (select * from ${table} where ${name}(rowid)) as "${alias}"` : whole,
    )
    return text !== sql && planOf(text).join('\n') === plan.join('\n') ? text : sql
  } catch {
    return sql
  }
}

const tableAndAlias = / (from|join) ("(?:[^"]|"")+"(?:\."(?:[^"]|"")+")?) as "(_q\d+)"/g
