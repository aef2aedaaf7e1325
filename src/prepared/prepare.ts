// Prepares a request: fills the cached template of its shape, or compiles one.

import type { Database } from '../execution/database.ts'
import type { BoundStatement } from '../execution/statement.ts'
import type { Page } from '../plan/read/read-plan.ts'
import type { Setting } from '../sql/frame.ts'
import type { Statement } from '../sql/statement.ts'
import type { Circumstances } from '../vocabulary/variables.ts'
import { mayExceed } from './limits/nested-row-limit.ts'
import type { ReadRequest } from './plan-request.ts'
import type { BindSettings } from './templates/bind.ts'
import { compileTemplate, type Materials, type Template } from './templates/compile-template.ts'
import { copyQuery } from './templates/copy-query.ts'
import { type OpenShape, shapeOf } from './templates/query-shape.ts'
import { isSame, LastRequest } from './templates/repeated-request.ts'
import { canServeOthers, compileWatching } from './templates/share-template.ts'
import {
  type BoundValues,
  bindStatement,
  bindValues,
  firstValues,
  rebindValues,
} from './templates/template.ts'
import { keepFor, madeFor, type TemplateCache } from './templates/template-cache.ts'

/** The part of an engine that reads. */
export interface EngineReader extends Materials, Pick<Database, 'gate' | 'readers'> {
  readonly templates: TemplateCache<Template>
  /** Rows visible at a time, if rules limit them. */
  readonly rowsAt?: ((circumstances: Circumstances) => Setting['rowsOf']) | undefined
}

export interface PreparedRead {
  readonly template: Template
  readonly boundValues: BoundValues
  /** True if the rows below its items were counted. */
  readonly isCounted?: true
}

export function filledOf(
  { template: { lastRequest }, boundValues }: PreparedRead,
  statement: Statement,
): BoundStatement {
  return lastRequest ? lastRequest.filled(statement, boundValues) : bindStatement(statement, boundValues)
}

/** Returns the page of the current request for a page of the plan, which was made with an earlier request. */
export const pageNow = ({ boundValues }: PreparedRead, page: Page): Page =>
  (boundValues.get(page) as Page | undefined) ?? page // the value of a page is a page

/** Prepares a request. A database with readers knows better which of its statements take long. */
export function prepare(request: ReadRequest, reader: EngineReader): PreparedRead {
  const prepared = templateFor(request, reader)
  if (prepared.template.isHeavy && !reader.readers) reader.gate?.beforeHeavy()
  return prepared
}

/** Binds a request to the cached template of its shape, or compiles a new one. */
function templateFor(request: ReadRequest, reader: EngineReader): PreparedRead {
  const { verb } = request
  const settings: BindSettings = {
    limits: reader.limits,
    dialect: reader.dialect,
    isUnlimited: verb === 'stream',
  }
  const shape = shapeOf(request)
  const cached = shape && madeFor(shape, reader.templates)
  const boundValues = cached && boundAgain(cached, shape, request, settings)
  const filled = cached && boundValues && { template: cached, boundValues }
  if (filled && !isOutgrown(filled)) return filled

  // An outgrown template is replaced: one for longer pages serves shorter ones, too. One whose values do not fit stays, and this
  // request's is used once.
  const mayKeep = !cached || filled !== undefined
  const copy = shape && mayKeep ? copyQuery(shape, request) : undefined
  const {
    made: template,
    isDenied,
    variables,
  } = compileWatching(copy ?? request, (seen) => compileTemplate(seen, withVisibleRows(reader, seen)))
  const isShared =
    shape !== undefined && copy && !isDenied && canServeOthers(template.openValues, copy, settings, variables)
  const isSteady = variables.length === 0 && !request.rules && (!request.condition || verb === 'one')
  const kept = isSteady ? { ...template, lastRequest: new LastRequest() } : template
  if (isShared) keepFor(shape, kept, reader.templates)
  return { template, boundValues: firstValues(template.openValues) }
}

/** True if there may be too many rows below the items and the template has no statement to count them. */
const isOutgrown = (prepared: PreparedRead): boolean =>
  prepared.template.below?.counts === undefined && mayBeTooMany(prepared)

/** True if there may be too many rows below the items of the request's pages. */
export function mayBeTooMany(prepared: PreparedRead): boolean {
  const { below, list } = prepared.template
  const now = (page: Page) => pageNow(prepared, page)
  return below !== undefined && mayExceed(below, now(list.page).limit, now)
}

/** Binds the values of a request to a cached template. Undefined if the request does not have its shape after all. */
function boundAgain(
  { openValues, ofKey, lastRequest }: Template,
  shape: OpenShape,
  request: ReadRequest,
  settings: BindSettings,
): BoundValues | undefined {
  // What a row held when it was read may have changed.
  if (request.circumstances.cursors) return bindValues(openValues, request, settings)
  const same = lastRequest?.boundValuesFor(shape.values)
  if (same) return ofKey.length === 0 ? same : rebindValues(same, ofKey, request, settings)
  const boundValues = bindValues(openValues, request, settings)
  if (boundValues && lastRequest?.isRequestedAgain(shape.values)) {
    const copy = copyQuery(shape, request, isSame)
    const kept = copy && bindValues(openValues, copy, settings)
    if (kept) lastRequest.keep(kept)
  }
  return boundValues
}

/** Returns the reader with the rows that are visible at the time of the request. */
function withVisibleRows(reader: EngineReader, { circumstances }: ReadRequest): EngineReader {
  return reader.rowsAt ? { ...reader, rowsOf: reader.rowsAt(circumstances) } : reader
}
