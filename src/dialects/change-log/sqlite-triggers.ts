// Triggers of the change log on SQLite, for each row. `or replace` deletes rows of other keys, and fires no trigger for them: so what a new value
// collides with is logged before.

import { identifier, type Sql, sql } from '../sql.ts'
import { phrases } from '../sqlite/phrases.ts'
import { type LogStep, logSteps } from './log-steps.ts'
import { columnOf, markComment, markOf, prefix, textOf, triggerName } from './logged-text.ts'
import type { FoundTrigger, LoggedColumn, LoggedFacts, LoggedTable } from './phrases.ts'

/** The facts of a table, as the statement below writes them. */
interface TableRow {
  /** Null without a table of the name. */
  readonly kind: string | null
  readonly hasRowNumbers: boolean
  readonly columns: readonly ColumnRow[]
  readonly indexes: readonly IndexRow[]
  readonly triggers: readonly { readonly name: string; readonly on: string; readonly mark: string }[]
}

interface ColumnRow {
  readonly name: string
  readonly key: number
  readonly isComputed: boolean
  /** Text of the default of a column that is never null; else null. */
  readonly standsForNull: string | null
}

interface IndexRow {
  readonly name: string
  /** True if it is the primary key's. */
  readonly isKey: boolean
  readonly isPartial: boolean
  /** The name is null for an expression. */
  readonly columns: readonly { readonly name: string | null; readonly collation: string }[]
}

export function facts(tables: readonly LoggedTable[]): Sql {
  const rows = tables.map((table, at) => sql`(${sql.lit(at)}, ${sql.lit(table.table)})`)
  return sql`with wanted (place, name) as (values ${sql.join(rows, sql`, `)}) select w.place as "0", json_object(
    'kind', (select case when m.type = 'table' and upper(substr(m.sql, 1, 14)) = 'CREATE VIRTUAL' then 'virtual' else m.type end from sqlite_master as m where m.type in ('table', 'view') and m.name = w.name collate nocase),
    'hasRowNumbers', json(case when exists (select 1 from pragma_table_list(w.name) as l where l.schema = 'main' and l.wr) then 'false' else 'true' end),
    'columns', json((select json_group_array(json_object('name', c.name, 'key', c.pk, 'isComputed', json(case when c.hidden in (2, 3) then 'true' else 'false' end), 'standsForNull', case when c."notnull" then c.dflt_value end)) from pragma_table_xinfo(w.name) as c)),
    'indexes', json((select json_group_array(json_object('name', i.name, 'isKey', json(case i.origin when 'pk' then 'true' else 'false' end), 'isPartial', json(case when i.partial then 'true' else 'false' end),
      'columns', json((select json_group_array(json_object('name', x.name, 'collation', x.coll)) from (select * from pragma_index_xinfo(i.name) where key order by seqno) as x)))) from pragma_index_list(w.name) as i where i."unique")),
    'triggers', json((select json_group_array(json_object('name', t.name, 'on', t.tbl_name, 'mark', substr(t.sql, instr(t.sql, '/* quernel ') + 11, 16))) from sqlite_master as t where t.type = 'trigger' and t.tbl_name = w.name collate nocase and substr(t.name, 1, ${sql.lit(prefix.length)}) = ${sql.lit(prefix)}))
  ) as "1" from wanted as w`
}

export function readFacts(table: LoggedTable, text: string): LoggedFacts {
  const row = JSON.parse(text) as TableRow // as the statement above writes it
  const wanted = triggersOf(table, row)
  const own = new Set(ownNames(table.collection))
  const found = row.triggers
    .filter(({ name }) => own.has(name))
    .map((trigger): FoundTrigger => ({ ...trigger, on: trigger.on.toLowerCase(), isEnabled: true }))
  return {
    obstacle: obstacleOf(table, row),
    remarks: remarksOf(row),
    wanted: wanted.map(({ name, on, mark }) => ({ name, on, mark })),
    found,
    parts: '',
    // A table that was renamed has taken its triggers along, and no two have one name.
    install: () => [
      ...ownNames(table.collection).map((name) => sql`drop trigger if exists ${identifier(name)}`),
      ...wanted.map(({ create }) => create),
    ],
  }
}

