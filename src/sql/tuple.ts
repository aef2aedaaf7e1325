// Values of several parts, such as keys: one column made of several, and the phrases that such a column takes.

import type { Dialect } from '../dialects/dialect.ts'
import type { Column, Reach, Reading, Slot } from '../dialects/phrase-types.ts'
import { parsedJson } from '../dialects/read-values.ts'
import { type Sql, sql } from '../dialects/sql.ts'
import type { Operand, OperandValue } from '../types/family-row.ts'
import { exactly } from '../types/family-row.ts'
import type { ValueType } from '../types/field-types.ts'

/** Some columns as one. Its SQL is the text of its key, and null if a part is. */
export function tupleColumn(parts: readonly Column[], type: ValueType, dialect: Dialect): Column {
  const presence = allPresent(parts, dialect)
  const text = dialect.jsonTuple(parts.map((part) => shownPart(part, dialect)))
  const [{ byCodePoint, negationMatchesNull } = { byCodePoint: false, negationMatchesNull: false }] = parts
  const column = sql`case when ${presence} then ${text} end`
  return { sql: column, type, parts, byCodePoint, negationMatchesNull, presence }
}

/** A part as JSON of its shown form: a number, or text. */
function shownPart(part: Column, dialect: Dialect): Sql {
  const { sql: column, type } = dialect.shown(part)
  if (type.type === 'integer' || type.family === 'float') return dialect.numberInTuple?.(column) ?? column
  const plain =
    type.family === 'text' && type.storage === undefined ? dialect.textInTuple?.(column) : undefined
  return plain ?? dialect.keyAsText(column, type)
}

const allPresent = (parts: readonly Column[], dialect: Dialect): Sql =>
  sql`(${sql.join(
    parts.map((part) => dialect.isPresent(part)),
    sql` and `,
  )})`

/** The phrases of a dialect for a column: with several parts, they are said of each. */
export const phrasesOf = ({ parts }: Column, dialect: Dialect): Dialect =>
  parts ? { ...dialect, ...tuplePhrases(parts, dialect) } : dialect

type TuplePhrases = Pick<
  Dialect,
  'compare' | 'among' | 'isNull' | 'isPresent' | 'isEmpty' | 'reading' | 'shown'
>

function tuplePhrases(parts: readonly Column[], dialect: Dialect): TuplePhrases {
  const present = allPresent(parts, dialect)
  const absent = sql`(${sql.join(
    parts.map((part) => dialect.isNull(part)),
    sql` or `,
  )})`
  return {
    compare: (_column, sign, slot) =>
      sql`(${sql.join(
        parts.map((part, index) => dialect.compare(part, sign, partSlot(slot, index))),
        sql` and `,
      )})`,
    among: (column, list) => {
      const partsOf = (encode: (tuples: readonly (readonly Operand[])[]) => unknown) =>
        list((tuples) =>
          encode(
            tuples.filter(({ exact }) => exact).map((tuple) => parts.map((_, index) => partAt(tuple, index))),
          ),
        )
      return dialect.amongTuples?.(parts, partsOf) ?? dialect.among(asText(column), textsOf(column, list))
    },
    isNull: () => absent,
    isPresent: () => present,
    isEmpty: () => absent,
    reading: ({ sql: text }) => tupleReading(text, parts, dialect),
    shown: (column) => column,
  }
}

const partAt = ({ at }: Operand, index: number): Operand => ({ at: partsIn(at)[index] ?? '', exact: true })

/** The operand of several parts is a list of theirs: `types/tuple.ts` has read it. */
const partsIn = (value: OperandValue): readonly OperandValue[] => value as readonly OperandValue[]

const partSlot =
  (slot: Slot<Operand>, index: number): Slot<Operand> =>
  (encode) =>
    slot((operand) => encode(partAt(operand, index)))

const asText = ({ presence: _presence, parts: _parts, ...column }: Column): Column => ({
  ...column,
  type: { ...column.type, type: 'string', family: 'text' },
})

const textsOf =
  ({ type: { parts = [] } }: Column, list: Slot<readonly Operand[]>): Slot<readonly Operand[]> =>
  (encode) =>
    list((tuples) =>
      encode(
        tuples
          .filter(({ exact }) => exact)
          .map(({ at }) => exactly(JSON.stringify(partsIn(at).map(shownIn(parts))))),
      ),
    )

const shownIn = (parts: NonNullable<ValueType['parts']>) => (value: OperandValue, index: number) => {
  const part = parts[index]
  const shown = part?.row.show?.(value, part.type) ?? value
  return typeof shown === 'number' ? shown : String(shown)
}

/** The parts are read from their text, in which they are as results show them. */
function tupleReading(text: Sql, parts: readonly Column[], dialect: Dialect): Reading {
  const { column, element } = tupleTextReading(text)
  const readings = parts.map((part) => dialect.reading(part))
  const written = readings.flatMap(({ json }) => (json ? [dialect.toJson(json)] : []))
  const isWritten = written.length === parts.length
  return {
    column,
    element,
    ...(isWritten && {
      json: sql`case when ${allPresent(parts, dialect)} then ${dialect.jsonArray(written)} end`,
    }),
  }
}

/** The reading of a key of several parts from its text. A text that is no such key is returned as it is. */
export function tupleTextReading(text: Sql): Reading {
  const cell = { sql: text, read: parsedJson }
  return { column: cell, element: cell }
}

/** The position of an operand relative to the values of a column. A tuple is one of them if each of its parts may be. */
export function reachOf(type: ValueType, operand: Operand, dialect: Pick<Dialect, 'reach'>): Reach {
  if (!type.parts) return dialect.reach(type, operand)
  const isWithin = type.parts.every((part, index) =>
    ['within', 'last'].includes(dialect.reach(part.type, partAt(operand, index))),
  )
  return operand.exact && isWithin ? 'within' : 'between'
}
