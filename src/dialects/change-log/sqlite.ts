// The change log on SQLite: its tables, and how they are read. There is one writer at a time, so the numbers of entries are in the order of commits.

import type { ValueType } from '../../types/field-types.ts'
import { statementMark } from '../connections/statement-mark.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import { phrases } from '../sqlite/phrases.ts'
import { entryAt, listIn, markComment, markOf, prefix, textOf } from './logged-text.ts'
import {
  type ChangeLogPhrases,
  type LogLook,
  type LogPhrases,
  type LookStatement,
  leastDue,
  mostEntries,
} from './phrases.ts'
import { facts, ownNames, readFacts } from './sqlite-triggers.ts'

export const sqliteLog: ChangeLogPhrases = {
  at: (_, isRequestEach) => (isRequestEach ? log : { ...log, ...pragmas }),
  read: (columns, logged) => {
    if (columns.length === 1) return columns.map(({ type }) => shownValue(logged, type))
    const values = listIn(logged)
    return values.length === columns.length ? columns.map(({ type }, at) => shownValue(values[at], type)) : []
  },
}

function shownValue(json: unknown, type: ValueType): unknown {
  const value = fromJson(json)
  if (value === null) return null
  const { read } = phrases.reading({ ...plain, type }).column
  return read ? read(value) : value
}

const plain = { sql: sql``, byCodePoint: false, negationMatchesNull: false }

/** Reads a value that was logged with its type, as a driver returns it. */
function fromJson(json: unknown): NonNullable<unknown> | null {
  if (typeof json !== 'string') return null
  const text = json.slice(1)
  if (json.startsWith('b')) return Uint8Array.from(Buffer.from(text, 'hex'))
  if (json.startsWith('r')) return Number(text)
  if (!json.startsWith('i')) return text
  return Number.isSafeInteger(Number(text)) ? Number(text) : text
}

/** Entries whose portion is removed together. */
const portion = sql.raw('2000')
/** Milliseconds since 1970. To round them would cost as much as to write them. */
const now = sql`cast((julianday('now') - 2440587.5) * 86400000.0 as integer)`

/** Rows are read by their positions. */
const marked = sql.raw(statementMark)

/** The number of the last entry, which is never removed, so that none is given twice. To count them by `autoincrement` is a tenth of a small write. */
const lastEver = sql`coalesce((select max(seq) from quernel_changes), 0)`

// The statements that remove old entries. What is removed is noted first: it may be that no more is removed than that.
const remove = sql`delete from quernel_changes where seq <= (select pruned from quernel_changes_state)`
const pruneBy = (last: Sql) =>
  sql`update quernel_changes_state set pruned = max(pruned, coalesce((select max(seq) from (select seq, at from quernel_changes order by seq limit ${portion}) where seq < ${last} and (seq <= ${last} - keep_rows or at < ${now} - keep_ms)), 0))`

/** Bounds a log that is not read, by a few statements on it: examining a portion would cost as much as removing it. */
const upkeepName = `${prefix}upkeep`
const portionEnd = sql`(select min(seq) from quernel_changes) + ${portion} - 1`
const upkeepText = textOf(
  sql`after insert on quernel_changes when new.seq % 1000 = 0 begin update quernel_changes_state set pruned = max(pruned, min(${portionEnd}, new.seq - keep_rows), coalesce((select seq from (select seq, at from quernel_changes where seq >= ${portionEnd} order by seq limit 1) where seq < new.seq and at < ${now} - keep_ms), 0)); ${remove}; end`,
)
const upkeepMark = markOf(upkeepText)
const createUpkeep = sql`create trigger ${identifier(upkeepName)} ${sql.raw(upkeepText.replace(/ end$/, ''))} ${markComment(upkeepMark)} end`

