// Statement: SQL text with its values.

import { statementMark } from '../dialects/connections/statement-mark.ts'
import { isCautious, render, type Sql } from '../dialects/sql.ts'
import { once } from '../values/memo.ts'
import type { Setting } from './frame.ts'

/** SQL text and its values, some of which depend on the request. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Absent for one that only reads. */
  readonly kind?: 'write' | undefined
  /** True if its rows come as one JSON text. */
  readonly isPacked?: true
  /** A slower statement for rows with values that JSON cannot represent. */
  readonly lossless?: (() => Statement) | undefined
}

export function finished(text: Sql, { dialect }: Setting): Statement {
  const { identifier, keptPlaceholder } = dialect
  return writtenWith(text, { identifier, placeholder: keptPlaceholder })
}

/** A statement that writes. */
export const writeOf = (text: Sql, writing: Parameters<typeof render>[1]): Statement => ({
  ...writtenWith(text, writing),
  kind: 'write',
})

/** A statement, with its careful form if it has one. */
export function writtenWith(text: Sql, writing: Parameters<typeof render>[1]): Statement {
  const { sql: written, parameters } = render(text, writing)
  const plain = { sql: `${statementMark}${written}`, parameters }
  if (!isCautious(text)) return plain
  const lossless = once(() => {
    const other = render(text, writing, 'lossless')
    return { sql: `${statementMark}${other.sql}`, parameters: other.parameters }
  })
  return { ...plain, lossless }
}
