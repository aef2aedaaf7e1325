// Reads a selection that is a tree as JSON text: a list, the item with a key, or the only item of a singleton.
import type { EngineInternals } from '../engine/engine.ts'
import { fault } from '../errors/errors.ts'
import type { Options } from '../execution/database.ts'
import { executeSoon, isBeyondJson } from '../execution/execute.ts'
import { learnToWrite } from '../execution/json-phrases.ts'
import { requireKey } from '../plan/key.ts'
import type { SelectionTree } from '../plan/selection-tree.ts'
import { checkNestedRows, needsRowCheck } from '../prepared/check-nested-rows.ts'
import type { ReadRequest } from '../prepared/plan-request.ts'
import { filledOf, type PreparedRead, packedFor, pageNow, prepare } from '../prepared/prepare.ts'
import type { Statement } from '../sql/statement.ts'
import { namedKey } from '../writes/named-key.ts'
import { needsCallerVariables, withCallerVariables } from './caller-variables.ts'
import { type Outline, outlineOf } from './explain-plan.ts'
import { keyCondition } from './get.ts'
import { type ReadHooks, readHooks } from './read-hooks.ts'
import { readList } from './read-list.ts'
import { listRequest } from './read-request.ts'
import { defaultsOf } from './singleton.ts'
import { readVersion, singletonKey, type Versioned, versionIn } from './versions/read-version.ts'

/** A selection to be read. */
export interface TreeRead {
  readonly verb: 'text' | 'one' | 'singleton'
  readonly collection: string
  /** Filter, order and page, with those of the levels below in `deep`. */
  readonly query: Readonly<Record<string, unknown>>
  readonly tree: SelectionTree
  readonly key?: unknown
}

/** A read that is planned and has its values, so that nothing in it is refused any more. */
export interface PlannedRead<Result> {
  /** Returns what it would do; undefined if it is no single statement, as the read of a version. */
  readonly explain: (() => ExplainedRead) | undefined
  readonly run: () => Promise<Result>
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
): Promise<PlannedRead<string>> {
  const { query, scoped, hooks } = await begun(engine, read.collection, read.query)
  const reader = scoped.reading()
  if (!reader.jsonWriter.dialect) await learnToWrite(reader, options)
  const { request, asked } = versionIn(requestOf(scoped, { ...read, query }), scoped)
  const prepared = prepare(request, reader)
  const { text, rows } = prepared.template
  const work = asked
    ? () => versionText(asked, prepared, read, scoped, options)
    : () => textOf(reader, prepared, read, options)
  return {
    explain: asked ? undefined : () => explained(prepared, text ?? rows),
    run: watched(work, hooks, query),
  }
}

/** Plans a list of items or of groups. */
export async function planList(
  engine: EngineInternals,
  collection: string,
  given: Readonly<Record<string, unknown>>,
  options: Options,
): Promise<PlannedRead<readonly unknown[]>> {
  const { query, scoped, hooks } = await begun(engine, collection, given)
  const reader = scoped.reading()
  const prepared = prepare(listRequest(reader, collection, query, 'list'), reader)
  const work = async () => (await readList(reader, prepared, options)).data
  return {
    explain: () => explained(prepared, packedFor(prepared) ?? prepared.template.rows),
    run: watched(work, hooks, query),
  }
}

function explained(prepared: PreparedRead, statement: Statement): ExplainedRead {
  const { sql, parameters } = filledOf(prepared, statement)
  return { sql, parameters, plan: outlineOf(prepared.template.list) }
}

async function begun(engine: EngineInternals, collection: string, given: TreeRead['query']) {
  const hooks = readHooks(engine, collection)
  const query = (hooks && (await hooks.before(given))) ?? given
  const scoped = needsCallerVariables(engine, query) ? await withCallerVariables(engine, query) : engine
  return { query: query as TreeRead['query'], scoped, hooks }
}

const watched =
  <Result>(work: () => Promise<Result>, hooks: ReadHooks | undefined, query: object) =>
  async (): Promise<Result> => {
    const found = await work()
    if (hooks) await hooks.after(query, undefined)
    return found
  }

function requestOf(engine: EngineInternals, { verb, collection, query, tree, key }: TreeRead): ReadRequest {
  const request: ReadRequest = { ...listRequest(engine, collection, query, verb), tree, key }
  if (verb === 'singleton' && !request.collection.isSingleton)
    throw fault('NOT_FOUND', `"${collection}" is no singleton, or you may not see it.`)
  if (verb !== 'one') return request
  requireKey(request.collection)
  return { ...request, condition: () => keyCondition(request.collection, key) }
}

async function versionText(
  asked: NonNullable<Versioned['asked']>,
  prepared: PreparedRead,
  { verb, key }: TreeRead,
  engine: EngineInternals,
  options: Options,
): Promise<string> {
  const { collection } = asked.list
  const subject =
    verb === 'one' ? namedKey(collection, key, undefined) : await singletonKey(asked.list, engine, options)
  return JSON.stringify((await readVersion(asked, subject, prepared, engine, options)) ?? null)
}

async function textOf(
  engine: EngineInternals,
  prepared: PreparedRead,
  read: TreeRead,
  options: Options,
): Promise<string> {
  if (needsRowCheck(prepared)) await checkNestedRows(engine, prepared, options)
  const { text, list } = prepared.template
  const { limit = Number.POSITIVE_INFINITY } = pageNow(prepared, list.page)
  // Numbers have all their digits only in the database's own text.
  if (!text || (limit > text.mostRows && !read.tree.isExact)) return fromRows(engine, prepared, read, options)
  try {
    const [row] = await executeSoon(engine, filledOf(prepared, text), options)
    const items = String(row?.[0])
    return read.verb === 'text' ? items : items === '[]' ? noItem(prepared, read) : items.slice(1, -1)
  } catch (error) {
    if (!isBeyondJson(engine, error)) throw error
    return fromRows(engine, prepared, read, options)
  }
}

async function fromRows(
  engine: EngineInternals,
  prepared: PreparedRead,
  read: TreeRead,
  options: Options,
): Promise<string> {
  const { rows } = prepared.template
  const found = await executeSoon(engine, filledOf(prepared, rows), options)
  const mapper = rows.mapper()
  if (read.verb === 'text') return JSON.stringify(found.map((row) => mapper(row, undefined)))
  const [row] = found
  return row ? JSON.stringify(mapper(row, undefined)) : noItem(prepared, read)
}

/** The text for an item that does not exist: a singleton has its defaults. */
function noItem({ template: { list } }: PreparedRead, { verb }: TreeRead): string {
  const isDefault = verb === 'singleton' && list.rows.kind === 'items'
  return isDefault ? JSON.stringify(defaultsOf(list.rows.members)) : 'null'
}
