// Copies a query. A query is read more than once, and with getters it could differ each time; a template for others must come from what was
// read.
import { isRecord } from '../../values/guards.ts'
import type { ReadRequestValues } from './bind.ts'
import { type OpenShape, type ShapedRequest, shapeOf } from './query-shape.ts'
import { isSameShape } from './write-shape.ts'

interface QueryInput extends ReadRequestValues, ShapedRequest {}

/** Returns the request with a plain copy of its query. Undefined if the copy does not have the shape. */
export function copyQuery<Request extends QueryInput>(
  shape: OpenShape,
  request: Request,
  isAlike: (some: readonly unknown[], others: readonly unknown[]) => boolean = () => true,
): Request | undefined {
  const query = copyOfRecord(request.query)
  const copied = shapeOf({ ...request, query })
  const isSettled = copied && isSameShape(copied, shape) && isAlike(copied.values, shape.values)
  return isSettled ? { ...request, query } : undefined
}

/** Returns a plain copy of a query whose depth is known to have an end. */
export const copyOfRecord = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, copyOf(value)]))

function copyOf(value: unknown): unknown {
  // Array.from also visits holes in a list.
  if (Array.isArray(value)) return Array.from(value, copyOf)
  return isRecord(value) ? copyOfRecord(value) : value
}
