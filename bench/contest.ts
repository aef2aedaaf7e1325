// Contestants take turns in one process, so that whatever else the machine does falls on all of them alike.
import type { Form, Forms, Party } from './contestant.ts'
import { drawing } from './drawing.ts'
import { median } from './median.ts'
import { shuffled } from './shuffled.ts'
import type { Turn, WorkloadName } from './workloads.ts'

export interface Entrant {
  readonly party: string
  readonly form: string
  readonly run: Form
  /** What a call needs to find, and is not measured. */
  readonly before?: () => Promise<unknown>
}

export interface Result extends Pick<Entrant, 'party' | 'form'> {
  /** The median of a call, in milliseconds. */
  readonly time: number
  /** What a call costs this process, in milliseconds of a core. */
  readonly processor: number
}

/** All forms of all parties for a workload. What text is made of objects stands beside that of the database, as somebody else's. */
export function entrants(
  parties: readonly Party[],
  kind: 'objects' | 'texts',
  workload: WorkloadName,
): readonly Entrant[] {
  const formsOf = (party: string, forms: Forms = {}): readonly Entrant[] =>
    Object.entries(forms[workload] ?? {}).map(([form, run]) => ({ party, form, run }))
  return parties.flatMap((party) => [
    ...formsOf(party.name, party[kind]),
    ...(kind === 'texts' ? formsOf(`${party.name}, stringified`, party.stringified) : []),
  ])
}

export async function contest(
  entrants: readonly Entrant[],
  turn: (call: number) => Turn,
  seconds: number,
): Promise<readonly Result[]> {
  const pace = await warmUp(entrants, turn, seconds)
  const fastest = Math.min(...pace)
  // Equally many calls a round for everybody, and so many that the first one hardly counts: it finds in the caches what somebody else
  // needed.
  const calls = Math.max(1, Math.round(8 / fastest))
  const records = entrants.map((entrant, place) =>
    standingOf(entrant, place, pace[place] ?? fastest, fastest),
  )
  const round = calls * records.reduce((sum, { pace, every }) => sum + pace / every, 0)
  const rounds = Math.max(11, Math.min(400, Math.round((seconds * 1_000) / round)))
  const draw = drawing(rounds)
  const levels: number[] = []
  for (let index = 0; index < rounds; index++) {
    const present = records.filter(({ every }) => index % every === 0)
    const samples: Sample[] = []
    for (const record of shuffled(present, draw)) {
      const sample = await timed(record, turn, record.place * apart + index * calls, calls)
      samples.push({ ...sample, record })
    }
    const level = median(samples.filter(({ record }) => record.every === 1).map(({ time }) => time))
    levels.push(level / calls)
    for (const { record, time, processor } of samples) {
      record.times.push(time / level)
      record.processor.push(processor / level)
    }
  }
  const level = median(levels)
  return records.map(({ party, form, times, processor }) => ({
    party,
    form,
    time: level * median(times),
    processor: level * mean(processor),
  }))
}

interface Standing extends Entrant {
  readonly place: number
  readonly pace: number
  /** It takes part in every round, or in each fifth. */
  readonly every: number
  /** What it took in those rounds, as a share of what others took: the machine is faster in one round than in the next. */
  readonly times: number[]
  readonly processor: number[]
}

interface Sample {
  readonly record: Standing
  readonly time: number
  readonly processor: number
}

/** Whoever takes more than twice as long as the fastest takes part in each fifth round only. The time belongs to those between whom it is
 *  close. */
function standingOf(entrant: Entrant, place: number, pace: number, fastest: number): Standing {
  return { ...entrant, place, pace, every: pace > 2 * fastest ? 5 : 1, times: [], processor: [] }
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** All get the same turns, and none at the same time: of two on one connection, the second would find what the first has just fetched. */
const apart = 10_007

/** The time of a call of each, once the compiler and the caches know it. */
async function warmUp(entrants: readonly Entrant[], turn: (call: number) => Turn, seconds: number) {
  const pace: number[] = []
  for (const entrant of entrants) {
    const times: number[] = []
    const end = performance.now() + seconds * 50
    for (let call = 0; call < 6 || (performance.now() < end && call < 2_000); call++) {
      times.push((await timed(entrant, turn, call, 1)).time)
    }
    pace.push(median(times.slice(-Math.ceil(times.length / 2))))
  }
  return pace
}

async function timed(entrant: Entrant, turn: (call: number) => Turn, first: number, calls: number) {
  const { before } = entrant
  if (!before) return timedTogether(entrant.run, turn, first, calls)
  const sum = { time: 0, processor: 0 }
  for (let call = first; call < first + calls; call++) {
    await before()
    const { time, processor } = await timedTogether(entrant.run, turn, call, 1)
    sum.time += time
    sum.processor += processor
  }
  return sum
}

async function timedTogether(run: Form, turn: (call: number) => Turn, first: number, calls: number) {
  const turns = Array.from({ length: calls }, (_, index) => turn(first + index))
  const before = process.cpuUsage()
  const start = performance.now()
  for (const turn of turns) {
    const answer = run(turn)
    if (isPromised(answer)) await answer
  }
  const time = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  return { time, processor: (user + system) / 1_000 }
}

const isPromised = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer
