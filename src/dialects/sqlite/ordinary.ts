// Values that are what the type of their column says. Columns of SQLite may hold anything.

import { type Family, isTemporal } from '../../types/families.ts'
import type { Dialect } from '../dialect.ts'
import { numberingOf } from '../numbered-moments.ts'
import type { Column } from '../phrase-types.ts'
import { identifier, type Sql, sql } from '../sql.ts'
import { momentAsText, numberedMomentAsText, shownMoment } from './moments.ts'

export const isOrdinary: NonNullable<Dialect['isOrdinary']> = (column) => {
  const { sql: value, type } = column
  const isSo = ordinary[type.family]
  return isSo && !type.isArray ? sql`(${value} is null or ${isSo(column)})` : sql`${value} is null`
}

const isOfType = (name: string) => (value: Sql) => sql`typeof(${value}) = ${sql.lit(name)}`
const [isInteger, isText, isBlob] = [isOfType('integer'), isOfType('text'), isOfType('blob')]

const ordinary: Partial<Record<Family, (column: Column) => Sql>> = {
  integer: ({ sql: value }) => isInteger(value),
  boolean: ({ sql: value }) => sql`(${isInteger(value)} and ${value} in (0, 1))`,
  // Behind a zero byte, functions see no more of a text.
  text: ({ sql: value, type }) =>
    type.storage === undefined ? sql`(${isText(value)} and instr(${value}, char(0)) = 0)` : sql`0`,
  uuid: ({ sql: value, type }) =>
    type.storage === 'binary'
      ? sql`(${isBlob(value)} and length(${value}) = 16)`
      : sql`(${isText(value)} and ${value} = lower(${value}))`,
  date: isOrdinaryMoment,
  time: isOrdinaryMoment,
  dateTime: isOrdinaryMoment,
  timestamp: isOrdinaryMoment,
}

/** The form that is compared is the one that is shown. */
function isOrdinaryMoment({ sql: value, type }: Column): Sql {
  const { family } = type
  if (!isTemporal(family)) return sql`0`
  const numbering = numberingOf(type)
  if (numbering)
    return sql`(${isInteger(value)} and ${numberedMomentAsText(value, family, numbering)} is not null)`
  return sql`(${isText(value)} and ${shownMoment(value, type, family)} is ${momentAsText(value, family)})`
}

/** Texts of moments sort by their characters, whatever their form. */
export const sortsAsShown: NonNullable<Dialect['sortsAsShown']> = ({ sql: value, type }) => {
  const { family } = type
  return isTemporal(family) && !numberingOf(type)
    ? sql`${value} is ${momentAsText(value, family)}`
    : undefined
}

/** A column keeps its collation in a compound select, where it is tried on texts of which some collation may take two for equal. */
export const comparesBytes: NonNullable<Dialect['comparesBytes']> = ({ table, dbSchema }, column) => {
  const home = dbSchema === undefined ? sql`` : sql`${identifier(dbSchema)}.`
  const pairs = alike.map(([one, other]) => sql` union all select ${sql.lit(one)}, ${sql.lit(other)}`)
  const tried = sql`select ${identifier(column)} as v, '' as w from ${home}${identifier(table)} where 0${sql.join(pairs, sql``)}`
  return sql`not exists (select 1 from (${tried}) where v = w)`
}

const alike = [
  ['a', 'A'],
  ['a', 'a '],
  ['é', 'e'],
  ['é', 'e\u0301'],
  ['É', 'é'],
  ['ß', 'ss'],
  ['a', 'a\u200b'],
  ['1', '01'],
] as const
