// Compiles a request into a template: the plan and the statements for all requests of its shape.

import type { JsonWriter } from '../../execution/json-phrases.ts'
import { nestedLists } from '../../plan/read/nested-lists.ts'
import type { ListPlan, Page } from '../../plan/read/read-plan.ts'
import { metaNames } from '../../query/meta.ts'
import type { PlainQuery } from '../../query/query.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import type { Mapper } from '../../rows/row.ts'
import { bytesStatement } from '../../sql/answer-bytes.ts'
import { isCorrelated } from '../../sql/correlated.ts'
import { type CountStatement, type Counts, countStatement } from '../../sql/count-statement.ts'
import type { TextBound } from '../../sql/cut-text.ts'
import type { Setting } from '../../sql/frame.ts'
import { type TextStatement, textStatement } from '../../sql/json-statements.ts'
import { withinBudget } from '../../sql/page/within-budget.ts'
import type { CellRecipe, Recipe } from '../../sql/recipe.ts'
import { type RowStatement, rowStatement } from '../../sql/row-statements.ts'
import { boundedTo, type Statement } from '../../sql/statement.ts'
import { once } from '../../values/memo.ts'
import { bytesAhead } from '../limits/answer-byte-limit.ts'
import { type CountedBelow, countedBelow } from '../limits/nested-row-limit.ts'
import { isSingle, type PlanInput, planRequest, type ReadRequest } from '../plan-request.ts'
import { asksForKey } from './bind.ts'
import type { LastRequest } from './repeated-request.ts'
import { openValuesOf } from './template.ts'

/** Inputs of the compilation of a template. */
export interface Materials extends Setting, PlanInput {
  readonly jsonWriter: JsonWriter
}

/** Statement for rows, with the mapper that makes items of them. */
export interface TemplateRows extends Statement {
  /** The cells that hold a mark where a nested text is too long. */
  readonly cuts: readonly number[]
  /** Created on first use: many templates are used for one of their statements only. */
  readonly mapper: () => Mapper
}

/** Statements for rows in which texts that are too long are cut; made on first use. */
interface WatchedRows {
  /** All texts together have the bytes that an answer may have. */
  readonly together: () => TemplateRows
  /** Each has. */
  readonly alone: () => TemplateRows
  /** The sum of the bytes of the items. */
  readonly bytes: () => Statement | undefined
}

/** Template: the parts of a request that all requests of its shape share. */
export interface Template {
  readonly list: ListPlan
  readonly meta: readonly string[]
  readonly rows: TemplateRows
  /** The cell with the cursor of a row. Absent = none was requested. */
  readonly cursor: CellRecipe | undefined
  /** Absent where no text is nested in a row, or where all bytes are known before. */
  readonly watched: WatchedRows | undefined
  /** Statement for the items as JSON text, where the database can write it. */
  readonly text: TextStatement | undefined
  readonly counts: CountStatement | undefined
  /** Total in a column of the rows: its position, and the counts that remain to be queried. Without a row there is no total. */
  readonly beside: { readonly at: number; readonly counts: CountStatement | undefined } | undefined
  /** Count of rows in the lists below the root, where there may be too many. */
  readonly below: CountedBelow | undefined
  /** Sum of the bytes of the items, where there may be too many. */
  readonly bytes: Statement | undefined
  /** True for groups, searches and counts, which no page bounds. */
  readonly isHeavy: boolean
  readonly openValues: ReturnType<typeof openValuesOf>
  /** Open values for the key of a single item, which is not in its query. */
  readonly ofKey: ReturnType<typeof openValuesOf>
  /** Values of the last request. Present if the result depends on the query alone, and not on the time or the caller. */
  readonly lastRequest?: LastRequest
}

/** Rows of trees are counted from this share of the limit on: an answer may have many trees, and one limit for all. */
const treeShare = 0.02

