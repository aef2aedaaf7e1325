// Reads items back after a write: in their current state, shaped by the caller's query.

import type { EngineInternals } from '../../engine/engine.ts'
import { tooManyBytes } from '../../errors/too-many-bytes.ts'
import type { Options } from '../../execution/database.ts'
import { databaseBytes, knownBytes } from '../../execution/database-bytes.ts'
import { execute } from '../../execution/execute.ts'
import { type Key, keyIdentity, readKey, shownKeyOf } from '../../plan/key.ts'
import { mayNestTooMuch } from '../../plan/read/answer-bytes.ts'
import { isOneOf, keyName } from '../../plan/read/by-key.ts'
import type { Page } from '../../plan/read/read-plan.ts'
import { mayHaveTooMany } from '../../prepared/limits/answer-byte-limit.ts'
import { mayExceed, refuseExcess } from '../../prepared/limits/nested-row-limit.ts'
import { areCut } from '../../prepared/streams/watched-rows.ts'
import { bindStatement, type StatementValues } from '../../prepared/templates/template.ts'
import type { Row } from '../../rows/row.ts'
import { missing } from '../../writes/context/named-key.ts'
import { rowsWithin } from './answer-length.ts'
import type { AnswerShape, ReadBack } from './answer-shape.ts'

/** True if rows are read again for the result: on the connection that wrote them, before another transaction can change them. */
export function isReadAgain(shape: AnswerShape | undefined, { scope }: EngineInternals): boolean {
  return shape !== undefined && !(shape.keyNames && !scope?.permissions)
}

/** Returns the items with some keys, in the order of the keys unless the query has another. */
export function itemsWritten(
  shape: AnswerShape | undefined,
  keys: readonly Key[],
  engine: EngineInternals,
  options: Options,
): readonly unknown[] | Promise<readonly unknown[]> {
  if (keys.length === 0) return []
  if (!shape) return keys.map(() => null)
  return (!engine.scope?.permissions && namedKeys(shape, keys)) || readBack(shape, keys, engine, options)
}

/** Returns visible items of which only the key is selected; undefined if there is more. */
const namedKeys = (
  { collection, keyNames }: AnswerShape,
  keys: readonly Key[],
): readonly unknown[] | undefined =>
  keyNames && keys.map((key) => named(keyNames, shownKeyOf(collection, key)))

async function readBack(
  shape: AnswerShape,
  keys: readonly Key[],
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[]> {
  const isLimited = shape.isNarrowed || engine.scope?.permissions !== undefined
  const found = new Map(
    (await itemsByKeys(shape, keys, engine, options)).map(({ key, item }) => [keyIdentity(key), item]),
  )
  if (shape.isSorted) {
    if (!isLimited && !keys.every((key) => found.has(keyIdentity(key)))) throw missing()
    return [...found.values()]
  }
  return keys.map((key) => {
    const item = found.get(keyIdentity(key))
    // The item may have become hidden from the caller.
    if (item === undefined && isLimited) return null
    // The item was deleted again: by a trigger, or by another transaction.
    if (item === undefined) throw missing()
    return item
  })
}

/** Reads the visible ones of the items with some keys. */
export async function itemsByKeys(
  { collection, below, reading }: AnswerShape,
  keys: readonly Key[],
  engine: EngineInternals,
  options: Options,
): Promise<readonly { readonly key: Key; readonly item: object }[]> {
  const made = reading(keys, engine)
  const { keys: openValue, list, mapper, counts } = made
  const boundValues = new Map<object, unknown>([
    [openValue, isOneOf(collection, keys).operand],
    [list.page, { ...list.page, limit: keys.length }],
  ])
  const keyed = { made, count: keys.length, boundValues }
  const isCounted = below !== undefined && mayExceed(below, keys.length)
  if (below && isCounted)
    refuseExcess(below, (await execute(engine, bindStatement(counts(), boundValues), options))[0])
  if (mayBeTooLong(made, keys.length, engine, knownBytes(engine))) await refuseTooLong(keyed, engine, options)
  const rows = rowsWithin(await rowsOf(keyed, engine, options), engine.limits)
  return rows.flatMap((row) => {
    const { [keyName]: shown, ...item } = Object(mapper(row, undefined))
    const key = readKey(collection, shown)
    return key === undefined ? [] : [{ key, item }]
  })
}

interface KeyedRead {
  readonly made: ReadBack
  /** Number of the keys. */
  readonly count: number
  readonly boundValues: StatementValues
}

/** Reads the rows, those with long texts again once it is known that all of them are short enough together. */
async function rowsOf(
  { made, count, boundValues }: KeyedRead,
  engine: EngineInternals,
  options: Options,
): Promise<readonly Row[]> {
  const { statement: plain, watched } = made
  const isWatched = watched && mayNestTooMuch(made.list, pageFor(made, count), engine.limits)
  const statement = isWatched ? watched.together() : plain
  const rows = await execute(engine, bindStatement(statement, boundValues), options)
  if (!watched || !areCut(rows, statement)) return rows
  const bytes = made.bytes()
  if (bytes) refuseMore((await execute(engine, bindStatement(bytes, boundValues), options))[0], engine)
  const whole = await execute(engine, bindStatement(watched.alone(), boundValues), options)
  if (areCut(whole, watched.alone())) throw tooManyBytes(engine.limits)
  return whole
}

const pageFor =
  ({ list }: ReadBack, count: number) =>
  (page: Page): Page =>
    page === list.page ? { ...page, limit: count } : page

function refuseMore(sum: Row | undefined, { limits }: EngineInternals): void {
  if (Number(sum?.[0]) > limits.answerBytes) throw tooManyBytes(limits)
}

/** The most items of a form that cannot have too many bytes, whatever is stored. */
const short = new WeakMap<ReadBack, number>()

function mayBeTooLong(
  made: ReadBack,
  count: number,
  { limits }: EngineInternals,
  stored: number | undefined,
): boolean {
  if (limits.answerBytes === Number.POSITIVE_INFINITY || count <= (short.get(made) ?? 0)) return false
  if (mayHaveTooMany(made.list, pageFor(made, count), limits, stored)) return true
  if (stored === undefined || stored === Number.POSITIVE_INFINITY) short.set(made, count)
  return false
}

/** Refuses to read more bytes than an answer may have, so that the transaction undoes what was written. */
async function refuseTooLong(
  { made, count, boundValues }: KeyedRead,
  engine: EngineInternals,
  options: Options,
): Promise<void> {
  const bytes = made.bytes()
  if (!bytes || !mayBeTooLong(made, count, engine, await databaseBytes(engine, options))) return
  refuseMore((await execute(engine, bindStatement(bytes, boundValues), options))[0], engine)
}

function named(names: readonly string[], value: unknown): Record<string, unknown> {
  const item: Record<string, unknown> = {}
  for (const name of names) item[name] = value
  return item
}
