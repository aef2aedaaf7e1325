// The form of what a write returns: read from its query before anything is written.

import type { EngineInternals } from '../../engine/engine.ts'
import { fault, unreachable } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { isAlways, type Test } from '../../plan/filter/predicate.ts'
import type { Key } from '../../plan/key.ts'
import { isOneOf, keyMember, wholeList } from '../../plan/read/by-key.ts'
import type { ListPlan } from '../../plan/read/read-plan.ts'
import type { SelectionTree } from '../../plan/read/selection-tree.ts'
import { isOfCircumstances } from '../../plan/touches.ts'
import { belowOf, countsBelow, type RowsBelow } from '../../prepared/limits/nested-row-limit.ts'
import { planRequest } from '../../prepared/plan-request.ts'
import { wholeShapeOf } from '../../prepared/templates/query-shape.ts'
import { keepFor, madeFor, type TemplateCache } from '../../prepared/templates/template-cache.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import type { Mapper } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import { bytesStatement } from '../../sql/answer-bytes.ts'
import type { TextBound } from '../../sql/cut-text.ts'
import { type RowStatement, rowStatement } from '../../sql/row-statements.ts'
import type { Statement } from '../../sql/statement.ts'
import { Cache } from '../../values/cache.ts'
import { memoFor, once } from '../../values/memo.ts'
import { type ItemRow, itemRowOf, keyRowOf, type WrittenRowForms } from './item-row.ts'
import { listRequest } from './read-request.ts'

export interface AnswerQuery {
  readonly query: object | undefined
  /** The selection, if it is a tree: its levels have the parameters of the query. Absent = fields are selected by their names. */
  readonly tree?: SelectionTree | undefined
}

/** Data to write, and the query or tree that selects what is returned. */
export interface WriteInput<Data = unknown> extends AnswerQuery {
  readonly data: Data
}

export interface AnswerShape extends WrittenRowForms {
  readonly collection: Collection
  /** Names under which the key is returned, if the result holds nothing else. */
  readonly keyNames: readonly string[] | undefined
  readonly below: RowsBelow | undefined
  /** True if a condition may leave out items that were written. */
  readonly isNarrowed: boolean
  /** True if the items are returned in an order of their own, and not in that of their keys. */
  readonly isSorted: boolean
  /** True if it names a relation whose condition has variables: it is made for one caller at one time. */
  readonly isOfOne: boolean
  readonly reading: (keys: readonly Key[], inside: EngineInternals) => ReadBack
}

/** A statement, with the cells that hold a mark where a nested text is too long. */
type Cuttable = Statement & Pick<RowStatement, 'cuts'>

/** A statement that reads items by their keys, which are bound for each call. */
export interface ReadBack {
  readonly keys: Test
  readonly list: ListPlan
  readonly statement: Cuttable
  /** Statements in whose rows nested texts that are too long are cut. Absent where there are none, or all bytes are known before. */
  readonly watched: Record<'together' | 'alone', () => Cuttable> | undefined
  readonly mapper: Mapper
  /** Returns the statement that counts the rows below the items, for when there may be too many. */
  readonly counts: () => Statement
  /** Returns the statement that adds up the bytes of the items, for when there may be too many. */
  readonly bytes: () => Statement | undefined
}

/** Reads the query of a write before anything is written, so that a mistake in it changes nothing. */
export function answerShape(
  engine: EngineInternals,
  name: string,
  answerQuery: AnswerQuery,
): AnswerShape | undefined {
  // If nothing of a collection is visible to the caller, nothing is returned of items created in it.
  if (engine.scope?.permissions && !engine.schema.collections.has(name)) {
    refuseUnshaping(answerQuery, [])
    return undefined
  }
  const cache = cacheOf(engine)
  const shape = wholeShapeOf(name, answerQuery.query, answerQuery.tree)
  const known = shape && madeFor(shape, cache)
  if (known) return known
  const made = newShape(engine, name, answerQuery, [])
  // Values of variables, which begin with this sign, are not in the query.
  const isOfAny = !shape?.marks.some((mark) => String(mark).includes('$')) && !made.isOfOne
  if (shape && isOfAny) keepFor(shape, made, cache)
  return made
}

const caches = new WeakMap<object, TemplateCache<AnswerShape>>()
const shapesKept = 200

/** Returns the cache of shapes. Engines that share their templates share it, too. */
const cacheOf = ({ templates }: EngineInternals): TemplateCache<AnswerShape> =>
  memoFor(caches, templates, () => new Cache(shapesKept))

/** Returns the form of a result as hooks on reads want it, who may also leave items out. */
export const narrowedShape = (engine: EngineInternals, name: string, answerQuery: AnswerQuery): AnswerShape =>
  newShape(engine, name, answerQuery, ['filter', 'search'])

