// Lists by hand: one statement for all notes, which keeps the same promise as the rules, with the values of all as one JSON text.
import type BetterSqlite from 'better-sqlite3'
import type { Pool, PoolClient } from 'pg'
import type { DatabaseName } from '../options.ts'
import { caller, type Form, formOf, type Verb } from './forms.ts'
import { type Bound, boundBy, handText } from './hand.ts'
import type { ListVerb } from './lists.ts'

/** Runs a statement with values and returns how many rows it has changed, or the number that the only one returns. */
export type RunText = (text: string, values: readonly unknown[]) => number | Promise<number>

export const sqliteText = (database: BetterSqlite.Database): RunText => {
  const prepared = new Map<string, BetterSqlite.Statement>()
  return (text, values) => {
    const statement = prepared.get(text) ?? database.prepare(text)
    prepared.set(text, statement)
    return statement.reader ? countOf(statement.all(...values)) : statement.run(...values).changes
  }
}

export const postgresText =
  (pool: Pool | PoolClient): RunText =>
  async (text, values) => {
    const name = names.get(text) ?? `list_${names.size}`
    names.set(text, name)
    const { rows, rowCount } = await pool.query({ name, text, values: [...values] })
    return rows.length === 1 ? countOf(rows) : (rowCount ?? 0)
  }
const names = new Map<string, string>()

const countOf = (rows: readonly unknown[]): number => {
  const [{ id } = { id: undefined }] = rows as readonly { readonly id?: unknown }[] // rows as drivers have them
  return rows.length === 1 && typeof id === 'number' ? id : rows.length
}

const tables: Readonly<Record<DatabaseName, string>> = {
  sqlite: 'json_each(?) as v',
  postgres: 'json_to_recordset($1::json) as v (key int, title text, state text, views int, author int)',
}
const cells: Readonly<Record<DatabaseName, (name: string) => string>> = {
  sqlite: (name) => `(v.value ->> '${name}')`,
  postgres: (name) => `v.${name}`,
}

/** The verb of one note whose statement it is, and where the table of values stands in it. */
const kinds: Readonly<Record<ListVerb, Verb>> = {
  create: 'create',
  'update alike': 'update',
  'update each': 'update',
  upsert: 'upsert',
  delete: 'delete',
  'update by query': 'update',
  'delete by query': 'delete',
}

export function handList(database: DatabaseName, name: string, list: ListVerb, run: RunText) {
  const verb = kinds[list]
  const form: Form = formOf(name)
  const { text, allows } = handText(name, verb)
  const key = new RegExp(`\\b${form.table ?? 'notes'}\\.id = @key`)
  const isQuery = list.endsWith('by query')
  const table = tables[database]
  // A row that is there meets the values as those that were not inserted.
  const [before = '', behind] = text.split(' do update ')
  const one = behind === undefined ? text : `${before} do update ${behind.replace(/@(\w+)/g, 'excluded.$1')}`
  const chosen = isQuery
    ? text.replace(key, `${form.table ?? 'notes'}.id between @from and @to`)
    : verb === 'delete'
      ? text.replace(key, `${form.table ?? 'notes'}.id in (select ${cells[database]('key')} from ${table})`)
      : one.replace(/ where | returning /, (word) => ` from ${table}${word}`)
  const whole = (bound: readonly Bound[]) =>
    chosen.replace(/(?:@|excluded\.)(\w+)(?::\w+)?/g, (word, one: string) => {
      if (word.startsWith('excluded.') && one !== 'caller') return word
      if (one === 'caller') return String(caller)
      if (!isQuery) return cells[database](one)
      if (one === 'from' || one === 'to') return String((one === 'from' ? bound[0] : bound.at(-1))?.key)
      const value = bound[0]?.[one as keyof Bound]
      return typeof value === 'number' ? String(value) : `'${value}'`
    })
  return (keys: readonly number[], turn: number) => {
    const bound = keys.map((key) => ({
      ...boundBy(form, verb, list === 'update alike' || isQuery ? turn : key + turn),
      key,
    }))
    if (!bound.every(allows)) return 0
    return run(whole(bound), isQuery ? [] : [JSON.stringify(bound)])
  }
}
