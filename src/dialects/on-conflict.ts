import type { ValueType } from '../types/field-types.ts'
import type { ConflictPhrases } from './phrase-types.ts'
import { type Sql, sql } from './sql.ts'

/** The clause for rows that are there already, as several databases write it. */
export const onConflict = {
  unlessThere: (columns?: readonly Sql[]) =>
    sql` on conflict${columns ? sql` (${sql.join(columns, sql`, `)})` : sql``} do nothing`,
  orUpdate: (columns: readonly Sql[], assignments: Sql) =>
    sql` on conflict (${sql.join(columns, sql`, `)}) do update set ${assignments}`,
  leftOut: (column: Sql) => sql`excluded.${column}`,
  isFoundAsStored: ({ family, isArray, storage }: ValueType) =>
    !isArray && storage === undefined && (family === 'integer' || family === 'text'),
} satisfies ConflictPhrases