function newShape(
  engine: EngineInternals,
  name: string,
  { query, tree }: AnswerQuery,
  narrowing: readonly string[],
): AnswerShape {
  const more = refuseUnshaping({ query, tree }, narrowing)
  const request = { ...listRequest(engine, name, query, 'stream'), tree }
  const { list } = planRequest(request, engine)
  const below = belowOf(list, engine.limits)
  const isNarrowed = !isAlways(list.condition)
  const isSorted = more.includes('sort') && Reflect.get(Object(query), 'sort') !== undefined
  const read = newReads()
  const readByCaller = new WeakMap<object, (ReadBack | undefined)[]>()
  let row: { readonly made: ItemRow | undefined } | undefined
  let keyRow: { readonly made: ItemRow | undefined } | undefined
  return {
    collection: list.collection,
    keyNames: isNarrowed || isSorted ? undefined : keyNamesOf(list),
    below,
    isNarrowed,
    isSorted,
    isOfOne: isOfCircumstances(list),
    reading: (keys, inside) => {
      const at = keys.length === 1 ? 0 : 1
      const { scope } = inside
      // Row conditions of rules depend on the caller, and may depend on the time.
      const kept = !scope?.permissions
        ? read
        : scope.permissions.isTimeless
          ? memoFor(readByCaller, scope, newReads)
          : newReads()
      kept[at] ??= readingOf(
        isSorted ? list : { ...list, order: [] },
        below,
        inside,
        isOneOf(list.collection, keys),
      )
      return kept[at]
    },
    row: (caller) => {
      row ??= { made: itemRowOf(list, caller) }
      return row.made
    },
    keyRow: (caller) => {
      keyRow ??= { made: keyRowOf(list, caller) }
      return keyRow.made
    },
  }
}

/** Refuses parameters that shape no result, and returns those that do not, but are allowed. */
function refuseUnshaping({ query, tree }: AnswerQuery, narrowing: readonly string[]): readonly string[] {
  // Lists in mutations of GraphQL have an order, too.
  const more = tree ? [...narrowing, 'sort'] : narrowing
  const problems = new Problems('INVALID_QUERY')
  for (const [word, value] of Object.entries(query ?? {}))
    if (value !== undefined && !shaping.has(word) && !more.includes(word))
      problems.add([word], `"${word}" has no meaning here; the query only selects fields.`, hint)
  problems.throwIfAny()
  return more
}

const newReads = (): (ReadBack | undefined)[] => []

/** Parameters that shape a result. */
export const shaping: ReadonlySet<string> = new Set(['fields', 'deep', 'alias', 'backlink'])
const hint = 'Use "fields", "deep", "alias" and "backlink".'

/** Returns the names in a result that holds the key and nothing else. */
function keyNamesOf({ collection, rows }: ListPlan): readonly string[] | undefined {
  if (rows.kind !== 'items') return undefined
  const names = rows.members.map((member) =>
    member.kind === 'value' &&
    member.as === undefined &&
    member.subject.kind === 'field' &&
    member.subject.field === collection.key
      ? member.name
      : undefined,
  )
  return names.every((name) => name !== undefined) ? names : undefined
}

function readingOf(
  list: ListPlan,
  below: RowsBelow | undefined,
  engine: EngineInternals,
  keys: Test,
): ReadBack {
  const { collection, rows, condition, order } = list
  if (rows.kind !== 'items')
    throw fault('INVALID_QUERY', 'A write returns the items that it has written, and no groups.')
  const answerQuery = { kind: 'items', members: [...rows.members, keyMember(collection)] } as const
  const selected = isAlways(condition) ? keys : ({ kind: 'and', parts: [keys, condition] } as const)
  const whole = { ...wholeList(collection, selected), rows: answerQuery, order }
  const { recipe, texts, ...statement } = rowStatement(whole, engine, { probe: 0 })
  const within = (of: TextBound['of']) =>
    rowStatement(whole, engine, { probe: 0, texts: { bytes: engine.limits.answerBytes, of } })
  const watched =
    texts > 0 && !engine.dialect.storedBytes && engine.limits.answerBytes < Number.POSITIVE_INFINITY
      ? { together: once(() => within('all')), alone: once(() => within('each')) }
      : undefined
  const counts = once(() => {
    if (!below) throw unreachable('nothing below is counted')
    return countsBelow(whole, below, engine)
  })
  const bytes = once(() => bytesStatement(whole, engine))
  return { keys, list: whole, statement, watched, mapper: compileMapper(recipe), counts, bytes }
}
