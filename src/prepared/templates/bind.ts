// Binds the values of a request to the open values of a statement: operands of conditions, and pages.

import type { Dialect } from '../../dialects/dialect.ts'
import type { Path } from '../../errors/errors.ts'
import { operandAgain } from '../../plan/filter/condition.ts'
import type { Test, TestOperand } from '../../plan/filter/predicate.ts'
import { placeAt } from '../../plan/read/cursor.ts'
import { pageOf } from '../../plan/read/pagination.ts'
import type { Page, PagePlace } from '../../plan/read/read-plan.ts'
import { type RowBudget, type RowsLeft, rowsLeftOf } from '../../plan/read/row-budget.ts'
import type { Limits } from '../../query/limits.ts'
import { readOperand } from '../../query/operands.ts'
import type { Json, LevelQuery } from '../../query/query.ts'
import { newReader, type QueryReader } from '../../query/reader.ts'
import { readSearch } from '../../query/single-values.ts'
import { farOffset } from '../../sql/page/far-page.ts'
import { isShort } from '../../sql/page/pagination.ts'
import { reachOf } from '../../sql/tuple.ts'
import { familyRow } from '../../types/families.ts'
import type { Operand } from '../../types/family-row.ts'
import { isRecord } from '../../values/guards.ts'
import { memoFor } from '../../values/memo.ts'
import type { Caller, Circumstances } from '../../vocabulary/variables.ts'

export type OpenValue = Test | Page | RowBudget
export type BoundValue = TestOperand | Page | RowsLeft

/** Values of a request that are known before its query is read. */
export interface ReadRequestValues {
  readonly query: Readonly<Record<string, unknown>>
  readonly key: unknown
  readonly circumstances: Circumstances
  /** Rules that apply besides, and their caller. Paths that begin with "rules" lead into them. */
  readonly rules?: { readonly input: unknown; readonly caller: Caller } | undefined
}

export interface BindSettings {
  readonly limits: Limits
  readonly dialect: Dialect
  readonly isUnlimited: boolean
}

/** Returns the value of a request for an open value of a template. Undefined if the request does not have the template's shape. */
export function boundValueOf(
  openValue: OpenValue,
  input: ReadRequestValues,
  settings: BindSettings,
): BoundValue | undefined {
  if ('lists' in openValue) return rowsLeftFor(openValue, input, settings)
  return 'operator' in openValue
    ? testResult(openValue, input, settings)
    : pageResult(openValue, input, settings)
}

/** Returns what the pages of a request leave of a budget. */
function rowsLeftFor(
  budget: RowBudget,
  input: ReadRequestValues,
  settings: BindSettings,
): RowsLeft | undefined {
  const now = new Map<Page, Page>()
  for (const page of [budget.root, ...budget.lists.map(({ list }) => list.page)]) {
    const answer = pageResult(page, input, settings)
    if (!answer) return undefined
    now.set(page, answer)
  }
  return rowsLeftOf(budget, (page) => now.get(page) ?? page)
}

function testResult(test: Test, input: ReadRequestValues, settings: BindSettings): TestOperand | undefined {
  const answer = asksForKey(test) ? keyOperand(test, input.key) : operandFrom(test, input, settings)
  return answer && reachesAlike(test, answer, settings.dialect) ? answer : undefined
}

function operandFrom(test: Test, input: ReadRequestValues, settings: BindSettings): TestOperand | undefined {
  if (input.rules && isOfRule(test.path)) return ruleOperand(test, input.rules, input, settings)
  const found = valueAt(input, test.path)
  if (found === undefined) return undefined
  const last = test.path.at(-1)
  const reader = newReader(settings.limits, false)
  if (last === 'search' || last === '_search') {
    const text = readSearch(found, test.path, reader)
    return text === undefined ? undefined : { kind: 'text', text }
  }
  const read = operandOf(test, found, reader)
  return read === undefined ? undefined : operandAgain(test, read, input.circumstances)
}

/** Operands as rules say them, which are frozen and the same for all callers of a template. */
const saidByRules = new WeakMap<Test, WeakMap<object, { readonly read: Json | undefined }>>()

function ruleOperand(
  test: Test,
  rules: NonNullable<ReadRequestValues['rules']>,
  input: ReadRequestValues,
  { limits }: BindSettings,
): TestOperand | undefined {
  const { read } = memoFor(
    memoFor(saidByRules, test, () => new WeakMap()),
    Object(rules.input),
    () => {
      const found = valueAt(input, test.path)
      return { read: found === undefined ? undefined : operandOf(test, found, newReader(limits, false)) }
    },
  )
  if (read === undefined) return undefined
  const { circumstances } = input
  const isOfCaller = circumstances.caller === rules.caller
  return operandAgain(test, read, isOfCaller ? circumstances : { ...circumstances, caller: rules.caller })
}

