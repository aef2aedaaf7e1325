// The rows of runs that begin: how they are made, and inserted.
import { randomUUID } from 'node:crypto'
import { type Sql, sql } from '../../dialects/sql.ts'
import { fault, quote } from '../../errors/errors.ts'
import { Chain, hashOf } from '../chain/chain.ts'
import type { CompiledValue } from '../chain/compile-value.ts'
import { renderValue } from '../chain/render-value.ts'
import { trusted } from '../check/check-context.ts'
import { storedCopy } from '../run/frames.ts'
import type { StartedFlow } from '../run/keeper.ts'
import { mostFlows, tooDeep } from '../run/run-start.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import { type ClaimedRun, type NewRun, nobody, type RunOrigin } from './run-row.ts'
import type { RunTables } from './run-tables.ts'
import type { RunsContext } from './runs-context.ts'

/** Maximum length of the name of a lane. */
const longestLane = 255

export interface RunBeginning extends Pick<NewRun, 'trigger' | 'parent' | 'tick' | 'request'> {
  /** The caller that triggered it; by default there is none. */
  readonly origin?: Partial<Pick<RunOrigin, 'caller' | 'isHost' | 'as' | 'active'>>
  readonly depth?: number
}

export function newRun(
  { definitions, report }: Pick<RunsContext, 'definitions' | 'report'>,
  { flow, author, isRow, collection }: BoundFlow,
  { origin: causedBy, depth = 0, ...beginning }: RunBeginning,
): NewRun {
  const definition = definitions.carried(flow)
  const origin: RunOrigin = {
    caller: nobody,
    isHost: false,
    isRow,
    ...(author !== undefined && { author }),
    ...(collection !== undefined && { collection }),
    active: [],
    ...causedBy,
    ...(definition !== undefined && { definition }),
  }
  let lane: string | undefined
  try {
    lane = flow.lane && laneOf(flow.lane, beginning.trigger, origin)
  } catch (cause) {
    // A flow must not fail the call that triggers it: a run whose lane cannot be named follows no other one, and the host gets the error.
    report(fault('INVALID_PAYLOAD', `A run of the flow ${quote(flow.name)} has no lane.`, { cause }))
  }
  const hash = definitions.hashOf(flow)
  const { name, access } = flow
  return { ...beginning, id: newId(), flow: name, definition: hash, access, origin, depth, lane }
}

/** Returns an id that cannot be guessed. It begins with the time, because what is inserted one after the other then lies together in its index. */
function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

function laneOf(lane: CompiledValue, trigger: unknown, origin: RunOrigin): string | undefined {
  const chain = new Chain()
  chain.set('$trigger', storedCopy(trigger))
  chain.point('$accountability', origin.caller)
  const value = renderValue(lane, chain)
  if (value === null || value === '') return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // A text that not every database stores is hashed, too.
  return text.length <= longestLane && !text.includes('\u0000') ? text : hashOf(text)
}

export function childRun(context: RunsContext, run: ClaimedRun, started: StartedFlow): NewRun {
  const { flow, payload, access } = started
  const bound = context.flowEngine.flows.get(flow)
  if (!bound) throw fault('NOT_FOUND', `There is no flow ${quote(flow)}.`)
  const depth = run.depth + 1
  if (depth >= mostFlows) throw tooDeep(flow)
  const active = [...new Set([...run.origin.active, run.flow])]
  const origin = { ...startedAs(run.origin, access), active }
  return newRun(context, bound, { trigger: payload.value, origin, depth, parent: run.id })
}

/** Returns the starter of a run: of one that the row of a user starts it is that user, not the caller that happened to trigger it. */
function startedAs(
  { caller, isHost, isRow, author, as }: RunOrigin,
  access: string,
): Pick<RunOrigin, 'caller' | 'isHost' | 'as'> {
  if (!isRow || trusted.includes(access)) return { caller, isHost, as }
  const { user, role } = author === undefined ? caller : { user: author, role: null }
  return {
    caller: { user, role, roles: [], admin: false },
    isHost: false,
    as: { access: author === undefined ? access : 'author', author },
  }
}

