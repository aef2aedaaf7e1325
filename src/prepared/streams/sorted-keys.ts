// Pages of a list in an order that no index has. Each page would sort all rows anew, so the keys are sorted once, and the rows read by them.

import type { Database, Options } from '../../execution/database.ts'
import { execute } from '../../execution/execute.ts'
import { planSteps } from '../../execution/plan-steps.ts'
import type { BoundStatement } from '../../execution/statement.ts'
import { type Key, storedKey } from '../../plan/key.ts'
import { isAmong, keyName } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import { conjunctsOf } from '../../plan/walk.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import type { Mapper, Row } from '../../rows/row.ts'
import type { Setting } from '../../sql/frame.ts'
import { pageStatement } from '../../sql/row-statements.ts'
import type { Statement } from '../../sql/statement.ts'
import { countsBelow, type RowsBelow, refuseExcess } from '../limits/nested-row-limit.ts'
import { bindStatement } from '../templates/template.ts'
import type { ChunksLeft } from './cursor-stream.ts'
import type { KeysetPages, PassedRows } from './keyset-pages.ts'

/** Keys that are held at a time. Those of a million rows take some ten megabytes; of more rows, each million is sorted once. */
const maxKeys = 1_000_000

/** The same where it is not known whether the database sorts: they may come over a network. */
const maxKeysUnasked = 20_000

/** Returns how many keys to sort at a time: 0 if the database does not sort anew for each page. */
export async function keysToSort(pages: KeysetPages, database: Database, options: Options): Promise<number> {
  const { streaming } = database.dialect
  if (streaming.kind !== 'pages' || !streaming.sorts) return 0
  const steps = await planSteps(database, pages.next(1), options)
  // In the order of its key a table is always.
  if (!steps) return pages.list.order.length > 1 ? maxKeysUnasked : 0
  return steps.some(streaming.sorts) ? maxKeys : 0
}

/** Yields the next rows of a part of the order, as many as are left. Some of them may be gone by then. Returns undefined if the database cannot
 *  write their keys. */
export async function* chunksByKeys(
  { rows: longest, counted, left: max }: ChunksLeft,
  pages: KeysetPages,
  database: Database & Setting,
  options: Options,
): AsyncGenerator<readonly unknown[], PassedRows | undefined> {
  const { list } = pages
  const sorted = pages.keys(max)
  if (!sorted) return undefined
  const [row] = await execute(database, sorted, options)
  const keys = new JsonElements(String(row?.[0]))
  const byKeys = new RowsByKeys(list, counted, database)
  let passed = 0
  let last: Row | undefined
  for (;;) {
    const some = keys.take(longest).map((item) => storedKey(list.collection, Object(item)[keyName]))
    if (some.length === 0) break
    const counts = byKeys.counts(some)
    if (counted && counts) refuseExcess(counted, (await execute(database, counts, options))[0])
    const rows = await execute(database, byKeys.rows(some), options)
    if (rows.length > 0) yield rows.map((one) => byKeys.mapper(one, undefined))
    last = rows.at(-1) ?? last
    passed += some.length
  }
  const isFull = passed === max
  if (last && isFull) pages.pass(last, byKeys.bookmarks)
  return { rows: passed, isFull }
}

// The elements of a JSON array, taken a few at a time: a list of a million short texts takes ten times its text as values.

export class JsonElements {
  readonly #text: string
  #at: number

  /** `text`: an array, as a database writes it. */
  constructor(text: string) {
    this.#text = text
    this.#at = text.indexOf('[') + 1
  }

  /** Returns the next elements, as many as said or those that are left. */
  take(max: number): readonly unknown[] {
    const from = this.#at
    const end = this.#endOf(max)
    this.#at = end + 1
    return JSON.parse(`[${this.#text.slice(from, end)}]`)
  }

  /** Returns where so many elements end: at a comma, or at the end of the array. */
  #endOf(max: number): number {
    let depth = 0
    let passed = 0
    for (let at = this.#at; at < this.#text.length; at++) {
      const sign = this.#text.charCodeAt(at)
      if (sign === quote) at = this.#endOfText(at)
      else if (opening.has(sign)) depth++
      else if (closing.has(sign) && depth-- === 0) return at
      else if (sign === comma && depth === 0 && ++passed === max) return at
    }
    return this.#text.length
  }

  #endOfText(start: number): number {
    let at = start + 1
    while (at < this.#text.length && this.#text.charCodeAt(at) !== quote)
      at += this.#text.charCodeAt(at) === backslash ? 2 : 1
    return at
  }
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c]
const opening: ReadonlySet<number> = new Set([0x5b, 0x7b])
const closing: ReadonlySet<number> = new Set([0x5d, 0x7d])

/** Statements for the rows of a list that have some keys, in the order of the list. */
class RowsByKeys {
  readonly #keys: ReturnType<typeof isAmong>
  readonly #statement: Statement
  readonly mapper: Mapper
  /** The cells with the place of a row in the order. */
  readonly bookmarks: readonly number[]
  readonly #counts: Statement | undefined
  readonly #collection: ListPlan['collection']

  constructor(list: ListPlan, counted: RowsBelow | undefined, setting: Setting) {
    this.#collection = list.collection
    this.#keys = isAmong(list.collection, [])
    // A row that was changed since meets the condition no more.
    const own = conjunctsOf(list.condition)
    const condition = { kind: 'and', parts: [...own, this.#keys] } as const
    const page = { ...list.page, limit: undefined, offset: 0 }
    const some = { ...list, condition, page }
    const { recipe, bookmarks, ...statement } = pageStatement(some, setting, undefined)
    this.#statement = statement
    this.mapper = compileMapper(recipe)
    this.bookmarks = bookmarks
    this.#counts = counted && countsBelow(some, counted, setting)
  }

  rows(keys: readonly Key[]): BoundStatement {
    return this.#bound(this.#statement, keys)
  }

  counts(keys: readonly Key[]): BoundStatement | undefined {
    return this.#counts && this.#bound(this.#counts, keys)
  }

  #bound(statement: Statement, keys: readonly Key[]): BoundStatement {
    return bindStatement(statement, new Map([[this.#keys, isAmong(this.#collection, keys).operand]]))
  }
}
