// Reads items back after a write: in their current state, shaped by the caller's query.

import type { ReturningClause } from '../dialects/dialect.ts'
import type { EngineInternals } from '../engine/engine.ts'
import { fault, unreachable } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import type { Options } from '../execution/database.ts'
import { execute } from '../execution/execute.ts'
import { isOneOf, keyMember, keyName, wholeList } from '../plan/by-key.ts'
import { type Key, keyIdentity, readKey, shownKeyOf } from '../plan/key.ts'
import type { Test } from '../plan/predicate.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Insertion } from '../plan/row-layout.ts'
import {
  belowOf,
  countsBelow,
  mayExceed,
  type RowsBelow,
  refuseExcess,
} from '../prepared/nested-row-limit.ts'
import { planRequest } from '../prepared/plan-request.ts'
import { wholeShapeOf } from '../prepared/query-shape.ts'
import { bindStatement } from '../prepared/template.ts'
import { keepFor, madeFor, type TemplateCache } from '../prepared/template-cache.ts'
import { compileMapper } from '../rows/compile-mapper.ts'
import type { Mapper, Row } from '../rows/row.ts'
import type { Collection } from '../schema/model.ts'
import { insertReturning, type ReturnedColumns, returnedColumns } from '../sql/returning.ts'
import { rowStatement } from '../sql/row-statements.ts'
import type { Statement } from '../sql/statement.ts'
import { Cache } from '../values/cache.ts'
import { memoFor, once } from '../values/memo.ts'
import type { Returning } from '../writes/insert-rows.ts'
import { missing } from '../writes/named-key.ts'
import { treeIn } from './query-tree.ts'
import { listRequest } from './read-request.ts'

/** The form of a result. */
export interface AnswerShape {
  readonly collection: Collection
  /** Names under which the key is returned, if the result holds nothing else. */
  readonly keyNames: readonly string[] | undefined
  readonly below: RowsBelow | undefined
  readonly reading: (keys: readonly Key[], inside: EngineInternals) => ReadBack
  readonly returning: (
    insertion: Insertion,
    engine: EngineInternals,
  ) => Returning<readonly unknown[]> | undefined
  /** The columns of an item that is its row alone, and the result made of them. */
  readonly row: (engine: EngineInternals) => ItemRow | undefined
}

/** The columns of a written row, and the result that they give. */
export interface ItemRow {
  readonly columns: ReturnedColumns
  readonly answer: (row: Row) => readonly unknown[]
  /** True if the row may have been changed since by what follows the statement. */
  readonly isFollowed: (row: Row) => boolean
}

/** A statement that reads items by their keys, which are bound for each call. */
interface ReadBack {
  readonly keys: Test
  readonly statement: Statement
  readonly mapper: Mapper
  /** Returns the statement that counts the rows below the items, for when there may be too many. */
  readonly counts: () => Statement
}

/** Reads the query of a write before anything is written, so that a mistake in it changes nothing. */
export function answerShape(
  engine: EngineInternals,
  name: string,
  query: object | undefined,
): AnswerShape | undefined {
  // If nothing of a collection is visible to the caller, nothing is returned of items created in it.
  if (engine.scope?.permissions && !engine.schema.collections.has(name)) return undefined
  const shelf = shelfOf(engine)
  const shape = wholeShapeOf(name, query, treeIn(query))
  const known = shape && madeFor(shape, shelf)
  if (known) return known
  const made = newShape(engine, name, query)
  // Values of variables, which begin with this sign, are not in the query.
  if (shape && !shape.marks.some((mark) => String(mark).includes('$'))) keepFor(shape, made, shelf)
  return made
}

const shelves = new WeakMap<object, TemplateCache<AnswerShape>>()
const shapesKept = 200

/** Returns the cache of shapes. Engines that share their templates share it, too. */
const shelfOf = ({ templates }: EngineInternals): TemplateCache<AnswerShape> =>
  memoFor(shelves, templates, () => new Cache(shapesKept))