/** Rows of one statement. */
const mostRows = 100

export async function insertRuns(tables: RunTables, runs: readonly NewRun[]): Promise<void> {
  for (let from = 0; from < runs.length; from += mostRows) {
    const some = runs.slice(from, from + mostRows)
    const kinds = some.map((run, at) => kindOf(run, some.slice(0, at)))
    // The write that causes a run waits for it, and writing the text takes longer than the insert.
    const statement = () => insertStatement(tables, some, kinds)
    const parameters = some.flatMap((run, at) => parametersOf(run, kinds[at]))
    await tables.writeAlike(`runs ${kinds.join()}`, { statement, parameters, isUnread: true })
  }
  const ids = runs.map(({ id }) => id)
  tables.tell('items.create', 'runs', ids)
}

/** How a run begins: at once, in a lane, behind another one of the same statement, or not at all. */
type RunKind = 'ready' | 'lane' | 'behind' | 'skipped'

function kindOf({ flow, lane, isSkipped }: NewRun, before: readonly NewRun[]): RunKind {
  if (isSkipped) return 'skipped'
  if (lane === undefined) return 'ready'
  return before.some((other) => other.flow === flow && other.lane === lane) ? 'behind' : 'lane'
}

/** Columns whose values are bound, in the order of the statement. */
const bound = {
  id: ({ id }) => id,
  flow: ({ flow }) => flow,
  definition: ({ definition }) => definition,
  trigger: ({ trigger }) => JSON.stringify(trigger ?? null),
  user: ({ origin: { caller } }) => (caller.user === null ? null : String(caller.user)),
  role: ({ origin: { caller } }) => (caller.role === null ? null : String(caller.role)),
  access: ({ access }) => access,
  origin: ({ origin }) => JSON.stringify(origin),
  lane: ({ lane }) => lane ?? null,
  parent: ({ parent }) => parent ?? null,
  depth: ({ depth }) => depth,
  tick: ({ tick }) => tick ?? null,
  request: ({ request }) => request?.key ?? null,
  body: ({ request }) => request?.body ?? null,
} as const satisfies Readonly<Record<string, (run: NewRun) => unknown>>

const readers = Object.values(bound)

function parametersOf(run: NewRun, kind: RunKind | undefined): readonly unknown[] {
  const values = readers.map((read) => read(run))
  // The state and what it waits for are asked for twice, each with the lane twice.
  const lane = [run.flow, run.lane]
  return kind === 'lane' ? [...values, ...lane, ...lane, ...lane, ...lane] : values
}

function insertStatement(tables: RunTables, runs: readonly NewRun[], kinds: readonly RunKind[]): Sql {
  const filled = ['state', 'waits', 'due', 'created', 'ended', 'token', 'deaths', 'attempt']
  const columns = tables.columns(...Object.keys(bound), ...filled)
  const rows = runs.map((run, at) => {
    const values = readers.map((read) => sql.val(read(run)))
    const rest = restOf(tables, run, kinds[at])
    return sql`(${sql.join([...values, ...rest], sql`, `)})`
  })
  return sql`insert into ${tables.runs} (${columns}) values ${sql.join(rows, sql`, `)}`
}

/** The columns that the database fills. */
function restOf(tables: RunTables, run: NewRun, kind: RunKind | undefined): readonly Sql[] {
  const behind = tables.hasUnfinished(run.flow, run.lane)
  const states = {
    ready: [sql`'ready'`, sql`null`],
    lane: [
      sql`case when ${behind} then 'waiting' else 'ready' end`,
      sql`case when ${behind} then 'lane' end`,
    ],
    behind: [sql`'waiting'`, sql`'lane'`],
    skipped: [sql`'skipped'`, sql`null`],
  } as const satisfies Record<RunKind, readonly Sql[]>
  const { now } = tables
  const ended = kind === 'skipped' ? now : sql`null`
  return [...states[kind ?? 'ready'], now, now, ended, sql`0`, sql`0`, sql`0`]
}
