// Reads a selection that is a tree as JSON text: a list, the item with a key, or the only item of a singleton.
import type { EngineInternals } from '../../engine/engine.ts'
import { fault } from '../../errors/errors.ts'
import type { Options } from '../../execution/database.ts'
import { executeSoon } from '../../execution/execute.ts'
import { learnToWrite } from '../../execution/json-phrases.ts'
import { requireKey } from '../../plan/key.ts'
import type { SelectionTree } from '../../plan/read/selection-tree.ts'
import {
  countAgain,
  countedAlready,
  countNestedRows,
  countsItself,
  maxRowsBelow,
  rowsRequested,
} from '../../prepared/limits/check-nested-rows.ts'
import { checkResult, needsCheck } from '../../prepared/limits/check-result.ts'
import { mayBeLong } from '../../prepared/limits/check-result-bytes.ts'
import type { ReadRequest } from '../../prepared/plan-request.ts'
import { filledOf, type PreparedRead, prepare } from '../../prepared/prepare.ts'
import { areCut, readWhole, rowsFor } from '../../prepared/streams/watched-rows.ts'
import type { Statement } from '../../sql/statement.ts'
import { namedKey } from '../../writes/context/named-key.ts'
import { keyCondition } from '../get.ts'
import { defaultsOf } from '../singleton.ts'
import { readVersion, singletonKey, type VersionRead, versionIn } from '../versions/read-version.ts'
import { itemsIn, rowsWithin } from './answer-length.ts'
import { type BegunRead, beginRead, beginTree } from './begin-read.ts'
import { type Outline, outlineOf } from './explain-plan.ts'
import { pageOfRows, type ReadListResult, readList } from './read-list.ts'
import { listRequest } from './read-request.ts'
import { readText } from './read-text.ts'

export interface TreeRead {
  readonly verb: 'text' | 'one' | 'singleton'
  readonly collection: string
  /** Filter, order and page, with those of the levels below in `deep`. */
  readonly query: Readonly<Record<string, unknown>>
  readonly tree: SelectionTree
  readonly key?: unknown
}

/** A read that is planned and has its values, so that nothing in it is refused any more but for too many rows. */
export interface PlannedRead<Result> {
  /** Returns what it would do; undefined if it is no single statement, as the read of a version. */
  readonly explain: (() => ExplainedRead) | undefined
  /** Rows that the read may lead to; undefined if there are none below its items. */
  readonly rows: RowsAhead | undefined
  readonly mayBeLong: boolean
  readonly run: () => Promise<Result>
}

/** Rows of a read, before it is run. */
interface RowsAhead {
  /** Rows that the limits of the query could lead to. */
  readonly requested: number
  /** Returns the greatest number of rows below the items, of which so many are allowed. */
  readonly max: () => number
  readonly allowed: number
  /** Counts the rows below, of which so many are left. The read itself does not count them again. */
  readonly count: (left: number) => Promise<number>
}

/** Items as text, and the lists in it that a default or maximum limit cut. */
export interface TreeText {
  readonly text: string
  readonly truncated: readonly string[]
}

/** The statement of a planned read, and how the database would run it. */
export interface ExplainedRead {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly plan: Outline
}

/** Plans a read. The text is `null` where there is no item. A "before" hook may change the query, and not what is selected. */
export async function planTree(
  engine: EngineInternals,
  read: TreeRead,
  options: Options,
): Promise<PlannedRead<TreeText>> {
  const { query, scoped, after } = await beginTree(engine, read)
  const reader = scoped.reading()
  if (!reader.jsonWriter.dialect) await learnToWrite(reader, options)
  const { request, requested } = versionIn(requestOf(scoped, { ...read, query }), scoped)
  const prepared = prepare(request, reader)
  const { text, rows, below } = prepared.template
  let counted = prepared
  const count = (left: number) => {
    counted = countedAlready(prepared)
    return countNestedRows(reader, prepared, left, options)
  }
  const work = async () => {
    if (requested) return whole(await versionText({ ...requested, prepared }, read, scoped, options))
    const checked = needsCheck(counted, reader) ? await checkResult(reader, counted, options) : counted
    return textOf(reader, checked, read, options)
  }
  return {
    explain: requested ? undefined : () => explained(prepared, text ?? rows),
    rows: below && {
      requested: rowsRequested(prepared),
      max: () => maxRowsBelow(prepared),
      allowed: below.max,
      count,
    },
    mayBeLong: mayBeLong(prepared, reader),
    run: after ? () => followed(work, after) : work,
  }
}

