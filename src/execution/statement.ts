import type { ReliedColumns } from '../dialects/sql.ts'

/** A statement with its values, as it is sent. */
export interface BoundStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Absent for one that only reads. */
  readonly kind?: 'write' | undefined
  /** Columns that have to be unique for it: the database is asked before. */
  readonly relies?: readonly ReliedColumns[] | undefined
  /** A slower statement for rows with values that JSON cannot represent. */
  readonly lossless?: (() => BoundStatement) | undefined
}
