// Runs the statements by hand on each database, prepared once.
import type BetterSqlite from 'better-sqlite3'
import type { Pool, QueryResult } from 'pg'
import { flight } from '../hand/flight.ts'
import type { Bound, HandProgram, HandStatement } from './hand.ts'

/** What a program has written: the row that it answers, or how many rows it changed. */
export interface Outcome {
  readonly row: unknown
  readonly changes: number
}

export type Runs = (
  program: HandProgram,
  /** True inside of a transaction with a savepoint. */
  isInside?: boolean,
) => (bound: Bound) => Outcome | Promise<Outcome>

const nothing: Outcome = { row: undefined, changes: 0 }

export function sqliteRuns(database: BetterSqlite.Database): Runs {
  const prepared = ({ text, values }: HandStatement) => {
    const statement = database.prepare(text)
    return (bound: Bound): Outcome => {
      if (!statement.reader) return { row: undefined, changes: statement.run(values(bound)).changes }
      const row = statement.get(values(bound))
      return { row, changes: row === undefined ? 0 : 1 }
    }
  }
  const [begin, commit, rollback, savepoint, release] = marks.map((text) => database.prepare(text))
  return ({ allows, first, write, last, how }, isInside) => {
    const [before, writes, behind] = [first.map(prepared), prepared(write), last.map(prepared)]
    const whole = (bound: Bound): Outcome => {
      for (const step of before) if (step(bound).changes === 0 && how === 'steps') return nothing
      const outcome = writes(bound)
      const key = idOf(outcome.row) ?? bound.key
      const others = behind.map((step) => step({ ...bound, key }))
      return others.find(({ row }) => row !== undefined) ?? outcome
    }
    if (how === 'alone' && !isInside) return (bound) => (allows(bound) ? writes(bound) : nothing)
    return (bound) => {
      if (!allows(bound)) return nothing
      begin?.run()
      try {
        if (isInside) savepoint?.run()
        const outcome = whole(bound)
        if (isInside) release?.run()
        commit?.run()
        return outcome
      } catch (error) {
        rollback?.run()
        throw error
      }
    }
  }
}

const marks = ['begin immediate', 'commit', 'rollback', 'savepoint s', 'release s'] as const

export function postgresRuns(pool: Pool, pipelined: Pool): Runs {
  let named = 0
  const prepared = ({ text, values }: HandStatement) => {
    // Settings take no name.
    const name = text.startsWith('set ') ? undefined : `form_${named++}`
    return (bound: Bound) => ({ ...(name !== undefined && { name }), text, values: [...values(bound)] })
  }
  return ({ allows, first, write, last, how }, isInside) => {
    const [before, writes, behind] = [first.map(prepared), prepared(write), last.map(prepared)]
    if (how === 'alone' && !isInside)
      return async (bound) => (allows(bound) ? outcomeOf(await pool.query(writes(bound))) : nothing)
    if (how === 'flight' && !isInside)
      return async (bound) => {
        if (!allows(bound)) return nothing
        const sent = [...before, writes, ...behind].map((step) => step(bound))
        const results = await flight(pipelined, ['begin', ...sent, 'commit'])
        return outcomeOf(results[before.length + 1])
      }
    return async (bound) => {
      if (!allows(bound)) return nothing
      const client = await pool.connect()
      try {
        await client.query('begin')
        if (isInside) await client.query('savepoint s')
        let outcome = nothing
        let isThere = true
        for (const step of before) {
          const { changes } = outcomeOf(await client.query(step(bound)))
          isThere &&= changes > 0 || how !== 'steps'
        }
        if (isThere) {
          outcome = outcomeOf(await client.query(writes(bound)))
          const key = idOf(outcome.row) ?? bound.key
          for (const step of behind) {
            const other = outcomeOf(await client.query(step({ ...bound, key })))
            if (other.row !== undefined) outcome = other
          }
        }
        if (isInside) await client.query('release savepoint s')
        await client.query('commit')
        return outcome
      } catch (error) {
        await client.query('rollback')
        throw error
      } finally {
        client.release()
      }
    }
  }
}

const outcomeOf = (result: QueryResult | undefined): Outcome => ({
  row: result?.rows[0],
  changes: result?.rowCount ?? 0,
})

function idOf(row: unknown): number | undefined {
  const { id }: { readonly id?: unknown } = Object(row)
  return typeof id === 'number' ? id : undefined
}
