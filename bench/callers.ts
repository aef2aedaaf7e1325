// Many callers at once: what counts is how many calls are answered, and what each costs this process.
import type { Entrant } from './contest.ts'
import { drawing } from './drawing.ts'
import { median } from './median.ts'
import { shuffled } from './shuffled.ts'
import type { Turn } from './workloads.ts'

export const callers = 16

export interface Throughput extends Omit<Entrant, 'run'> {
  readonly perSecond: number
  readonly processor: number
}

export async function throughput(
  entrants: readonly Entrant[],
  turn: (call: number) => Turn,
  seconds: number,
): Promise<readonly Throughput[]> {
  for (const { run } of entrants) await answerAll(run, turn, 200)
  const answer = ({ run }: Entrant, milliseconds: number) => answerAll(run, turn, milliseconds)
  return await crowdsInTurn(entrants, { answer, processor: ownProcessor, seconds })
}

interface Crowds<Who> {
  /** How many calls are answered in that time. */
  readonly answer: (who: Who, milliseconds: number) => Promise<number>
  /** What was used of the processor so far, in milliseconds. */
  readonly processor: () => number | Promise<number>
  readonly seconds: number
}

/** Compared round by round, because the machine is faster in one than in the next. */
export async function crowdsInTurn<Who extends Pick<Entrant, 'party' | 'form'>>(
  everybody: readonly Who[],
  { answer, processor, seconds }: Crowds<Who>,
): Promise<readonly Throughput[]> {
  const rounds = 12
  const share = (seconds * 1_000) / rounds / everybody.length
  const totals = everybody.map((who) => ({ who, rates: [] as number[], calls: 0, processor: 0 }))
  const draw = drawing(rounds)
  const levels: number[] = []
  for (let round = 0; round < rounds; round++) {
    const samples: { readonly total: (typeof totals)[number]; readonly rate: number }[] = []
    for (const total of shuffled(totals, draw)) {
      const before = await processor()
      const start = performance.now()
      const calls = await answer(total.who, share)
      samples.push({ total, rate: (calls * 1_000) / (performance.now() - start) })
      total.calls += calls
      total.processor += (await processor()) - before
    }
    const level = median(samples.map(({ rate }) => rate))
    levels.push(level)
    for (const { total, rate } of samples) total.rates.push(rate / level)
  }
  const level = median(levels)
  return totals.map(({ who: { party, form }, rates, calls, processor }) => ({
    party,
    form,
    perSecond: level * median(rates),
    processor: processor / calls,
  }))
}

function ownProcessor(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const answerAll = (run: Entrant['run'], turn: (call: number) => Turn, milliseconds: number) =>
  answersWithin((call) => run(turn(call)), callers, milliseconds)

/** How many calls are answered in that time, to so many callers at once. */
export async function answersWithin(
  ask: (call: number) => unknown,
  callers: number,
  milliseconds: number,
): Promise<number> {
  let calls = 0
  const end = performance.now() + milliseconds
  const caller = async () => {
    while (performance.now() < end) await ask(calls++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return calls
}