function obstacleOf({ dbSchema }: LoggedTable, { kind }: TableRow): string | undefined {
  if (dbSchema !== undefined && dbSchema !== 'main')
    return 'stands in an attached file, out of reach of triggers'
  if (kind === null) return 'does not exist'
  if (kind === 'view') return 'is a view, which has no rows of its own'
  return kind === 'virtual' ? 'is virtual, and takes no triggers' : undefined
}

const remarksOf = ({ indexes }: TableRow): readonly string[] =>
  indexes
    .filter((index) => !isComparable(index))
    .map(
      ({ name }) =>
        `has the unique index "${name}" of an expression or of some rows only: what "or replace" deletes through it is not logged.`,
    )

const isComparable = ({ isPartial, columns }: IndexRow) =>
  !isPartial && columns.every(({ name }) => name !== null)

/** A default that is a text or a number: what is worked out may be another value by then. */
const literal = /^(?:'(?:[^']|'')*'|[-+]?\d+(?:\.\d+)?)$/

const purposes = ['insert', 'update', 'delete', 'inserting', 'updating', 'moved'] as const

interface TriggerText {
  readonly name: string
  readonly on: string
  readonly mark: string
  readonly create: Sql
}

function triggersOf(table: LoggedTable, row: TableRow): readonly TriggerText[] {
  if (row.kind !== 'table') return []
  const { collection, key, old } = table
  const name = sql.lit(collection)
  const [before, after] = [sql`old`, sql`new`]
  const log = (columns: string, values: Sql) =>
    sql`insert into quernel_changes (${sql.raw(columns)}) ${values};`
  const logged = ({ operation, row: which }: LogStep) => {
    const rows = which === 'old' ? before : after
    const values = sql`${name}, ${sql.lit(operation)}, ${listOf(key, rows)}`
    return which === 'old'
      ? log('collection, op, key, old', sql`values (${values}, ${listOf(old, rows)})`)
      : log('collection, op, key', sql`values (${values})`)
  }
  const sets = uniqueSets(row)
  const isOther = differs(
    key.map(({ column }) => column),
    sql`t`,
    before,
  )
  const put = (column: string) => {
    const value = sql`new.${identifier(column)}`
    const { standsForNull } = row.columns.find((one) => one.name === column) ?? { standsForNull: null }
    // "or replace" puts the default in the place of a null, and only behind this trigger.
    return literal.test(standsForNull ?? '')
      ? sql`coalesce(${value}, ${sql.raw(String(standsForNull))})`
      : value
  }
  const meeting = (set: UniqueSet, isUpdate: boolean) => {
    const meets = set.map(
      ({ name: column, collation }) =>
        sql`t.${identifier(column)} collate ${identifier(collation)} = ${put(column)}`,
    )
    const where = sql.join([...meets, ...(isUpdate ? [isOther] : [])], sql` and `)
    return sql`from ${identifier(table.table)} as t where ${where}`
  }
  const collisions = (isUpdate: boolean) =>
    sql.join(
      sets.map((set) =>
        log(
          'collection, op, key, old',
          sql`select ${name}, 'u', ${listOf(key, sql`t`)}, ${listOf(old, sql`t`)} ${meeting(set, isUpdate)}`,
        ),
      ),
      sql` `,
    )
  // A trigger that ends at its condition costs a quarter of one whose statement selects nothing.
  const collides = sql.join(
    sets.map((set) => sql`exists (select 1 ${meeting(set, false)})`),
    sql` or `,
  )
  const make = (purpose: (typeof purposes)[number], when: Sql, condition: Sql | undefined, body: Sql) => {
    const named = triggerName(collection, purpose)
    const text = textOf(
      sql`create trigger ${identifier(named)} ${when} on ${identifier(table.table)}${condition ? sql` when ${condition}` : sql``} begin ${body}`,
    )
    const mark = markOf(text)
    const create = sql`${sql.raw(text)} ${markComment(mark)} end`
    return { name: named, on: table.table.toLowerCase(), mark, create }
  }
  const keyColumns = key.map(({ column }) => column)
  const uniqueColumns = [...new Set(sets.flatMap((set) => set.map((column) => column.name)))]
  const changes = (columns: readonly string[]) => differs(columns, after, before)
  return [
    ...logSteps.map((step) =>
      step.isMoved
        ? make('moved', sql`after update${ofColumns(keyColumns, row)}`, changes(keyColumns), logged(step))
        : make(step.on, sql`after ${sql.raw(step.on)}`, undefined, logged(step)),
    ),
    ...(sets.length === 0
      ? []
      : [
          make('inserting', sql`before insert`, collides, collisions(false)),
          make(
            'updating',
            sql`before update${ofColumns(uniqueColumns, row)}`,
            changes(uniqueColumns),
            collisions(true),
          ),
        ]),
  ]
}

