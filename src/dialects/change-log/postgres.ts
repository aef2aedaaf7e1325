// The change log on PostgreSQL: its tables, and how they are read. Transactions commit in any order, so a reader asks for what the snapshot of its
// last look did not show: each entry comes once, whenever it is committed. Numbers of transactions come twice after a crash, a restore or a promotion,
// so a position holds an epoch: a row of an unlogged table, which is empty after each of these, and the start of the server, as files are put back while it is
// away.

import { statementMark } from '../connections/statement-mark.ts'
import { reading } from '../postgres/read-columns.ts'
import { identifier, quotedName, type Sql, sql } from '../sql.ts'
import { columnOf, entryAt, listIn, markComment, marked, markOf, textOf } from './logged-text.ts'
import {
  type ChangeLogPhrases,
  type LoggedColumn,
  type LogLook,
  type LogPhrases,
  type LookStatement,
  leastDue,
  mostEntries,
} from './phrases.ts'
import { guard, rightsToLog, strangersInLog, strangersToReaders } from './postgres-owners.ts'
import { drops, facts, functionName, readFacts } from './postgres-triggers.ts'

export const postgresLog: ChangeLogPhrases = {
  home: sql`select coalesce((select n.nspname::text from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where c.oid = pg_catalog.to_regclass('quernel_changes_state')::oid and c.relpersistence <> 't'), pg_catalog.current_schema()::text) as "0"`,
  at: (home) => logAt(home),
  read: (columns, logged) => {
    const values = listIn(logged)
    return values.length === columns.length ? columns.map((column, at) => shownValue(column, values[at])) : []
  },
}

function shownValue(column: LoggedColumn, json: unknown): unknown {
  if (json === null || json === undefined) return null
  const { read } = reading(columnOf(column, sql`q`)).element
  return read ? read(json) : json
}

function logAt(home: string): LogPhrases {
  const name = (table: string) => sql`${identifier(home)}.${identifier(table)}`
  const log = name('quernel_changes')
  const state = name('quernel_changes_state')
  const marks = name('quernel_changes_marks')
  const epoch = name('quernel_changes_epoch')
  const pruner = name('quernel_changes_prune')
  const pruning = pruningBody(home)
  const mark = markOf(pruning)
  const quotes = sql.raw(`$quernel_${mark}$`)
  const tables = [log, state, marks, epoch]
  const texts = looksAt(home)
  return {
    tables: Object.entries(columns).map(([table, names]) => ({ table, dbSchema: home, columns: names })),
    create: [
      sql`create table ${log} (seq bigint generated always as identity (sequence name ${name('quernel_changes_seq')}), xid bigint not null default (pg_catalog.pg_current_xact_id()::text::bigint), at timestamptz not null default pg_catalog.now(), collection text not null, op text not null, key text, old text) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 20000)`,
      sql`create index quernel_changes_xid on ${log} (xid, seq)`,
      sql`create table ${state} (one integer primary key check (one = 1), pruned bigint not null, keep_ms bigint not null, keep_rows bigint not null)`,
      sql`create table ${marks} (seq bigint primary key, xid bigint not null, at timestamptz not null)`,
      sql`create unlogged table ${epoch} (one integer primary key check (one = 1), epoch text not null)`,
      ...tables.map((table) => sql`revoke all on table ${table} from public`),
    ],
    upkeep: (found) =>
      found === mark
        ? []
        : [
            sql`create or replace function ${pruner}(most bigint) returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as ${quotes}${sql.raw(pruning)} ${markComment(mark)} ${quotes}`,
            sql`revoke all on function ${pruner}(bigint) from public`,
          ],
    upkeepMark: sql`select substring(f.prosrc from ${marked}) as "0" from pg_catalog.pg_proc as f join pg_catalog.pg_namespace as n on n.oid = f.pronamespace where f.proname = 'quernel_changes_prune' and n.nspname = ${sql.lit(home)}`,
    drop: [
      // In the order in which looks and prunings lock them, so that none waits for the other.
      ...[state, marks, log, epoch].map((table) => sql`drop table if exists ${table}`),
      sql`drop function if exists ${pruner}(bigint)`,
    ],
    strangersToReaders: (tables) => strangersToReaders(home, tables),
    strangersInLog: (tables, isInstalling) => strangersInLog(home, tables, isInstalling),
    rightsOfOthers: rightsToLog(home),
    guard: (tables) => guard(home, tables),
    lackedRight: sql`select case when not pg_catalog.has_schema_privilege(${sql.lit(home)}, 'create') then pg_catalog.format('CREATE on the schema %I', ${sql.lit(home)}::text) end as "0"`,
    kept: sql`select keep_ms::text as "0", keep_rows::text as "1" from ${state}`,
    // If the row was deleted, it is created again. Readers at an earlier position then start over: it is not known what was removed.
    keep: ({ forMs, rows }) =>
      sql`insert into ${state} values (1, pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint - 1, ${sql.lit(forMs)}, ${sql.lit(rows)}) on conflict (one) do update set keep_ms = excluded.keep_ms, keep_rows = excluded.keep_rows`,
    facts: (tables) => facts(tables, home),
    readFacts: (table, text) => readFacts(table, text, home),
    drops: drops(home),
    ownNames: (collection) => [functionName(collection)],
    forget: (collection) => sql`delete from ${log} where collection = ${sql.lit(collection)}`,
    look: (after) => look(texts, readPosition(after)),
    readLook,
    begin: sql`insert into ${epoch} values (1, pg_catalog.gen_random_uuid()::text) on conflict do nothing`,
    prune: [sql`select case when ${pruner}(2000::bigint) = 2000 then 1 else 0 end as "0"`],
    overdue: overdueAt({ log, state, marks }),
    size: sql`select pg_catalog.count(*)::text as "0", pg_catalog.pg_total_relation_size(${sql.lit(`${quotedName(home)}.quernel_changes`)}::pg_catalog.regclass)::text as "1", pg_catalog.floor(extract(epoch from pg_catalog.min(at)) * 1000)::text as "2" from ${log}`,
  }
}

