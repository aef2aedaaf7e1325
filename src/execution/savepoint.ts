// A part of a transaction that happens as a whole or not at all, whatever becomes of the rest.

import type { Database, Options } from './database.ts'
import { refuseNested, whileHolding } from './deadlock-guard.ts'
import { steer } from './execute.ts'
import { UnitOfWork } from './unit-of-work.ts'

/** Does something in a savepoint of the transaction that a database works in, after what was begun there before. */
export async function inSavepoint<Event, Result>(
  database: Database,
  unit: UnitOfWork<Event>,
  work: (own: UnitOfWork<Event>) => Promise<Result>,
  options: Options = {},
): Promise<Result> {
  // What is called inside must not wait for what is around it.
  refuseNested(unit)
  return unit.inTurn(async () => {
    // Whoever has left while others had their turn gets none.
    options.signal?.throwIfAborted()
    const name = `quernel_${++begun}`
    const own = new UnitOfWork<Event>(unit)
    const run = (sql: string, of: Database['unit']) => steer({ ...database, unit: of }, sql, options)
    // Whoever has the transaction, too, may have ended it.
    unit.course.doubt()
    await run(`savepoint ${name}`, unit)
    try {
      const result = await whileHolding(unit, () => whileHolding(database.home, () => work(own)))
      await run(`release savepoint ${name}`, own)
      unit.tell(own.take())
      unit.follow(own.takeConsequences())
      return result
    } catch (error) {
      // What went wrong is told, and not what went wrong in consequence.
      const back = () => run(`rollback to savepoint ${name}`, undefined)
      await back()
        .catch(back)
        // A part that cannot be taken back takes all of it along.
        .catch((worse: unknown) => unit.course.end(own.course.failure ?? { error: worse }))
      await run(`release savepoint ${name}`, undefined).catch(() => unit.course.doubt())
      throw error
    }
  })
}

let begun = 0
