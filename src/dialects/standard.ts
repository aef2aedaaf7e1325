// The base book: what SQL says in most databases. A dialect spreads it, and says where its database differs.
import type { ConditionPhrases, Dialect, NamePhrases } from './dialect.ts'
import { reachOf64Bits } from './integer-range.ts'
import type { Column } from './phrase-types.ts'
import { type Sql, sql } from './sql.ts'

/** The phrases of a dialect that are the same in most databases.
 *  @example standard.identifier('order').texts // → ['"order"'] */
export const standard = {
  identifier: (name: string) => sql.raw(`"${name.replaceAll('"', '""')}"`),
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
  jsonNumber: (text) => sql`json(${text})`,
  insertNothing: sql` default values`,
  returning: { insert: returned, update: returned, delete: returned },
  // Without knowing the database, each write has to be taken for one that triggers follow.
  isFollowed: () => sql`true`,
  isFollowedByUpdate: () => sql`true`,
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