const log: LogPhrases = {
  tables: [
    {
      table: 'quernel_changes',
      dbSchema: undefined,
      columns: ['seq', 'at', 'collection', 'op', 'key', 'old'],
    },
    {
      table: 'quernel_changes_state',
      dbSchema: undefined,
      columns: ['one', 'log', 'pruned', 'keep_ms', 'keep_rows'],
    },
  ],
  create: [
    sql`create table quernel_changes (seq integer primary key, at integer not null default (${now}), collection text not null, op text not null, key text, old text)`,
    sql`create table quernel_changes_state (one integer primary key check (one = 1), log text not null, pruned integer not null, keep_ms integer not null, keep_rows integer not null)`,
  ],
  upkeep: (mark) =>
    mark === upkeepMark ? [] : [sql`drop trigger if exists ${identifier(upkeepName)}`, createUpkeep],
  upkeepMark: sql`select substr(sql, instr(sql, '/* quernel ') + 11, 16) as "0" from sqlite_master where type = 'trigger' and name = ${sql.lit(upkeepName)}`,
  drop: [sql`drop table if exists quernel_changes`, sql`drop table if exists quernel_changes_state`],
  kept: sql`select keep_ms as "0", keep_rows as "1" from quernel_changes_state`,
  // If the row was deleted, it is created again, as that of another log: readers start over then.
  keep: ({ forMs, rows }) =>
    sql`insert into quernel_changes_state values (1, lower(hex(randomblob(8))), 0, ${sql.lit(forMs)}, ${sql.lit(rows)}) on conflict (one) do update set keep_ms = excluded.keep_ms, keep_rows = excluded.keep_rows`,
  facts,
  readFacts,
  drops: sql`select 'drop trigger "' || replace(name, '"', '""') || '"' as "0", name as "1" from sqlite_master where type = 'trigger' and name <> ${sql.lit(upkeepName)} and substr(name, 1, ${sql.lit(prefix.length)}) = ${sql.lit(prefix)}`,
  ownNames,
  forget: (collection) =>
    sql`delete from quernel_changes where collection = ${sql.lit(collection)} and seq < (select max(seq) from quernel_changes)`,
  look,
  readLook,
  peek: {
    text: sql`${marked}select seq as "0", at as "1" from quernel_changes order by seq desc limit 1`,
    isNews: (row, position) => {
      const at = readPosition(position)
      return Number(row?.[0] ?? 0) !== at?.seq || String(row?.[1] ?? '') !== at.at
    },
  },
  prune: [
    pruneBy(sql`(select max(seq) from quernel_changes)`),
    remove,
    sql`select exists (select 1 from (select seq, at from quernel_changes order by seq limit 1), quernel_changes_state where seq < ${lastEver} and (seq <= ${lastEver} - keep_rows or at < ${now} - keep_ms)) as "0"`,
  ],
  overdue: sql`select exists (select 1 from (select seq, at from quernel_changes order by seq limit 1) as c, quernel_changes_state as s where c.seq < ${lastEver} and (c.seq < ${lastEver} - 10 * max(s.keep_rows, ${sql.lit(leastDue.rows)}) or c.at < ${now} - 10 * max(s.keep_ms, ${sql.lit(leastDue.forMs)}))) as "0"`,
  size: sql`select count(*) as "0", coalesce(sum(length(collection) + length(key) + coalesce(length(old), 0) + 24), 0) as "1", min(at) as "2" from quernel_changes`,
}

const pragmas: Pick<LogPhrases, 'schemaVersion' | 'journal'> = {
  // Selected like a table, the pragma would keep a read lock on the file.
  schemaVersion: sql`pragma schema_version`,
  journal: sql`pragma journal_mode`,
}

/** A position names the log, which may be another one by the next look, and the last entry, with its time: in a copy of the file that was put back, another one
 *  may have its number. */
interface Position {
  readonly log: string
  readonly seq: number
  /** Empty before the first entry. */
  readonly at: string
}

const positionText = ({ log: name, seq, at }: Position) => `${name}:${seq}:${at}`

function readPosition(text: string | undefined): Position | undefined {
  const [name, seq, at = ''] = (text ?? '').split(':')
  return name && seq ? { log: name, seq: Number(seq), at } : undefined
}

const lastAt = sql`(select at from quernel_changes order by seq desc limit 1)`
const place = sql`s.log as "0", s.pruned as "1", ${lastEver} as "2"`
const looks = {
  first: sql`${marked}select ${place}, ${lastAt} as "3" from quernel_changes_state as s`,
  next: sql`${marked}select ${place}, ${lastAt} as "3", (select at from quernel_changes where seq = ${sql.val('seq')}) as "4", c.seq as "5", c.at as "6", c.collection as "7", c.op as "8", c.key as "9", c.old as "10" from quernel_changes_state as s left join (select * from quernel_changes where seq > ${sql.val('seq')} order by seq limit ${sql.lit(mostEntries)}) as c order by c.seq`,
}

function look(after: string | undefined): LookStatement {
  const at = readPosition(after)
  return at ? { text: looks.next, values: [at.seq, at.seq] } : { text: looks.first, values: [] }
}

function readLook(...[rows, after]: Parameters<LogPhrases['readLook']>): LogLook {
  const [first] = rows
  if (!first) return { position: undefined, entries: [], isBroken: false, isFull: false }
  const [name, pruned, ever] = [String(first[0]), Number(first[1]), Number(first[2])]
  const at = readPosition(after)
  // The last one that was seen may be gone by now.
  const isSame = at && (first[4] === null || first[4] === undefined || String(first[4]) === at.at)
  if (!at || !isSame || at.log !== name || at.seq < pruned || at.seq > ever)
    return {
      position: positionText({ log: name, seq: ever, at: String(first[3] ?? '') }),
      entries: [],
      isBroken: after !== undefined,
      isFull: false,
    }
  const found = rows.filter((row) => row[5] !== null)
  const last = found.at(-1)
  return {
    position: last
      ? positionText({ log: name, seq: Number(last[5]), at: String(last[6]) })
      : positionText(at),
    entries: found.map((row) => entryAt(row, 7)),
    isBroken: false,
    isFull: found.length >= mostEntries,
  }
}
