// A verb that writes does all of it or nothing: in a transaction of its own, or in a savepoint of the one it was called in.
import type { HostTransaction } from '../dialects/host.ts'
import { type Engine, engineWithin, transact } from '../engine.ts'
import type { Change } from '../hooks.ts'
import { execute, type Options, translated } from '../run/execute.ts'
import { refuseNested, whileHolding } from '../run/nesting.ts'
import { Unit } from '../run/unit.ts'

export async function atomically<Result>(
  engine: Engine,
  options: Options,
  work: (inside: Engine) => Promise<Result>,
): Promise<Result> {
  const { unit } = engine
  return unit ? inSavepoint(engine, unit, work) : inTransaction(engine, options, work)
}

/** How often a transaction is begun anew that the database gave up for another's sake. */
const mostAttempts = 5

async function inTransaction<Result>(
  engine: Engine,
  options: Options,
  work: (inside: Engine) => Promise<Result>,
): Promise<Result> {
  const { signal } = options
  const [result, events] = await persistently(engine, options, async () => {
    const unit = new Unit<Change>()
    const inside = (transaction: HostTransaction) => work(engineWithin(engine, transaction, unit))
    const done = await translated(() => transact(engine, inside, signal), engine, signal)
    return [done, unit.take()] as const
  })
  await engine.hooks.announce(events, engine, engine.onError)
  return result
}

/** Does something again that the database gave up for another's sake. It must do all or nothing by itself. */
export async function persistently<Result>(
  engine: Engine,
  { signal }: Options,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === mostAttempts || !isPassing(error, engine)) throw error
      await pause(attempt, signal)
    }
  }
}

/** Whether the same may succeed when it is done once more. */
function isPassing(error: unknown, { dialect }: Engine): boolean {
  return error instanceof Error && dialect.isPassing(error.cause)
}

/** Longer each time, and for each caller another time, so that they do not meet again. */
async function pause(attempt: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted()
  const milliseconds = 5 * 2 ** attempt * (0.5 + Math.random())
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}

async function inSavepoint<Result>(
  engine: Engine,
  unit: Unit<Change>,
  work: (inside: Engine) => Promise<Result>,
): Promise<Result> {
  // A handler that is called by a verb must not wait for that verb.
  refuseNested(unit)
  return unit.inTurn(async () => {
    const name = `quernel_${++begun}`
    const run = (sql: string) => execute(engine, { sql, parameters: [] }, {})
    const own = new Unit<Change>()
    await run(`savepoint ${name}`)
    try {
      const result = await whileHolding(unit, () => work(engineWithin(engine, engine.db, own)))
      await run(`release savepoint ${name}`)
      unit.tell(own.take())
      return result
    } catch (error) {
      // What went wrong is told, and not what went wrong in consequence.
      await run(`rollback to savepoint ${name}`).catch(() => undefined)
      await run(`release savepoint ${name}`).catch(() => undefined)
      throw error
    }
  })
}

let begun = 0
