// From a request to statements that can be run: by a template of its shape, or by making one.
import type { Path } from '../errors.ts'
import type { Predicate } from '../plan/predicate.ts'
import { planRead } from '../plan/read.ts'
import type { ListPlan, Member, Page } from '../plan/read-plan.ts'
import { Problems } from '../problems.ts'
import type { Limits } from '../query/limits.ts'
import { metaNames } from '../query/meta.ts'
import { parseQuery } from '../query/parse.ts'
import type { PlainQuery } from '../query/query.ts'
import type { Collection, Schema } from '../schema/model.ts'
import type { Setting } from '../sql/frame.ts'
import { looksAround } from '../sql/looks-around.ts'
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
} from '../sql/statement.ts'
import { once } from '../values/kept.ts'
import type { Circumstances } from '../vocabulary/variables.ts'
import type { Given, Rules } from './answers.ts'
import type { JsonWriter } from './json-writer.ts'
import { mapperOf } from './mapper.ts'
import { refuse } from './refused.ts'
import { isSame, LastAsked } from './repeated.ts'
import type { Mapper } from './row.ts'
import { settledAs } from './settled.ts'
import { type OpenShape, shapeOf } from './shape.ts'
import { keepFor, madeFor, type Shelf } from './shelf.ts'
import {
  type Answers,
  answersBut,
  answersOf,
  asksForAll,
  type Filled,
  fill,
  firstAnswers,
  questionsOf,
} from './template.ts'

/** What reading works with. */
export interface Reader extends Setting {
  readonly schema: Schema
  readonly limits: Limits
  readonly templates: Shelf<Template>
  readonly jsonWriter: JsonWriter
  /** The rows that are seen at a time, where there is more. */
  readonly rowsAt?: ((circumstances: Circumstances) => Setting['rowsOf']) | undefined
}

export type Verb = 'list' | 'text' | 'stream' | 'one' | 'singleton'

/** Rows, and what makes items of them. */
export interface Rows extends Statement {
  /** Made when it is needed: many templates are used for one of their statements only. */
  readonly mapper: () => Mapper
}

export interface PackedRows extends Rows, Pick<PackedStatement, 'leastRows' | 'mostRows'> {}

/** Everything about a request that others of its shape share. */
export interface Template {
  readonly list: ListPlan
  readonly meta: readonly string[]
  readonly rows: Rows
  /** The same rows as one JSON text, where lists of some length are there sooner so. */
  readonly packed: PackedRows | undefined
  /** The same items as JSON text, where the database can write it. */
  readonly text: TextStatement | undefined
  readonly counts: CountStatement | undefined
  /** Where rows tell how many there are, and what is left to count then. Without a row nothing is told. */
  readonly beside: { readonly at: number; readonly counts: CountStatement | undefined } | undefined
  readonly questions: ReturnType<typeof questionsOf>
  /** Those that ask for the key of a single item, which is not in its query. */
  readonly ofKey: ReturnType<typeof questionsOf>
  /** Present where nothing but what is asked says what it means: no moment, and no caller. */
  readonly lastAsked?: LastAsked
}

export interface Prepared {
  readonly template: Template
  readonly answers: Answers
}

/** A statement of the template with the values of the request. */
export function filledOf({ template: { lastAsked }, answers }: Prepared, statement: Statement): Filled {
  return lastAsked ? lastAsked.filled(statement, answers) : fill(statement, answers)
}

/** The page that a request has where the plan was made with that of another. */
export const pageNow = ({ answers }: Prepared, page: Page): Page =>
  (answers.get(page) as Page | undefined) ?? page // the answer to a page is a page

/** The statement for the rows, if those of such a page are there sooner as one text. */
export function packedFor(prepared: Prepared): PackedRows | undefined {
  const { packed, list } = prepared.template
  if (!packed) return undefined
  const { limit = Number.POSITIVE_INFINITY } = pageNow(prepared, list.page)
  return limit >= packed.leastRows && limit <= packed.mostRows ? packed : undefined
}

export interface Request extends Given {
  readonly verb: Verb
  readonly collection: Collection
  /** What the rows have to meet besides the query's filter. */
  readonly condition?: () => Predicate
}

export function prepare(request: Request, reader: Reader): Prepared {
  const { verb, collection, query } = request
  const rules: Rules = {
    limits: reader.limits,
    dialect: reader.dialect,
    isUnlimited: verb === 'stream',
  }
  const shape = shapeOf(verb, collection.name, query)
  const known = shape && madeFor(shape, reader.templates)
  const answers = known && answersAgain(known, shape, request, rules)
  if (known && answers) return { template: known, answers }

  const settled = shape && !known ? settledAs(shape, request) : undefined
  const { template, isDenied, variables } = watched(settled ?? request, (seen) =>
    makeTemplate(seen, narrowed(reader, seen)),
  )
  const isShared =
    shape !== undefined && settled && !isDenied && canServeOthers(template, settled, rules, variables)
  const isSteady = variables.length === 0 && !request.rules && (!request.condition || verb === 'one')
  const kept = isSteady ? { ...template, lastAsked: new LastAsked() } : template
  if (isShared) keepFor(shape, kept, reader.templates)
  return { template, answers: firstAnswers(template.questions) }
}