const operandOf = ({ operator, path, subject }: Test, value: unknown, reader: QueryReader) =>
  readOperand({ operator, value, path, reader, inJson: subject.kind === 'json' })

/** Reads a key, which is always a value: no variable, and no list. */
function keyOperand({ subject: { type } }: Test, key: unknown): TestOperand | undefined {
  const value = familyRow(type.family).operand(key, type)
  return value?.exact ? { kind: 'value', value } : undefined
}

/** True if the values of both operands are within the range of the column in the same way, on which the statement depends. */
function reachesAlike({ subject, operand }: Test, answer: TestOperand, dialect: Dialect): boolean {
  const alike = (one: Operand, other: Operand) =>
    reachOf(subject.type, one, dialect) === reachOf(subject.type, other, dialect)
  if (operand.kind === 'value' && answer.kind === 'value') return alike(operand.value, answer.value)
  if (operand.kind !== 'pair' || answer.kind !== 'pair') return true
  return alike(operand.low, answer.low) && alike(operand.high, answer.high)
}

/** Path of the key of a single item. It is beside the query, so no parameter may have this name. */
export const keyPath: Path = ['key']

export const asksForKey = ({ path }: OpenValue): boolean => path[0] === keyPath[0]

const isOfRule = (path: Path): boolean => path[0] === 'rules'

/** Returns the value of the request at a path. A value without an operator is found one step before its operator. */
function valueAt({ query, rules }: ReadRequestValues, path: Path): unknown {
  let found: unknown = isOfRule(path) ? { rules: rules?.input } : query
  for (const [index, step] of path.entries()) {
    if (Array.isArray(found) && typeof step === 'number') found = found[step]
    else if (isRecord(found) && Object.hasOwn(found, step)) found = found[step]
    else return index === path.length - 1 && step === '_eq' ? found : undefined
  }
  return found
}

function pageResult(
  first: Page,
  { query, circumstances }: ReadRequestValues,
  { limits, isUnlimited }: BindSettings,
): Page | undefined {
  if (first.isFixed) return first
  const level = levelAt(query, first.path)
  if (!level) return undefined
  // A request of the same shape has no paging here either.
  if (level === noPaging) return first
  if (level.limit !== undefined && level.limit > limits.maxLimit) return undefined
  const page = pageOf(level, limits, first.path, isUnlimited && first.path.length === 0)
  const depth = ({ offset }: Page) => (offset === 0 ? 0 : offset < farOffset ? 1 : 2)
  const isAlike =
    depth(page) === depth(first) &&
    page.isCut === first.isCut &&
    isShort(page) === isShort(first) &&
    (page.limit === undefined) === (first.limit === undefined)
  if (!isAlike || !first.place) return isAlike ? page : undefined
  const place = placeAgain(first.place, level, circumstances)
  return place && { ...page, place }
}

/** Returns the place of a request in the list of another one; undefined if it is in another list, or has other nulls. */
function placeAgain(
  { mark, isBackward, nulls }: PagePlace,
  { after, before }: LevelQuery,
  { cursors }: Circumstances,
): PagePlace | undefined {
  const place = placeAt(after ?? before ?? '', { mark, isBackward, length: nulls.length }, cursors)
  return place?.nulls.every((isNull, at) => isNull === nulls[at]) ? place : undefined
}

/** Returns the paging of a level, if it is given in numbers. */
function levelAt(query: object, path: Path): LevelQuery | undefined {
  let found: unknown = query
  for (const step of path) {
    if (!isRecord(found) || !Object.hasOwn(found, step)) return noPaging
    found = found[step]
  }
  if (!isRecord(found)) return noPaging
  const names = path.length === 0 ? rootNames : deepNames
  let level: Record<string, number | string> | undefined
  for (let index = 0; index < names.length; index++) {
    const name = names[index] ?? ''
    if (!Object.hasOwn(found, name)) continue
    const value = found[name]
    const isText = index >= firstText && typeof value === 'string'
    if (!isText && (typeof value !== 'number' || !Number.isSafeInteger(value))) return undefined
    level ??= {}
    level[rootNames[index] ?? 'limit'] = value
  }
  return level ?? noPaging
}

const noPaging: LevelQuery = {}
const rootNames = ['limit', 'offset', 'page', 'after', 'before'] as const
const deepNames = ['_limit', '_offset', '_page', '_after', '_before'] as const
const firstText = rootNames.indexOf('after')
