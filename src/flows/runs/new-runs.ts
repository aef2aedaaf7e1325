// Makes the rows of runs that begin.
import { randomUUID } from 'node:crypto'
import type { EngineInternals } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { Chain } from '../chain/chain.ts'
import type { CompiledValue } from '../chain/compile-value.ts'
import { renderValue } from '../chain/render-value.ts'
import { trusted } from '../check/check-context.ts'
import { callerOf, runStarter } from '../flow-rights.ts'
import { hashOf } from '../hash-of.ts'
import { storedCopy } from '../run/frames.ts'
import type { StartedFlow } from '../run/keeper.ts'
import { type FlowCause, mostFlows, tooDeep } from '../run/run-start.ts'
import type { BoundFlow } from '../triggers/bind-triggers.ts'
import type { KeptDefinitions } from './kept-definitions.ts'
import { type ClaimedRun, type NewRun, nobody, type RunOrigin } from './run-row.ts'

/** Maximum length of the name of a lane. */
const longestLane = 255

/** Beginning of a run. */
export type RunBeginning = Pick<NewRun, 'trigger' | 'origin' | 'depth' | 'parent' | 'tick' | 'request'>

export class NewRuns {
  readonly #definitions: KeptDefinitions
  readonly #report: (error: unknown) => void

  constructor(definitions: KeptDefinitions, report: (error: unknown) => void) {
    this.#definitions = definitions
    this.#report = report
  }

  of({ flow }: BoundFlow, beginning: RunBeginning): NewRun {
    const definition = this.#definitions.carried(flow)
    const { origin } = beginning
    return {
      ...beginning,
      id: newId(),
      flow: flow.name,
      definition: this.#definitions.hashOf(flow),
      access: flow.access,
      origin: definition === undefined ? origin : { ...origin, definition },
      lane: this.#laneOf(flow, beginning),
    }
  }

  /** Nothing of a flow fails what has caused it: a run whose lane cannot be named follows no other one, and the host is told. */
  #laneOf({ name, lane }: BoundFlow['flow'], beginning: RunBeginning): string | undefined {
    try {
      return lane && laneOf(lane, beginning)
    } catch (error) {
      this.#report(
        fault('INVALID_PAYLOAD', `A run of the flow ${quote(name)} has no lane.`, { cause: error }),
      )
      return undefined
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
  originOf(bound: BoundFlow, { scope, asEngine }: EngineInternals, { active }: FlowCause): RunOrigin {
    return {
      caller: scope ? runStarter(callerOf(asEngine())) : nobody,
      isHost: !scope,
      ...rowOf(bound),
      active: [...active],
    }
  }
}

/** Returns an id that nobody guesses. It begins with the time, because what is inserted one after the other then lies together in its index. */
function newId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

function laneOf(lane: CompiledValue, { trigger, origin }: RunBeginning): string | undefined {
  const chain = new Chain()
  chain.set('$trigger', storedCopy(trigger))
  chain.point('$accountability', origin.caller)
  const value = renderValue(lane, chain)
  if (value === null || value === '') return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  // A text that not every database stores is hashed, too.
  return text.length <= longestLane && !text.includes('\u0000') ? text : hashOf(text)
}

/** Returns the row that a flow is, as its runs keep it. */
export const rowOf = ({
  author,
  isRow,
  collection,
}: BoundFlow): Pick<RunOrigin, 'author' | 'isRow' | 'collection'> => ({
  isRow,
  ...(author !== undefined && { author }),
  ...(collection !== undefined && { collection }),
})

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
      ...startedAs(run.origin, access),
      ...rowOf(bound),
      active: [...new Set([...run.origin.active, run.flow])],
    },
    depth,
    parent: run.id,
  })
}

/** The row of a user starts what it starts as that user, and as nobody who happens to cause it. */
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
