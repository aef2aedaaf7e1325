import { type Family, isTemporal } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { signs } from '../comparison-signs.ts'
import type { Dialect } from '../dialect.ts'
import { reachOf64Bits } from '../integer-range.ts'
import { onConflict } from '../on-conflict.ts'
import type { Column, GeoPhrases, Reach, RowUse, Sign, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { absenceTests, standard } from '../standard.ts'
import { arrayText } from './array-text.ts'
import { bindingOf, listBindingOf } from './bind-values.ts'
import { columnType, isNative } from './column-types.ts'
import { enumName, tableText } from './identifiers.ts'
import { andFinite, isNoMoment, isNoNumber, mayBeInfinite } from './infinities.ts'
import { jsonIsEmpty, jsonIsNull, jsonLength, jsonScalar } from './json.ts'
import { amongTuples, heldKeys, keyAsText, keyFromText } from './keys.ts'
import { amongMoments, compareMoments, datePart, isAtLastMoment, shownMoment } from './moments.ts'
import { isNoOther, isOther, otherFromText, othersFromText } from './other-types.ts'
import { reading } from './read-columns.ts'
import { selectPhrases } from './select.ts'
import { countOn, storing, typeCell } from './stored-values.ts'
import { anyCasePattern, likePattern } from './text.ts'
import { cursor, interruption, isolation, server, transactionStatus } from './transactions.ts'

const geo: GeoPhrases = {
  same: (column, slot) =>
    sql`ST_OrderingEquals(ST_Force2D(${column.sql}), ST_Force2D(${geometry(column, slot)}))`,
  intersects: (column, slot) => sql`ST_Intersects(${column.sql}, ${geometry(column, slot)})`,
  // The operator && rounds its boxes to single precision, so it would include neighbours.
  boundsIntersect: (column, slot) =>
    sql`ST_Intersects(ST_Envelope(${column.sql}), ST_Envelope(${geometry(column, slot)}))`,
}

/** The phrases of PostgreSQL, without those that read its catalogue or its errors, or look for what else a write does. */
export const phrases: Dialect = {
  ...standard,
  ...onConflict,
  isFoundAsStored: (type) => type.family === 'uuid' || onConflict.isFoundAsStored(type),
  // A row that was updated was locked before, by this transaction.
  isInserted: sql`(xmax = 0)`,
  name: 'postgres',
  placeholder: (position) => `$${position}`,
  keptPlaceholder: (position) => `$${position}`,
  losesValues: (type) => absenceOf(type) !== undefined && type.family !== 'json',
  reach,
  compare,
  among,
  amongTuples: (columns, list) => amongTuples(columns, list, comparable, reach),
  match: (column, place, ignoreCase, text) => {
    // In a type that ignores case, such as citext, every match would ignore it.
    const value = asText(column)
    if (ignoreCase) return sql`${value} ~ ${text((needle) => anyCasePattern(needle, place))}`
    return sql`${value} like ${text((needle) => likePattern(needle, place))}`
  },
  ...absenceTests({
    absent: absenceOf,
    empty: {
      boolean: ({ sql: column }) => sql`${column} is not true`,
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
  shown,
  shownCount: (count) => sql`${count}::text`,
  extreme: (which, column) => {
    const comparing = shown(column)
    return { ...comparing, sql: sql`${sql.raw(which)}(${comparing.sql})` }
  },
  // Null comes last here, and first when descending, by default.
  orderKey: (column, isDescending) => sql`${comparable(column)}${isDescending ? sql` desc` : sql``}`,
  orderedKey: comparable,
  ...selectPhrases,
  typeCell,
  countOn,
  lockTable: (table) => sql`lock table ${sql.raw(tableText(table))} in share row exclusive mode`,
  // A mere reference need not wait for changes of a row that stays.
  lockRows: (select, use) => `${select} for ${lockOf[use]}`,
  heldKeys,
  // A subselect is computed once, so that an index serves comparisons with it; now() stands still in a transaction.
  now: () => sql`(select floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`,
  // Two transactions that create a table at the same time may both find that it does not exist; the number is the engine's own. Any client
  // of the database may hold it, so the wait for it is bounded; tables are waited for as before. A select list is computed in order.
  installAlone: sql`select set_config('lock_timeout', was, true) from (select current_setting('lock_timeout') as was, set_config('lock_timeout', case current_setting('lock_timeout') when '0' then '60s' else current_setting('lock_timeout') end, true), pg_advisory_xact_lock(7310868519)) as waited`,
  notify: (channel, table, text) =>
    sql`pg_catalog.pg_notify(${sql.lit(channel)}, ${sql.lit(tableText(table))}::regclass::oid || ':' || ${text}::text)`,
  keptJson: sql`json`,
  mark: (columns) => sql`md5(cast(row(${sql.join(columns, sql`, `)}) as text))`,
  numberedKey: sql`bigint generated by default as identity primary key`,
  isolation,
  transactionStatus,
  server,
  interruption,
  streaming: cursor,
  namedZones: true,
  geo,
}

function shown(column: Column): Column {
  const { family, storage, enumType } = column.type
  if (isTemporal(family)) return shownMoment(column, family)
  if (enumType !== undefined)
    return { ...column, sql: comparable(column), type: { ...column.type, enumType: undefined } }
  if (family === 'uuid' && storage === 'text') return { ...column, sql: sql`lower(${column.sql})` }
  if (family === 'decimal' && storage === 'text')
    return { ...column, sql: comparable(column), type: { ...column.type, storage: undefined } }
  return family === 'float' || family === 'decimal'
    ? { ...column, sql: sql`case when not ${isNoNumber(column)} then ${column.sql} end` }
    : { ...column, sql: comparable(column) }
}

function reach(type: ValueType, operand: Operand): Reach {
  // A text that is no label equals none of them, but still has a place in their order.
  const isForeign = type.enumType !== undefined && !type.values?.includes(String(operand.at))
  if (isForeign) return 'between'
  if (isAtLastMoment(type, operand)) return operand.exact ? 'last' : 'afterLast'
  return reachOf64Bits(type, operand)
}

function compare(column: Column, sign: Sign, slot: Slot<Operand>, reach?: Reach): Sql {
  const { family, enumType } = column.type
  if (isTemporal(family)) return compareMoments(column, family, { sign, slot, reach })
  if (family === 'geometry') return geo.same(column, slot)
  if (isOther(column.type))
    return sql`${column.sql} ${signs[sign]} ${otherFromText(
      slot(({ at }) => at),
      column.type,
    )}`
  if (isTextUuid(column))
    return sql`${column.sql} in (${slot(({ at }) => at)}, ${slot(({ at }) => String(at).toUpperCase())})`
  if (enumType !== undefined && sign === '=')
    return sql`${column.sql} = ${slot(({ at }) => at)}::${enumName(enumType)}`
  if (family === 'text' || family === 'csv')
    return sql`${collated(column)} ${signs[sign]} ${slot(({ at }) => at)}`
  const { cast, encode } = bindingOf(column.type)
  const comparison = sql`${comparable(column)} ${signs[sign]} ${slot((operand) => encode(operand, sign))}${cast}`
  return mayBeInfinite(column) ? andFinite(column, sign, comparison) : comparison
}

function among(column: Column, list: Slot<readonly Operand[]>): Sql {
  const { type: value } = column
  if (isTemporal(value.family)) return amongMoments(column, value.family, list)
  if (isTextUuid(column)) {
    const bothCases = list((operands) => operands.flatMap(({ at }) => [at, String(at).toUpperCase()]))
    return sql`${column.sql} = any(${bothCases}::text[])`
  }
  if (isOther(value)) {
    const texts = list((operands) => arrayText(operands.map(({ at }) => at)))
    return sql`${column.sql} = any(${othersFromText(texts, value)})`
  }
  const held = (operands: readonly Operand[]) =>
    operands.filter((operand) => reach(value, operand) === 'within')
  if (value.enumType !== undefined) {
    const labels = list((operands) => arrayText(held(operands).map(({ at }) => at)))
    return sql`${column.sql} = any(${labels}::text::${enumName(value.enumType)}[])`
  }
  const { cast, encode } = listBindingOf(value)
  const bound = list((operands) => encode(held(operands)))
  // A list of texts takes the column's own type, which may compare differently from text.
  const ofList = value.family === 'text' || value.family === 'csv' ? sql`` : cast
  return sql`${comparable(column)} = any(${bound}${ofList})`
}

/** UUIDs in a text column may be in upper case; naming both forms keeps an index usable. */
const isTextUuid = ({ type }: Column) => type.family === 'uuid' && type.storage === 'text'

/** Enums compare as texts; their own order is that of their declaration. */
const textOf = (column: Column) => (column.type.enumType === undefined ? column.sql : asText(column))

const asText = ({ sql: column }: Column) => sql`${column}::text`

/** Decimals stored as text compare as numbers. */
export function comparable(column: Column): Sql {
  const isTextDecimal = column.type.family === 'decimal' && column.type.storage === 'text'
  return isTextDecimal ? sql`${column.sql}::numeric` : collated(column)
}

function collated(column: Column): Sql {
  const isText = column.type.family === 'text' || column.type.family === 'csv'
  return isText && column.byCodePoint ? sql`${asText(column)} collate "C"` : textOf(column)
}

function isNoOtherIn({ sql: column }: Column): Sql {
  return isNoOther(column)
}

/** Families in which more than the database's NULL counts as no value. */
const absences: Partial<Record<Family, (column: Column) => Sql>> = {
  json: (column) => sql`(${jsonIsNull(column)})`,
  float: isNoNumber,
  decimal: isNoNumber,
  date: isNoMoment,
  dateTime: isNoMoment,
  timestamp: isNoMoment,
  other: isNoOtherIn,
  opaque: isNoOtherIn,
}

// A value stored as text or as an integer is never absent.
function absenceOf(type: ValueType): ((column: Column) => Sql) | undefined {
  return isNative(type) ? absences[type.family] : undefined
}

const lockOf = {
  reference: 'key share',
  change: 'no key update',
  removal: 'update',
  claim: 'update skip locked',
} as const satisfies Record<RowUse, string>

/** PostGIS refuses to compare across spatial references. Only with a known one can an index be used. */
function geometry({ sql: column, type }: Column, slot: Slot<Operand>): Sql {
  const reference = type.srid === undefined ? sql`ST_SRID(${column})` : sql.lit(type.srid)
  return sql`ST_SetSRID(ST_GeomFromGeoJSON(${slot(({ at }) => JSON.stringify(at))}), ${reference})`
}
