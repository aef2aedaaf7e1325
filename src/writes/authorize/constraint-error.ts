// Translates constraint errors of the database into the names of the schema.

import type { Breach } from '../../dialects/transaction-phrases.ts'
import { codeTexts } from '../../errors/code-texts.ts'
import { fault, isEngineError, type Path, quote } from '../../errors/errors.ts'
import { type Collection, type Field, isToMany, isTuple } from '../../schema/model.ts'
import { isForeign } from '../../types/other.ts'
import { permissionsOf, type WriteContext } from '../context/write-context.ts'
import { mayBeNamed, tellHost } from './error-disclosure.ts'
import { danglingText, isReferring } from './references.ts'

/** Rows of a collection that a statement writes. */
export interface ConstrainedRows {
  readonly collection: Collection
  /** Path of the row in the request, if there is only one. */
  readonly path?: Path | undefined
  /** Looks for the foreign key without a target. */
  readonly dangling?: () => Promise<Field | undefined>
  /** True if the rows are deleted: a foreign key then leads to them. */
  readonly isDeletion?: boolean
}

/** Returns the error of a failed write to rows: a broken constraint in the names of the schema, any other error unchanged. */
export async function constraintErrorOf(
  error: unknown,
  rows: ConstrainedRows,
  writing: WriteContext,
): Promise<unknown> {
  const { collection } = rows
  const cause = error instanceof Error ? error.cause : undefined
  const breach = writing.engine.dialect.breachOf(cause)
  // An error that ended the transaction earlier is not about this row.
  if (!breach || !isEngineError(error) || error.code !== breach.code) return error
  const field =
    breach.code === 'INVALID_FOREIGN_KEY'
      ? await foreignKey(breach, rows, writing)
      : breach.isOfText
        ? soleForeign(collection, writing)
        : fieldOf(breach, collection, writing)
  const { path } = rows
  return fault(breach.code, textOf(breach, field, rows, writing), {
    path: path && field ? [...path, field.name] : path,
    cause,
    extensions: { collection: collection.name, ...(field && { field: field.name }) },
  })
}

/** Returns what a broken constraint says. Names of checks are for callers without rules alone. */
function textOf(
  { code, check }: Breach,
  field: Field | undefined,
  { collection, isDeletion }: ConstrainedRows,
  writing: WriteContext,
): string {
  if (check !== undefined && !permissionsOf(writing))
    return `An item of "${collection.name}" does not pass ${check ? `the check ${quote(check)}` : 'a check'} of the database.`
  if (code !== 'INVALID_FOREIGN_KEY') return codeTexts[code]
  if (isDeletion) return 'Other items still refer to what is to be deleted.'
  return danglingText(collection, field && !isToMany(field) && isReferring(field) ? field.name : undefined)
}

/** Runs a write to rows of a collection, and translates a broken constraint into the names of the schema. */
export async function withConstraintErrors<Result>(
  rows: ConstrainedRows,
  writing: WriteContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw await constraintErrorOf(error, rows, writing)
  }
}

/** Returns the field of a broken foreign key. A row that cannot be deleted has none: others refer to it. */
async function foreignKey(
  breach: Breach,
  { collection, dangling }: ConstrainedRows,
  writing: WriteContext,
): Promise<Field | undefined> {
  if (!dangling) return undefined
  if (breach.table !== undefined)
    return tupleOf(breach, collection, writing) ?? fieldOf(breach, collection, writing)
  // A failed lookup of the field must not hide the broken constraint.
  const field = await dangling().catch((error: unknown) => void tellHost([error], writing))
  return field && mayBeNamed(collection, field, writing) ? field : undefined
}

/** Returns the relation that is held by exactly the columns of a broken foreign key, if there are several. */
function tupleOf(
  { table, columns = [] }: Breach,
  collection: Collection,
  writing: WriteContext,
): Field | undefined {
  if (table !== collection.table || columns.length < 2) return undefined
  return [...collection.fields.values()].find(
    (one) =>
      !isToMany(one) &&
      isTuple(one) &&
      one.parts.length === columns.length &&
      one.parts.every(({ column }) => columns.includes(column)) &&
      mayBeNamed(collection, one, writing),
  )
}

/** Returns the first of the columns that may be disclosed to the caller: others may have been filled in for them. */
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

/** Returns the field whose text only the database could read, if there is one alone: the database does not say which text it refuses. */
function soleForeign(collection: Collection, writing: WriteContext): Field | undefined {
  const [field, ...more] = [...collection.fields.values()].filter(
    (one) => 'column' in one && isForeign(one.value.family),
  )
  return field && more.length === 0 && mayBeNamed(collection, field, writing) ? field : undefined
}
