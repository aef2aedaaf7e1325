// Samples of columns whose declared type is not conclusive: SQLite stores any kind of value in nearly any column.

import { fromHex } from '../../values/bytes.ts'
import type { EvidencePhrases, SampledColumns, TypeGuess } from '../catalogue.ts'
import { spellsText } from '../read-values.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import { forms } from './moments.ts'

/** Columns are read together, as each subselect costs as much to prepare as a small table to read. */
export const evidence: EvidencePhrases = {
  isNeeded,
  hasRows,
  hasExceptions,
  kinds,
  weigh,
  checkOf,
  meetChecks,
}

function hasRows(tables: readonly SampledColumns[]): Sql {
  return cells(tables.map(({ schema, table }) => sql`exists (select 1 from ${tableName(schema, table)})`))
}

function hasExceptions(tables: readonly SampledColumns[], rows: number): Sql {
  return cells(
    tables.map((of) => {
      const any = of.columns.map(({ guess }, at) => exceptionOf(guess, at))
      return sql`exists (select 1 from (${firstRows(of, rows)}) where ${sql.join(any, sql` or `)})`
    }),
  )
}

const exceptionOf = ({ type }: TypeGuess, at: number): Sql => {
  const value = cellName(at)
  return isText(type)
    ? sql`typeof(${value}) = 'blob'`
    : sql`typeof(${value}) = 'integer' and not (${isNarrow(value)})`
}

function kinds(tables: readonly SampledColumns[], rows: number): Sql {
  return cells(
    tables.map((of) => {
      const lists = of.columns.map((_, at) => {
        const value = cellName(at)
        return sql`json_group_array(distinct ${kindOf(value)}) filter (where ${value} is not null)`
      })
      return sql`(select '[' || ${sql.join(lists, sql` || ',' || `)} || ']' from (${firstRows(of, rows)}))`
    }),
  )
}

function firstRows({ schema, table, columns }: SampledColumns, rows: number): Sql {
  const names = columns.map(({ name }, at) => sql`${identifier(name)} as ${cellName(at)}`)
  return sql`select ${sql.join(names, sql`, `)} from ${tableName(schema, table)} limit ${sql.lit(rows)}`
}

const cells = (each: readonly Sql[]): Sql =>
  sql`select ${sql.join(
    each.map((cell, at) => sql`${cell} as ${identifier(String(at))}`),
    sql`, `,
  )}`

const tableName = (schema: string, table: string): Sql => sql`${identifier(schema)}.${identifier(table)}`
const cellName = (at: number): Sql => sql.raw(`v${at}`)

/** The prefix of kinds of integers with more than 32 bits. */
const wide = 'wide '
const isNarrow = (v: Sql): Sql => sql`${v} between -2147483648 and 2147483647`

/** The kind of a value. Seconds and milliseconds differ by their size: the years 1973 to 2286 of the one are
 *  January 1970 to 1973 of the other. */
const kindOf = (v: Sql): Sql => sql`case typeof(${v})
  when 'integer' then iif(${isNarrow(v)}, '', ${sql.lit(wide)}) || case when ${v} in (0, 1) then 'flag'
    when ${v} between 100000000 and 9999999999 or ${v} between -9999999999 and -100000000 then 'seconds'
    when ${v} between 100000000000 and 9999999999999 or ${v} between -9999999999999 and -100000000000 then 'milliseconds'
    else 'integer' end
  when 'text' then case when ${v} glob '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' then
      case when length(${v}) = 10 then 'day' when substr(${v}, 11, 1) = ' ' then 'blank moment' else 'moment' end
    when ${v} glob '[0-9][0-9]:[0-9][0-9]*' then 'clock' when ${v} glob '????????-????-????-????-????????????' then 'uuid' else 'text' end
  when 'blob' then 'bytes ' || hex(substr(${v}, 1, 64)) else typeof(${v}) end`

/** True if a column has to be sampled. A text column may also have bytes, and a column of integers numbers of
 *  up to 64 bits. */
function isNeeded({ type, doubt }: TypeGuess): boolean {
  return doubt !== undefined || isText(type) || type === 'integer'
}

const isText = (type: string): boolean => type === 'string' || type === 'text'

/** The guess that fits the kinds found. If none fits, the type follows from the values. */
function weigh(guess: TypeGuess, found: readonly string[]): TypeGuess {
  const isWide = found.some((kind) => kind.startsWith(wide))
  const weighed = weighKinds(
    guess,
    found.map((kind) => (kind.startsWith(wide) ? kind.slice(wide.length) : kind)),
  )
  return isWide && weighed.type === 'integer' ? { ...weighed, wide: true } : weighed
}

