// A request is planned, and its statements written, for all requests of its shape.

import type { JsonWriter } from '../execution/json-phrases.ts'
import type { ListPlan, Member, Page } from '../plan/read-plan.ts'
import { metaNames } from '../query/meta.ts'
import type { PlainQuery } from '../query/query.ts'
import { compileMapper } from '../rows/compile-mapper.ts'
import type { Mapper } from '../rows/row.ts'
import { isCorrelated } from '../sql/correlated.ts'
import type { Setting } from '../sql/frame.ts'
import type { Recipe } from '../sql/recipe.ts'
import {
  type CountStatement,
  type Counts,
  countStatement,
  type PackedStatement,
  packedStatement,
  rowStatement,
  type Statement,
  type TextStatement,
  textStatement,
} from '../sql/statements.ts'
import { once } from '../values/memo.ts'
import { asksForKey } from './bind.ts'
import { type CountedBelow, countedBelow } from './nested-row-limit.ts'
import { isSingle, type PlanInput, plan, type Request } from './plan-request.ts'
import type { LastRequest } from './repeated-request.ts'
import { openValuesOf } from './template.ts'

/** What a template is made with. */
export interface Materials extends Setting, PlanInput {
  readonly jsonWriter: JsonWriter
}

/** Rows, and what makes items of them. */
export interface TemplateRows extends Statement {
  /** Made when it is needed: many templates are used for one of their statements only. */
  readonly mapper: () => Mapper
}

export interface PackedRows extends TemplateRows, Pick<PackedStatement, 'leastRows' | 'mostRows'> {}

/** Everything about a request that others of its shape share. */
export interface Template {
  readonly list: ListPlan
  readonly meta: readonly string[]
  readonly rows: TemplateRows
  /** The same rows as one JSON text, where lists of some length are there sooner so. */
  readonly packed: PackedRows | undefined
  /** The same items as JSON text, where the database can write it. */
  readonly text: TextStatement | undefined
  readonly counts: CountStatement | undefined
  /** Where rows tell how many there are, and what is left to count then. Without a row nothing is told. */
  readonly beside: { readonly at: number; readonly counts: CountStatement | undefined } | undefined
  /** Present where there are lists below the root, which may have too many rows. */
  readonly below: CountedBelow | undefined
  readonly questions: ReturnType<typeof openValuesOf>
  /** Those that ask for the key of a single item, which is not in its query. */
  readonly ofKey: ReturnType<typeof openValuesOf>
  /** Present where nothing but what is asked says what it means: no moment, and no caller. */
  readonly lastAsked?: LastRequest
}

export function makeTemplate(request: Request, reader: Materials): Template {
  const { verb } = request
  const { list, query } = plan(request, reader)
  const meta = metaOf(query)
  // Whoever wants to know about a list is also told where it was cut short.
  const probe = meta.length > 0 && !isSingle(verb) ? 1 : 0
  const isSearching = asksFiltered(list, meta) && isCorrelated(list.condition)
  const rows = rowStatement(list, reader, { probe }, verb === 'list' && isSearching)
  const { countAt } = rows
  const isCutBelow = probe === 1 && pagesOf(list).some((page) => page.isCut && page !== list.page)
  const text =
    verb === 'text' && !isCutBelow ? textStatement(list, writingJson(reader), { probe }) : undefined
  const packed =
    verb === 'list' && countAt === undefined ? packedStatement(list, reader, { probe }) : undefined
  const counts = isSingle(verb) ? undefined : countsOf(list, meta, reader)
  const total = countsOf(list, meta.includes('total_count') ? ['total_count'] : [], reader)
  const beside = countAt === undefined ? undefined : { at: countAt, counts: total }
  const below = countedBelow(list, reader)
  const statements = [rows, packed, text, counts, below?.counts].filter(
    (statement) => statement !== undefined,
  )
  const questions = openValuesOf(statements, pagesOf(list))
  const ofKey = questions.filter(asksForKey)
  return {
    list,
    meta,
    rows: mapped(rows),
    packed: packed && mapped(packed),
    text,
    counts,
    beside,
    below,
    questions,
    ofKey,
  }
}

const mapped = <Recipes extends { readonly recipe: Recipe }>(statement: Recipes) => ({
  ...statement,
  mapper: once(() => compileMapper(statement.recipe)),
})

/** With the phrases of whoever writes JSON there. */
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

/** The pages that are shown, or that lists may be cut to. */
function pagesOf(list: ListPlan): Page[] {
  const { rows, page } = list
  const below = rows.kind === 'items' ? rows.members.flatMap((member) => pagesBelow(member)) : []
  return [page, ...below]
}

function pagesBelow(member: Member): Page[] {
  if (member.kind === 'many') return pagesOf(member.list)
  if (member.kind === 'one') return member.members.flatMap(pagesBelow)
  return member.kind === 'any' ? member.arms.flatMap(({ members }) => members.flatMap(pagesBelow)) : []
}