export function compileTemplate(request: ReadRequest, reader: Materials): Template {
  const { verb } = request
  const { list, query, cursor } = planRequest(request, reader)
  const meta = metaOf(query)
  // A list with meta data also reports truncation, so one row more than the page is read.
  const probe = meta.length > 0 && (!isSingle(verb) || request.tree) ? 1 : 0
  const isSearching = asksFiltered(list, meta) && isCorrelated(list.condition)
  const below = countedBelow(list, reader, request.tree && treeShare)
  const choice = { probe, cursor, within: below?.budget && withinBudget(below.budget) } as const
  const bytes = bytesAhead(list, reader)
  const { answerBytes } = reader.limits
  const counted = <Own extends Statement>(statement: Own): Own =>
    bytes && !reader.dialect.storedBytes ? boundedTo(answerBytes, statement) : statement
  const rowsWithin = (texts?: TextBound) =>
    counted(rowStatement(list, reader, { ...choice, texts, isTurned: true }, verb === 'list' && isSearching))
  const rows = rowsWithin()
  const { countAt } = rows
  const isCutBelow = probe === 1 && pagesOf(list).some((page) => page.isCut && page !== list.page)
  const text =
    (verb === 'text' || request.tree) && !isCutBelow && !cursor
      ? textStatement(list, writingJson(reader), choice, { maxBytes: maxBytesOf(reader) })
      : undefined
  const counts = isSingle(verb) ? undefined : countsOf(list, meta, reader)
  const total = countsOf(list, meta.includes('total_count') ? ['total_count'] : [], reader)
  const beside = countAt === undefined ? undefined : { at: countAt, counts: total }
  const statements = [rows, text, counts, below?.counts, bytes].filter((statement) => statement !== undefined)
  const openValues = openValuesOf(statements, pagesOf(list), below?.budget)
  const ofKey = openValues.filter(asksForKey)
  return {
    list,
    meta,
    rows: mapped(rows),
    cursor: rows.cursor,
    watched: rows.texts > 0 ? watchedRows(list, reader, rowsWithin) : undefined,
    text: text && counted(text),
    counts,
    beside,
    below,
    bytes,
    isHeavy: list.rows.kind === 'groups' || counts !== undefined || query.search !== undefined,
    openValues,
    ofKey,
  }
}

const mapped = <Recipes extends { readonly recipe: Recipe }>(statement: Recipes) => ({
  ...statement,
  mapper: once(() => compileMapper(statement.recipe)),
})

function watchedRows(
  list: ListPlan,
  reader: Materials,
  rowsWithin: (texts: TextBound) => RowStatement,
): WatchedRows | undefined {
  const bytes = maxBytesOf(reader)
  if (bytes === Number.POSITIVE_INFINITY) return undefined
  return {
    together: once(() => mapped(rowsWithin({ bytes, of: 'all' }))),
    alone: once(() => mapped(rowsWithin({ bytes, of: 'each' }))),
    bytes: once(() => bytesStatement(list, reader)),
  }
}

/** Returns the bytes that a text may have. Where the size of the database is known nothing is looked at again: the text would be copied for it. */
const maxBytesOf = ({ dialect, limits }: Materials): number =>
  dialect.storedBytes ? Number.POSITIVE_INFINITY : limits.answerBytes

const writingJson = (reader: Materials): Materials => ({
  ...reader,
  dialect: reader.jsonWriter.dialect ?? reader.dialect,
})

const metaOf = ({ meta = [] }: PlainQuery): readonly string[] => (meta.includes('*') ? metaNames : meta)

const asksFiltered = ({ rows }: ListPlan, meta: readonly string[]): boolean =>
  meta.includes('filter_count') || (meta.includes('page_count') && rows.kind !== 'groups')

function countsOf(list: ListPlan, meta: readonly string[], reader: Materials): CountStatement | undefined {
  const counts: Counts = {
    total: meta.includes('total_count'),
    filtered: asksFiltered(list, meta),
    groups: meta.includes('page_count') && list.rows.kind === 'groups',
  }
  return counts.total || counts.filtered || counts.groups ? countStatement(list, reader, counts) : undefined
}

/** Returns the pages of a list and of the lists below that are shown or cut. */
const pagesOf = (list: ListPlan): readonly Page[] => [
  list.page,
  ...nestedLists(list).map((below) => below.list.page),
]