function newShape(engine: EngineInternals, name: string, query: object | undefined): AnswerShape {
  const problems = new Problems('INVALID_QUERY')
  for (const [word, value] of Object.entries(query ?? {}))
    if (value !== undefined && !shaping.has(word))
      problems.add([word], `"${word}" has no meaning here; the query only selects what is returned.`, hint)
  problems.throwIfAny()
  const request = { ...listRequest(engine, name, query, 'stream'), tree: treeIn(query) }
  const { list } = planRequest(request, engine)
  const below = belowOf(list, engine.limits)
  const read: ReadBack[] = []
  const inserted = new WeakMap<Insertion, Returning<readonly unknown[]>>()
  let row: { readonly made: ItemRow | undefined } | undefined
  const rowFor = (caller: EngineInternals) => {
    row ??= { made: itemRowOf(list, caller) }
    return row.made
  }
  return {
    collection: list.collection,
    keyNames: keyNamesOf(list),
    below,
    reading: (keys, inside) => {
      const at = keys.length === 1 ? 0 : 1
      const reading = read[at] ?? readingOf(list, below, inside, isOneOf(list.collection, keys))
      // Row conditions of rules depend on the caller.
      if (!inside.scope?.permissions) read[at] = reading
      return reading
    },
    row: rowFor,
    returning: (insertion, caller) => {
      const own = rowFor(caller)
      const clause = caller.dialect.returning.insert
      return (
        own && clause && memoFor(inserted, insertion, () => returningOf(list, own, insertion, clause, caller))
      )
    },
  }
}

/** The statement that inserts an item and returns it. */
function returningOf(
  { collection }: ListPlan,
  { columns, answer, isFollowed }: ItemRow,
  insertion: Insertion,
  clause: ReturningClause,
  { dialect }: EngineInternals,
): Returning<readonly unknown[]> {
  return { sql: insertReturning(insertion, columns, collection, dialect, clause), answer, isFollowed }
}

function itemRowOf(list: ListPlan, engine: EngineInternals): ItemRow | undefined {
  const columns = returnedColumns(list, engine)
  if (!columns) return undefined
  const mapper = compileMapper(columns.recipe)
  return {
    columns,
    answer: (row) => [mapper(row, undefined)],
    isFollowed: (row) => Boolean(row[columns.followedAt]),
  }
}

/** Parameters that shape a result. */
export const shaping: ReadonlySet<string> = new Set(['fields', 'deep', 'alias', 'backlink', 'meta'])
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
  const { collection, rows } = list
  if (rows.kind !== 'items')
    throw fault('INVALID_QUERY', 'A write returns the items that it has written, and no groups.')
  const asked = { kind: 'items', members: [...rows.members, keyMember(collection)] } as const
  const whole = { ...wholeList(collection, keys), rows: asked }
  const { recipe, ...statement } = rowStatement(whole, engine, { probe: 0 })
  const counts = once(() => {
    if (!below) throw unreachable('nothing below is counted')
    return countsBelow(whole, below, engine)
  })
  return { keys, statement, mapper: compileMapper(recipe), counts }
}

/** True if rows are read again for the result: on the connection that wrote them, before another transaction can change them. */
export function isReadAgain(shape: AnswerShape | undefined, { scope }: EngineInternals): boolean {
  return shape !== undefined && !(shape.keyNames && !scope?.permissions)
}

/** Returns the items with some keys, in the order of the keys. */
export function itemsWritten(
  shape: AnswerShape | undefined,
  keys: readonly Key[],
  engine: EngineInternals,
  options: Options,
): readonly unknown[] | Promise<readonly unknown[]> {
  if (keys.length === 0) return []
  if (!shape) return keys.map(() => null)
  const { collection, keyNames } = shape
  if (keyNames && engine.scope?.permissions === undefined)
    return keys.map((key) => named(keyNames, shownKeyOf(collection, key)))
  return readBack(shape, keys, engine, options)
}

async function readBack(
  { collection, below, reading }: AnswerShape,
  keys: readonly Key[],
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[]> {
  const isLimited = engine.scope?.permissions !== undefined
  const { keys: question, statement, mapper, counts } = reading(keys, engine)
  const answers = new Map([[question, isOneOf(collection, keys).operand]])
  const isCounted = below !== undefined && mayExceed(below, keys.length)
  if (below && isCounted)
    refuseExcess(below, (await execute(engine, bindStatement(counts(), answers), options))[0])
  const rows = await execute(engine, bindStatement(statement, answers), options)
  const found = new Map(
    rows.flatMap((row) => {
      const { [keyName]: shown, ...item } = Object(mapper(row, undefined))
      const key = readKey(collection, shown)
      return key === undefined ? [] : [[keyIdentity(key), item] as const]
    }),
  )
  return keys.map((key) => {
    const item = found.get(keyIdentity(key))
    // The item may have become hidden from the caller.
    if (item === undefined && isLimited) return null
    // The item was deleted again: by a trigger, or by another transaction.
    if (item === undefined) throw missing()
    return item
  })
}

function named(names: readonly string[], value: unknown): Record<string, unknown> {
  const item: Record<string, unknown> = {}
  for (const name of names) item[name] = value
  return item
}
