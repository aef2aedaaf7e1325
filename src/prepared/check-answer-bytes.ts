// Adds up the bytes of an answer before it is read, if there may be too many.
import type { Database, Options } from '../execution/database.ts'
import { databaseBytes, knownBytes } from '../execution/database-bytes.ts'
import { execute } from '../execution/execute.ts'
import type { Page } from '../plan/read-plan.ts'
import { type ByteLimits, mayHaveTooMany, tooManyBytes } from './answer-byte-limit.ts'
import type { Template } from './compile-template.ts'
import { filledOf, type PreparedRead, pageNow } from './prepare.ts'

/** True if the bytes may have to be added up before those of a page are read. */
export const needsByteCheck = (
  prepared: PreparedRead,
  database: Database & { readonly limits: ByteLimits },
): boolean => {
  const { template } = prepared
  if (!template.bytes) return false
  const stored = knownBytes(database)
  const fitting = fittings.get(template)
  if (fitting && fits(fitting, prepared, stored)) return false
  if (mayHaveTooMany(template.list, pagesOf(prepared), database.limits, stored)) return true
  const pages = template.pages.map((page) => ({ page, limit: limitOf(page, prepared) }))
  fittings.set(template, { pages, stored })
  return false
}

/** Pages of the last request of a template that could not have too many bytes: shorter ones cannot either. */
interface Fitting {
  readonly pages: readonly { readonly page: Page; readonly limit: number }[]
  readonly stored: number | undefined
}

const fittings = new WeakMap<Template, Fitting>()

const fits = (
  { pages, stored: before = Number.POSITIVE_INFINITY }: Fitting,
  prepared: PreparedRead,
  stored = before,
) => stored <= before && pages.every(({ page, limit }) => limitOf(page, prepared) <= limit)

const limitOf = (page: Page, prepared: PreparedRead): number =>
  pageNow(prepared, page).limit ?? Number.POSITIVE_INFINITY

const pagesOf = (prepared: PreparedRead) => (page: Page) => pageNow(prepared, page)

/** Refuses a read of too many bytes. */
export async function checkAnswerBytes(
  database: Database & { readonly limits: ByteLimits },
  prepared: PreparedRead,
  options: Options,
): Promise<void> {
  const { bytes, list } = prepared.template
  const { limits } = database
  if (!bytes) return
  if (!mayHaveTooMany(list, pagesOf(prepared), limits, await databaseBytes(database, options))) return
  const [row] = await execute(database, filledOf(prepared, bytes), options)
  if (Number(row?.[0]) > limits.answerBytes) throw tooManyBytes(limits)
}