const whole = (text: string): TreeText => ({ text, truncated: [] })

export async function planGroups(
  engine: EngineInternals,
  collection: string,
  payload: Readonly<Record<string, unknown>>,
  options: Options,
): Promise<PlannedRead<ReadListResult>> {
  const { query, scoped, after } = await beginRead(engine, collection, payload)
  const reader = scoped.reading()
  const prepared = prepare(listRequest(reader, collection, query, 'list'), reader)
  const work = () => readList(reader, prepared, options)
  return {
    rows: undefined,
    mayBeLong: false,
    explain: () => explained(prepared, prepared.template.rows),
    run: after ? () => followed(work, after) : work,
  }
}

function explained(prepared: PreparedRead, statement: Statement): ExplainedRead {
  const { sql, parameters } = filledOf(prepared, statement)
  return { sql, parameters, plan: outlineOf(prepared.template.list) }
}

async function followed<Result>(
  work: () => Promise<Result>,
  after: NonNullable<BegunRead<unknown>['after']>,
): Promise<Result> {
  const found = await work()
  await after(undefined)
  return found
}

function requestOf(engine: EngineInternals, { verb, collection, query, tree, key }: TreeRead): ReadRequest {
  const request = listRequest(engine, collection, query, verb)
  if (verb === 'singleton' && !request.collection.isSingleton)
    throw fault('NOT_FOUND', `"${collection}" is not a singleton, or you may not see it.`)
  if (verb !== 'one') return { ...request, tree, key }
  requireKey(request.collection)
  return { ...request, tree, key, condition: () => keyCondition(request.collection, key) }
}

async function versionText(
  version: VersionRead,
  { verb, key }: TreeRead,
  engine: EngineInternals,
  options: Options,
): Promise<string> {
  const { list } = version
  const subject =
    verb === 'one' ? namedKey(list.collection, key, undefined) : await singletonKey(list, engine, options)
  return JSON.stringify((await readVersion(version, subject, engine, options)) ?? null)
}

const textOf = async (
  engine: EngineInternals,
  prepared: PreparedRead,
  read: TreeRead,
  options: Options,
): Promise<TreeText> =>
  readText(engine, prepared, options, {
    isExact: read.tree.isExact,
    isChecked: true,
    ofText: ({ rows }, { isOneRow }) => {
      const { found, truncated } = pageOfRows(rows, prepared)
      const items = itemsIn(found, isOneRow, engine.limits)
      if (read.verb === 'text') return { text: items, truncated: truncated() }
      return whole(items === '[]' ? noItem(prepared, read) : items.slice(1, -1))
    },
    ofRows: () => fromRows(engine, prepared, read, options),
  })

async function fromRows(
  engine: EngineInternals,
  prepared: PreparedRead,
  read: TreeRead,
  options: Options,
): Promise<TreeText> {
  const layout = rowsFor(prepared, engine)
  const arrived = await executeSoon(engine, filledOf(prepared, layout), options)
  if (arrived.length === 0 && countsItself(prepared))
    return fromRows(engine, await countAgain(engine, prepared, options), read, options)
  const all = areCut(arrived, layout) ? await readWhole(engine, prepared, options) : arrived
  const { found, watch, truncated } = pageOfRows(rowsWithin(all, engine.limits), prepared)
  const mapper = layout.mapper()
  const [row] = found
  const text =
    read.verb === 'text'
      ? JSON.stringify(found.map((one) => mapper(one, watch)))
      : row
        ? JSON.stringify(mapper(row, watch))
        : noItem(prepared, read)
  return { text, truncated: truncated() }
}

/** The text for an item that does not exist: a singleton has its defaults. */
function noItem({ template: { list } }: PreparedRead, { verb }: TreeRead): string {
  const isDefault = verb === 'singleton' && list.rows.kind === 'items'
  return isDefault ? JSON.stringify(defaultsOf(list.rows.members)) : 'null'
}
