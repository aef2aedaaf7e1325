// What a database says of a broken rule, by the names of the schema.
import type { Breach } from '../dialects/dialect.ts'
import { type EngineError, type ErrorCode, fault, type Path } from '../errors.ts'
import { type Soon, unlessFailed } from '../run/soon.ts'
import type { Collection, Field, StoredField } from '../schema/model.ts'
import type { Writing } from './writing.ts'

/** Does something to rows of a collection. `path`: where the row stands in the request, where there is but one. `dangling`: looks for the
 *  foreign key that leads nowhere. */
export function keepingRules<Result>(
  collection: Collection,
  path: Path | undefined,
  { engine }: Writing,
  work: () => Soon<Result>,
  dangling?: () => Promise<StoredField | undefined>,
): Soon<Result> {
  return unlessFailed(work, async (error) => {
    const cause = error instanceof Error ? error.cause : undefined
    const breach = engine.dialect.breachOf(cause)
    if (!breach) throw error
    const field =
      breach.code === 'INVALID_FOREIGN_KEY'
        ? await foreignKey(breach, collection, dangling)
        : fieldOf(breach, collection)
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
  dangling: (() => Promise<StoredField | undefined>) | undefined,
): Promise<Field | undefined> {
  if (!dangling) return undefined
  // Which field it was is not worth more than that it was one.
  return breach.table === undefined ? dangling().catch(() => undefined) : fieldOf(breach, collection)
}

function fieldOf({ table, columns = [] }: Breach, { table: own, fields }: Collection): Field | undefined {
  if (table !== undefined && table !== own) return undefined
  return [...fields.values()].find((one) => 'column' in one && columns.includes(one.column))
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
