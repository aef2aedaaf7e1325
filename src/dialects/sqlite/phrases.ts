import { type Family, isTemporal } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { utf8Of } from '../../values/bytes.ts'
import { isOfBytes } from '../bytes.ts'
import { signs } from '../comparison-signs.ts'
import type { Dialect } from '../dialect.ts'
import { reachOf64Bits } from '../integer-range.ts'
import { numberingOf } from '../numbered-moments.ts'
import { onConflict } from '../on-conflict.ts'
import type { Column, Sign, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { absenceTests, standard } from '../standard.ts'
import { isCanonical } from '../text-moments.ts'
import { encode, encodePlain } from './bind-values.ts'
import { amongBooleans, compareBoolean, truth } from './booleans.ts'
import { bytesAmong, equalBytes } from './bytes.ts'
import { jsonIsEmpty, jsonIsNull, jsonLength, jsonScalar } from './json.ts'
import { jsonList } from './json-lists.ts'
import { amongTuples, keyAsText, keyFromText } from './keys.ts'
import { amongMoments, canonicalCheck, compareMoments, datePart, shownMoment } from './moments.ts'
import { reading } from './read-columns.ts'
import { selectPhrases } from './select.ts'
import { storing } from './stored-values.ts'
import { lengthOf, matchAnyCase, prefixEnd } from './text.ts'
import { transactionStatus, writeLock } from './transactions.ts'

/** The phrases of SQLite, without those that read its catalogue or its errors, or look for what else a write does. */
export const phrases: Dialect = {
  ...standard,
  ...onConflict,
  name: 'sqlite',
  // Built with STAT4, SQLite replans a statement each time a bare parameter is bound that it had made estimates for.
  keptPlaceholder: () => '+?',
  losesValues: ({ family }) => family === 'float',
  compare,
  among,
  amongTuples: (columns, list) => amongTuples(columns, list, comparable, ({ type }) => elementOf(type)),
  startsAtIndex: (type) => lookedUp.has(type.family) && type.values === undefined,
  match: (original, place, ignoreCase, text) => {
    const column = isMixed(original.type) ? asText(original.sql) : original.sql
    // A pragma decides whether LIKE ignores the case of ASCII letters; GLOB and instr never do. GLOB takes
    // U+FFFE and U+FFFF for U+FFFD.
    if (ignoreCase) return matchAnyCase(column, place, text)
    if (place === 'anywhere') return sql`instr(${column}, ${text((needle) => needle)}) > 0`
    if (place === 'end')
      return sql`substr(${column}, length(${column}) - ${text(lengthOf)} + 1) = ${text((needle) => needle)}`
    const from = sql`${column} collate binary >= ${text((needle) => needle)}`
    return sql`(${from} and ${column} collate binary < ${text(prefixEnd)})`
  },
  ...absenceTests({
    absent: ({ family }) => absences[family],
    empty: {
      binary: ({ sql: column }) => sql`(${column} is null or length(${column}) = 0)`,
      float: ({ sql: column }) => sql`(${column} is null or ${column} = 0 or abs(${column}) = 9e999)`,
      json: jsonIsEmpty,
    },
    comparable,
  }),
  datePart,
  jsonLength,
  jsonScalar,
  keyFromText,
  keyAsText,
  reading,
  storing,
  columnType,
  // It has no hash function: the reader of the text hashes it.
  mark: (columns) =>
    sql.join(
      columns.map((column) => sql`quote(${column})`),
      sql` || ',' || `,
    ),
  columnCheck: (column, type) =>
    isTemporal(type.family) && isCanonical(type) && !type.isArray
      ? canonicalCheck(column, type.family)
      : undefined,
  shown,
  extreme: (which, column) => {
    // Texts of decimals would be compared as texts.
    const isText = column.type.family === 'decimal' && column.type.storage === 'text'
    const comparing = isText ? { ...column, sql: comparable(column) } : shown(column)
    return { ...comparing, sql: sql`${sql.raw(which)}(${comparing.sql})` }
  },
  orderKey: (column, isDescending, isNullable) => {
    // Null comes before everything here by default.
    const nulls = isNullable ? (isDescending ? sql` nulls first` : sql` nulls last`) : sql``
    return sql`${comparable(column)}${isDescending ? sql` desc` : sql``}${nulls}`
  },
  ...selectPhrases,
  // Views and columns that are computed as they are read may show any number of bytes; so may those of attached databases.
  storedBytes: sql`select case when exists (select 1 from pragma_table_list where type = 'view') or exists (select 1 from pragma_table_list as t, pragma_table_xinfo(t.name, t.schema) as x where x.hidden = 2) then null else sum(c.page_count * s.page_size) end as "0" from pragma_database_list as d, pragma_page_count as c, pragma_page_size as s where c.schema = d.name and s.schema = d.name`,
  countBeside: sql`count(*) over ()`,
  explain: sql`explain query plan `,
  isOfBytes: (column) => sql`typeof(${column}) = 'blob'`,
  writeLock,
  numberedKey: sql`integer primary key`,
  // SQLite counts whole milliseconds, which a number of days holds up to its last digits.
  now: () => sql`cast(round((julianday('now') - 2440587.5) * 86400000.0) as integer)`,
  // Both only grow: one with what others commit, the other with each row that this connection writes.
  writesSeen: 'select data_version + total_changes() as "0" from pragma_data_version',
  transactionStatus,
  hasOneConnection: true,
  countsKeys: true,
  hasRowNumbers: true,
  streaming: { kind: 'pages', bookmark, sorts: (step) => /^USE TEMP B-TREE FOR .*ORDER BY/.test(step) },
}

/** A bookmark of a row. Integers travel as text, because a driver may round those beyond 2^53. */
function bookmark(column: Column) {
  const ordered = comparable(column)
  if (column.type.family !== 'integer') return { selected: ordered, ordered, bound: (value: Sql) => value }
  const selected = sql`cast(${ordered} as text)`
  return { selected, ordered, bound: (value: Sql) => sql`cast(${value} as integer)` }
}

/** As a number, two texts of one decimal are equal; a longer text is compared as it is. */
const sameDecimal = (text: Sql) =>
  sql`case when length(${text}) <= 15 then cast(${text} as numeric) else ${text} end`

function shown(column: Column): Column {
  const { family, storage } = column.type
  if (isTemporal(family)) return { ...column, sql: shownMoment(column.sql, column.type, family) }
  if (isLooseBoolean(column.type)) return { ...column, sql: truth(column.sql) }
  if (family === 'float')
    return { ...column, sql: sql`case when abs(${column.sql}) < 9e999 then ${column.sql} end` }
  if (isTextUuid(column.type)) return { ...column, sql: sql`lower(${column.sql})` }
  return {
    ...column,
    sql: family === 'decimal' && storage === 'text' ? sameDecimal(column.sql) : comparable(column),
  }
}

function compare(column: Column, sign: Sign, slot: Slot<Operand>): Sql {
  const { family } = column.type
  if (isTemporal(family)) return compareMoments(column, family, sign, slot)
  if (isLooseBoolean(column.type)) return compareBoolean(column, slot)
  if (isOfBytes(column.type) && sign === '=') return equalBytes(column, slot)
  // Bytes differ from the text that they encode. Naming both keeps an index usable.
  if (isMixed(column.type) && sign === '=')
    return sql`${collated(column, column.sql)} in (${slot(({ at }) => String(at))}, ${slot(({ at }) => utf8Of(String(at)))})`
  const comparison = sql`${comparable(column)} ${signs[sign]} ${slot((operand) => encode(column.type, operand, sign))}`
  if (isTextUuid(column.type))
    return sql`${column.sql} in (${slot(({ at }) => at)}, ${slot(({ at }) => String(at).toUpperCase())})`
  return family === 'float' && sign !== '='
    ? sql`(${comparison} and ${column.sql} ${infinities[sign]})`
    : comparison
}

/** An infinite number reads as null, so it is neither more nor less than anything. */
const infinities = {
  '<': sql`> -9e999`,
  '<=': sql`> -9e999`,
  '>': sql`< 9e999`,
  '>=': sql`< 9e999`,
} as const satisfies Record<Exclude<Sign, '='>, Sql>

function among(column: Column, list: Slot<readonly Operand[]>): Sql {
  const { type } = column
  if (isTemporal(type.family)) return amongMoments(column, type.family, list)
  if (isLooseBoolean(type)) return amongBooleans(column, list)
  if (isOfBytes(type)) return bytesAmong(column, list)
  const [value, element] = [comparable(column), elementOf(type)]
  if (isTextUuid(type))
    return spread(
      value,
      list((operands) => jsonList(bothCases(operands), element)),
    )
  const values = () =>
    list((operands) =>
      jsonList(
        operands.filter((operand) => canHold(column, operand)),
        element,
      ),
    )
  if (!isMixed(type)) return spread(value, values())
  const bytes = sql`select cast(value as blob) from json_each(${values()})`
  return sql`${collated(column, column.sql)} in (select value from json_each(${values()}) union all ${bytes})`
}

/** Families whose values are compared as an index holds them. Of booleans and listed values there are too few to begin with one. */
const lookedUp: ReadonlySet<Family> = new Set(['integer', 'text', 'uuid', 'binary'])

const spread = (value: Sql, list: Sql) => sql`${value} in (select value from json_each(${list}))`
const canHold = ({ type }: Column, operand: Operand) => reachOf64Bits(type, operand) === 'within'

const elementOf = (type: ValueType) => (operand: Operand) => encodePlain(type, operand, '=')

/** UUIDs are plain text here, and may be in upper case; naming both forms keeps an index usable. */
const bothCases = (operands: readonly Operand[]) =>
  operands.flatMap((operand) => [operand, { ...operand, at: String(operand.at).toUpperCase() }])

export function comparable({ sql: column, type, byCodePoint }: Column): Sql {
  if (type.family === 'decimal' && type.storage === 'text') return sql`cast(${column} as numeric)`
  return collated({ type, byCodePoint }, isMixed(type) ? asText(column) : column)
}

const collated = ({ type, byCodePoint }: Pick<Column, 'type' | 'byCodePoint'>, column: Sql): Sql =>
  byCodePoint && isTextual(type) ? sql`${column} collate binary` : column

const isTextUuid = (type: ValueType) => type.family === 'uuid' && !isOfBytes(type)
const isLooseBoolean = (type: ValueType) => type.family === 'boolean' && !isCanonical(type)
const isMixed = ({ family, storage }: ValueType) => family === 'text' && storage === 'mixed'
const asText = (column: Sql) => sql`cast(${column} as text)`

const isTextual = ({ family }: ValueType) => family === 'text' || family === 'csv'

/** Families in which more than the database's NULL counts as no value. */
const absences: Partial<Record<Family, (column: Column) => Sql>> = {
  json: jsonIsNull,
  float: ({ sql: column }) => sql`(${column} is null or abs(${column}) = 9e999)`,
}

const types: Partial<Record<Family, Sql>> = {
  integer: sql`integer`,
  boolean: sql`integer`,
  float: sql`real`,
  decimal: sql`numeric`,
}

function columnType(type: ValueType): Sql {
  if (isOfBytes(type) && !type.isArray) return sql`blob`
  if (numberingOf(type)) return sql`integer`
  return (type.storage === 'text' || type.isArray ? undefined : types[type.family]) ?? sql`text`
}
