import type { Row } from '../run/mapper.ts'
import { type Prepared, pageNow } from '../run/prepare.ts'

/** What a query wants to know about its list, in the order in which it asked. */
export function metaFrom(
  prepared: Prepared,
  counts: Row | undefined,
  truncated: readonly string[],
): Readonly<Record<string, unknown>> {
  const { list, meta } = prepared.template
  const { limit, offset } = pageNow(prepared, list.page)
  const counted = countsFrom(prepared, counts)
  const all: Readonly<Record<string, unknown>> = {
    total_count: counted.total,
    filter_count: counted.filtered,
    limit: limit ?? -1,
    offset,
    page: limit === undefined || limit === 0 ? 1 : Math.floor(offset / limit) + 1,
    page_count: pageCount(counted.paged, limit),
    truncated: [...truncated].sort(),
  }
  return Object.fromEntries(meta.map((name) => [name, all[name]]))
}

function pageCount(rows: number, limit: number | undefined): number {
  if (limit === 0 || rows === 0) return 0
  return limit === undefined ? 1 : Math.ceil(rows / limit)
}

/** The columns of the counts, in the order in which they were asked for. */
function countsFrom({ template }: Prepared, counts: Row | undefined) {
  const { meta, list } = template
  const isGrouped = list.rows.kind === 'groups'
  let at = 0
  const next = (isAsked: boolean) => (isAsked ? Number(counts?.[at++]) : 0)
  const total = next(meta.includes('total_count'))
  const filtered = next(meta.includes('filter_count') || (meta.includes('page_count') && !isGrouped))
  const groups = next(meta.includes('page_count') && isGrouped)
  return { total, filtered, paged: isGrouped ? groups : filtered }
}
