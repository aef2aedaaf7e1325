// Reads for frames that the messages of a feed do not have: counts, and which of the items that have gone may still be seen. Subscribers of one
// list share them.

import type { EngineInternals } from '../../engine/engine.ts'
import { amongIds } from '../../http/search-query.ts'
import { listItems } from '../../items/list.ts'
import { keyAsText, keyInItem } from '../../plan/key.ts'
import { keyFieldsOf } from '../../schema/model.ts'
import { Cache } from '../../values/cache.ts'
import { isRecord } from '../../values/guards.ts'
import { groupName } from '../group/group-name.ts'
import { turn } from '../timers.ts'
import type { Subscribe } from './read-subscribe.ts'

interface ListedState<List = Subscribe> {
  readonly token: string
  readonly list: List
  readonly engine: EngineInternals
}

export class SharedReads {
  readonly #counts: Reads<unknown> = new Cache(maxKept)
  /** Counts whose read has not begun, and those that are being read. */
  readonly #coming = new Map<string, Promise<unknown>>()
  readonly #running = new Map<string, Promise<unknown>>()
  readonly #seen: Reads<ReadonlySet<string>> = new Cache(maxKept)

  /** Returns the counts of a list as it was when a version of it was first sent. */
  counts(state: ListedState): Promise<unknown> {
    return keepRead(this.#counts, stateName(state, state.list.meta), () => readCounts(state))
  }

  /** Returns the counts of a list from now on: other items may have come since a version was sent. Requests before the read begins share it,
   *  and one read begins after the other. */
  countsNow(state: ListedState): Promise<unknown> {
    const name = stateName({ ...state, token: '' }, state.list.meta)
    if (name === undefined) return readCounts(state)
    const coming = this.#coming.get(name)
    if (coming !== undefined) return coming
    const before = this.#running.get(name)?.catch(() => undefined) ?? turn()
    const reading = before.then(() => {
      this.#coming.delete(name)
      this.#running.set(name, reading)
      return readCounts(state).finally(() => {
        if (this.#running.get(name) === reading) this.#running.delete(name)
      })
    })
    this.#coming.set(name, reading)
    return reading
  }

  /** Returns those of some items that the caller may still read, by their ids. */
  seen(state: ListedState, ids: readonly string[]): Promise<ReadonlySet<string>> {
    return keepRead(this.#seen, stateName(state, ids), () => readSeen(state, ids))
  }
}

const maxKept = 1_000

type Reads<Result> = Cache<Promise<Result> | undefined>

/** Names a list, its version, who sees it and what of it is read; undefined if it cannot be shared. The current rights may differ from those of
 *  the list. */
export function stateName(
  { token, list, engine }: ListedState<Pick<Subscribe, 'collection' | 'query'>>,
  parts: readonly string[],
): string | undefined {
  const { collection, query } = list
  const group = groupName({ collection, query, membership: 'match' }, engine)
  // The last part of a token is of the subscription alone.
  const version = token.slice(0, token.lastIndexOf('.'))
  return group === undefined ? undefined : JSON.stringify([version, group, parts])
}

/** Returns a result that is kept, or reads it. A read that has failed is none. */
export function keepRead<Result>(
  reads: Reads<Result>,
  name: string | undefined,
  read: () => Promise<Result>,
): Promise<Result> {
  if (name === undefined) return read()
  const known = reads.get(name)
  if (known !== undefined) return known
  const reading = read()
  reads.set(name, reading)
  // The error reaches the callers that wait for the read.
  reading.catch(() => reads.set(name, undefined))
  return reading
}

async function readCounts({ list, engine }: ListedState): Promise<unknown> {
  const { collection, query, meta } = list
  const { sort: _sort, offset: _offset, ...counted } = query
  const { meta: counts } = await listItems(engine.asEngine(), collection, { ...counted, limit: 0, meta })
  return counts
}

async function readSeen(
  { list: { collection: name }, engine }: ListedState,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const collection = engine.schema.collections.get(name)
  const fields = collection ? keyFieldsOf(collection).map((field) => field.name) : []
  // Ids of items whose key is hidden name nothing that could be read.
  if (!collection || fields.length === 0) return new Set()
  const filter = amongIds(collection, ids)
  const { data } = await listItems(engine.asEngine(), name, { fields, filter, limit: -1 })
  return new Set(data.filter(isRecord).map((item) => keyAsText(keyInItem(collection, item)) ?? ''))
}
