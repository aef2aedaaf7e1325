// Adds up the bytes of an answer before it is read, if there may be too many.

import { tooManyBytes } from '../../errors/too-many-bytes.ts'
import { countsBytes } from '../../execution/connection.ts'
import type { Database, Options } from '../../execution/database.ts'
import { databaseBytes, knownBytes } from '../../execution/database-bytes.ts'
import { execute } from '../../execution/execute.ts'
import type { Page } from '../../plan/read/read-plan.ts'
import type { Statement } from '../../sql/statement.ts'
import { filledOf, type PreparedRead, pageNow } from '../prepare.ts'
import { type ByteLimits, mayHaveTooMany } from './answer-byte-limit.ts'

/** True if the bytes may have to be added up before those of a page are read. A driver that counts them as they arrive holds one row more than is
 *  allowed. */
export const needsByteCheck: typeof mayBeLong = (prepared, database) =>
  mayBeLong(prepared, database) &&
  (!countsBytes(database.home) ||
    mayHaveTooMany(prepared.template.list, pagesOfRow(prepared), database.limits, knownBytes(database)))

export const mayBeLong = (
  prepared: PreparedRead,
  database: Database & { readonly limits: ByteLimits },
): boolean => {
  const { bytes, list } = prepared.template
  return bytes !== undefined && mayHaveTooMany(list, pagesOf(prepared), database.limits, knownBytes(database))
}

export const pagesOf = (prepared: PreparedRead) => (page: Page) => pageNow(prepared, page)

/** The pages of a request for one item. */
const pagesOfRow = (prepared: PreparedRead) => (page: Page) => {
  const now = pageNow(prepared, page)
  return page === prepared.template.list.page ? { ...now, limit: 1 } : now
}

/** Refuses a read of too many bytes. */
export async function checkResultBytes(
  database: Database & { readonly limits: ByteLimits },
  prepared: PreparedRead,
  options: Options,
): Promise<void> {
  const { bytes, list } = prepared.template
  const { limits } = database
  if (!bytes) return
  const stored = await databaseBytes(database, options)
  if (!mayHaveTooMany(list, pagesOf(prepared), limits, stored)) return
  await refuseTooManyBytes(database, prepared, bytes, options)
}

/** Adds up the bytes of an answer, and refuses it if there are too many. */
export async function refuseTooManyBytes(
  database: Database & { readonly limits: ByteLimits },
  prepared: PreparedRead,
  bytes: Statement | undefined,
  options: Options,
): Promise<void> {
  const [row] = bytes ? await execute(database, filledOf(prepared, bytes), options) : []
  if (Number(row?.[0]) > database.limits.answerBytes) throw tooManyBytes(database.limits)
}
