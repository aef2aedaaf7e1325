// Statement: SQL text with its values, and the slots for these.

import { statementMark, withBound } from '../dialects/connections/statement-mark.ts'
import type { Slot } from '../dialects/phrase-types.ts'
import { DeferredValue, isCautious, type ReliedColumns, render, type Sql, sql } from '../dialects/sql.ts'
import { fault, isEngineError, type Path } from '../errors/errors.ts'
import { once } from '../values/memo.ts'
import type { Setting } from './frame.ts'

/** SQL text and its values, some of which depend on the request. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Absent for one that only reads. */
  readonly kind?: 'write' | undefined
  /** Columns that have to be unique for it. */
  readonly relies?: readonly ReliedColumns[] | undefined
  /** A slower statement for rows with values that JSON cannot represent. */
  readonly lossless?: (() => Statement) | undefined
}

export function finished(text: Sql, { dialect }: Setting): Statement {
  const { identifier, keptPlaceholder } = dialect
  return writtenWith(text, { identifier, placeholder: keptPlaceholder })
}

/** A statement whose result may have so many bytes, which a driver can see. */
export const boundedTo = <Own extends Statement>(bytes: number, statement: Own): Own => {
  const { sql: text, lossless } = statement
  return {
    ...statement,
    sql: withBound(text, bytes),
    lossless: lossless && once(() => boundedTo(bytes, lossless())),
  }
}

export const writeOf = (text: Sql, writing: Parameters<typeof render>[1]): Statement => ({
  ...writtenWith(text, writing),
  kind: 'write',
})

/** A statement that writes and returns no rows. */
export const silentWrite = (text: Sql, writing: Parameters<typeof render>[1]): Statement => ({
  ...render(text, writing),
  kind: 'write',
})

/** A statement, with its careful form if it has one. */
export function writtenWith(text: Sql, writing: Parameters<typeof render>[1]): Statement {
  const { sql: written, ...rest } = render(text, writing)
  const plain = { sql: `${statementMark}${written}`, ...rest }
  if (!isCautious(text)) return plain
  const lossless = once(() => {
    const other = render(text, writing, 'lossless')
    return { sql: `${statementMark}${other.sql}`, parameters: other.parameters }
  })
  return { ...plain, lossless }
}

/** A bound value: what `pick` takes from the answer to a question of the request. A value that cannot be bound
 *  is an error of the request, with its path. */
export function slotOf<Answer, Value>(
  openValue: object,
  answer: Answer,
  pick: (answer: Answer) => Value,
  path: Path,
): Slot<Value> {
  return (encode) =>
    sql.val(
      new DeferredValue(openValue, answer, (input) => located(() => encode(pick(input as Answer)), path)),
    )
}

/** A bound value that is a part of the query's shape. */
export function constantOf<Value>(value: Value, path: Path): Slot<Value> {
  return (encode) => sql.val(located(() => encode(value), path))
}

function located(bind: () => unknown, path: Path): unknown {
  try {
    return bind()
  } catch (error) {
    throw isEngineError(error) && !error.path
      ? fault(error.code, error.message, { path, hint: error.hint })
      : error
  }
}
