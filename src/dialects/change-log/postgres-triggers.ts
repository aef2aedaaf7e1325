// Triggers of the change log on PostgreSQL: for each statement, with the rows that it has written. On partitions, and on tables that a subscription
// fills, triggers of statements sleep, so there they are for each row.

import { tableText } from '../postgres/identifiers.ts'
import { reading } from '../postgres/read-columns.ts'
import { identifier, quotedName, type Sql, sql } from '../sql.ts'
import { type LogStep, logSteps } from './log-steps.ts'
import { columnOf, markComment, marked, markOf, prefix, textOf, triggerName } from './logged-text.ts'
import type { FoundTrigger, LoggedColumn, LoggedFacts, LoggedTable, LogTrigger } from './phrases.ts'

/** The facts of a table, as the statement below writes them. */
interface RelationRow {
  /** Null without a table of the name. */
  readonly kind: string | null
  readonly name: string
  readonly isPart: boolean
  readonly isParent: boolean
  readonly isFed: boolean
  readonly isOwned: boolean
  /** Its partitions, at any depth. */
  readonly parts: readonly { readonly name: string; readonly isForeign: boolean }[]
  readonly triggers: readonly TriggerRow[]
}

interface TriggerRow {
  readonly name: string
  readonly on: string
  readonly mark: string | null
  readonly isEnabled: boolean
  readonly isForEachRow: boolean
}

/** Selects the facts. Triggers of a function are found wherever they stand: a table that was renamed has taken them along. */
export function facts(tables: readonly LoggedTable[], home: string): Sql {
  const rows = tables.map(
    (table, at) =>
      sql`(${sql.lit(at)}, ${sql.lit(tableText(table))}, ${sql.lit(functionName(table.collection))})`,
  )
  const nameOf = (relation: Sql, namespace: Sql) =>
    sql`pg_catalog.format('%I.%I', ${namespace}.nspname, ${relation}.relname)`
  return sql`select w.place::text as "0", (select pg_catalog.json_build_object(
    'kind', c.relkind, 'name', ${nameOf(sql`c`, sql`n`)},
    'isPart', c.relispartition or exists (select from pg_catalog.pg_inherits where inhrelid = c.oid),
    'isParent', c.relkind = 'r' and exists (select from pg_catalog.pg_inherits where inhparent = c.oid),
    'isFed', exists (select from pg_catalog.pg_subscription_rel where srrelid = c.oid),
    'isOwned', pg_catalog.pg_has_role(c.relowner, 'usage'),
    'parts', coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('name', ${nameOf(sql`p`, sql`m`)}, 'isForeign', p.relkind = 'f') order by p.oid) from pg_catalog.pg_partition_tree(c.oid) as t join pg_catalog.pg_class as p on p.oid = t.relid::oid join pg_catalog.pg_namespace as m on m.oid = p.relnamespace where t.relid::oid <> c.oid), '[]'),
    'triggers', coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('name', g.tgname, 'on', ${nameOf(sql`r`, sql`m`)}, 'mark', case when f.prosecdef and 'search_path=pg_catalog, pg_temp' = any(f.proconfig) then substring(f.prosrc from ${marked}) end, 'isEnabled', g.tgenabled = 'A', 'isForEachRow', g.tgtype & 1 = 1)) from pg_catalog.pg_proc as f join pg_catalog.pg_namespace as h on h.oid = f.pronamespace and h.nspname = ${sql.lit(home)} join pg_catalog.pg_trigger as g on g.tgfoid = f.oid join pg_catalog.pg_class as r on r.oid = g.tgrelid join pg_catalog.pg_namespace as m on m.oid = r.relnamespace where f.proname = w.writer), '[]')
  ) from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where c.oid = pg_catalog.to_regclass(w.name)::oid)::text as "1" from (values ${sql.join(rows, sql`, `)}) as w (place, name, writer)`
}

/** The name of the function that logs the changes of a collection. */
export const functionName = (collection: string): string => triggerName(collection, 'log')

