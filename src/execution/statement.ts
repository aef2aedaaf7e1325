/** A statement with its values, as it is sent. */
export interface BoundStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Its rows come as one JSON text. */
  readonly isPacked?: true
  /** The same for rows that hold what JSON does not. */
  readonly careful?: (() => BoundStatement) | undefined
}
