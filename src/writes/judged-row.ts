// A row that is written by the statement that judges it, and what that returns.

import type { Path } from '../errors/errors.ts'
import type { ItemData } from '../plan/write/changes.ts'
import { readPayload } from '../plan/write/payload.ts'
import type { Row } from '../rows/row.ts'
import type { Collection } from '../schema/model.ts'
import type { ReturnedColumns } from '../sql/write/returning.ts'
import { constraintErrorOf } from './constraint-error.ts'
import { missingTargetField } from './missing-target.ts'
import { type BoundRow, runRow } from './row-template.ts'
import type { WriteContext } from './write-context.ts'

export interface JudgedRow {
  /** Runs the statement. Undefined if no row was written. */
  readonly run: () => Row | undefined | Promise<Row | undefined>
  /** True if a row is visible to the caller once it is written. */
  readonly isShown: (row: Row) => boolean
}

interface WrittenRow {
  readonly collection: Collection
  /** Path of the item in the request. */
  readonly path: Path
  readonly payload: ItemData
  readonly returned: ReturnedColumns
  /** True if the row exists before. */
  readonly isKeyed: boolean
}

export function judgedRow(statement: BoundRow, written: WrittenRow, writing: WriteContext): JudgedRow {
  const at = shownAt(written.returned)
  return {
    run: () => runRow(statement, (error) => failOf(error, written, writing), writing),
    isShown: (row) => Boolean(row[at]),
  }
}

/** Position of the flag behind all that is returned otherwise. */
export const shownAt = ({ followedAt }: ReturnedColumns): number => followedAt + 1

async function failOf(
  error: unknown,
  { collection, path, payload, isKeyed }: WrittenRow,
  writing: WriteContext,
): Promise<never> {
  const { problems } = writing
  const values = () =>
    readPayload(payload, { collection, path, problems, isKeyed, mayIncrement: isKeyed }).values
  throw await constraintErrorOf(
    error,
    { collection, path, dangling: () => missingTargetField(collection, [values()], writing) },
    writing,
  )
}
