// Types that no field knows, such as inet, ranges, intervals and composite types: their values travel as text. Where that text depends on
// settings of the session, these are fixed while it is written or read, and then as they were: the session is the host's.
import type { ValueType } from '../../types/field-types.ts'
import { isForeign } from '../../types/other.ts'
import { identifier, type Sql, sql } from '../sql.ts'

export const isOther = ({ family }: Pick<ValueType, 'family'>): boolean => isForeign(family)

/** A value in the form of results. */
export const otherAsText = (value: Sql, type: ValueType): Sql =>
  styled(rowOf(type).asText?.(value) ?? sql`${value}::text`, type)

export const otherFromText = (text: Sql, type: ValueType): Sql =>
  styled(rowOf(type).fromText?.(sql`${text}::text`) ?? sql`${text}::${otherCast(type)}`, type)

/** A list of values from one text, in the server's notation of lists. */
export function othersFromText(text: Sql, type: ValueType): Sql {
  const list = sql`${text}::${otherCast(type, sql`[]`)}`
  const fixed = styled(list, type)
  // Without a cast, "any" takes a subselect for rows.
  return fixed === list ? list : sql`${fixed}::${typeName(type)}[]`
}

export const otherCast = (type: ValueType, list = sql``): Sql =>
  rowOf(type).through
    ? sql`text::${rowOf(type).through ?? sql``}${list}::${typeName(type)}${list}`
    : sql`text::${typeName(type)}${list}`

/** Matches statements that read a value from a text. */
export const castsOther = /::text::(?:numeric(?:\[\])?::)?"/

/** A list in the form of results, as JSON. */
export function otherList(list: Sql, type: ValueType): Sql {
  const elements = sql`select jsonb_agg(${otherAsText(sql`"_value"`, type)} order by "_place") from unnest(${list}) with ordinality as "_list"("_value", "_place")`
  return sql`case when ${list} is not null then coalesce((${elements}), '[]') end`
}

/** The name of a type. It may include its schema: `shop.status`. In quotes it may be anything: `"a.b".status`. */
export function typeName({ databaseType = '' }: ValueType): Sql {
  const parts = databaseType.match(/"(?:[^"]|"")+"|[^".]+/g) ?? []
  return sql.join(
    parts.map((part) => identifier(part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part)),
    sql`.`,
  )
}

/** Absent for null alone: a value of a composite type "is null" when all of its parts are, and "is not null" when none is. */
export const isNoOther = (value: Sql): Sql => sql`${value} is not distinct from null`

interface OtherType {
  /** The settings on which its text depends. */
  readonly settings: readonly Setting[]
  readonly asText?: (value: Sql) => Sql
  readonly fromText?: (text: Sql) => Sql
  /** The type between text and this one. */
  readonly through?: Sql
}

const values = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  // Money has two digits after the point.
  lc_monetary: 'C',
}
type Setting = keyof typeof values

const plain: OtherType = { settings: [] }
const floats: OtherType = { settings: ['extra_float_digits'] }
const dates: OtherType = { settings: ['DateStyle'] }
const zoned: OtherType = { settings: ['DateStyle', 'TimeZone'] }
/** Nothing is known of the parts of a composite type, nor of a type of an extension. */
const unknown: OtherType = {
  settings: ['DateStyle', 'IntervalStyle', 'TimeZone', 'extra_float_digits', 'bytea_output', 'lc_monetary'],
}

const known: Readonly<Record<string, OtherType>> = {
  // A cast would add the length of the network to every address.
  inet: { settings: [], asText: (value) => sql`nullif(concat(${value}), '')` },
  interval: { settings: ['IntervalStyle'] },
  money: {
    settings: ['lc_monetary'],
    asText: (value) => sql`${value}::numeric::text`,
    through: sql`numeric`,
  },
  // Text is taken for a document or for a piece of one, as the session says.
  xml: { settings: [], fromText: (text) => sql`xmlparse(content ${text})` },
  timetz: { settings: ['TimeZone'] },
  daterange: dates,
  datemultirange: dates,
  tsrange: dates,
  tsmultirange: dates,
  tstzrange: zoned,
  tstzmultirange: zoned,
  ...rows(floats, 'point', 'line', 'lseg', 'box', 'path', 'polygon', 'circle'),
  ...rows(plain, 'cidr', 'macaddr', 'macaddr8', 'bit', 'varbit', 'int4range', 'int8range', 'numrange'),
  ...rows(plain, 'int4multirange', 'int8multirange', 'nummultirange', 'tsvector', 'tsquery', 'jsonpath'),
  ...rows(plain, 'pg_lsn', 'oid', 'xid', 'xid8', 'cid', 'tid', 'name', 'char', 'hstore', 'ltree'),
  ...rows(plain, 'lquery', 'ltxtquery', 'vector', 'halfvec', 'sparsevec'),
}

function rows(row: OtherType, ...names: readonly string[]) {
  return Object.fromEntries(names.map((name) => [name, row]))
}

const rowOf = ({ databaseType = '' }: ValueType): OtherType =>
  (Object.hasOwn(known, databaseType) ? known[databaseType] : undefined) ?? unknown

/** A value that is made while the settings of its type are fixed. The server makes the columns of a select in their order, and drops none
 *  that changes a setting; "offset 0" keeps the settings of before apart. */
function styled(value: Sql, type: ValueType): Sql {
  const { settings } = rowOf(type)
  if (settings.length === 0) return value
  const named = settings.map((setting) => ({ name: sql.lit(setting), was: identifier(setting), setting }))
  const before = named.map(({ name, was }) => sql`current_setting(${name}) as ${was}`)
  const fix = named.map(({ name, setting }) => sql`set_config(${name}, ${sql.lit(values[setting])}, true)`)
  const restore = named.map(({ name, was }) => sql`set_config(${name}, ${was}, true)`)
  const columns = sql.join([...fix, sql`${value} as "_text"`, ...restore], sql`, `)
  return sql`(select "_text" from (select ${columns} from (select ${sql.join(before, sql`, `)} offset 0) as "_session") as "_styled")`
}
