// The world of items in others: what is drawn, and how two of them are compared.
import type { Random } from '../../property/seeded-random.ts'
import { condition, values } from '../obligations/draw.ts'
import { noteFields } from '../obligations/model.ts'
import { counted, type Outcome, type Twin } from './twins.ts'

type Data = Readonly<Record<string, unknown>>
export type Rules = Readonly<Record<string, unknown>>

export const noRule: Rules = {}

/** Draws a value that is mostly one which only rules refuse. */
export function drawValue(random: Random, name: string): unknown {
  const value = values[name]?.(random, false)
  const isTaken = name === 'code' && random.chance(0.9)
  if (isTaken) return random.chance(0.5) ? null : `code ${random.below(1_000_000)}`
  return (value === null || value === 'many' || value === 9) && random.chance(0.9)
    ? drawValue(random, name)
    : value
}

/** Rules of notes for those who write them below their author. */
export const nestedRules = (random: Random): readonly Rules[] =>
  random.do<readonly Rules[]>(
    () => [{}],
    () => [
      {
        validation: random.one([
          { author: { name: { _neq: 'Bo' } } },
          { author: { team: '$CURRENT_USER.team' } },
        ]),
      },
    ],
    () => [{ validation: condition(random) }],
    () => [{ filter: condition(random) }],
    () => [{ filter: { author: { 'count(notes)': { _lte: 3 } } } }],
    () => [{ presets: { team: '$CURRENT_USER.team' } }, { fields: [...noteFields] }],
    () => [{ fields: noteFields.filter(() => random.chance(0.9)) }],
  )

export const tables = ['people', 'teams', 'memberships', 'notes'] as const

/** Everything that is stored. */
export async function storedIn({ run }: Twin): Promise<Readonly<Record<string, readonly Data[]>>> {
  const stored: Record<string, readonly Data[]> = {}
  for (const table of tables)
    stored[table] = (await run(`select * from ${table} order by id`)) as readonly Data[]
  return stored
}

/** Outcome, rows and events, with rows in the place of keys that were counted: these follow the items among rows of one statement alone. */
export function comparable(
  outcome: Outcome,
  stored: Readonly<Record<string, readonly Data[]>>,
  events: readonly unknown[],
): string {
  const rows = (stored.notes ?? []).map(({ id, ...row }) => ({ id: Number(id), text: JSON.stringify(row) }))
  const places = new Map(rows.filter(({ id }) => id >= counted).map(({ id, text }) => [id, `new ${text}`]))
  const notes = rows.map(({ id, text }) => `${places.has(id) ? 'new' : id} ${text}`).sort()
  return JSON.stringify(
    { outcome, stored: { ...stored, notes }, events },
    (name, value: unknown) => {
      if (name === 'notes' && Array.isArray(value))
        return value
          .map((one) => places.get(one?.id ?? one) ?? one)
          .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      return typeof value === 'number' ? (places.get(value) ?? value) : value
    },
    1,
  )
}
