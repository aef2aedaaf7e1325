// The base book: what SQL says in most databases. A dialect spreads it, and says where its database differs.
import type { Family } from '../types/families.ts'
import type { ValueType } from '../types/field-types.ts'
import type { ConditionPhrases, Dialect, NamePhrases } from './dialect.ts'
import { reachOf64Bits } from './integer-range.ts'
import type { Column } from './phrase-types.ts'
import { identifier, type Sql, sql } from './sql.ts'

/** The phrases of a dialect that are the same in most databases.
 *  @example standard.identifier('order').texts // → ['"order"'] */
export const standard = {
  identifier,
  placeholder: (_position: number) => '?',
  keptPlaceholder: (_position: number) => '?',
  losesValues: () => false,
  reach: reachOf64Bits,
  isNull: ({ sql: column }: Column) => sql`${column} is null`,
  isPresent: ({ sql: column }: Column) => sql`${column} is not null`,
  page: (limit, offset) =>
    sql`${limit ? sql` limit ${limit}` : sql``}${offset ? sql` offset ${offset}` : sql``}`,
  toJson: (value) => value,
  jsonText: (json) => json,
  shownCount: (count) => count,
  byteLength: (value) => sql`octet_length(${value})`,
  byteCount: (bytes) => sql`cast(${sql.lit(bytes)} as bigint)`,
  castText: (value) => sql`cast(${value} as text)`,
  jsonNumber: (text) => sql`json(${text})`,
  deleteFrom: (table, _alias, where) => sql`delete from ${table}${where}`,
  insertNothing: sql` default values`,
  returning: { insert: returned, update: returned, delete: returned },
  // Without knowing the database, each write has to be taken for one that triggers follow.
  isFollowed: () => sql`true`,
  isFollowedByUpdate: () => sql`true`,
  isAltered: () => sql`true`,
  explain: sql`explain `,
  faultOf: () => undefined,
  breachOf: () => undefined,
  isTransient: () => false,
  lacksTable: () => false,
} satisfies Partial<Dialect> & NamePhrasesOf & Pick<ConditionPhrases, 'reach' | 'isNull' | 'isPresent'>

function returned(columns: Sql): Sql {
  return sql` returning ${columns}`
}

type NamePhrasesOf = Pick<NamePhrases, 'identifier' | 'placeholder' | 'keptPlaceholder'>

type Test = (column: Column) => Sql
type Tests = Partial<Record<Family, Test>>

/** Phrases for values beside NULL with which a database says that there is none. */
interface Absences {
  /** Tests for all that reads as null; undefined if nothing does but NULL. */
  readonly absent: (type: ValueType) => Test | undefined
  /** Tests for what is empty, of families whose empty text or zero is not all of it. */
  readonly empty: Tests
  /** The column in the form in which it compares. */
  readonly comparable: Test
}

export function absenceTests({
  absent,
  empty,
  comparable,
}: Absences): Pick<ConditionPhrases, 'isNull' | 'isPresent' | 'isEmpty'> {
  const isNull: Test = (column) => (absent(column.type) ?? standard.isNull)(column)
  const isPresent: Test = (column) => {
    const absence = absent(column.type)
    return absence ? sql`not ${absence(column)}` : standard.isPresent(column)
  }
  const orEquals =
    (falsy: Sql): Test =>
    (column) =>
      sql`(${isNull(column)} or ${comparable(column)} = ${falsy})`
  const [blank, zero] = [orEquals(sql`''`), orEquals(sql`0`)]
  const tests: Tests = {
    text: blank,
    csv: blank,
    hash: blank,
    binary: blank,
    integer: zero,
    decimal: zero,
    float: zero,
    boolean: zero,
    ...empty,
  }
  return { isNull, isPresent, isEmpty: (column) => (tests[column.type.family] ?? isNull)(column) }
}
