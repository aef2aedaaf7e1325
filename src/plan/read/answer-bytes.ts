// How many bytes an answer may have, by what values of a type usually take at most: whether it is worth adding them up before they are read.

import { longestCursor } from '../../query/cursor.ts'
import type { Family } from '../../types/families.ts'
import type { ValueType } from '../../types/field-types.ts'
import { membersBelow } from '../walk.ts'
import type { ListPlan, Member, Page } from './read-plan.ts'

/** Bounds of an answer besides the limits of its query. */
export interface StoredBytes {
  /** Rows below the root of an answer. */
  readonly nestedRows: number
  /** Bytes of the whole database; infinite until they are queried; absent if they cannot be known. */
  readonly database: number | undefined
  /** Bytes that a long text is taken to have. Absent = by what is known of the database. */
  readonly long?: number
}

/** True if rows of nested texts could have too many bytes if these are very long, as few are. */
export const mayNestTooMuch = (
  list: ListPlan,
  pageOf: (page: Page) => Page,
  { nestedRows, answerBytes }: { readonly nestedRows: number; readonly answerBytes: number },
): boolean => maxBytes(list, pageOf, { nestedRows, database: undefined, long: longAgain }) > answerBytes

/** Returns the bytes that the items of a list could have. `pageOf`: the pages of the current request. */
export function maxBytes(
  list: ListPlan,
  pageOf: (page: Page) => Page,
  { nestedRows, database: stored, long: anyLong }: StoredBytes,
): number {
  const database = stored ?? Number.POSITIVE_INFINITY
  let own = 0
  let repeated = 0
  if (list.rows.kind === 'items') {
    const { limit = Number.POSITIVE_INFINITY } = pageOf(list.page)
    add(list.rows.members, Math.min(limit, database / shortestRow), {
      place: 'own',
      isBelow: false,
      long: anyLong ?? (stored === undefined ? longUnknown : longText),
    })
  }
  // A value that is stored once, and shown once, cannot take more than all that is stored.
  return Math.min(own, database) + repeated

  function add(members: readonly Member[], rows: number, at: Place): void {
    const { place, isBelow, long } = at
    const shown = new Set<unknown>()
    for (const member of members) {
      if (!isBelow) repeated += product(rows, member.name.length + 4)
      if (member.kind === 'value') {
        const { subject } = member
        const { type } = subject
        // Parts of a JSON value may be all of it, each.
        const field = subject.kind === 'field' || subject.kind === 'json' ? subject.field : subject
        if (shown.has(field)) repeated += product(rows, againOf(type, subject.kind === 'json' ? rows : 1))
        else if (!isBelow || isLong(type)) {
          if (place === 'repeated') repeated += product(rows, longest(type, longText))
          else own += product(rows, longest(type, long))
        }
        shown.add(field)
      }
      for (const { members, through } of membersBelow(member))
        add(members, rows, through ? { ...at, place: 'repeated' } : at)
      if (member.kind === 'cursor') repeated += product(rows, longestCursor)
      if (member.kind === 'many') addList(member.list, rows, at)
    }
  }

  /** `parted`: the rows of parts of a value, which many ask for. Where the size of the database is unknown few of them are that long. */
  function againOf(type: ValueType, parted: number): number {
    if (!type.isArray && !mayBeLong.has(type.family)) return longValue
    if (parted > 1 && stored === undefined) return Math.max(longUnknown, longAgain / parted)
    return Math.min(isLong(type) ? longAgain : longText, database)
  }

  function addList({ rows: shown, page }: ListPlan, above: number, { place }: Place): void {
    const { limit = Number.POSITIVE_INFINITY } = pageOf(page)
    const rows = Math.min(product(above, limit), nestedRows)
    const long = anyLong ?? (stored === undefined ? longBelow : longText)
    if (shown.kind === 'items') add(shown.members, rows, { place, isBelow: true, long })
  }
}

interface Place {
  /** Behind a reference, many items may show the same row. */
  readonly place: 'own' | 'repeated'
  /** True below items, where rows have a bound of their own: short values are not worth adding up there. */
  readonly isBelow: boolean
  /** Bytes that a long text is taken to have. */
  readonly long: number
}

/** Bytes that a row takes in a database at least. */
const shortestRow = 16

const product = (rows: number, bytes: number): number => (rows === 0 ? 0 : rows * bytes)

/** Bytes of a long text: what a request over HTTP may store of one. */
const longText = 1_048_576
/** Of one where the size of the database is unknown: few texts of a list are that long, and each list would be added up first. */
const longUnknown = 262_144
/** Of those below items there: they are many and seldom long, and would be added up for every list of comments. */
const longBelow = 16_384
/** Of one that is shown under a second name, which few need but who wants a long answer. */
const longAgain = 16_777_216
const [shortText, longValue] = [8_192, 40]

const isLong = ({ type, family, isArray }: ValueType): boolean =>
  isArray || (type !== 'string' && mayBeLong.has(family))

const longest = ({ type, family, isArray, length }: ValueType, long: number): number => {
  if (isArray) return long
  if (type !== 'string') return mayBeLong.has(family) ? long : longValue
  const short = Math.min(long, shortText)
  return length === undefined ? short : Math.min(short, 4 * length)
}

/** Families whose values may be of any length. */
export const mayBeLong: ReadonlySet<Family> = new Set([
  'text',
  'json',
  'csv',
  'binary',
  'geometry',
  'other',
  'opaque',
])
