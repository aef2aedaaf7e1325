// Starts runs at the ticks of schedules: each tick once, whatever number of processes looks, and however clocks go.
import { sql } from '../../dialects/sql.ts'
import { isEngineError } from '../../errors/errors.ts'
import type { CompiledSchedule } from '../check/compiled.ts'
import { hashOf } from '../hash-of.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import { insertRuns } from './insert-runs.ts'
import { type NewRuns, rowOf } from './new-runs.ts'
import { isOver } from './record-run.ts'
import { nobody } from './run-row.ts'
import { numberIn, type RunTables, textIn } from './run-tables.ts'

/** A flow with a schedule. */
interface Scheduled {
  readonly bound: BoundFlow
  readonly schedule: CompiledSchedule
  readonly hash: string
}

/** Milliseconds after which a tick counts as missed. */
const missedMs = 60_000
/** No timer is longer: beyond 24 days one fires at once, and the clock of the database may jump meanwhile. */
const longestWaitMs = 60_000

/** Starts the runs of all ticks that are due. Returns the milliseconds until the next one. */
export async function runSchedules(
  tables: RunTables,
  flows: Iterable<BoundFlow>,
  newRuns: NewRuns,
): Promise<number> {
  const all = [...flows].flatMap((bound) => {
    const { trigger, name } = bound.flow
    return trigger.on === 'schedule' ? [{ bound, schedule: trigger, hash: hashOfTicks(name) }] : []
  })
  if (all.length === 0) return longestWaitMs
  const { now, ticks } = await lastTicks(tables, all)
  let wait = longestWaitMs
  for (const one of all) {
    const { ticks: reader } = one.schedule
    const last = ticks.get(one.hash)
    if (last === undefined) await tables.change(firstLook(tables, one, now))
    else for (const tick of dueTicks(one.schedule, last, now)) await takeTick(tables, one, tick, newRuns)
    const next = reader?.next(now)
    if (next !== undefined) wait = Math.min(wait, next - now)
  }
  return wait
}

/** The row of the last tick of a flow stands among the definitions: it is kept longer than any run. */
const hashOfTicks = (flow: string): string => `ticks of ${hashOf(flow)}`

async function lastTicks(tables: RunTables, all: readonly Scheduled[]) {
  const c = (name: string) => tables.column(name)
  const hashes = tables.list(all.map(({ hash }) => hash))
  const rows = await tables.query(
    sql`select cast(${tables.now} as text) as ${c('now')}, ${c('hash')}, cast(${c('tick')} as text) as ${c('tick')} from (select 1) as one left join ${tables.definitions} on ${c('hash')} in (${hashes})`,
  )
  const [first] = rows
  return {
    now: first ? numberIn(first, 'now') : 0,
    ticks: new Map(
      rows.flatMap((row) => {
        const hash = textIn(row, 'hash')
        return hash === undefined ? [] : [[hash, numberIn(row, 'tick')] as const]
      }),
    ),
  }
}

/** A flow that is seen for the first time has missed nothing. */
function firstLook(tables: RunTables, { bound, hash }: Scheduled, now: number) {
  const { unlessThere } = tables.engine.dialect
  const values = [sql.val(hash), sql.val(bound.flow.name), sql.val(now), tables.now]
  return sql`insert into ${tables.definitions} (${tables.columns('hash', 'flow', 'tick', 'created')}) values (${sql.join(values, sql`, `)})${unlessThere ? sql` ${unlessThere}` : sql``}`
}

/** Returns the ticks that are due, and the last one of those that were missed. */
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
  tables: RunTables,
  { bound, schedule, hash }: Scheduled,
  tick: number,
  newRuns: NewRuns,
): Promise<void> {
  const c = (name: string) => tables.column(name)
  const take = sql`update ${tables.definitions} set ${c('tick')} = ${sql.val(tick)} where ${c('hash')} = ${sql.val(hash)} and ${c('tick')} < ${sql.val(tick)}`
  const isTaken = await tables.engine
    .atomic(async (inside) => {
      if ((await tables.change(take, inside)) === 0) return true
      const [before] =
        schedule.overlap === 'allow'
          ? []
          : await tables.query(
              sql`select ${tables.texts('state')} from ${tables.runs} where ${c('flow')} = ${sql.val(bound.flow.name)} and ${c('tick')} is not null and ${c('state')} <> 'skipped' order by ${c('tick')} desc limit 1`,
              inside,
            )
      const state = before && textIn(before, 'state')
      const isBusy = state !== undefined && !isOver(state)
      const run = newRuns.of(bound, {
        trigger: { tick: new Date(tick).toISOString() },
        origin: { caller: nobody, isHost: false, ...rowOf(bound), active: [] },
        depth: 0,
        tick,
      })
      await insertRuns(tables, [{ ...run, isSkipped: isBusy }], inside)
      return true
    }, {})
    .catch((error: unknown) => {
      // A process that reads another definition of the flow has started it.
      if (isEngineError(error) && error.code === 'RECORD_NOT_UNIQUE') return false
      throw error
    })
  if (!isTaken) await tables.change(take)
}
