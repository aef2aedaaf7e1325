// A drawn world, a sequence of writes in it, and where engine and model differ.
import { type Access, createEngine, type Engine, listItems, type Schema } from '../../../src/index.ts'
import { Random } from '../../property/seeded-random.ts'
import type { OpenDatabase } from '../../support/databases.ts'
import { schemaOf, statementsOf } from './database.ts'
import { doors, type Told, toldBy } from './doors.ts'
import { drawCaller, drawFacts, drawMixture, drawRules, drawTables, drawWrite } from './draw.ts'
import type { Row, Tables } from './filter.ts'
import {
  type Caller,
  type Facts,
  judge,
  noteFields,
  now,
  type Outcome,
  type Refusal,
  type Write,
} from './model.ts'

/** A write in its world, as it came out and as it should have. */
export interface Step {
  readonly seed: number
  readonly at: number
  readonly door: string
  readonly write: Write
  /** The key of what is new. */
  readonly newKey: number
  readonly caller: Caller
  readonly facts: Facts
  readonly tables: Tables
  readonly told: Told
  readonly stored: readonly Row[]
  readonly outcome: Outcome
  readonly isAgreed: boolean
}

const writesOfEach = 12

export async function* trial(
  { db, run }: OpenDatabase,
  database: 'sqlite' | 'postgres',
  seed: number,
): AsyncGenerator<Step> {
  const random = new Random(seed)
  const facts = drawFacts(random)
  let tables = drawTables(random)
  for (const statement of statementsOf(database, tables, facts)) await run(statement)
  const engine: Engine<Schema> = createEngine({
    db,
    schema: schemaOf(facts),
    clock: () => new Date(`${now}Z`),
    variables: { $CURRENT_USER: 'people' },
  })
  const ways = Object.entries(doors)
  const rules = [drawRules(random), drawRules(random)]
  for (let at = 0; at < writesOfEach; at++) {
    const { caller, write } =
      tables.notes.length > 0 && random.chance(0.1)
        ? drawMixture(random, tables)
        : drawnCall(random, rules, tables)
    const [door, through] = random.one(random.chance(0.4) ? ways.slice(0, 1) : ways)
    const told = await toldBy(through(caller.rules ? engine.as(caller as Access) : engine, write, db))
    const stored = await storedIn(engine)
    const newKey = Number(stored.find(({ id }) => !tables.notes.some((row) => row.id === id))?.id ?? -1)
    const outcome = judge({ tables, facts, caller }, write, newKey)
    const step = { seed, at, door, write, newKey, caller, facts, tables, told, stored, outcome }
    yield { ...step, isAgreed: agrees(step, outcome) }
    tables = { ...tables, notes: stored }
  }
}

function drawnCall(random: Random, rules: readonly Caller['rules'][], tables: Tables) {
  const caller = drawCaller(random, random.chance(0.05) ? undefined : random.one(rules))
  return { caller, write: drawWrite(random, caller, tables) }
}

/** Whether a write came out as a model says. */
export function agrees(
  { tables, told, stored }: Pick<Step, 'tables' | 'told' | 'stored'>,
  outcome: Outcome,
): boolean {
  const expected = 'tables' in outcome ? outcome.tables.notes : tables.notes
  return JSON.stringify(sorted(expected)) === JSON.stringify(stored) && isTold(told, outcome)
}

const sorted = (rows: readonly Row[]) =>
  rows
    .map((row) => Object.fromEntries(noteFields.map((name) => [name, row[name] ?? null])))
    .sort((one, other) => Number(one.id) - Number(other.id))

async function storedIn(engine: Engine<Schema>): Promise<readonly Row[]> {
  const { data } = await listItems(engine, 'notes', { fields: [...noteFields], sort: ['id'], limit: -1 })
  return data.map((row) => ({ ...row, price: row.price === null ? null : Number(row.price) })) as Row[] // values of notes are plain
}

function isTold(told: Told, outcome: Outcome): boolean {
  if ('answer' in told)
    return 'tables' in outcome && JSON.stringify(told.answer) === JSON.stringify(outcome.answer)
  if ('tables' in outcome) return false
  const { refusals } = outcome
  const isHidden = refusals.some(({ kind }) => kind === 'closed' || kind === 'missing')
  // What a row is is nobody's to tell who does not see it; what is wrong with the payload itself is the same for every row.
  const mayBeTold = (refusal: Refusal) =>
    !isHidden || ['closed', 'missing', 'action', 'field', 'shape', 'value'].includes(refusal.kind)
  return told.problems.every(({ code, path }) =>
    refusals.some(
      (refusal) =>
        mayBeTold(refusal) &&
        refusal.code === code &&
        (path === '' || refusal.path === path || code === 'FORBIDDEN'),
    ),
  )
}
