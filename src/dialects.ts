// The entry `quernel/dialects`: the phrases of SQL, to write a dialect of one's own, or to vary one.
export type {
  ConditionPhrases,
  Dialect,
  ErrorPhrases,
  NamePhrases,
  SelectPhrases,
  TransactionFacts,
  ValuePhrases,
  WritePhrases,
} from './dialects/dialect.ts'
export type { JsonPhrases, NestedItems, NestedList } from './dialects/list-phrases.ts'
export type { Cell, Column, GeoPhrases, Reading, Sign, Slot } from './dialects/phrase-types.ts'
export type { PostgresDialect, PostgresVariation } from './dialects/postgres/with.ts'
export { postgres } from './dialects/postgres.ts'
export { type Sql, sql } from './dialects/sql.ts'
export { sqlite } from './dialects/sqlite.ts'
export { standard } from './dialects/standard.ts'
export type { Storing } from './dialects/stored-values.ts'
export type { LockPhrases } from './dialects/transaction-phrases.ts'
export type { Operand } from './types/family-row.ts'