/** Undefined when the request is not of the template's shape after all. */
function answersAgain(
  { questions, ofKey, lastAsked }: Template,
  shape: OpenShape,
  request: Request,
  rules: Rules,
): Answers | undefined {
  const same = lastAsked?.answersTo(shape.values)
  if (same) return ofKey.length === 0 ? same : answersBut(same, ofKey, request, rules)
  const answers = answersOf(questions, request, rules)
  if (answers && lastAsked?.isAskedAgain(shape.values)) {
    const settled = settledAs(shape, request, isSame)
    const kept = settled && answersOf(questions, settled, rules)
    if (kept) lastAsked.keep(kept)
  }
  return answers
}

interface Watched {
  readonly template: Template
  readonly isDenied: boolean
  /** Where the value of a variable was taken. */
  readonly variables: readonly Path[]
}

/** Makes a template, and tells whether somebody who asks the same might be denied less, and what of it depends on who asks. */
function watched(request: Request, make: (request: Request) => Template): Watched {
  let isDenied = false
  const variables: Path[] = []
  const onDenied = () => {
    isDenied = true
  }
  const onVariable = (path: Path) => {
    variables.push(path)
  }
  const template = make({ ...request, circumstances: { ...request.circumstances, onDenied, onVariable } })
  return { template, isDenied, variables }
}

/** With the rows that are seen at the time of a request. */
function narrowed(reader: Reader, { circumstances }: Request): Reader {
  return reader.rowsAt ? { ...reader, rowsOf: reader.rowsAt(circumstances) } : reader
}

function makeTemplate(request: Request, reader: Reader): Template {
  const { verb } = request
  const { list, query } = plan(request, reader)
  const meta = metaOf(query)
  // Whoever wants to know about a list is also told where it was cut short.
  const probe = meta.length > 0 && !isSingle(verb) ? 1 : 0
  const isSearching = asksFiltered(list, meta) && looksAround(list.condition)
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
  const statements = [rows, packed, text, counts].filter((statement) => statement !== undefined)
  const questions = questionsOf(statements, pagesOf(list))
  const ofKey = questions.filter(({ path }) => path[0] === 'key')
  return {
    list,
    meta,
    rows: mapped(rows),
    packed: packed && mapped(packed),
    text,
    counts,
    beside,
    questions,
    ofKey,
  }
}

const mapped = <Recipes extends { readonly recipe: Recipe }>(statement: Recipes) => ({
  ...statement,
  mapper: once(() => mapperOf(statement.recipe)),
})

/** Reads and resolves what was asked. */
export function plan(
  { verb, collection, query: given, condition, circumstances }: Request,
  { schema, limits }: Reader,
): { readonly list: ListPlan; readonly query: PlainQuery } {
  // Its brand is for the compiler; what it holds is plain.
  const query = parseQuery(given, { limits }) as unknown as PlainQuery
  refuse(query, isSingle(verb) ? 'single' : verb === 'stream' ? 'stream' : 'list')
  const list = planRead(
    { query, collection, isUnlimited: verb === 'stream', ...(condition && { condition: condition() }) },
    { schema, limits, circumstances, problems: new Problems('INVALID_QUERY') },
  )
  return { list: isSingle(verb) ? single(list, verb) : list, query }
}

/** With the phrases of whoever writes JSON there. */
const writingJson = (reader: Reader): Reader => ({
  ...reader,
  dialect: reader.jsonWriter.dialect ?? reader.dialect,
})

const isSingle = (verb: Verb) => verb === 'one' || verb === 'singleton'

/** A value may come down to a word of the statement, such as false. Then nothing asks for it, and the next caller would get the same. */
function canServeOthers(
  { questions }: Template,
  request: Request,
  rules: Rules,
  variables: readonly Path[],
): boolean {
  const holes: Path[] = [...variables]
  shapeOf(request.verb, request.collection.name, request.query, (path) => holes.push(path))
  return asksForAll(holes, questions) && answersOf(questions, request, rules) !== undefined
}

/** One item needs no order and no page. */
function single(list: ListPlan, verb: Verb): ListPlan {
  const page: Page = { limit: 1, offset: 0, isCut: false, isFixed: true, path: [] }
  return list.rows.kind === 'items' && verb === 'one' ? { ...list, order: [], page } : { ...list, page }
}

const metaOf = ({ meta = [] }: PlainQuery): readonly string[] => (meta.includes('*') ? metaNames : meta)

const asksFiltered = ({ rows }: ListPlan, meta: readonly string[]): boolean =>
  meta.includes('filter_count') || (meta.includes('page_count') && rows.kind !== 'groups')

function countsOf(list: ListPlan, meta: readonly string[], reader: Reader): CountStatement | undefined {
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