/** Limits a trigger to statements that set one of some columns: others do not pay for its condition. A computed column changes without being set; a number
 *  of a row is set by other names, too. */
function ofColumns(names: readonly string[], { columns }: TableRow): Sql {
  const computed = new Set(
    columns.flatMap(({ name, isComputed }) => (isComputed ? [name.toLowerCase()] : [])),
  )
  if (names.some((name) => computed.has(name.toLowerCase()))) return sql``
  return sql` of ${sql.join([...new Set([...names, ...rowNumbers])].map(identifier), sql`, `)}`
}

/** The names of the number of a row, where no column has them. */
const rowNumbers = ['rowid', '_rowid_', 'oid'] as const

type UniqueSet = readonly { readonly name: string; readonly collation: string }[]

/** Columns of which a row with the same values is replaced, each with the collation by which they are the same. */
function uniqueSets({ columns, indexes, hasRowNumbers }: TableRow): readonly UniqueSet[] {
  const sets = indexes
    .filter(isComparable)
    .map((index) =>
      index.columns.flatMap(({ name, collation }) => (name === null ? [] : [{ name, collation }])),
    )
  if (!hasRowNumbers) return sets
  const [only, ...others] = columns.filter(({ key }) => key > 0)
  const isNumbered = only && others.length === 0 && !indexes.some(({ isKey }) => isKey)
  const names = new Set(columns.map(({ name }) => name.toLowerCase()))
  const number = isNumbered ? only.name : rowNumbers.find((name) => !names.has(name))
  return number === undefined ? sets : [...sets, [{ name: number, collation: 'BINARY' }]]
}

/** True if two rows differ in some columns, byte by byte. */
const differs = (columns: readonly string[], one: Sql, other: Sql): Sql =>
  sql`(${sql.join(
    columns.map((name) => sql`${one}.${identifier(name)} collate binary is not ${other}.${identifier(name)}`),
    sql` or `,
  )})`

/** Values as one text: of several columns in JSON. Each is written with its type: JSON has no bytes, and neither its numbers nor those of drivers have all
 *  digits. */
function listOf(columns: readonly LoggedColumn[], row: Sql): Sql {
  const [only, ...others] = columns
  if (!only) return sql`null`
  if (others.length === 0) return cellOf(only, row)
  const cells = columns.map((column) => cellOf(column, row))
  return sql`json_array(${sql.join(cells, sql`, `)})`
}

function cellOf(column: LoggedColumn, row: Sql): Sql {
  const { sql: value } = phrases.reading(columnOf(column, row)).column
  if (column.type.family === 'integer') return sql`'i' || ${value}`
  return sql`case typeof(${value}) when 'null' then null when 'blob' then 'b' || hex(${value}) when 'integer' then 'i' || ${value} when 'real' then 'r' || printf('%!.17g', ${value}) else 't' || ${value} end`
}

export const ownNames = (collection: string): readonly string[] =>
  purposes.map((purpose) => triggerName(collection, purpose))
