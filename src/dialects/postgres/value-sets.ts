// Value sets: a list for each value, side by side. Where a phrase leaves the type of a bound value to the column that it is compared with, the list takes
// the type of that column: citext, or char with its blanks, compare differently from text.
import { isTemporal } from '../../types/families.ts'
import type { ValueType } from '../../types/field-types.ts'
import { toHex } from '../../values/bytes.ts'
import { isBytes } from '../../values/guards.ts'
import { numberingOf } from '../numbered-moments.ts'
import type { Column, SetValue, Slot, ValueSets, ValueSetTable } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import { arrayText } from './array-text.ts'
import { isNative } from './column-types.ts'
import { storing } from './stored-values.ts'

type Home = NonNullable<Column['home']>

/** The list of a value in the table, unless its values are in a table of their own, and what stands for the value. */
interface SetColumn {
  readonly list?: Sql
  readonly value: Sql
  /** A table besides, joined by the number of the set. */
  readonly joined?: Sql
}

export function valueSets(
  values: readonly SetValue[],
  alias: Sql,
  sets: Slot<ValueSets>,
): ValueSetTable | undefined {
  if (values.some(({ type }) => type.family === 'tuple')) return undefined
  const columns = values.map((value, at) => columnOf(value, at, alias, sets))
  const listed = columns.flatMap(({ list }, at) => (list ? [{ list, name: nameOf(at) }] : []))
  const all = listed.length > 0 ? listed : [{ list: emptySets(sets), name: sql`"nothing"` }]
  const lists = all.map(({ list }) => list)
  const names = [...all.map(({ name }) => name), number]
  const table = sql`unnest(${sql.join(lists, sql`, `)}) with ordinality as ${alias}(${sql.join(names, sql`, `)})`
  const joined = columns.flatMap((column) => column.joined ?? [])
  return {
    from: joined.length === 0 ? table : sql`(${table}${sql.join(joined, sql``)})`,
    place: sql`${alias}.${number} - 1`,
    values: columns.map(({ value }) => value),
  }
}

const number = sql`"n"`

const nameOf = (at: number): Sql => sql.raw(`"v${at}"`)

const emptySets = (sets: Slot<ValueSets>): Sql =>
  sql`${sets((rows) => listText(rows.map(() => null)))}::text::text[]`

function columnOf(about: SetValue, at: number, alias: Sql, sets: Slot<ValueSets>): SetColumn {
  const home = takesTypeOf(about)
  const value = sql`${alias}.${nameOf(at)}`
  if (home && about.isList) return listsOf(home, at, alias, sets)
  const bound = sets((rows) => listText(rows.map((row) => written(row[at]))))
  if (home) return { value, list: likeColumn(home, bound) }
  return { value: isListOfTexts(about) ? sql`${value}::text[]` : value, list: sql`${bound}::text::text[]` }
}

/** True for a list behind which no cast follows. */
const isListOfTexts = ({ type, isList }: SetValue): boolean =>
  isList && isText(type) && type.enumType === undefined

/** A list of a driver is one text here, and bytes are the text that the server reads. */
function written(value: unknown): unknown {
  if (Array.isArray(value)) return arrayText(value)
  return isBytes(value) ? `\\x${toHex(value)}` : value
}

/** Many values as one text. JSON is written in a fraction of the time, and differs in what is escaped alone. */
function listText(values: readonly unknown[]): string {
  const json = JSON.stringify(values)
  return json.includes('\\') ? arrayText(values) : `{${json.slice(1, -1)}}`
}

/** Lists whose elements have the type of a column. Only lists of equal length could stand in one list, so they are made from their elements. */
function listsOf(home: Home, at: number, alias: Sql, sets: Slot<ValueSets>): SetColumn {
  const elements = (rows: ValueSets) =>
    rows.flatMap((row, place) => elementsOf(row[at]).map((element) => ({ place: place + 1, element })))
  const places = sets((rows) => listText(elements(rows).map(({ place }) => place)))
  const bound = sets((rows) => listText(elements(rows).map(({ element }) => element)))
  const own = sql.raw(`"l${at}"`)
  const name = nameOf(at)
  const gathered = sql`select ${number}, array_agg(${name}) as ${name} from unnest(${places}::text::integer[], ${likeColumn(home, bound)}) as "e"(${number}, ${name}) group by ${number}`
  return {
    // Of a set without elements there is no row.
    value: sql`coalesce(${own}.${name}, '{}')`,
    joined: sql` left join (${gathered}) as ${own} on ${own}.${number} = ${alias}.${number}`,
  }
}

/** An encoded list of values that take the type of their column: the texts, or one text that lists moments, in which nothing is escaped. */
const elementsOf = (list: unknown): readonly unknown[] =>
  Array.isArray(list) ? list : JSON.parse(`[${String(list).slice(1, -1)}]`)

/** A list with the type of the values that a column is compared with: of a domain, that below it. The select finds nothing, and says the type. */
const likeColumn = ({ table, column }: Home, list: Sql): Sql =>
  sql`coalesce((select array_agg(nullif(${column}, null)) from ${table} where false), ${list})`

/** The column whose type a bound value takes; undefined where a cast follows, or where it is text. */
function takesTypeOf({ type, isList, isPattern, byCodePoint, isWritten, home }: SetValue): Home | undefined {
  const { family, storage, enumType } = type
  if (isWritten) return storing(type).around ? undefined : home
  if (isPattern || enumType !== undefined || numberingOf(type)) return undefined
  if (isText(type)) return byCodePoint ? undefined : home
  if (isTemporal(family) && isNative(type))
    return family === 'dateTime' || family === 'timestamp' ? home : undefined
  return storage === 'text' && !isList && (isTemporal(family) || family === 'uuid') ? home : undefined
}

const isText = ({ family }: ValueType): boolean => family === 'text' || family === 'csv'