/** Detects a log that is never pruned, and one from which nothing can be removed: entries that came after a transaction began stay until its end, and
 *  any client of the database may leave one open. */
function overdueAt({ log, state, marks }: Readonly<Record<'log' | 'state' | 'marks', Sql>>): Sql {
  const first = sql`order by xid, seq limit 1`
  const isOld = (one: Sql) =>
    sql`(pg_catalog.now() - ${one}.at > pg_catalog.make_interval(secs => (10 * greatest(s.keep_ms, ${sql.lit(leastDue.forMs)}::bigint) / 1000)::double precision) or (select seq from ${log} order by xid desc, seq desc limit 1) - ${one}.seq > 10 * greatest(s.keep_rows, ${sql.lit(leastDue.rows)}::bigint))`
  const mark = sql`select seq, at from ((select 1 as place, seq, at from ${marks} order by seq desc limit 1) union all (select 2, seq, at from ${log} ${first})) as known order by place limit 1`
  const lastMark = sql`select xid from ${marks} order by seq desc limit 1`
  const isHeld = sql`exists (select 1 from (select seq, xid, at from ${log} ${first}) as f where f.xid >= (${lastMark}) and ${isOld(sql`f`)})`
  return sql`select case when ${isOld(sql`m`)} or ${isHeld} then 1 else 0 end as "0" from ${state} as s, (${mark}) as m`
}

const columns = {
  quernel_changes: ['seq', 'xid', 'at', 'collection', 'op', 'key', 'old'],
  quernel_changes_state: ['one', 'pruned', 'keep_ms', 'keep_rows'],
  quernel_changes_marks: ['seq', 'xid', 'at'],
  quernel_changes_epoch: ['one', 'epoch'],
}

/** The body of the function that removes old entries, called by readers and by triggers of the host's writes: it waits for no lock, and is skipped where it could make a transaction fail. The row of the settings is its lock:
 *  any client of the database could hold an advisory lock. A mark notes below which number no transaction ran, so what is older than a mark was committed before it: a reader who has looked since has seen it. */
const pruningBody = (home: string): string => {
  const name = (table: string) => `${quotedName(home)}.${table}`
  return textOf(
    sql.raw(`declare s record; newest record; m record; total bigint; gone bigint; upto bigint; begin
    if current_setting('transaction_isolation') <> 'read committed' then return 0; end if;
    select * into s from ${name('quernel_changes_state')} for update skip locked;
    if not found then return 0; end if;
    select last_value into total from ${name('quernel_changes_seq')};
    select * into newest from ${name('quernel_changes_marks')} order by seq desc limit 1;
    if newest.seq is null or total - newest.seq >= s.keep_rows / 4 or newest.at > clock_timestamp() or clock_timestamp() - newest.at >= make_interval(secs => s.keep_ms / 4000.0) then
      insert into ${name('quernel_changes_marks')} values (total, pg_snapshot_xmin(pg_current_snapshot())::text::bigint, clock_timestamp()) on conflict (seq) do update set at = excluded.at;
    end if;
    select * into m from ${name('quernel_changes_marks')} where total - seq >= s.keep_rows or clock_timestamp() - at >= make_interval(secs => s.keep_ms / 1000.0) order by seq desc limit 1;
    if m.seq is null then return 0; end if;
    if s.pruned >= m.xid - 1 then delete from ${name('quernel_changes_marks')} where seq < m.seq; return 0; end if;
    with old as (select ctid as place, xid from ${name('quernel_changes')} where xid >= s.pruned and xid < m.xid order by xid, seq limit most),
      removed as (delete from ${name('quernel_changes')} where ctid = any (array(select place from old)))
    select count(*), max(xid) into gone, upto from old;
    update ${name('quernel_changes_state')} set pruned = case when gone < most then m.xid - 1 else upto end;
    return gone; end;`),
  )
}

