import type { EngineInternals } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { prepare } from '../prepared/prepare.ts'
import { beginRead } from './read/begin-read.ts'
import { cursorIn, pageOfRows, readRows } from './read/read-list.ts'
import { listRequest } from './read/read-request.ts'

/** A page of a list of which a reader may pass on the first items alone. */
export interface ListPage {
  readonly data: readonly unknown[]
  /** Number of all items that the filter chooses, where it was asked for. */
  readonly count: number | undefined
  /** True if there are more items beyond the page. */
  readonly hasMore: boolean
  /** The lists inside of items that are cut. */
  readonly truncated: readonly string[]
  /** Returns the cursor of an item, where cursors were asked for. */
  readonly cursorAt: (index: number) => string | null
}

/** Lists as `listItems` does, and knows the cursor of each item. */
export async function listPage(
  engine: EngineInternals,
  collection: string,
  query: Readonly<Record<string, unknown>>,
  options: Options,
): Promise<ListPage> {
  const begun = beginRead(engine, collection, query)
  const { query: requested, scoped, after } = begun instanceof Promise ? await begun : begun
  const reader = scoped.reading()
  const prepared = prepare(listRequest(reader, collection, requested, 'list'), reader)
  const page = await readRows(reader, prepared, options, (rows, mapper, counts, { template }) => {
    const { found, watch, hasMore, truncated } = pageOfRows(rows, prepared)
    const { cursor } = template
    const data = found.map((row) => mapper(row, watch))
    const cursorAt = (index: number) => (cursor ? cursorIn(found[index], cursor) : null)
    return { data, count: counts.filtered, hasMore, truncated: truncated(), cursorAt }
  })
  if (after) await after(page.data)
  return page
}
