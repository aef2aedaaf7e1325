// A query is read more than once, and one with getters may say something else each time. What others get by it has to be what was seen.
import { isRecord } from '../values/record.ts'
import type { RequestValues } from './bind.ts'
import { type OpenShape, shapeOf } from './query-shape.ts'
import { isSameShape } from './write-shape.ts'

interface GivenQuery extends RequestValues {
  readonly verb: string
  readonly collection: { readonly name: string }
}

/** The request with a copy of its query that always says the same. Undefined when that is not of the shape. */
export function copyQuery<Request extends GivenQuery>(
  shape: OpenShape,
  request: Request,
  isAlike: (some: readonly unknown[], others: readonly unknown[]) => boolean = () => true,
): Request | undefined {
  const query = copyOfRecord(request.query)
  const copied = shapeOf(request.verb, request.collection.name, query)
  const isSettled = copied && isSameShape(copied, shape) && isAlike(copied.values, shape.values)
  return isSettled ? { ...request, query } : undefined
}

const copyOfRecord = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, copyOf(value)]))

function copyOf(value: unknown): unknown {
  // A hole in a list has to be seen.
  if (Array.isArray(value)) return Array.from(value, copyOf)
  return isRecord(value) ? copyOfRecord(value) : value
}
