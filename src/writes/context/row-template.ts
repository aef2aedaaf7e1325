// Statements that write one row: made once for all calls of a shape under the same rules, with the caller bound for each.

import type { Dialect } from '../../dialects/dialect.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { Path } from '../../errors/errors.ts'
import { executeSoon } from '../../execution/execute.ts'
import { orElse, type Soon, soon } from '../../execution/soon.ts'
import type { BoundStatement } from '../../execution/statement.ts'
import { inFlight } from '../../execution/transaction/flight.ts'
import type { Test, TestOperand } from '../../plan/filter/predicate.ts'
import { validationInputs } from '../../plan/write/later-validations.ts'
import type { BindSettings, OpenValue } from '../../prepared/templates/bind.ts'
import { canServeOthers, compileWatching } from '../../prepared/templates/share-template.ts'
import {
  type BoundValues,
  bindStatement,
  bindValues,
  noBoundValues,
  openValuesOf,
  type StatementValues,
} from '../../prepared/templates/template.ts'
import type { Row } from '../../rows/row.ts'
import type { Collection } from '../../schema/model.ts'
import type { Statement } from '../../sql/statement.ts'
import { isRowValue } from '../../sql/write/row-values.ts'
import { Cache } from '../../values/cache.ts'
import { memoFor } from '../../values/memo.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { circumstancesOf, type WriteContext } from './write-context.ts'

/** A statement and what it needs of a call. */
export interface WritingStatement {
  readonly statement: Statement
  /** Statements that lock rows before, in the same transaction. */
  readonly locks?: readonly Statement[]
  /** True if rows that are not there stand in no way of the others. */
  readonly isPartial?: boolean
  /** True if it returns nothing of the rows that it writes. */
  readonly isSilent?: boolean
  /** Tests of rules that are judged beside it, or have the same values as those in it. */
  readonly judged?: readonly Test[]
}

/** A statement for all calls of a shape, with the open values of its rules that depend on the caller. */
export type RowTemplate<Made extends WritingStatement> = Made & {
  readonly openValues: readonly OpenValue[]
  /** True if it serves other callers with the same rules. */
  readonly isShared: boolean
}

/** Templates by the names of what a call gives; `none` where one statement is not enough. */
export type RowTemplates<Made extends WritingStatement> = WeakMap<object, Cache<RowTemplate<Made> | 'none'>>

/** True if the number of rows that the database reports says all of a statement: it looks at no type of a column, and no row is locked before. */
export const areCounted = ({ typeCell, writeLock }: Dialect): boolean => !typeCell && writeLock !== undefined

/** True where a statement may judge the row that it writes. Tests turn it off, to compare with the general path. */
export const judging = { isByStatement: true }

/** Maximum number of templates of one owner. */
const templatesKept = 50

/** Returns the templates of an owner, which stands for the rules and the form of the result. */
export const templatesOf = <Made extends WritingStatement>(templates: RowTemplates<Made>, owner: object) =>
  memoFor(templates, owner, () => new Cache<RowTemplate<Made> | 'none'>(templatesKept))

/** Returns the template of a collection with a name, and makes it on first use. */
export function rowTemplate<Made extends WritingStatement>(
  ofOwner: Cache<RowTemplate<Made> | 'none'>,
  { name, collection }: { readonly name: string; readonly collection: Collection },
  writing: WriteContext,
  make: (circumstances: Circumstances) => Made | undefined,
): RowTemplate<Made> | undefined {
  if (!judging.isByStatement) return undefined
  const known = ofOwner.get(name)
  if (known) return known === 'none' ? undefined : known
  const request = requestOf(collection, writing)
  const { made, isDenied, variables } = compileWatching(request, ({ circumstances }) => make(circumstances))
  const openValues = made ? openValuesIn(made) : []
  // Without a value for one of its variables, the statement of this caller does not serve others.
  const isShared =
    !isDenied && (!made || canServeOthers(openValues, request, settingsOf(writing.caller), variables))
  const template = made && {
    ...made,
    openValues: openValues.filter((one) => varies(one, variables)),
    isShared,
  }
  if (isShared) ofOwner.set(name, template ?? 'none')
  return template
}

/** True if a value is not the same for all callers with the same rules: one of the paths at which variables were resolved leads to it. */
const varies = ({ path }: OpenValue, variables: readonly Path[]): boolean =>
  variables.some((variable) => path.every((step, at) => at >= variable.length || step === variable[at]))

/** Returns the questions of a statement's rules, also of those that are judged beside it. */
const openValuesIn = ({ statement, locks = [], judged = [] }: WritingStatement): readonly OpenValue[] => {
  const requested = openValuesOf([...locks, statement], []).filter((openValue) => !isRowValue(openValue))
  return [...new Set([...requested, ...judged])]
}

/** Returns the values of a caller for the rules. Undefined if the caller needs a statement of another form. */
export function bindOpenValues(
  { openValues }: RowTemplate<WritingStatement>,
  collection: Collection,
  writing: WriteContext,
): BoundValues | undefined {
  if (openValues.length === 0) return noBoundValues
  return bindValues(openValues, requestOf(collection, writing), settingsOf(writing.caller))
}

/** Returns the test of a caller, in place of that of the caller for whom a template was made. */
export const boundBy =
  (requested: BoundValues) =>
  (test: Test): Test => ({
    ...test,
    // The answer to a test is an operand.
    operand: (requested.get(test) ?? test.operand) as TestOperand,
  })

/** Binds the values of a call, and those of its caller, to a statement and what has to run before it. */
export function boundRow(
  { statement, locks = [] }: WritingStatement,
  values: ReadonlyMap<object, unknown>,
  requested: BoundValues,
): BoundRow {
  const known =
    requested === noBoundValues ? values : { get: (one: object) => values.get(one) ?? requested.get(one) }
  return {
    statement: bindStatement(statement, known),
    locks: locks.map((lock) => bindStatement(lock, known)),
    values: known,
  }
}

/** A bound statement of one row. */
export interface BoundRow {
  readonly statement: BoundStatement
  readonly locks: readonly BoundStatement[]
  /** The values of both. */
  readonly values: StatementValues
}

/** Runs a statement and returns its row, without a promise if the database responds synchronously. `fail` throws the error of a failure. */
export function runRow(
  bound: BoundRow,
  fail: (error: unknown) => Promise<never>,
  writing: WriteContext,
): Soon<Row | undefined> {
  return soon(runRows(bound, fail, writing), ([row]) => row)
}

/** Runs a statement and returns its rows, without a promise if the database responds synchronously. */
export function runRows(
  { statement, locks }: BoundRow,
  fail: (error: unknown) => Promise<never>,
  { engine, options }: WriteContext,
): Soon<readonly Row[]> {
  if (locks.length > 0)
    return inFlight(engine, [...locks, statement], options).then((results) => results.at(-1) ?? [], fail)
  return orElse(() => executeSoon(engine, statement, options), fail)
}

/** The request whose rules, validations and caller are bound. */
const requestOf = (collection: Collection, writing: WriteContext) => {
  const { scope } = writing.caller
  return {
    verb: 'write',
    collection,
    query: validationInputs(collection),
    key: undefined,
    circumstances: circumstancesOf(writing),
    rules: scope?.permissions && { input: scope.permissions.rules, caller: scope.ruleCaller },
  }
}

const settingsOf = ({ limits, dialect }: EngineInternals): BindSettings => ({
  limits,
  dialect,
  isUnlimited: true,
})
