// A statement with open values, and the functions that bind the values of each request of its shape.
import { DeferredValue } from '../../dialects/sql.ts'
import type { Path } from '../../errors/errors.ts'
import type { BoundStatement } from '../../execution/statement.ts'
import type { Page } from '../../plan/read/read-plan.ts'
import { type RowBudget, rowsLeftOf } from '../../plan/read/row-budget.ts'
import { rowsLeft } from '../../sql/nested-counts.ts'
import type { Statement } from '../../sql/statement.ts'
import {
  type BindSettings,
  type BoundValue,
  boundValueOf,
  type OpenValue,
  type ReadRequestValues,
} from './bind.ts'

/** Values that a request binds to the open values of a template. */
export interface BoundValues {
  get(openValue: object): BoundValue | undefined
}

/** The values of a statement that was made for one request. */
export const noBoundValues: BoundValues = new Map()

/** Returns the open values of a plan's statements, each once. */
export function openValuesOf(
  statements: readonly Statement[],
  pages: readonly Page[],
  budget?: RowBudget,
): readonly OpenValue[] {
  const deferred = statements.flatMap(({ parameters }) =>
    parameters.filter((value) => value instanceof DeferredValue),
  )
  const requested = deferred.map(({ openValue }) => openValue).filter((openValue) => openValue !== rowsLeft)
  // Each other DeferredValue value refers to a test, a page or the budget.
  return [
    ...new Set([
      ...requested.map((openValue) => openValue as OpenValue),
      ...pages,
      ...(budget ? [budget] : []),
    ]),
  ]
}

/** Binds the values of a request; undefined if it does not have the shape after all. */
export function bindValues(
  openValues: readonly OpenValue[],
  input: ReadRequestValues,
  settings: BindSettings,
): BoundValues | undefined {
  const boundValues = new Map<object, BoundValue>()
  for (const openValue of openValues) {
    const answer = boundValueOf(openValue, input, settings)
    if (answer === undefined) return undefined
    boundValues.set(openValue, answer)
  }
  return boundValues
}

/** Binds again the open values that may differ. Undefined if the request does not have the shape. */
export function rebindValues(
  known: BoundValues,
  anew: readonly OpenValue[],
  input: ReadRequestValues,
  settings: BindSettings,
): BoundValues | undefined {
  const boundValues = bindValues(anew, input, settings)
  return boundValues && { get: (openValue) => boundValues.get(openValue) ?? known.get(openValue) }
}

/** Returns the values with which the plan itself was made. */
export function firstValues(openValues: readonly OpenValue[]): BoundValues {
  return new Map(openValues.map((openValue) => [openValue, firstValueOf(openValue)]))
}

function firstValueOf(openValue: OpenValue): BoundValue {
  if ('lists' in openValue) return rowsLeftOf(openValue)
  return 'operator' in openValue ? openValue.operand : openValue
}

/** Values for the open values of a statement, of requests and of rows. */
export interface StatementValues {
  get(openValue: object): unknown
}

export function bindStatement(
  { sql, parameters: open, kind, relies, lossless }: Statement,
  boundValues: StatementValues,
): BoundStatement {
  const parameters = open.map((value) =>
    value instanceof DeferredValue ? value.valueFor(boundValues.get(value.openValue) ?? value.answer) : value,
  )
  const plain = kind ? { sql, parameters, kind } : { sql, parameters }
  const filled = relies ? { ...plain, relies } : plain
  if (!lossless) return filled
  return {
    ...filled,
    lossless: () => bindStatement({ ...lossless(), kind }, boundValues),
  }
}

/** True if each value omitted from a shape is bound to an open value. If not, another request of that shape might mean something else by
 *  it, and the template must not be used for it. */
export function asksForAll(holes: readonly Path[], openValues: readonly OpenValue[]): boolean {
  const requested = new Set(openValues.flatMap(pathsOf))
  // A list is bound as a whole.
  return holes.every(
    (hole) =>
      requested.has(JSON.stringify(hole)) ||
      (isElement(hole) && requested.has(JSON.stringify(hole.slice(0, -1)))),
  )
}

const isElement = (path: Path) => typeof path.at(-1) === 'number'

function pathsOf(openValue: OpenValue): string[] {
  if ('lists' in openValue) return []
  const { path } = openValue
  if ('operator' in openValue) {
    const isShort = path.at(-1) === '_eq'
    return [JSON.stringify(path), ...(isShort ? [JSON.stringify(path.slice(0, -1))] : [])]
  }
  const prefix = path.length === 0 ? '' : '_'
  return ['limit', 'offset', 'page', 'after', 'before'].map((name) =>
    JSON.stringify([...path, `${prefix}${name}`]),
  )
}
