// What a database says of a broken rule, by the names of the schema.
import type { Breach } from '../dialects/dialect.ts'
import { type EngineError, type ErrorCode, fault, isEngineError, type Path } from '../errors.ts'
import { type Soon, unlessFailed } from '../run/soon.ts'
import type { Collection, Field, StoredField } from '../schema/model.ts'
import { mayBeNamed, tellHost } from './telling.ts'
import type { Writing } from './writing.ts'

/** Does something to rows of a collection. `path`: where the row stands in the request, where there is but one. `dangling`: looks for the
 *  foreign key that leads nowhere. */
export function keepingRules<Result>(
  collection: Collection,
  path: Path | undefined,
  writing: Writing,
  work: () => Soon<Result>,
  dangling?: () => Promise<StoredField | undefined>,
): Soon<Result> {
  return unlessFailed(work, async (error) => {
    const cause = error instanceof Error ? error.cause : undefined
    const breach = writing.engine.dialect.breachOf(cause)
    // What ended a transaction before is not about this row.
    if (!breach || !isEngineError(error) || error.code !== breach.code) throw error
    const field =
      breach.code === 'INVALID_FOREIGN_KEY'
        ? await foreignKey(breach, collection, writing, dangling)
        : fieldOf(breach, collection, writing)
    throw breachAt(breach.code, field, collection, path, cause)
  })
}

/** A broken rule is known to be an item's where there is but one. */
export const pathOf = ([first, ...others]: readonly { readonly path: Path }[]): Path | undefined =>
  others.length === 0 ? first?.path : undefined

/** What cannot go away has no field that is wrong: others point to it. */
async function foreignKey(
  breach: Breach,
  collection: Collection,
  writing: Writing,
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
  writing: Writing,
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
