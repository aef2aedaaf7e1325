// Keys on SQLite: as the texts in which a many-to-any reference stores them, those of several parts in a list, and which columns of a table are one.
import { isTemporal } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { isOfBytes } from '../bytes.ts'
import type { CataloguePhrases } from '../catalogue.ts'
import { reachOf64Bits } from '../integer-range.ts'
import { numberingOf } from '../numbered-moments.ts'
import type { Column, Slot } from '../phrase-types.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import { bytesAsText } from './bytes.ts'
import { jsonElement } from './json-lists.ts'
import { momentAsText, numberedMomentAsText } from './moments.ts'

export function keyFromText(text: Sql, key: ValueType): Sql | undefined {
  // Older versions cannot make bytes of text.
  if (isOfBytes(key)) return undefined
  if (key.family === 'uuid') return sql`case when ${text} glob ${sql.lit(uuidPattern)} then ${text} end`
  if (numberingOf(key) || isOfSql(key)) return undefined
  if (key.family !== 'integer') return text
  return sql`case when cast(cast(${text} as integer) as text) = ${text} then cast(${text} as integer) end`
}

const uuidPattern = [8, 4, 4, 4, 12].map((length) => '[0-9a-fA-F]'.repeat(length)).join('-')

export function keyAsText(key: Sql, type: ValueType): Sql {
  if (isOfBytes(type)) return bytesAsText(key, type)
  const numbering = numberingOf(type)
  if (numbering && isTemporal(type.family)) return numberedMomentAsText(key, type.family, numbering)
  if (isTemporal(type.family) && isOfSql(type)) return momentAsText(key, type.family)
  if (type.family === 'uuid') return sql`lower(${key})`
  return type.family === 'decimal' ? decimalText(key, type.scale) : sql`cast(${key} as text)`
}

/** True for text that is not in the form of results, in which a reference stores it. */
const isOfSql = ({ storage }: ValueType) => storage === 'sql'

/** A decimal with all its digits after the point, and at least as many as the field has: 10 is `10.00`, as in results. */
function decimalText(column: Sql, scale = 0): Sql {
  const zeros = '0'.repeat(scale)
  const digits = sql`select case when ${column} glob '*[eE]*' then printf('%.20f', ${column}) else cast(${column} as text) end as q`
  const short = sql`select case when instr(q, '.') then rtrim(rtrim(q, '0'), '.') else q end as q from (${digits})`
  const padding = sql`case when instr(q, '.') then substr(${sql.lit(zeros)}, length(q) - instr(q, '.') + 1) else ${sql.lit(scale > 0 ? `.${zeros}` : '')} end`
  return sql`(select q || ${padding} from (${short}))`
}

/** Membership in a list of keys of several parts: compared as row values, which an index of their columns serves. Undefined if one of the columns is not compared as it is stored. */
export function amongTuples(
  columns: readonly Column[],
  list: Slot<readonly (readonly Operand[])[]>,
  comparable: (column: Column) => Sql,
  elementOf: (column: Column) => (operand: Operand) => string | number | bigint,
): Sql | undefined {
  if (!columns.every(isAsStored)) return undefined
  const elements = columns.map(elementOf)
  const rows = list((tuples) => {
    const held = tuples.filter((tuple) => columns.every((column, index) => canHold(column, tuple[index])))
    const texts = held.flatMap((tuple) =>
      formsOf(columns, tuple).map(
        (form) =>
          `[${form.map((operand, index) => jsonElement(elements[index]?.(operand) ?? '')).join(',')}]`,
      ),
    )
    return `[${texts.join(',')}]`
  })
  const values = sql.join(columns.map(comparable), sql`, `)
  const parts = columns.map((_, index) => sql`json_extract(value, ${sql.lit(`$[${index}]`)})`)
  return sql`(${values}) in (select ${sql.join(parts, sql`, `)} from json_each(${rows}))`
}

const isAsStored = ({ type }: Column) =>
  !isTemporal(type.family) &&
  !isOfBytes(type) &&
  type.storage !== 'mixed' &&
  !(type.family === 'decimal' && type.storage)

const canHold = ({ type }: Column, operand: Operand | undefined) =>
  operand?.exact === true && reachOf64Bits(type, operand) === 'within'

/** A tuple with its UUIDs in each of their cases: they are plain text here, and naming all forms keeps an index usable. */
function formsOf(columns: readonly Column[], tuple: readonly Operand[]): readonly (readonly Operand[])[] {
  return columns.reduce<readonly (readonly Operand[])[]>(
    (forms, { type }, index) => {
      const operand = tuple[index]
      if (!operand) return forms
      const cases =
        type.family === 'uuid' ? [operand, { ...operand, at: String(operand.at).toUpperCase() }] : [operand]
      return forms.flatMap((form) => cases.map((one) => [...form, one]))
    },
    [[]],
  )
}

/** Asks the indexes, and the table where its key is the number of the row, which has no index. */
export const uniqueness: NonNullable<CataloguePhrases['uniqueness']> = ({ table, dbSchema }, columns) => {
  const place = dbSchema === undefined ? sql`` : sql`, ${sql.lit(dbSchema)}`
  const home = dbSchema === undefined ? sql`` : sql`${identifier(dbSchema)}.`
  const list = sql`pragma_index_list(${sql.lit(table)}${place})`
  const names = sql.join(columns.map(sql.lit), sql`, `)
  const count = sql.lit(columns.length)
  const own = sql.join(
    columns.map((column) => {
      const rows = sql`select ${identifier(column)} as v from ${home}${identifier(table)} where 0`
      return sql`select ${sql.lit(column)} as name, ${collationOf(rows)} as collation`
    }),
    sql` union all `,
  )
  const parts = sql`pragma_index_xinfo(l.name${place}) as x left join (${own}) as c on c.name = x.name collate nocase where x.key`
  const has = (isUnfit: Sql, isMore: Sql) =>
    sql`exists (select 1 from ${list} as l where l."unique" and not l.partial and not exists (select 1 from ${parts} and (c.name is null or ${isUnfit}))${isMore})`
  const number = sql`(select max(name) from pragma_table_info(${sql.lit(table)}${place}) where pk > 0 having count(*) = 1)`
  const isNumber = sql`${number} collate nocase in (${names}) and not exists (select 1 from ${list} where origin = 'pk')`
  const isOther = sql`upper(x.coll) <> c.collation`
  return {
    areUnique: sql`(${isNumber} or ${has(sql`${isOther} and c.collation <> 'BINARY'`, sql``)})`,
    areKey: sql`(${count} = 1 and ${isNumber} or ${has(isOther, sql` and (select count(*) from pragma_index_xinfo(l.name${place}) where key) = ${count}`)})`,
  }
}

/** The collation of a column, which no pragma says: a union compares by that of its first part. One of another name is taken for the one of SQLite
 *  that it is most like, and indexes that have it as well count for nothing. */
function collationOf(rows: Sql): Sql {
  const isSame = (one: string, other: string) =>
    sql`(select count(*) from (${rows} union select ${sql.lit(one)} union select ${sql.lit(other)})) = 1`
  return sql`case when ${isSame('a', 'A')} then 'NOCASE' when ${isSame('a', 'a ')} then 'RTRIM' else 'BINARY' end`
}
