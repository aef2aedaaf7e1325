import type { EngineInternals } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { prepare } from '../prepared/prepare.ts'
import { beginRead } from './read/begin-read.ts'
import { cursorIn, pageOfRows, readRows } from './read/read-list.ts'
import { listRequest } from './read/read-request.ts'

/** A page of a list of which a reader may pass on the first items alone. */
interface ListPage {
  readonly data: readonly unknown[]
  /** Number of all items that the filter chooses, where it was asked for. */
  readonly count: number | undefined
  readonly hasMore: boolean
  /** Returns the cursor behind the first items, where cursors were asked for, and the lists inside of them that are cut. */
  readonly upTo: (items: number) => readonly [cursor: string | null, truncated: readonly string[]]
}

/** Lists as `listItems` does, and can go on after each item. */
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
    const { found, watch, hasMore } = pageOfRows(rows, prepared)
    const { cursor } = template
    const data: unknown[] = []
    const cuts: (readonly [at: number, place: string])[] = []
    const rowWatch = watch && { ...watch, cut: (place: string) => cuts.push([data.length, place]) }
    for (const row of found) data.push(mapper(row, rowWatch))
    // Hooks may take items out of the list, and change their order.
    const places = after && new Map(data.map((item, at) => [item, at]))
    const upTo: ListPage['upTo'] = (items) => {
      const order = data.map((item, at) => places?.get(item) ?? at)
      const next = order.slice(items).reduce((one, other) => Math.min(one, other), found.length)
      const first = new Set(order.slice(0, items))
      const truncated = new Set(cuts.flatMap(([at, place]) => (first.has(at) ? place : [])))
      return [cursor ? cursorIn(found[next - 1], cursor) : null, [...truncated].sort()]
    }
    return { data, count: counts.filtered, hasMore, upTo }
  })
  if (after) await after(page.data)
  return page
}
