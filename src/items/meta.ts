import { type PreparedRead, pageNow } from '../prepared/prepare.ts'
import type { Counted } from './read/rows-and-counts.ts'

/** Returns the requested metadata of a list, in the requested order, and the truncated lists if there are any. */
export function metaFrom(
  prepared: PreparedRead,
  { total, filtered = 0, groups = 0 }: Counted,
  truncated: readonly string[],
): Readonly<Record<string, unknown>> {
  const { list, meta } = prepared.template
  const { limit, offset } = pageNow(prepared, list.page)
  const all: Readonly<Record<string, unknown>> = {
    total_count: total,
    filter_count: filtered,
    limit: limit ?? -1,
    offset,
    page: limit === undefined || limit === 0 ? 1 : Math.floor(offset / limit) + 1,
    page_count: pageCount(list.rows.kind === 'groups' ? groups : filtered, limit),
    truncated,
  }
  const reported = Object.fromEntries(meta.map((name) => [name, all[name]]))
  return truncated.length === 0 ? reported : { ...reported, truncated: all.truncated }
}

function pageCount(rows: number, limit: number | undefined): number {
  if (limit === 0 || rows === 0) return 0
  return limit === undefined ? 1 : Math.ceil(rows / limit)
}
