// Keys on PostgreSQL: as the texts in which a many-to-any reference stores them, and those of several parts in a list.
import { type Family, isTemporal } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import type { ValueType } from '../../types/field-types.ts'
import { isOfBytes } from '../bytes.ts'
import type { Column, Reach, Slot } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import type { HeldKeysPhrases } from '../transaction-phrases.ts'
import { listBindingOf } from './bind-values.ts'
import { bytesAsText, bytesFromText } from './bytes.ts'
import { enumName } from './identifiers.ts'
import { momentAsText } from './moments.ts'
import { isOther, otherAsText } from './other-types.ts'
import { decimalText } from './read-columns.ts'

export function keyFromText(text: Sql, key: ValueType): Sql | undefined {
  const { family, storage, enumType, values = [] } = key
  if (enumType !== undefined) {
    const labels = sql.join(
      values.map((label) => sql.lit(label)),
      sql`, `,
    )
    return sql`case when ${text} in (${labels}) then ${text}::${enumName(enumType)} end`
  }
  if (storage === 'text') return text
  if (isOfBytes(key)) return bytesFromText(text, key)
  // Only a cast can find out whether a date exists, and it fails if not.
  if (isTemporal(family) || isOther(key)) return undefined
  return keyForms[family]?.(text) ?? text
}

/** Guards: a cast of any other text would fail the statement, and a join on `id::text` could use no index. */
const keyForms: Partial<Record<Family, (text: Sql) => Sql>> = {
  integer: (text) => sql`case when ${text} ~ '^(0|-?[1-9][0-9]{0,18})$' then
    case when ${text}::numeric between -9223372036854775808 and 9223372036854775807 then ${text}::bigint end end`,
  decimal: (text) => sql`case when ${text} ~ ${plainNumber} then ${text}::numeric end`,
  float: (text) => sql`case when ${text} ~ ${plainNumber} then ${text}::float8 end`,
  uuid: (text) =>
    sql`case when ${text} ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${text}::uuid end`,
}

const plainNumber = sql`'^-?[0-9]{1,255}([.][0-9]{1,255})?$'`

export function keyAsText(key: Sql, type: ValueType): Sql {
  const { family, storage, scale } = type
  if (storage === 'text') return family === 'uuid' ? sql`lower(${key}::text)` : sql`${key}::text`
  if (isOfBytes(type)) return bytesAsText(key, type)
  if (isOther(type)) return otherAsText(key, type)
  if (isTemporal(family))
    return momentAsText({ sql: key, type, byCodePoint: false, negationMatchesNull: false }, family)
  return family === 'decimal' ? decimalText(key, scale) : sql`${key}::text`
}

/** Membership in a list of keys of several parts: a list for each part, side by side. Undefined if one of the columns is not compared as it is stored. */
export function amongTuples(
  columns: readonly Column[],
  list: Slot<readonly (readonly Operand[])[]>,
  comparable: (column: Column) => Sql,
  reach: (type: Column['type'], operand: Operand) => Reach,
): Sql | undefined {
  if (!columns.every(isAsStored)) return undefined
  const isHeld = (tuple: readonly Operand[]) =>
    columns.every(({ type }, index) => {
      const operand = tuple[index]
      return operand?.exact === true && reach(type, operand) === 'within'
    })
  const lists = columns.map((column, index) => {
    const { cast, encode } = listBindingOf(column.type)
    const bound = list((tuples) => encode(tuples.filter(isHeld).flatMap((tuple) => tuple[index] ?? [])))
    return asDeclared(column, bound) ?? sql`${bound}${cast}`
  })
  const values = sql.join(columns.map(comparable), sql`, `)
  return sql`(${values}) in (select * from unnest(${sql.join(lists, sql`, `)}))`
}

/** A list of texts in the type of the column, which may compare differently from text: citext, or char with its blanks. */
const asDeclared = ({ type: { family }, home }: Column, list: Sql): Sql | undefined =>
  home && (family === 'text' || family === 'csv') ? inTypeOf(home, list) : undefined

/** A list in the type of a column. A list of nothing has that type, whatever its name is. */
const inTypeOf = ({ column, table }: NonNullable<Column['home']>, list: Sql): Sql =>
  sql`coalesce((select array_agg(${column}) from ${table} where false), ${list})`

export const heldKeys: HeldKeysPhrases = {
  text: (column) => sql`array_agg(${column})::text`,
  // A list that is bound is searched from its beginning for each row, and a subselect is not.
  among: (columns, texts) => {
    const lists = columns.map(({ home }, at) => inTypeOf(home, texts[at] ?? sql`null`))
    const values = columns.map(({ sql: column }) => column)
    return sql`(${sql.join(values, sql`, `)}) in (select * from unnest(${sql.join(lists, sql`, `)}))`
  },
}

const isAsStored = ({ type: { family, storage, enumType } }: Column) =>
  enumType === undefined && storage !== 'text' && (family === 'date' || !isTemporal(family))
