// Units of work: those of the engine's own transactions, and those of the host's.
import { fault } from '../errors/errors.ts'
import { attempt } from '../execution/report-errors.ts'
import { UnitOfWork } from '../execution/transaction/unit-of-work.ts'
import type { EngineInternals } from './engine.ts'
import type { OnError, QueuedEvent } from './hooks.ts'

export type Unit = UnitOfWork<QueuedEvent<EngineInternals>>

/** Runs the work that waited for the end of a unit of work. If it fails, the database remains as it is. */
export async function settle(unit: Unit, how: 'done' | 'undone', onError: OnError): Promise<void> {
  for (const consequence of unit.takeConsequences())
    await attempt(async () => consequence[how]?.(), undefined, onError)
}

/** Units of work by host transaction: engines on the same transaction take turns. */
const units = new WeakMap<object, Unit>()
const hostUnits = new WeakSet<Unit>()

export function unitOf(transaction: object): Unit {
  const known = units.get(transaction)
  if (known) return known
  const unit: Unit = new UnitOfWork()
  units.set(transaction, unit)
  hostUnits.add(unit)
  return unit
}

/** True for the unit of a host's transaction, not for a savepoint in one. */
export const isHostUnit = (unit: Unit): boolean => hostUnits.has(unit)

/** Lets each part of a unit run its own hooks before the commit, as in a transaction of the host's. */
export function endHooksByPart(unit: Unit): void {
  hostUnits.add(unit)
}

/** Returns the unit of a host's transaction, which the host has committed. */
export function hostUnit(unit: Unit | undefined): Unit {
  if (unit && isHostUnit(unit)) return unit
  throw notHosts()
}

const notHosts = () =>
  fault('INVALID_OPTIONS', '"committed" is for an engine inside a transaction of your own.', {
    hint: 'Call it on the engine that engine.using(transaction) returns; engine.transaction needs no call.',
  })
