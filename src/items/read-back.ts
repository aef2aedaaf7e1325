// Reads items back after a write: in their current state, shaped by the caller's query.

import type { EngineInternals } from '../engine/engine.ts'
import type { Options } from '../execution/database.ts'
import { execute } from '../execution/execute.ts'
import { isOneOf, keyName } from '../plan/by-key.ts'
import { type Key, keyIdentity, readKey, shownKeyOf } from '../plan/key.ts'
import { mayExceed, refuseExcess } from '../prepared/nested-row-limit.ts'
import { bindStatement } from '../prepared/template.ts'
import { missing } from '../writes/named-key.ts'
import type { AnswerShape } from './answer-shape.ts'

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
  const { collection, keyNames } = shape
  if (keyNames && engine.scope?.permissions === undefined)
    return keys.map((key) => named(keyNames, shownKeyOf(collection, key)))
  return readBack(shape, keys, engine, options)
}

async function readBack(
  { collection, below, reading, isNarrowed, isSorted }: AnswerShape,
  keys: readonly Key[],
  engine: EngineInternals,
  options: Options,
): Promise<readonly unknown[]> {
  const isLimited = isNarrowed || engine.scope?.permissions !== undefined
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
  if (isSorted) {
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

function named(names: readonly string[], value: unknown): Record<string, unknown> {
  const item: Record<string, unknown> = {}
  for (const name of names) item[name] = value
  return item
}