export function readFacts(table: LoggedTable, text: string, home: string): LoggedFacts {
  const row = JSON.parse(text) as RelationRow | null // as the statement above writes it
  if (!row)
    return { obstacle: 'does not exist', remarks: [], wanted: [], found: [], parts: '', install: () => [] }
  const isForEachRow = row.kind === 'p' || row.isPart || row.isFed
  const body = bodyOf(table, home, isForEachRow)
  const mark = markOf(body)
  const wanted = wantedTriggers(table, row, isForEachRow)
  const found = row.triggers.map(
    ({ isForEachRow: isRow, ...trigger }): FoundTrigger => ({
      ...trigger,
      mark: trigger.mark ?? '',
      isEnabled: trigger.isEnabled && isRow === trigger.name.endsWith('_row'),
    }),
  )
  return {
    obstacle: obstacleOf(row),
    lackedRight: row.isOwned ? undefined : `owning the table ${row.name}`,
    remarks: [],
    wanted: wanted.map(({ name, on }) => ({ name, on, mark })),
    found,
    parts: row.parts.map(({ name }) => name).join(' '),
    install: () => installOf(table, home, { body, mark, wanted, found }),
  }
}

function obstacleOf({ kind, isParent, parts }: RelationRow): string | undefined {
  if (kind === 'v' || kind === 'm') return 'is a view, which has no rows of its own'
  if (kind === 'f') return 'is a foreign table, whose rows others write'
  if (isParent) return 'has tables that inherit from it, whose rows are written apart'
  return parts.some(({ isForeign }) => isForeign)
    ? 'has a partition that is a foreign table, whose rows others write'
    : undefined
}

interface WantedTrigger extends Omit<LogTrigger, 'mark'> {
  readonly when: string
  /** True if it is made with the trigger of the partitioned table. */
  readonly isInherited?: boolean
}

function wantedTriggers(
  { collection }: LoggedTable,
  { name: on, kind, parts }: RelationRow,
  isForEachRow: boolean,
): readonly WantedTrigger[] {
  const name = (purpose: string) => triggerName(collection, purpose)
  const truncate = { name: name('truncate'), when: 'after truncate' }
  if (!isForEachRow)
    return [
      ...['insert', 'update', 'delete'].map((word) => ({ name: name(word), on, when: `after ${word}` })),
      { ...truncate, on },
    ]
  const row = { name: name('row'), when: 'after insert or update or delete', on }
  const isPartitioned = kind === 'p'
  return [
    row,
    { ...truncate, on },
    ...parts.flatMap(({ name: part }) => [
      { ...row, on: part, isInherited: isPartitioned },
      { ...truncate, on: part },
    ]),
  ]
}

/** Rows of a statement, as its trigger knows them. */
const rowsOf: Readonly<Record<string, string>> = {
  'after insert': ' referencing new table as quernel_new',
  'after update': ' referencing old table as quernel_old new table as quernel_new',
  'after delete': ' referencing old table as quernel_old',
}

interface Making {
  readonly body: string
  readonly mark: string
  readonly wanted: readonly WantedTrigger[]
  readonly found: readonly FoundTrigger[]
}

function installOf(
  { collection, key, old }: LoggedTable,
  home: string,
  { body, mark, wanted, found }: Making,
): readonly Sql[] {
  const writer = sql`${identifier(home)}.${identifier(functionName(collection))}`
  const isWanted = ({ name, on }: FoundTrigger) => wanted.some((one) => one.name === name && one.on === on)
  const trigger = ({ name, on, when }: WantedTrigger) => {
    const each = when.includes(' or ') ? 'row' : 'statement'
    return sql`create or replace trigger ${identifier(name)} ${sql.raw(when)} on ${sql.raw(on)}${sql.raw(rowsOf[when] ?? '')} for each ${sql.raw(each)} execute function ${writer}()`
  }
  const quotes = sql.raw(`$quernel_${mark}$`)
  // The session of the writer may show fewer.
  const digits = hasFloats([...key, ...old]) ? sql` set extra_float_digits = 1` : sql``
  return [
    sql`create or replace function ${writer}() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp${digits} as ${quotes}${sql.raw(body)} ${markComment(mark)} ${quotes}`,
    sql`revoke all on function ${writer}() from public`,
    // Those of partitions go with that of their table.
    ...found
      .filter((one) => !isWanted(one))
      .map(({ name, on }) => sql`drop trigger if exists ${identifier(name)} on ${sql.raw(on)}`),
    ...wanted.filter(({ isInherited }) => !isInherited).map(trigger),
    // As "origin" it would sleep for a role that replicates.
    ...wanted.map(
      ({ name, on }) => sql`alter table ${sql.raw(on)} enable always trigger ${identifier(name)}`,
    ),
  ]
}

