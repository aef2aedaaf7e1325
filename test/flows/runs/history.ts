// Histories of runs: the steps that a run says it has done, held against the rows and the texts that are there.

import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { groupBy } from '../../../src/writes/context/group-by.ts'
import type { AnyTables } from '../../support/databases.ts'
import { linesOf } from './surviving.ts'

export interface RunHistory {
  readonly runs: readonly HistoryRun[]
  readonly steps: readonly HistoryStep[]
  readonly lines: readonly { readonly id: number; readonly owner: number; readonly text: string }[]
  /** Texts that were told outside, each with the key of its attempt. */
  readonly outside: readonly string[]
}

interface HistoryRun {
  readonly id: string
  readonly flow: string
  readonly state: string
  readonly parent: string | null
  readonly trigger: { readonly key: number }
}

interface HistoryStep {
  readonly run: string
  readonly number: number
  readonly operation: string
  readonly status: string
  readonly result: unknown
}

const parsed = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)

/** Reads a history by statements of its own: nothing of what is checked takes part. */
export async function readHistory(db: Kysely<AnyTables>, outside: readonly string[]): Promise<RunHistory> {
  const { rows: runs } = await sql<Record<string, unknown>>`
    select id, flow, state, parent, cast("trigger" as text) as "trigger" from quernel_runs order by number`.execute(
    db,
  )
  const { rows: steps } = await sql<Record<string, unknown>>`
    select run, number, operation, status, cast(result as text) as result from quernel_steps order by run, number`.execute(
    db,
  )
  const { rows: lines } = await sql<RunHistory['lines'][number]>`
    select id, owner, text from lines order by id`.execute(db)
  return {
    runs: runs.map((row) => ({ ...row, trigger: parsed(row.trigger) }) as HistoryRun), // as it was installed
    steps: steps.map(
      (row) => ({ ...row, number: Number(row.number), result: parsed(row.result) }) as HistoryStep,
    ), // as it was installed
    lines,
    outside,
  }
}

/** The operations of each flow in their order, and the lines that each writes. */
const written = {
  survive: { one: true, two: false, out: false, three: true, each: false, other: false, last: true },
  child: { mine: true, nap: false, done: false },
} as const

/** Returns what a history says that cannot be. Runs that have failed are not looked at, but for what they may not have twice. */
export function contradictions({ runs, steps, lines, outside }: RunHistory): readonly string[] {
  const found: string[] = []
  const stepsOf = groupBy(steps, ({ run }) => run)
  const linesById = new Map(lines.map((line) => [line.id, line]))
  /** Steps by the lines that they say they have written. */
  const writers = new Map<number, string>()
  const ended = new Set<number>()
  for (const { id, flow, state, parent, trigger } of runs) {
    const name = `${flow} ${trigger.key}`
    const own = stepsOf.get(id) ?? []
    const numbers = own.map(({ number }) => number)
    if (new Set(numbers).size < numbers.length) found.push(`${name}: two steps have one number`)
    const writes: Readonly<Record<string, boolean>> = flow === 'child' ? written.child : written.survive
    for (const { operation, status, result } of own) {
      if (status !== 'resolved' || writes[operation] !== true) continue
      const line = linesById.get(Number(Object(result)[0]))
      if (line === undefined) found.push(`${name}: the line of "${operation}" is not there`)
      else if (line.owner !== trigger.key) found.push(`${name}: "${operation}" names a line of ${line.owner}`)
      else if (writers.has(line.id))
        found.push(`${name}: "${operation}" and ${writers.get(line.id)} name one line`)
      else writers.set(line.id, `"${operation}" of ${name}`)
    }
    if (state !== 'succeeded') continue
    if (flow === 'survive') ended.add(trigger.key)
    const order = own.filter(({ status }) => status === 'resolved').map(({ operation }) => operation)
    if (order.join() !== Object.keys(writes).join()) found.push(`${name}: its steps are ${order.join()}`)
    if (numbers.some((number, at) => number !== at + 1))
      found.push(`${name}: its steps are ${numbers.join()}`)
    if (flow === 'child' && !runs.some((other) => other.id === parent))
      found.push(`${name}: nobody has started it`)
    const out = own.find(({ operation }) => operation === 'out')
    if (out && !outside.includes(`out ${trigger.key} ${id}/${out.number}/out`))
      found.push(`${name}: nothing was told outside by the step that is recorded`)
  }
  for (const key of ended) {
    const texts = lines.filter(({ owner }) => owner === key).map(({ text }) => text)
    if (texts.join() !== linesOf(key).join()) found.push(`survive ${key}: its lines are ${texts.join()}`)
  }
  for (const { id, owner, text } of lines)
    if (ended.has(owner) && !text.startsWith('loop ') && !writers.has(id))
      found.push(`line ${id}: no step says that it has written "${text}"`)
  return found
}
