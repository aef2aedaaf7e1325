// Value sets: one JSON text with a list for each set. What comes out of it is an expression without affinity, as a bound value is.
import { fromHex, toHex } from '../../values/bytes.ts'
import { isBytes } from '../../values/guards.ts'
import type { SetValue, Slot, ValueSets, ValueSetTable } from '../phrase-types.ts'
import { type Sql, sql } from '../sql.ts'
import type { PlainValue } from './bind-values.ts'
import { jsonElement } from './json-lists.ts'

export function valueSets(values: readonly SetValue[], alias: Sql, sets: Slot<ValueSets>): ValueSetTable {
  const isWritten = values.some((about) => about.isWritten)
  return {
    from: sql`json_each(${sets(isWritten ? asBound : asJson)}) as ${alias}`,
    place: sql`${alias}.key`,
    values: values.map((about, at) => {
      const value = sql`(${alias}.value ->> ${sql.lit(at)})`
      if (!about.isPattern && !isBytes(about.example)) return value
      // JSON cannot represent bytes: those of all sets are one value, and a set has the place of its own.
      const bytes = sql`substr(${sets((rows) => allBytes(rows, at))}, ${value} ->> 0, ${value} ->> 1)`
      // The end of a prefix is a text for some, and bytes for others.
      const isText = sql`json_type(${alias}.value, ${sql.lit(`$[${at}]`)}) <> 'array'`
      return about.isPattern ? sql`case when ${isText} then ${value} else ${bytes} end` : bytes
    }),
  }
}

function asJson(rows: ValueSets): string {
  return rows.every((row) => row.every(isPlain)) ? JSON.stringify(rows) : writtenOut(rows)
}

/** True for what JSON is read from as it was: not for a whole number of more digits than JavaScript writes. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || value === null || (typeof value === 'number' && isExact(value))
const isExact = (value: number): boolean => Number.isSafeInteger(value) || value % 1 !== 0

/** Numbers as drivers bind them: a column of texts stores "15.0" where an integer would be "15". */
const asBound = (rows: ValueSets): string =>
  writtenOut(rows, (value) =>
    Number.isSafeInteger(value) ? `${Object.is(value, -0) ? '-' : ''}${value}.0` : jsonElement(value),
  )

function writtenOut(rows: ValueSets, written = jsonElement): string {
  const ends: number[] = []
  const element = (value: unknown, at: number): string => {
    if (value === null) return 'null'
    // No encoder makes anything else.
    if (!isBytes(value)) return written(value as PlainValue)
    const from = ends[at] ?? first
    ends[at] = from + value.length
    return `[${from},${value.length}]`
  }
  let text = '['
  for (const row of rows) {
    text += text === '[' ? '[' : ',['
    for (let at = 0; at < row.length; at++)
      text += at === 0 ? element(row[at], at) : `,${element(row[at], at)}`
    text += ']'
  }
  return `${text}]`
}

/** A part of an empty value would be null, so it has a byte more. */
const before = '00'
/** The place behind that byte, from 1. */
const first = 2

const allBytes = (rows: ValueSets, at: number): Uint8Array =>
  fromHex(before + rows.map((row) => digitsOf(row[at])).join(''))

const digitsOf = (value: unknown): string => (isBytes(value) ? toHex(value) : '')