const hasFloats = (columns: readonly LoggedColumn[]): boolean =>
  columns.some(({ type }) => type.family === 'float')

/** The body of the function. It runs as its owner: a role that writes to the table needs no right to write to the log. */
function bodyOf({ collection, key, old }: LoggedTable, home: string, isForEachRow: boolean): string {
  const log = `${quotedName(home)}.quernel_changes`
  const name = sql.lit(collection)
  const into = sql`insert into ${sql.raw(log)} (xid, collection, op, key, old)`
  // Found once: as the default of the column it would be for each row.
  const own = sql`own, ${name}`
  const keyOf = (row: Sql) => listOf(key, row)
  const cells = ({ operation, row: which }: LogStep, row: Sql) =>
    sql`${own}, ${sql.lit(operation)}, ${keyOf(row)}, ${which === 'old' ? listOf(old, row) : sql`null`}`
  const [row, was, q] = [sql`new`, sql`old`, sql`q`]
  const forRow = (step: LogStep) => {
    const one = sql`${into} values (${cells(step, step.row === 'old' ? was : row)});`
    return step.isMoved ? sql`if ${keyOf(row)} is distinct from ${keyOf(was)} then ${one} end if;` : one
  }
  const forStatement = (step: LogStep) =>
    step.isMoved
      ? sql`select ${own}, ${sql.lit(step.operation)}, m.key, null from (select ${keyOf(q)} as key from quernel_new as q except select ${keyOf(q)} from quernel_old as q) as m`
      : sql`${into} select ${cells(step, q)} from ${sql.raw(`quernel_${step.row}`)} as q`
  const logged = (on: LogStep['on']) => {
    const steps = logSteps.filter((step) => step.on === on)
    return isForEachRow
      ? sql.join(steps.map(forRow), sql` `)
      : sql`${sql.join(steps.map(forStatement), sql` union all `)};`
  }
  const sequence = sql.lit(`${quotedName(home)}.quernel_changes_seq`)
  const prune = sql`${identifier(home)}.quernel_changes_prune`
  // A column of the table may have the name of a variable: columns are never named without their row.
  return textOf(sql`#variable_conflict use_variable
    declare own bigint := pg_current_xact_id()::text::bigint; written bigint; last bigint; begin
    if tg_op = 'INSERT' then ${logged('insert')}
    elsif tg_op = 'UPDATE' then ${logged('update')}
    elsif tg_op = 'DELETE' then ${logged('delete')}
    else ${into} values (${own}, 't', null, null); end if;
    get diagnostics written = row_count;
    if written > 0 then
      last := currval(${sequence});
      if last % 1000 < written then perform ${prune}(least(20000, 2000 * (last / 1000 - (last - written) / 1000))); end if;
    end if;
    return null; end;`)
}

/** Values as JSON. Integers are texts: as a number of JSON a large one would lose digits. The most frequent key is written by hand, as that takes half as long. */
function listOf(columns: readonly LoggedColumn[], row: Sql): Sql {
  if (columns.length === 0) return sql`null::text`
  const cells = columns.map((column) => {
    const { sql: value } = reading(columnOf(column, row)).element
    const isInteger = column.type.family === 'integer' && !column.type.isArray
    return { value: isInteger ? sql`(${value})::text` : value, isInteger }
  })
  const [only, ...others] = cells
  if (only?.isInteger && others.length === 0)
    return sql`'[' || coalesce('"' || ${only.value} || '"', 'null') || ']'`
  return sql`json_build_array(${sql.join(
    cells.map(({ value }) => value),
    sql`, `,
  )})::text`
}

/** Selects the statements that drop the functions of all collections. One that the role may not drop belongs to another owner. */
export const drops = (home: string): Sql =>
  sql`select pg_catalog.format('drop function %I.%I() cascade', n.nspname, f.proname) as "0", f.proname::text as "1" from pg_catalog.pg_proc as f join pg_catalog.pg_namespace as n on n.oid = f.pronamespace where n.nspname = ${sql.lit(home)} and pg_catalog.starts_with(f.proname::text, ${sql.lit(prefix)}) and pg_catalog.pg_has_role(f.proowner, 'usage') and f.proname like '%\\_log'`
