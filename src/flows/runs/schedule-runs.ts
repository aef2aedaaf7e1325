// Starts runs at the ticks of schedules: each tick once, whatever number of processes looks, and however clocks go.
import { sql } from '../../dialects/sql.ts'
import { isEngineError } from '../../errors/errors.ts'
import { hashOf } from '../chain/chain.ts'
import type { CompiledSchedule } from '../check/compiled.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import { insertDefinition } from './kept-definitions.ts'
import { insertRuns, newRun } from './new-run.ts'
import { isOver } from './record-run.ts'
import { numberIn, textIn } from './run-row.ts'
import type { RunTables } from './run-tables.ts'
import type { RunsContext } from './runs-context.ts'

interface Scheduled {
  readonly bound: BoundFlow
  readonly schedule: CompiledSchedule
  readonly hash: string
}

/** Schedules that this process has looked at before. */
export type KnownSchedules = WeakSet<CompiledSchedule>

/** Milliseconds after which a tick counts as missed. */
const missedMs = 60_000
/** No timer is longer: beyond 24 days one fires at once, and the clock of the database may jump meanwhile. */
const longestWaitMs = 60_000

/** Starts the runs of all ticks that are due. Returns the milliseconds until the next one. */
export async function runSchedules(context: RunsContext, known: KnownSchedules): Promise<number> {
  const { tables, flowEngine } = context
  const all = [...flowEngine.flows.values()].flatMap((bound) => {
    const { trigger, name } = bound.flow
    return trigger.on === 'schedule' ? [{ bound, schedule: trigger, hash: hashOfTicks(name) }] : []
  })
  if (all.length === 0) return longestWaitMs
  const { now, ticks } = await lastTicks(tables, all)
  let wait = longestWaitMs
  for (const one of all) {
    const { ticks: reader } = one.schedule
    const last = ticks.get(one.hash)
    // Looked at once: of two processes with different schedules each would begin anew after the other, and lose its ticks.
    const isAnother =
      last !== undefined && last.pattern !== patternOf(one.schedule) && !known.has(one.schedule)
    // A flow that is seen for the first time has missed nothing.
    if (last === undefined) await tables.change(insertDefinition(tables, firstLook(one, now)))
    else if (isAnother) await tables.change(beginAnew(tables, one, now))
    else for (const tick of dueTicks(one.schedule, last.tick, now)) await takeTick(context, one, tick)
    known.add(one.schedule)
    const next = reader?.next(now)
    if (next !== undefined) wait = Math.min(wait, next - now)
  }
  return wait
}

/** The row of the last tick of a flow stands among the definitions: it is kept longer than any run. */
const hashOfTicks = (flow: string): string => `ticks of ${hashOf(flow)}`

const patternOf = ({ cron, timeZone }: CompiledSchedule): string => JSON.stringify({ cron, timeZone })

/** Returns the last tick of each flow, with the schedule that it is of, as text. */
async function lastTicks(tables: RunTables, all: readonly Scheduled[]) {
  const { column: c } = tables
  const hashes = tables.list(all.map(({ hash }) => hash))
  const rows = await tables.query(
    sql`select cast(${tables.now} as text) as ${c('now')}, ${c('hash')}, cast(${c('tick')} as text) as ${c('tick')}, ${tables.texts('definition')} from (select 1) as one left join ${tables.definitions} on ${c('hash')} in (${hashes})`,
  )
  const [first] = rows
  return {
    now: first ? numberIn(first, 'now') : 0,
    ticks: new Map(
      rows.flatMap((row) => {
        const hash = textIn(row, 'hash')
        const last = { tick: numberIn(row, 'tick'), pattern: textIn(row, 'definition') }
        return hash === undefined ? [] : [[hash, last] as const]
      }),
    ),
  }
}

const firstLook = ({ bound, schedule, hash }: Scheduled, now: number) => ({
  hash,
  flow: bound.flow.name,
  definition: patternOf(schedule),
  tick: now,
})

/** Nor has one whose schedule was edited: what the new one would have done before is no tick of it. */
function beginAnew(tables: RunTables, { schedule, hash }: Scheduled, now: number) {
  const { column: c } = tables
  const latest = sql`case when ${c('tick')} < ${sql.val(now)} then ${sql.val(now)} else ${c('tick')} end`
  return sql`update ${tables.definitions} set ${c('definition')} = ${sql.val(patternOf(schedule))}, ${c('tick')} = ${latest} where ${c('hash')} = ${sql.val(hash)}`
}

function dueTicks({ ticks, missed }: CompiledSchedule, last: number, now: number): readonly number[] {
  if (!ticks) return []
  const due: number[] = []
  for (let tick = ticks.next(Math.max(last, now - missedMs)); tick !== undefined && tick <= now; ) {
    due.push(tick)
    tick = ticks.next(tick)
  }
  if (due.length > 0 || missed === 'none') return due
  const late = ticks.last(last, now)
  return late === undefined ? [] : [late]
}

/** Starts the run of a tick, unless another process has. */
async function takeTick(
  context: RunsContext,
  { bound, schedule, hash }: Scheduled,
  tick: number,
): Promise<void> {
  const { tables } = context
  const { column: c } = tables
  const take = sql`update ${tables.definitions} set ${c('tick')} = ${sql.val(tick)} where ${c('hash')} = ${sql.val(hash)} and ${c('tick')} < ${sql.val(tick)}`
  const isTaken = await tables
    .atomic(async (inside) => {
      if ((await inside.change(take)) === 0) return true
      const [before] =
        schedule.overlap === 'allow'
          ? []
          : await inside.query(
              sql`select ${tables.texts('state')} from ${tables.runs} where ${c('flow')} = ${sql.val(bound.flow.name)} and ${c('tick')} is not null and ${c('state')} <> 'skipped' order by ${c('tick')} desc limit 1`,
            )
      const state = before && textIn(before, 'state')
      const isBusy = state !== undefined && !isOver(state)
      const run = newRun(context, bound, { trigger: { tick: new Date(tick).toISOString() }, tick })
      await insertRuns(inside, [{ ...run, isSkipped: isBusy }])
      return true
    })
    .catch((error: unknown) => {
      // A process that reads another definition of the flow has started it.
      if (isEngineError(error) && error.code === 'RECORD_NOT_UNIQUE') return false
      throw error
    })
  if (isTaken) context.wake()
  else await tables.change(take)
}
