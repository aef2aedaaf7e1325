// Statements that end when they are abandoned: rows of scanned tables and views ask a function that fails then. No driver can interrupt SQLite.
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

/** Returns the statement as it is where the database would run the guarded one by another plan. A whole count is not guarded: it looks at no rows. */
function guarded(name: string, database: Database, sql: string, parameters: readonly unknown[]): string {
  const planOf = (text: string) =>
    database
      .once(`explain query plan ${text}`, parameters)
      .map((step) => String(Object(step).detail).replace(/(SUBQUERY) \d+/, '$1'))
  try {
    const plan = planOf(sql)
    const text = sql.replace(tableAndAlias, (whole, word: string, table: string, alias: string) => {
      const step = plan.find((detail) => new RegExp(`^(SCAN|SEARCH) ${alias}\\b`).test(detail))
      // The plan names the tables of a view, and not the view.
      const column = new RegExp(`"${alias}"\\.("(?:[^"]|"")+")`).exec(sql)?.[1]
      if (step?.startsWith('SEARCH') || column === undefined) return whole
      const asks = hasDenseRowids(database, table)
        ? `rowid & 1023 or ${name}()`
        : // It names a column, so that it is asked in the loop of this table.
          `random() & 255 or ${name}() or ${column} is null`
      return ` ${word} (select * from ${table} as "${alias}" where ${asks}) as "${alias}"`
    })
    return text !== sql && planOf(text).join('\n') === plan.join('\n') ? text : sql
  } catch {
    return sql
  }
}

/** True if a table has rows at least at half of the multiples of 1,024 up to its greatest rowid. To count rows by chance takes ten times as long. */
function hasDenseRowids(database: Database, table: string): boolean {
  try {
    const place = `(select max(rowid) from ${table}) / 1024 * n / 64 * 1024`
    const [row] = database.once(
      `with recursive s(n) as (select 1 union all select n + 1 from s where n < 64) select count(*) as found from s where exists (select 1 from ${table} where rowid = ${place})`,
    )
    return Number(Object(row).found) >= 32
  } catch {
    // A view, or a table without rowids.
    return false
  }
}

const tableAndAlias = / (from|join) ("(?:[^"]|"")+"(?:\."(?:[^"]|"")+")?) as "(_q\d+)"/g
