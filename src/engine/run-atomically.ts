// Runs work as one unit: in a transaction, or in a savepoint of the current one, with the hooks and listeners of what it writes.
import type { HostTransaction } from '../dialects/host.ts'
import type { Options } from '../execution/database.ts'
import { orElse, type Soon, soon } from '../execution/soon.ts'
import { nobodyWaits } from '../execution/transaction/begin.ts'
import { inSavepoint } from '../execution/transaction/savepoint.ts'
import { inTransaction, requireOpen } from '../execution/transaction/transaction.ts'
import { mayBeStored, unverifiedCommit } from '../execution/transaction/uncertain-commit.ts'
import { UnitOfWork } from '../execution/transaction/unit-of-work.ts'
import { runBeforeCommit } from './call-hook.ts'
import type { Engine, EngineInternals } from './engine.ts'
import { hostUnit, isHostUnit, settle, type Unit } from './host-units.ts'

interface UnitOptions {
  readonly options: Options
  /** True if the host has asked for the unit, and calls several verbs in it. */
  readonly isTransaction: boolean
}

export function runAtomically<Result>(
  engine: EngineInternals,
  work: (inside: EngineInternals) => Soon<Result>,
  { options, isTransaction }: UnitOptions,
): Soon<Result> {
  const { unit, hooks, onError } = engine
  engine.gate?.beforeWrite()
  // The end of a host's transaction is not reported before it.
  const endsHooks = isTransaction || !unit || isHostUnit(unit)
  const run = (inside: EngineInternals, own: Unit, isLeft = () => false) => {
    const isOpen = () => {
      // Statements that the host ran there itself may have failed.
      if (isTransaction) own.state.markUnverified()
      return unit !== undefined || own.state.isOpenNow(inside.db)
    }
    const isReady = () => !own.isBusy && !(endsHooks && own.isUnsettled) && isOpen()
    const prepare = async () => {
      do {
        // Calls that the host has not awaited are a part of it, too: half of one would be stored.
        if (own.isBusy) await own.whenIdle()
        if (endsHooks && own.isUnsettled) await runBeforeCommit(inside.db, own)
        if (!isOpen()) await requireOpen(inside, options)
      } while (own.isBusy)
    }
    const end = (result: Result) => {
      // Looked at before the commit is, so that what must not stay outside of the database is undone, too.
      if (isLeft()) throw nobodyWaits()
      if (!unit) own.state.close()
      return result
    }
    return orElse(
      () => soon(work(inside), (result) => (isReady() ? end(result) : prepare().then(() => end(result)))),
      async (error) => {
        if (!unit) own.state.close()
        await settle(own, 'undone', onError)
        throw error
      },
    )
  }
  if (unit)
    return inSavepoint(engine, unit, { within: (own) => engine.within(engine.db, own), work: run }, options)
  const own: Unit = new UnitOfWork()
  const within = (transaction: HostTransaction, isLeft: () => boolean) =>
    run(engine.within(transaction, own), own, isLeft)
  return orElse(
    () => inTransaction(engine, within, () => announceCommit(own, engine), options),
    (error) => {
      // Listeners look again at what may be stored. Hooks run only for what is.
      if (mayBeStored(error)) hooks.notify(own.takeEvents(), own.takeUnheard(), true, onError)
      throw error
    },
  )
}

/** Ends the unit of a host's transaction, which the host has committed. */
export async function committedByHost(engine: EngineInternals): Promise<void> {
  const { hooks, dialect, onError } = engine
  const unit = hostUnit(engine.unit)
  try {
    unit.state.requireCommitted(dialect)
  } catch (error) {
    unit.takeEvents()
    unit.takeUnheard()
    await settle(unit, 'undone', onError)
    throw error
  }
  const failure = unit.state.failureBeforeCommit
  if (!failure) return announceCommit(unit, engine)
  hooks.notify(unit.takeEvents(), unit.takeUnheard(), true, onError)
  throw unverifiedCommit('SERVICE_UNAVAILABLE', failure.error)
}

/** Notifies listeners of a commit, before anything that takes time; then does what has waited for it, and runs the hooks. */
function announceCommit(unit: Unit, { hooks, onError }: EngineInternals): Promise<void> | undefined {
  const events = unit.takeEvents()
  hooks.notify(events, unit.takeUnheard(), false, onError)
  const announce = () => hooks.announce(events, outsideOf, onError)
  return unit.hasConsequences ? settle(unit, 'done', onError).then(announce) : announce()
}

const outsideOf = (inside: EngineInternals): Engine => inside.outside().asEngine()
