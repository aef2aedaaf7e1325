// Requests that were recorded with their answers, the database behind them, and who asked.
import { createEngine, type Engine, type Schema } from '../../src/index.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { jsonLines } from '../support/json-lines.ts'
import type { Lane } from '../support/lanes.ts'
import rows from './fixture/rows.json' with { type: 'json' }
import { schema as typed } from './fixture/schema.ts'
import { createTables } from './tables.ts'

export interface Recorded {
  readonly name: string
  /** GET, unless it is told. */
  readonly method?: string
  readonly collection: string
  readonly key?: string
  /** A query string, or the query in a body. */
  readonly query: unknown
  /** A query string beside the query in a body. */
  readonly beside?: string
  readonly expect: unknown
}

export const recorded: readonly Recorded[] = jsonLines<Recorded>('conformance/fixture/recorded-reads.jsonl')
const schema: Schema = typed

/** Who asked when the requests were recorded. */
export const access = {
  admin: true,
  user: idOf(rows.users, { email: 'admin@example.com' }),
  role: idOf(rows.roles, { name: 'Administrator' }),
}

export async function openRecorded({
  name,
  open,
}: Pick<Lane, 'name' | 'open'>): Promise<{ readonly opened: OpenDatabase; readonly engine: Engine }> {
  const opened = await open()
  await createTables(name, opened.db, schema, rows)
  const variables = { $CURRENT_USER: 'users', $CURRENT_ROLE: 'roles' }
  return { opened, engine: createEngine({ db: opened.db, schema, variables }) }
}

function idOf(items: readonly { readonly id: string }[], wanted: Readonly<Record<string, string>>): string {
  const found = items.find((item) =>
    Object.entries(wanted).every(([name, value]) => Reflect.get(item, name) === value),
  )
  if (!found) throw new Error(`There is no row with ${JSON.stringify(wanted)}.`)
  return found.id
}

/** A number and its text were recorded as equal. */
export function alike(value: unknown): unknown {
  if (typeof value === 'string') return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  if (Array.isArray(value)) return value.map(alike)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, alike(inner)]))
}
