// What a database says of a broken rule, by the names of the schema.
import type { Breach } from '../dialects/transaction-phrases.ts'
import { type EngineError, type ErrorCode, fault, isEngineError, type Path } from '../errors/errors.ts'
import type { Collection, Field, StoredField } from '../schema/model.ts'
import { mayBeNamed, tellHost } from './error-disclosure.ts'
import type { WriteContext } from './write-context.ts'

/** What a write to rows of a collection has failed with: a broken rule of the database by the names of the schema, and anything else as it
 *  is. `path`: where the row stands in the request, where there is but one. `dangling`: looks for the foreign key that leads nowhere. */
export async function constraintErrorOf(
  error: unknown,
  collection: Collection,
  path: Path | undefined,
  writing: WriteContext,
  dangling?: () => Promise<StoredField | undefined>,
): Promise<unknown> {
  const cause = error instanceof Error ? error.cause : undefined
  const breach = writing.engine.dialect.breachOf(cause)
  // What ended a transaction before is not about this row.
  if (!breach || !isEngineError(error) || error.code !== breach.code) return error
  const field =
    breach.code === 'INVALID_FOREIGN_KEY'
      ? await foreignKey(breach, collection, writing, dangling)
      : fieldOf(breach, collection, writing)
  return breachAt(breach.code, field, collection, path, cause)
}

/** Does something to rows of a collection, and tells a broken rule of the database by the names of the schema. */
export async function withConstraintErrors<Result>(
  collection: Collection,
  path: Path | undefined,
  writing: WriteContext,
  work: () => Promise<Result>,
  dangling?: () => Promise<StoredField | undefined>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw await constraintErrorOf(error, collection, path, writing, dangling)
  }
}

/** A broken rule is known to be an item's where there is but one. */
export const pathOf = ([first, ...others]: readonly { readonly path: Path }[]): Path | undefined =>
  others.length === 0 ? first?.path : undefined

/** What cannot go away has no field that is wrong: others point to it. */
async function foreignKey(
  breach: Breach,
  collection: Collection,
  writing: WriteContext,
  dangling: (() => Promise<StoredField | undefined>) | undefined,
): Promise<Field | undefined> {
  if (!dangling) return undefined
  if (breach.table !== undefined) return fieldOf(breach, collection, writing)
  // Which field it was is not worth more than that it was one.
  const field = await dangling().catch((error: unknown) => void tellHost([error], writing))
  return field && mayBeNamed(collection, field, writing) ? field : undefined
}

/** The first of the columns that a caller may hear of: others may be filled in for them. */
function fieldOf(
  { table, columns = [] }: Breach,
  collection: Collection,
  writing: WriteContext,
): Field | undefined {
  if (table !== undefined && table !== collection.table) return undefined
  return [...collection.fields.values()].find(
    (one) => 'column' in one && columns.includes(one.column) && mayBeNamed(collection, one, writing),
  )
}

function breachAt(
  code: ErrorCode,
  field: Field | undefined,
  collection: Collection,
  path: Path | undefined,
  cause: unknown,
): EngineError {
  return fault(code, undefined, {
    path: path && field ? [...path, field.name] : path,
    cause,
    extensions: { collection: collection.name, ...(field && { field: field.name }) },
  })
}
