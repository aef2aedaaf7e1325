import type { BoundStatement } from '../execution/statement.ts'
import type { Key } from '../plan/key.ts'
import { isAmong } from '../plan/read/by-key.ts'
import type { ListPlan } from '../plan/read/read-plan.ts'
import { compileMapper } from '../rows/compile-mapper.ts'
import type { Mapper } from '../rows/row.ts'
import type { Setting } from '../sql/frame.ts'
import { pageStatement } from '../sql/row-statements.ts'
import type { Statement } from '../sql/statement.ts'
import { countsBelow, type RowsBelow } from './nested-row-limit.ts'
import { bindStatement } from './template.ts'

/** Statements for the rows of a list that have some keys, in the order of the list. */
export class RowsByKeys {
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
    const own = list.condition.kind === 'and' ? list.condition.parts : [list.condition]
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
