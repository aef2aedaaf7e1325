import { fault, type Path, quote } from '../../errors/errors.ts'
import type { Limits } from '../../query/limits.ts'
import type { LevelQuery } from '../../query/query.ts'
import type { Page } from './read-plan.ts'

export function pageOf(query: LevelQuery, limits: Limits, path: Path, isUnlimited = false): Page {
  const { defaultLimit, maxLimit } = limits
  const requested = query.limit ?? (isUnlimited ? -1 : undefined)
  const max = Math.min(
    requested === undefined ? defaultLimit : requested < 0 ? maxLimit : requested,
    maxLimit,
  )
  const limit = max === Number.POSITIVE_INFINITY ? undefined : max
  const page = query.page ?? 1
  return {
    limit,
    offset: query.offset ?? offsetOf(page, limit, path),
    isCut: (query.limit ?? -1) < 0 && limit !== undefined,
    isFixed: false,
    path,
  }
}

function offsetOf(page: number, limit: number | undefined, path: Path): number {
  if (page === 1) return 0
  const place = { path: [...path, path.length === 0 ? 'page' : '_page'] }
  // A client that requests pages until one is empty would never end.
  if (limit === undefined)
    throw fault('INVALID_QUERY', `A list without a limit has one page only, and no page ${quote(page)}.`, {
      ...place,
      hint: 'Say with "limit" how many items a page has.',
    })
  const offset = (page - 1) * limit
  if (Number.isSafeInteger(offset)) return offset
  throw fault('INVALID_QUERY', `There is no page ${quote(page)} of ${limit} items each.`, place)
}
