// Rows whose nested texts stay in the database if they are too long to be read. Their bytes are not added up elsewhere, since few are that long.

import { tooManyBytes } from '../../errors/too-many-bytes.ts'
import type { Database, Options } from '../../execution/database.ts'
import { execute } from '../../execution/execute.ts'
import { mayNestTooMuch } from '../../plan/read/answer-bytes.ts'
import type { Row } from '../../rows/row.ts'
import { cutMark } from '../../sql/cut-text.ts'
import type { ByteLimits } from '../limits/answer-byte-limit.ts'
import { pagesOf, refuseTooManyBytes } from '../limits/check-result-bytes.ts'
import { filledOf, type PreparedRead } from '../prepare.ts'
import type { TemplateRows } from '../templates/compile-template.ts'

type Bounded = Database & { readonly limits: ByteLimits }

export function rowsFor(prepared: PreparedRead, { limits }: Bounded): TemplateRows {
  const { watched, list, rows } = prepared.template
  return watched && mayNestTooMuch(list, pagesOf(prepared), limits) ? watched.together() : rows
}

/** True if a text was too long to be read with so many others. */
export const areCut = (rows: readonly Row[], { cuts }: Pick<TemplateRows, 'cuts'>): boolean =>
  cuts.length > 0 && rows.some((row) => cuts.some((at) => row[at] === cutMark))

/** Reads rows again of which a text was cut, unless all of them together are too long. */
export async function readWhole(
  database: Bounded,
  prepared: PreparedRead,
  options: Options,
): Promise<readonly Row[]> {
  const { watched } = prepared.template
  await refuseTooManyBytes(database, prepared, watched?.bytes(), options)
  const alone = watched?.alone() ?? prepared.template.rows
  const rows = await execute(database, filledOf(prepared, alone), options)
  // Groups, which are not added up, may be too long nevertheless.
  if (areCut(rows, alone)) throw tooManyBytes(database.limits)
  return rows
}
