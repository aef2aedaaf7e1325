// Makes the rows of runs that begin.
import { createHash, randomUUID } from 'node:crypto'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { Chain } from '../chain/chain.ts'
import { renderValue } from '../chain/render-value.ts'
import { trusted } from '../check/check-context.ts'
import { callerOf } from '../flow-rights.ts'
import type { RunStarter } from '../outside/starts.ts'
import { storedCopy } from '../run/frames.ts'
import type { StartedFlow } from '../run/keeper.ts'
import { type FlowCause, mostFlows, tooDeep } from '../run/run-start.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import type { KeptDefinitions } from './kept-definitions.ts'
import type { ClaimedRun, NewRun, RunOrigin } from './run-row.ts'

/** Maximum length of the name of a lane. */
const longestLane = 255

/** What a run begins with. */
export type RunBeginning = Pick<NewRun, 'trigger' | 'origin' | 'depth' | 'parent' | 'tick' | 'request'>

export const nobody: RunStarter = { user: null, role: null, roles: [], admin: false }

export class NewRuns {
  readonly #definitions: KeptDefinitions

  constructor(definitions: KeptDefinitions) {
    this.#definitions = definitions
  }

  of({ flow }: BoundFlow, beginning: RunBeginning): NewRun {
    const definition = this.#definitions.carried(flow)
    const { origin } = beginning
    return {
      ...beginning,
      id: randomUUID(),
      flow: flow.name,
      definition: this.#definitions.hashOf(flow),
      access: flow.access,
      origin: definition === undefined ? origin : { ...origin, definition },
      lane: laneOf(flow.lane, beginning),
    }
  }

  /** Stores the definitions of flows, so that their runs need not carry them. */
  async store(flows: readonly BoundFlow[]): Promise<void> {
    const missing = flows
      .map(({ flow }) => flow)
      .filter((flow) => this.#definitions.carried(flow) !== undefined)
    if (missing.length > 0) await this.#definitions.store(missing)
  }

  /** Returns the origin of a run that an engine causes. */
  originOf(
    { author, isRow }: BoundFlow,
    { scope, asEngine }: EngineInternals,
    { active }: FlowCause,
  ): RunOrigin {
    return {
      caller: scope ? runCaller(callerOf(asEngine())) : { ...nobody, admin: false },
      isHost: !scope,
      isRow,
      active: [...active],
      ...(author !== undefined && { author }),
    }
  }
}

/** Returns a caller as a run keeps them. */
export function runCaller({ user, role, roles, admin }: ReturnType<typeof callerOf>): RunStarter {
  return { user: user ?? null, role: role ?? null, roles: roles ?? [], admin: admin === true }
}

function laneOf(lane: BoundFlow['flow']['lane'], { trigger, origin }: RunBeginning): string | undefined {
  if (!lane) return undefined
  const chain = new Chain()
  chain.set('$trigger', storedCopy(trigger))
  chain.point('$accountability', origin.caller)
  let value: unknown
  try {
    value = renderValue(lane, chain)
  } catch {
    // Nothing of a flow fails what has caused it: without a name it follows no other run.
    return undefined
  }
  if (value === null || value === '') return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // A text that not every database stores is hashed, too.
  return text.length <= longestLane && !text.includes('\u0000')
    ? text
    : createHash('sha256').update(text).digest('hex')
}

/** Returns the run of a flow that another one starts. */
export function childRun(
  run: ClaimedRun,
  { flow, payload, access }: StartedFlow,
  newRuns: NewRuns,
  flows: ReadonlyMap<string, BoundFlow>,
): NewRun {
  const bound = flows.get(flow)
  if (!bound) throw fault('NOT_FOUND', `There is no flow ${quote(flow)}.`)
  const depth = run.depth + 1
  if (depth >= mostFlows) throw tooDeep(flow)
  return newRuns.of(bound, {
    trigger: payload.value,
    origin: {
      ...starterOf(run.origin, access),
      author: bound.author,
      isRow: bound.isRow,
      active: [...new Set([...run.origin.active, run.flow])],
    },
    depth,
    parent: run.id,
  })
}

/** What the row of a user starts is started by that user, and by nobody who happens to cause it. */
function starterOf(
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
