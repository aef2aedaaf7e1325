// A part of a transaction that happens as a whole or not at all, whatever becomes of the rest.
import { type Database, execute } from './execute.ts'
import { refuseNested, whileHolding } from './nesting.ts'
import { Unit } from './unit.ts'

/** Does something in a savepoint of the transaction that a database works in, after what was begun there before. */
export async function inSavepoint<Event, Result>(
  database: Database,
  unit: Unit<Event>,
  work: (own: Unit<Event>) => Promise<Result>,
): Promise<Result> {
  // What is called inside must not wait for what is around it.
  refuseNested(unit)
  return unit.inTurn(async () => {
    const name = `quernel_${++begun}`
    const run = (sql: string) => execute(database, { sql, parameters: [] }, {})
    const own = new Unit<Event>()
    await run(`savepoint ${name}`)
    try {
      const result = await whileHolding(unit, () => whileHolding(database.home, () => work(own)))
      await run(`release savepoint ${name}`)
      unit.tell(own.take())
      unit.follow(own.takeConsequences())
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
