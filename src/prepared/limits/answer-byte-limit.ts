// Limit of the bytes of an answer. Where they could exceed it they are added up first, by a statement that reads nothing else.
import { maxBytes } from '../../plan/read/answer-bytes.ts'
import type { ListPlan, Page } from '../../plan/read/read-plan.ts'
import type { Limits } from '../../query/limits.ts'
import { bytesStatement } from '../../sql/answer-bytes.ts'
import type { Setting } from '../../sql/frame.ts'
import { isShort, shortPage } from '../../sql/page/pagination.ts'
import type { Statement } from '../../sql/statement.ts'

export type ByteLimits = Pick<Limits, 'answerBytes' | 'nestedRows'>

/** Returns the statement that adds up the bytes of a list. Undefined if there cannot be too many, whatever the pages of a request are. */
export function bytesAhead(
  list: ListPlan,
  setting: Setting & { readonly limits: ByteLimits },
): Statement | undefined {
  const { limits } = setting
  if (limits.answerBytes === Number.POSITIVE_INFINITY) return undefined
  const longest = (page: Page): Page =>
    page.isFixed ? page : { ...page, limit: isShort(page) ? shortPage : undefined }
  const stored = setting.dialect.storedBytes && Number.POSITIVE_INFINITY
  return mayHaveTooMany(list, longest, limits, stored) ? bytesStatement(list, setting) : undefined
}

/** True if a list could have too many bytes. `database`: those of everything that is stored, if that can be known. */
export const mayHaveTooMany = (
  list: ListPlan,
  pageOf: (page: Page) => Page,
  { answerBytes, nestedRows }: ByteLimits,
  database: number | undefined,
): boolean => maxBytes(list, pageOf, { nestedRows, database }) > answerBytes
