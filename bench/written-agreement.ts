// Speed counts only among those who write the same, and say so.
import { isDeepStrictEqual } from 'node:util'
import type { Entrant } from './contest.ts'
import type { Ground } from './grounds/ground.ts'
import type { WriteWorkload } from './workloads.ts'
import { change, foreign, foreignTitle, many, turns } from './written.ts'

type Written = Pick<Ground, 'numbers'>

/** Fails unless each returns what it has done to the table: the keys of the new items, or the number of deleted ones with their keys, if it
 *  returns any. */
export async function checkWritten(
  entrants: readonly Entrant[],
  ground: Written,
  workload: WriteWorkload,
): Promise<void> {
  for (const { party, form, run, before } of entrants) {
    await before?.()
    const earlier = await keysOf(ground)
    const answer = await run(noTurn)
    const later = await keysOf(ground)
    if (await isTrue[workload](answer, { earlier, later, ground })) continue
    throw new Error(`${workload}: ${party} (${form}) answers something else than what it has written.`)
  }
}

const noTurn = { page: 1, key: 1, most: 0, skipped: 0 }

const keysOf = ({ numbers }: Written) => numbers('select id from written order by id')

interface Change {
  readonly earlier: readonly number[]
  readonly later: readonly number[]
  readonly ground: Written
}

type Check = (answer: unknown, change: Change) => boolean | Promise<boolean>

const isCreated: Check = (answer, { earlier, later }) => {
  const items = missingIn(earlier, later).map((id) => ({ id }))
  return items.length > 0 && isDeepStrictEqual(plain(answer), Array.isArray(answer) ? items : items[0])
}

const isDeleted: Check = (answer, { earlier, later }) => {
  const gone = missingIn(later, earlier)
  const { deleted, keys }: { readonly deleted?: unknown; readonly keys?: unknown } = Object(answer)
  if (gone.length === 0 || deleted !== gone.length) return false
  return keys === undefined || (Array.isArray(keys) && isDeepStrictEqual(keys.toSorted(byNumber), gone))
}

const isUpdated: Check = (answer, { later }) => {
  const { id, title }: { readonly id?: unknown; readonly title?: unknown } = Object(answer)
  return later.includes(Number(id)) && title === `Another title ${turns.at}`
}

const areUpdated: Check = async (answer, { ground }) => {
  const { updated }: { readonly updated?: unknown } = Object(answer)
  const changed = await changedNow(ground)
  return changed.length === 5_000 && updated === changed.length
}

const arePut: Check = async (answer, { later, ground }) => {
  const changed = await ground.numbers(`select id from written where title = '${change().title}' order by id`)
  return (
    later.length === 20_000 &&
    changed.length === many.length &&
    isDeepStrictEqual(
      plain(answer),
      changed.map((id) => ({ id })),
    )
  )
}

const isTrue: Readonly<Record<WriteWorkload, Check>> = {
  W9a: isCreated,
  W9b: isCreated,
  W9u: isUpdated,
  W9q: areUpdated,
  W9p: isUpdated,
  W9pb: arePut,
  W10d: isDeleted,
  W10: isDeleted,
  W10k: isDeleted,
}

const changedNow = ({ numbers }: Written) =>
  numbers(`select id from written where status = 'gone' and views = ${turns.at}`)

const missingIn = (some: readonly number[], all: readonly number[]): readonly number[] => {
  const others = new Set(some)
  return all.filter((key) => !others.has(key))
}

const byNumber = (one: number, other: number) => one - other

const plain = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer))

/** Fails unless who has rules leaves alone what they forbid. */
export async function checkRefused(
  entrants: readonly Entrant[],
  ground: Written,
  workload: WriteWorkload,
): Promise<void> {
  const attempt = attempts[workload]
  if (!attempt) return
  const { keys } = turns
  for (const { party, form, run } of entrants.filter(({ party }) => attempt.isRuled(party))) {
    const [id = 0] = await ground.numbers(foreign(attempt.status))
    turns.keys = [id]
    turns.gone = id
    // Some answer that nothing was written, and some throw.
    await (async () => run(noTurn))().catch(() => undefined)
    const left = await ground.numbers(`select id from written where id = ${id} and title = '${foreignTitle}'`)
    const changed = workload === 'W9q' ? await changedNow(ground) : []
    if (left.length === 0 || changed.length > 0)
      throw new Error(`${workload}: ${party} (${form}) writes what its rules forbid.`)
    await ground.numbers(`delete from written where id = ${id} returning id`)
  }
  turns.keys = keys
}

interface Attempt {
  /** What the item is that they may not write. */
  readonly status: string
  readonly isRuled: (party: string) => boolean
}

const attempts: Partial<Readonly<Record<WriteWorkload, Attempt>>> = {
  W9u: { status: 'published', isRuled: (party) => /narrowed|related|RLS/.test(party) },
  W10d: { status: 'published', isRuled: (party) => /narrowed|related|RLS/.test(party) },
  // Others write those that they may, and leave out the rest.
  W9q: { status: 'gone', isRuled: (party) => /^(hand|quernel), narrowed$/.test(party) },
}