function weighKinds(guess: TypeGuess, found: readonly string[]): TypeGuess {
  if (found.length === 0) return guess
  const bytes = found.filter((kind) => kind.startsWith('bytes '))
  if (guess.doubt === undefined) return bytes.length > 0 && isText(guess.type) ? mixed(guess, bytes) : guess
  const blobs =
    bytes.length === 0 ? [] : [bytes.every((kind) => sixteenBytes.test(kind)) ? 'blob of 16' : 'blob']
  const kinds = [...found.filter((kind) => !bytes.includes(kind)), ...blobs]
  const all = (...allowed: readonly string[]) => kinds.every((one) => allowed.includes(one))
  const row = weights.find(({ of, from }) => (of === undefined || of.includes(guess.type)) && all(...from))
  return (
    row?.guess(guess, kinds) ?? {
      type: 'string',
      doubt: 'its rows hold several kinds of values; it is read as text',
    }
  )
}

/** Returns a CHECK for a column of text: others have another form by their storage. One with a quote in its name would not be recognized. */
function checkOf(column: string, { type, storage, doubt }: TypeGuess): string | undefined {
  const form = formOf(type)
  if (form === undefined || storage !== undefined || doubt !== isoText || column.includes('"'))
    return undefined
  const name = plainName.test(column) ? column : `"${column}"`
  return `check (strftime('${form}', ${name}) is ${name})`
}

const plainName = /^[a-z_][a-z0-9_]*$/

const formOf = (type: string): string | undefined =>
  Object.hasOwn(forms, type) ? forms[type as keyof typeof forms] : undefined // one of its keys

function meetChecks(tables: readonly SampledColumns[], rows: number): Sql {
  const value = cellName(0)
  return cells(
    tables.map((of) => {
      const form = sql.lit(formOf(of.columns[0]?.guess.type ?? '') ?? '')
      const other = sql`strftime(${form}, ${value}) is not ${value}`
      return sql`not exists (select 1 from (${firstRows(of, rows)}) where ${other})`
    }),
  )
}

const sixteenBytes = /^bytes [0-9A-F]{32}$/

/** Text, of which some is stored as bytes. */
function mixed(guess: TypeGuess, bytes: readonly string[]): TypeGuess {
  const isSpelled = bytes.every((kind) => spellsText(fromHex(kind.slice('bytes '.length)), 'a part'))
  const doubt = isSpelled
    ? 'its rows hold bytes that spell text'
    : 'its rows hold bytes that spell no text, which a field of the type "binary" holds as they are'
  return { ...guess, storage: 'mixed', doubt }
}

interface Weight {
  readonly of?: readonly string[]
  readonly from: readonly string[]
  readonly guess: (guess: TypeGuess, kinds: readonly string[]) => TypeGuess
}

const isoText = 'its rows hold ISO text'
const moments = ['date', 'dateTime', 'timestamp']
const momentTexts = ['day', 'blank moment', 'moment']
const numbers = ['flag', 'integer', 'seconds', 'milliseconds']

const weights: readonly Weight[] = [
  { of: moments, from: momentTexts, guess: momentGuess },
  {
    of: ['time'],
    from: ['clock', ...momentTexts],
    guess: ({ type }) => ({ type, doubt: isoText }),
  },
  { of: moments, from: ['seconds'], guess: numbered('seconds') },
  { of: moments, from: ['milliseconds'], guess: numbered('milliseconds') },
  { of: ['boolean'], from: ['flag'], guess: ({ type }) => ({ type, doubt: 'its rows hold 0 and 1' }) },
  { of: ['uuid'], from: ['uuid'], guess: ({ type }) => ({ type, doubt: 'its rows hold UUIDs as text' }) },
  { from: numbers, guess: () => ({ type: 'integer', doubt: 'its rows hold whole numbers' }) },
  { from: [...numbers, 'real'], guess: () => ({ type: 'float', doubt: 'its rows hold numbers' }) },
  {
    of: ['uuid'],
    from: ['blob of 16'],
    guess: () => ({ type: 'uuid', storage: 'binary', doubt: 'its rows hold UUIDs as 16 bytes' }),
  },
  { from: ['blob', 'blob of 16'], guess: () => ({ type: 'binary', doubt: 'its rows hold bytes' }) },
  {
    from: ['text', ...momentTexts, 'clock', 'uuid'],
    guess: () => ({ type: 'string', doubt: 'its rows hold text' }),
  },
]

/** Dates in text. Where some have a blank, that is the form in which the other programs write: Quernel alone wrote another one beside it. */
function momentGuess({ type, storage }: TypeGuess, kinds: readonly string[]): TypeGuess {
  const hasBlank = kinds.includes('blank moment') || storage === 'sql'
  if (type === 'date' || !hasBlank) return { type, doubt: isoText }
  const doubt = kinds.includes('moment')
    ? 'its rows hold several forms, "2024-02-29 08:30:00" and "2024-02-29T08:30:00", of which others compare and sort the texts'
    : 'its rows hold the form "2024-02-29 08:30:00"'
  return { type, storage: 'sql', doubt }
}

function numbered(storage: 'seconds' | 'milliseconds') {
  return (guess: TypeGuess): TypeGuess => ({
    // A number counts from a timestamp in UTC, and so has a zone.
    type: guess.type === 'dateTime' ? 'timestamp' : guess.type,
    storage,
    doubt: `its rows hold whole ${storage} since 1970`,
  })
}
