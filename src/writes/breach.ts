// What a database says of a broken rule, by the names of the schema.
import { type EngineError, fault, type Path } from '../errors.ts'
import type { Collection } from '../schema/model.ts'
import type { Writing } from './writing.ts'

/** Does something to rows of a collection. `path`: where the row stands in the request, where there is but one. */
export async function keepingRules<Result>(
  collection: Collection,
  path: Path | undefined,
  { engine }: Writing,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    const breach = engine.dialect.breachOf(cause)
    throw breach ? breachAt(breach, collection, path, cause) : error
  }
}

function breachAt(
  { code, table, columns = [] }: NonNullable<ReturnType<Writing['engine']['dialect']['breachOf']>>,
  collection: Collection,
  path: Path | undefined,
  cause: unknown,
): EngineError {
  const isOwn = table === undefined || table === collection.table
  const field = [...collection.fields.values()].find(
    (one) => isOwn && 'column' in one && columns.includes(one.column),
  )
  return fault(code, undefined, {
    path: path && field ? [...path, field.name] : path,
    cause,
    extensions: { collection: collection.name, ...(field && { field: field.name }) },
  })
}
