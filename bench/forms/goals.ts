// The goals of time: ratios of processor time to the statement by hand, by the same door. 40 cells are named; no other may be over `most`.
import type { DatabaseName } from '../options.ts'
import type { Door } from './doors.ts'
import type { Verb } from './forms.ts'

export interface CellName {
  readonly database: DatabaseName
  readonly form: string
  readonly verb: Verb
  readonly door: Door
}

/** The goal of a cell whose time is none by itself. */
export const most = 4

const verbGoals: Readonly<Record<Verb, number>> = { create: 2, update: 2, delete: 1.5, upsert: 2.5 }
const bareGoals: Readonly<Record<string, number>> = { create: 1.4, update: 1.3 }
const doorGoals: Readonly<Partial<Record<Door, number>>> = { transaction: 1.3, http: 1.5, graphql: 1.5 }

/** Related rows are locked before the write there, in one flight. */
const locking = 2

export function goalOf({ database, form, verb, door }: CellName): number {
  if (form === 'hook before') return 2.5
  const byDoor = doorGoals[door]
  if (byDoor !== undefined) return byDoor
  if (database === 'postgres' && form.endsWith('through a membership')) return locking
  return (form === 'none' && door === 'id' ? bareGoals[verb] : undefined) ?? verbGoals[verb]
}

const untouched = 'filter and validation with $CURRENT_USER, its field untouched'
const written = 'filter and validation with $CURRENT_USER, its field written'
const filter = 'filter on an own column'

const rows: readonly (readonly [DatabaseName, Door, string, readonly Verb[]])[] = [
  ['sqlite', 'id', 'none', ['create', 'update']],
  ['sqlite', 'id', filter, ['create', 'update', 'delete', 'upsert']],
  ['sqlite', 'id', untouched, ['create', 'update']],
  ['sqlite', 'id', written, ['create', 'update']],
  ['sqlite', 'id', 'validation through a membership', ['create', 'update']],
  ['sqlite', 'id', 'two rules for an action', ['create']],
  ['sqlite', 'id', 'fields that are seen on some rows only', ['create', 'update', 'delete']],
  ['sqlite', 'id', 'a reference in the payload under rules', ['create', 'update']],
  ['sqlite', 'default', 'a collection with one o2m field', ['create', 'update']],
  ['sqlite', 'id', 'versioned collection', ['create', 'delete']],
  ['sqlite', 'id', 'hook before', ['create', 'update', 'delete']],
  ['sqlite', 'default', 'trigger on the table', ['update']],
  ['sqlite', 'transaction', filter, ['create', 'update', 'delete']],
  ['sqlite', 'graphql', filter, ['create', 'update', 'delete']],
  ['postgres', 'id', untouched, ['create', 'update']],
  ['postgres', 'id', 'filter through a membership', ['update', 'delete']],
  ['postgres', 'id', filter, ['update', 'upsert']],
  ['postgres', 'transaction', filter, ['update']],
  ['postgres', 'http', filter, ['update']],
]

/** The cells whose time is a goal. Those on PostgreSQL are also measured with 16 callers at once. */
export const namedCells: readonly CellName[] = rows.flatMap(([database, door, form, verbs]) =>
  verbs.map((verb) => ({ database, form, verb, door })),
)
