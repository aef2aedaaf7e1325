// Finds the item that the database refuses among many that one statement writes. A statement that fails ends the transaction on some databases, and a
// savepoint around each would cost all calls for the sake of those that fail: such a call is made again, with savepoints.

import { type ErrorCode, isEngineError } from '../../errors/errors.ts'
import type { WriteContext } from './write-context.ts'

/** Errors that concern one of several items, where it is not known which. */
const ofSeveral = new WeakSet<object>()

/** True if a call ends with an error of which it can be found out, by halves, which item it is about. */
export const isOfSeveral = (error: unknown): boolean => error instanceof Error && ofSeveral.has(error)

/** Writes items by one statement. Where it fails and its unit of work looks for the item, they are halved until the one that fails is alone. */
export async function inHalves<Item>(
  items: readonly Item[],
  write: (some: readonly Item[], inside: WriteContext) => Promise<void>,
  writing: WriteContext,
): Promise<void> {
  if (items.length === 1) return write(items, writing)
  const { caller, options } = writing
  const isLooking = caller.unit?.isHalving === true
  const attempt = () =>
    isLooking
      ? caller.atomic(
          (inside) => write(items, { ...writing, caller: inside, engine: inside.whole() }),
          options,
        )
      : write(items, writing)
  try {
    await attempt()
  } catch (error) {
    if (!isEngineError(error) || !ofRows.has(error.code)) throw error
    ofSeveral.add(error)
    if (!isLooking) throw error
    const middle = items.length >> 1
    for (const half of [items.slice(0, middle), items.slice(middle)]) await inHalves(half, write, writing)
  }
}

/** Codes of errors that name a field, and the item if there is only one: another way of writing finds them again, item by item. */
export const ofRows: ReadonlySet<ErrorCode> = new Set([
  'FORBIDDEN',
  'RECORD_NOT_UNIQUE',
  'INVALID_FOREIGN_KEY',
  'NOT_NULL_VIOLATION',
  'VALUE_TOO_LONG',
  'VALUE_OUT_OF_RANGE',
  'FAILED_VALIDATION',
])
