import { quote } from '../../errors/errors.ts'
import { isRecord } from '../../values/guards.ts'
import type { OperatorName } from '../../vocabulary/operators.ts'
import { readVariable } from '../../vocabulary/variables.ts'

type ServiceCondition = { readonly [Name in OperatorName]?: unknown }
type Translation = (operand: unknown, operator: OperatorName) => ServiceCondition | string
type Translations = { readonly [Name in OperatorName]?: Translation }

/** Use of a condition: it shows rows, it hides those that meet it, or it validates input. */
export type OperatorUse = 'rows' | 'hidden' | 'validation'

/** Translates an operator with its operand; returns a sentence if there is no equivalent. */
export function translateOperator(
  operator: OperatorName,
  operand: unknown,
  use: OperatorUse,
): ServiceCondition | string {
  const translate = own[use][operator] ?? ofAny[operator]
  return translate ? translate(operand, operator) : { [operator]: operand }
}

const ofAny: Translations = {
  _eq: (operand) => (isNull(operand) ? { _null: true } : { _eq: operand }),
  _neq: (operand) => (isNull(operand) ? { _nnull: true } : { _neq: operand }),
  _in: list,
  _nin: (operand, operator) =>
    Array.isArray(operand) && operand.length === 0
      ? 'An empty "_nin" would let everything through; the service refuses it.'
      : list(operand, operator),
  _between: list,
  _nbetween: list,
  _regex: (operand) => ({ _regex: typeof operand === 'string' ? withoutSlashes(operand) : operand }),
}

/** Translations for some uses only. On some databases the service ignores case; rows that are hidden there have to be hidden here. */
const own: Readonly<Record<OperatorUse, Translations>> = {
  rows: {
    _ncontains: (operand) => hiding(operand, '_nicontains'),
    _nicontains: (operand) => hiding(operand, '_nicontains'),
    _nstarts_with: (operand) => hiding(operand, '_nistarts_with'),
    _nistarts_with: (operand) => hiding(operand, '_nistarts_with'),
    _nends_with: (operand) => hiding(operand, '_niends_with'),
    _niends_with: (operand) => hiding(operand, '_niends_with'),
  },
  hidden: {
    _contains: (operand) => hiding(operand, '_icontains'),
    _icontains: (operand) => hiding(operand, '_icontains'),
    _starts_with: (operand) => hiding(operand, '_istarts_with'),
    _istarts_with: (operand) => hiding(operand, '_istarts_with'),
    _ends_with: (operand) => hiding(operand, '_iends_with'),
    _iends_with: (operand) => hiding(operand, '_iends_with'),
  },
  validation: {},
}

/** Refuses wildcards of the service, which would hide more rows than the text does here. */
function hiding(operand: unknown, operator: OperatorName): ServiceCondition | string {
  return typeof operand === 'string' && /[%_\\]/.test(operand)
    ? `The text ${quote(operand)} holds signs that stand for any letters in the service, and only for themselves here.`
    : { [operator]: operand }
}

/** True for words that the service reads as null. In a list it treats null as a value. */
const isNull = (operand: unknown) => operand === null || operand === 'null' || operand === 'NULL'

function list(operand: unknown, operator: OperatorName): ServiceCondition | string {
  if (typeof operand === 'string' && readVariable(operand)) return { [operator]: [operand] }
  const values: readonly unknown[] = Array.isArray(operand)
    ? operand
    : isRecord(operand)
      ? Object.values(operand)
      : typeof operand === 'string'
        ? operand.split(',')
        : [operand]
  return values.some(isNull) ? `${quote(operator)} holds null, which equals nothing.` : { [operator]: values }
}

/** Removes the slashes of a JavaScript pattern. */
const withoutSlashes = (pattern: string): string => /^\/(.*)\/$/s.exec(pattern)?.[1] ?? pattern
