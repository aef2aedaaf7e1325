// A text that is too long to leave the database: no driver can make a value of it, or too many of them fill the memory.
import type { Dialect } from '../dialects/dialect.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import type { Page } from '../plan/read/read-plan.ts'
import type { Setting } from './frame.ts'
import { slotOf } from './statement.ts'

/** Bytes that the nested texts of a statement may have. */
export interface TextBound {
  readonly bytes: number
  /** `all`: its rows have a share each. `each`: each text may have as many. */
  readonly of: 'all' | 'each'
}

/** The mark in the place of a text that is too long. It is no list, and no row, in JSON. */
export const cutMark = '0'

/** Selects a text, or the mark if it has more bytes. The limit keeps databases from computing the text once for its length and once more. */
export function cutText(text: Sql, max: Sql, dialect: Dialect): Sql {
  const name = dialect.identifier('_text')
  const made = sql`(select ${text} as ${name}${dialect.page(sql`1`, undefined)}) as ${dialect.identifier('_q0')}`
  return sql`(select case when ${dialect.byteLength(name)} > ${max} then '0' else ${name} end from ${made})`
}

/** Returns the bytes that one of the texts of a row may have. `count`: how many there are in a row, once they are known. */
export function maxOfEach(
  { bytes, of }: TextBound,
  page: Page,
  { dialect }: Setting,
  count: () => number,
): Sql {
  if (of === 'each') return dialect.byteCount(bytes)
  const share = ({ limit = usualRows }: Page) => Math.floor(bytes / Math.max(1, limit * count()))
  return sql`cast(${slotOf(page, page, share, page.path)((value) => value)} as bigint)`
}

/** Rows that a list without a limit is taken to have. */
const usualRows = 10_000
