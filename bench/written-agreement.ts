// Speed counts only among those who write the same, and say so.
import { isDeepStrictEqual } from 'node:util'
import type { Entrant } from './contest.ts'
import { turns } from './written.ts'

interface Written {
  readonly keys: () => Promise<readonly number[]>
}

/** Fails unless each returns what it has done to the table: the keys of the new items, or the number of deleted ones with their keys, if it
 *  returns any. */
export async function checkWritten(
  entrants: readonly Entrant[],
  { keys }: Written,
  change: 'created' | 'deleted' | 'updated',
): Promise<void> {
  for (const { party, form, run, before } of entrants) {
    await before?.()
    const earlier = await keys()
    const answer = await run({ page: 1, key: 1, most: 0, skipped: 0 })
    const later = await keys()
    if (change === 'updated') {
      const { id, title }: { readonly id?: unknown; readonly title?: unknown } = Object(answer)
      if (later.includes(Number(id)) && title === `Another title ${turns.at}`) continue
      throw new Error(`${party} (${form}) answers something else than the item that it has changed.`)
    }
    const [most, least] = change === 'created' ? [later, earlier] : [earlier, later]
    const others = new Set(least)
    const changed = most.filter((key) => !others.has(key))
    if (changed.length === 0 || !agrees(answer, changed, change))
      throw new Error(`${party} (${form}) answers something else than the ${changed.length} rows ${change}.`)
  }
}

function agrees(answer: unknown, changed: readonly number[], change: 'created' | 'deleted'): boolean {
  const items = changed.map((id) => ({ id }))
  if (change === 'created') return isDeepStrictEqual(plain(answer), Array.isArray(answer) ? items : items[0])
  const { deleted, keys }: { readonly deleted?: unknown; readonly keys?: unknown } = Object(answer)
  if (deleted !== changed.length) return false
  return keys === undefined || (Array.isArray(keys) && isDeepStrictEqual(keys.toSorted(byNumber), changed))
}

const byNumber = (one: number, other: number) => one - other

const plain = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer))
