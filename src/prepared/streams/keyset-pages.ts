// The pages of a list that is read page by page, each behind the last row of the one before.

import type { BoundStatement } from '../../execution/statement.ts'
import { keyMember } from '../../plan/read/by-key.ts'
import type { ListPlan, Page } from '../../plan/read/read-plan.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import type { Mapper, Row } from '../../rows/row.ts'
import type { Setting } from '../../sql/frame.ts'
import { textStatement } from '../../sql/json-statements.ts'
import type { KeysetPosition } from '../../sql/page/keyset.ts'
import { lastPart } from '../../sql/page/order-keys.ts'
import { pageStatement } from '../../sql/row-statements.ts'
import type { Statement } from '../../sql/statement.ts'
import { once } from '../../values/memo.ts'
import { countsBelow, type RowsBelow } from '../limits/nested-row-limit.ts'
import { bindStatement } from '../templates/template.ts'

/** Statements of a list that is read by pages. They differ only in which values of the last row were null. The first page is that of a
 *  list; from then on, rows with a value and rows with null in the first column of the order are apart. */
export class KeysetPages {
  readonly list: ListPlan
  readonly #setting: Setting
  readonly #counted: RowsBelow | undefined
  readonly #made = new Map<string, PageLayout>()
  #place: readonly unknown[] = []
  #current: PageLayout

  constructor(list: ListPlan, counted: RowsBelow | undefined, setting: Setting) {
    this.list = list
    this.#counted = counted
    this.#setting = setting
    this.#current = this.#make(undefined)
  }

  /** The form of the next page: pages of one form have one statement. */
  get layout(): PageLayout {
    return this.#current
  }

  /** Returns the next page, as long as said. */
  next(rows: number): BoundStatement {
    return this.#bound(this.#current.statement, rows)
  }

  counts(rows: number): BoundStatement | undefined {
    const { counts } = this.#current
    return counts && this.#bound(counts, rows)
  }

  /** Returns the statement for the keys of the next rows, as the elements of one text; undefined if the database cannot write them. */
  keys(rows: number): BoundStatement | undefined {
    const keys = this.#current.keys()
    return keys && this.#bound(keys, rows)
  }

  #bound(statement: Statement, rows: number): BoundStatement {
    const { after, list } = this.#current
    const page: Page = { ...list.page, limit: rows }
    const boundValues = new Map<object, unknown>([[list.page, page]])
    if (after) boundValues.set(after, this.#place)
    return bindStatement(statement, boundValues)
  }

  /** Goes on behind a row. `bookmarks`: the cells with its place in the order. */
  pass(row: Row, bookmarks: readonly number[]): void {
    this.#place = bookmarks.map((at) => row[at] ?? null)
    const nulls = this.#place.map((value) => value === null)
    const name = nulls.join()
    this.#current = this.#made.get(name) ?? this.#make({ part: nulls[0] ? 'nulls' : 'values', nulls })
    this.#made.set(name, this.#current)
  }

  /** Moves from the end of one part to the beginning of the other, if that comes later. */
  turn(): boolean {
    const { after } = this.#current
    const part = lastPart(this.list)
    if (!after || !part || after.part === part) return false
    this.#current = this.#make({ part })
    return true
  }

  #make(after: KeysetPosition | undefined): PageLayout {
    // Only the first page has an offset; each has a limit.
    const offset = after ? 0 : this.list.page.offset
    const list = { ...this.list, page: { ...this.list.page, limit: 1, offset } }
    const statement = pageStatement(list, this.#setting, after)
    const counts = this.#counted && countsBelow(list, this.#counted, this.#setting, after)
    const rows = { kind: 'items', members: [keyMember(list.collection)] } as const
    const keys = once(() => ({
      made: textStatement({ ...list, rows }, this.#setting, { probe: 0 }, { after }),
    }))
    const { recipe, bookmarks } = statement
    return {
      list,
      after,
      statement,
      bookmarks,
      counts,
      keys: () => keys().made,
      mapper: compileMapper(recipe),
    }
  }
}

interface PageLayout {
  readonly list: ListPlan
  readonly after: KeysetPosition | undefined
  readonly statement: Statement
  readonly bookmarks: readonly number[]
  readonly counts: Statement | undefined
  readonly keys: () => Statement | undefined
  readonly mapper: Mapper
}

export interface PassedRows {
  readonly rows: number
  /** False at the end of the part. */
  readonly isFull: boolean
}
