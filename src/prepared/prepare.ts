// From a request to statements that can be run: by a template of its shape, or by making one.

import type { Path } from '../errors/errors.ts'
import type { BoundStatement } from '../execution/statement.ts'
import type { Page } from '../plan/read-plan.ts'
import type { Setting } from '../sql/frame.ts'
import type { Statement } from '../sql/statements.ts'
import type { Circumstances } from '../vocabulary/variables.ts'
import { type BoundRules, keyPath } from './bind.ts'
import { type Materials, makeTemplate, type PackedRows, type Template } from './compile-template.ts'
import { copyQuery } from './copy-query.ts'
import { mayExceed } from './nested-row-limit.ts'
import type { Request } from './plan-request.ts'
import { type OpenShape, shapeOf } from './query-shape.ts'
import { isSame, LastRequest } from './repeated-request.ts'
import {
  asksForAll,
  type BoundValues,
  bindStatement,
  bindValues,
  firstValues,
  rebindValues,
} from './template.ts'
import { keepFor, madeFor, type TemplateCache } from './template-cache.ts'

/** What reading works with. */
export interface EngineReader extends Materials {
  readonly templates: TemplateCache<Template>
  /** The rows that are seen at a time, where there is more. */
  readonly rowsAt?: ((circumstances: Circumstances) => Setting['rowsOf']) | undefined
}

export interface PreparedRead {
  readonly template: Template
  readonly answers: BoundValues
}

/** A statement of the template with the values of the request. */
export function filledOf(
  { template: { lastAsked }, answers }: PreparedRead,
  statement: Statement,
): BoundStatement {
  return lastAsked ? lastAsked.filled(statement, answers) : bindStatement(statement, answers)
}

/** The page that a request has where the plan was made with that of another. */
export const pageNow = ({ answers }: PreparedRead, page: Page): Page =>
  (answers.get(page) as Page | undefined) ?? page // the answer to a page is a page

/** The statement for the rows, if those of such a page are there sooner as one text. */
export function packedFor(prepared: PreparedRead): PackedRows | undefined {
  const { packed, list } = prepared.template
  if (!packed) return undefined
  const { limit = Number.POSITIVE_INFINITY } = pageNow(prepared, list.page)
  return limit >= packed.leastRows && limit <= packed.mostRows ? packed : undefined
}

export function prepare(request: Request, reader: EngineReader): PreparedRead {
  const { verb, collection, query } = request
  const rules: BoundRules = {
    limits: reader.limits,
    dialect: reader.dialect,
    isUnlimited: verb === 'stream',
  }
  const shape = shapeOf(verb, collection.name, query)
  const found = shape && madeFor(shape, reader.templates)
  const answers = found && answersAgain(found, shape, request, rules)
  const again = found && answers && { template: found, answers }
  if (again && !isOutgrown(again)) return again
  // One for longer pages serves shorter ones, too.
  const known = again ? undefined : found

  const settled = shape && !known ? copyQuery(shape, request) : undefined
  const { template, isDenied, variables } = watched(settled ?? request, (seen) =>
    makeTemplate(seen, narrowed(reader, seen)),
  )
  const isShared =
    shape !== undefined && settled && !isDenied && canServeOthers(template, settled, rules, variables)
  const isSteady = variables.length === 0 && !request.rules && (!request.condition || verb === 'one')
  const kept = isSteady ? { ...template, lastAsked: new LastRequest() } : template
  if (isShared) keepFor(shape, kept, reader.templates)
  return { template, answers: firstValues(template.questions) }
}

/** Whether there may be too many rows below the items, and the template knows no way to count them. */
const isOutgrown = (prepared: PreparedRead): boolean =>
  prepared.template.below?.counts === undefined && mayBeTooMany(prepared)

/** Whether there may be too many rows below the items of the pages that a request has. */
export function mayBeTooMany(prepared: PreparedRead): boolean {
  const { below, list } = prepared.template
  const now = (page: Page) => pageNow(prepared, page)
  return below !== undefined && mayExceed(below, now(list.page).limit, now)
}

/** Undefined when the request is not of the template's shape after all. */
function answersAgain(
  { questions, ofKey, lastAsked }: Template,
  shape: OpenShape,
  request: Request,
  rules: BoundRules,
): BoundValues | undefined {
  const same = lastAsked?.answersTo(shape.values)
  if (same) return ofKey.length === 0 ? same : rebindValues(same, ofKey, request, rules)
  const answers = bindValues(questions, request, rules)
  if (answers && lastAsked?.isAskedAgain(shape.values)) {
    const settled = copyQuery(shape, request, isSame)
    const kept = settled && bindValues(questions, settled, rules)
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
function narrowed(reader: EngineReader, { circumstances }: Request): EngineReader {
  return reader.rowsAt ? { ...reader, rowsOf: reader.rowsAt(circumstances) } : reader
}

/** A value may come down to a word of the statement, such as false. Then nothing asks for it, and the next caller would get the same. */
function canServeOthers(
  { questions }: Template,
  request: Request,
  rules: BoundRules,
  variables: readonly Path[],
): boolean {
  const holes: Path[] = [...variables]
  // The key of a single item is no part of the shape, so it has to be asked for like a value that was left out of it.
  if (request.verb === 'one') holes.push(keyPath)
  shapeOf(request.verb, request.collection.name, request.query, (path) => holes.push(path))
  return asksForAll(holes, questions) && bindValues(questions, request, rules) !== undefined
}