/** The part of the log that a reader has seen: all that a snapshot shows, or, of what a later one shows besides, the entries up to a place. */
interface Position {
  readonly epoch: string
  readonly seen: Snapshot
  readonly rest?: { readonly shown: Snapshot; readonly xid: string; readonly seq: string }
}

/** A snapshot as the server writes it: the first that runs, the first that has not begun, and those that run between. */
type Snapshot = string

function partsOf(snapshot: Snapshot) {
  const [xmin = '0', xmax = '0', running = ''] = snapshot.split(':')
  return { xmin: BigInt(xmin), xmax, running }
}

const readPosition = (text: string | undefined): Position | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as Position) // made below

/** Names the server, the database and the table, too: a dump brings the row of the epoch along. */
const epochOf = (home: string) =>
  sql`(select c.system_identifier::text || '.' || d.oid::text || '.' || ${sql.lit(`${quotedName(home)}.quernel_changes`)}::pg_catalog.regclass::oid::text || '.' || extract(epoch from pg_catalog.pg_postmaster_start_time())::text || '.' || e.epoch from pg_catalog.pg_control_system() as c, pg_catalog.pg_database as d, ${identifier(home)}.quernel_changes_epoch as e where d.datname = current_database())`

/** The texts of looks. Each is one statement, so that the entries are those of the snapshot that it returns. Each part is a range of the index with two ends,
 *  of which the planner expects few rows whatever it knows of the table: of one with one end it expects a third of them, and reads the whole log. */
function looksAt(home: string): Readonly<Record<'first' | 'next' | 'rest', Sql>> {
  const place = sql`${epochOf(home)} as "0", s.pruned::text as "1", pg_catalog.pg_current_snapshot()::text as "2"`
  const state = sql`${identifier(home)}.quernel_changes_state as s`
  const most = sql.lit(mostEntries)
  const entries = (further: Sql) => {
    const part = (condition: Sql) =>
      sql`(select * from ${identifier(home)}.quernel_changes where ${condition}${further} order by xid, seq limit ${most})`
    const late = part(sql`xid >= ${bound} and xid < ${lastOfAll}`)
    const slow = part(sql`xid >= ${bound} and xid < ${bound} and xid = any (${boundList})`)
    return sql`${sql.raw(statementMark)}select ${place}, c.seq::text as "3", c.xid::text as "4", c.collection as "5", c.op as "6", c.key as "7", c.old as "8" from ${state} left join (select * from (${late} union all ${slow}) as b order by xid, seq limit ${most}) as c on true order by c.xid, c.seq`
  }
  return {
    first: sql`${sql.raw(statementMark)}select ${place} from ${state}`,
    next: entries(sql``),
    rest: entries(
      sql` and (xid, seq) > (${bound}, ${bound}) and xid < ${bound} and xid <> all (${boundList})`,
    ),
  }
}

const bound = sql`cast(cast(${sql.val('number')} as text) as bigint)`
const lastOfAll = sql.raw('9223372036854775807')
const boundList = sql`pg_catalog.string_to_array(cast(${sql.val('numbers')} as text), ',')::bigint[]`

function look(texts: ReturnType<typeof looksAt>, after: Position | undefined): LookStatement {
  if (!after) return { text: texts.first, values: [] }
  const { xmin, xmax, running } = partsOf(after.seen)
  const [late, slow] = [[String(xmax)], [String(xmin), String(xmax), running]]
  if (!after.rest) return { text: texts.next, values: [...late, ...slow] }
  const { shown, xid, seq } = after.rest
  const end = partsOf(shown)
  const further = [xid, seq, String(end.xmax), end.running]
  return { text: texts.rest, values: [...late, ...further, ...slow, ...further] }
}

function readLook(...[rows, after]: Parameters<LogPhrases['readLook']>): LogLook {
  const [first] = rows
  const nothing = { entries: [], isBroken: false, isFull: false }
  if (!first || first[0] === null) return { position: undefined, ...nothing }
  const [epoch, pruned, shown] = [String(first[0]), BigInt(String(first[1])), String(first[2])]
  const at = readPosition(after)
  // Numbers of transactions only grow: a smaller one is of an older database.
  const isOlder = at && BigInt(partsOf(shown).xmax) < BigInt(partsOf(at.rest?.shown ?? at.seen).xmax)
  if (!at || isOlder || at.epoch !== epoch || pruned >= partsOf(at.seen).xmin)
    return { position: JSON.stringify({ epoch, seen: shown }), ...nothing, isBroken: at !== undefined }
  const found = rows.filter((row) => row[3] !== null)
  const last = found.at(-1)
  const isFull = last !== undefined && found.length >= mostEntries
  const whole = at.rest?.shown ?? shown
  const next: Position = isFull
    ? { epoch, seen: at.seen, rest: { shown: whole, xid: String(last[4]), seq: String(last[3]) } }
    : { epoch, seen: whole }
  return {
    position: JSON.stringify(next),
    entries: found.map((row) => entryAt(row, 5)),
    isBroken: false,
    // The next look reports what was committed meanwhile.
    isFull: isFull || at.rest !== undefined,
  }
}
