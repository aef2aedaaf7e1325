// Conditions: our filter language on the JSON of a data chain. What is absent is null.
import { fault, isEngineError, type Path, quote, unreachable } from '../errors/errors.ts'
import { readPredicate } from '../filters/read-predicate.ts'
import { holds, type MemorySetting } from '../plan/filter/evaluate.ts'
import type { Predicate, Test } from '../plan/filter/predicate.ts'
import { type RowCondition, type RowReader, verdictOn } from '../plan/filter/verdict.ts'
import { defineSchema } from '../schema/define-schema.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { foldCase } from '../values/fold.ts'
import { isRecord } from '../values/guards.ts'
import { isJunction, isQuantifier } from '../vocabulary/junctions.ts'
import { ignoresCase, isOperator } from '../vocabulary/operators.ts'
import type { Caller } from '../vocabulary/variables.ts'
import { below, type ChainPlace, readPlace } from './chain/place.ts'
import { boundedTest, type ConditionWork } from './condition-work.ts'

export type Condition = RowCondition<ChainTest, ChainStep>

interface ChainTest {
  readonly kind: 'test'
  readonly test: Test
  readonly ignoresCase: boolean
  readonly path: Path
}

/** A step to a value, or to the elements of a list. */
type ChainStep =
  | { readonly kind: 'one'; readonly steps: ChainPlace['steps'] }
  | { readonly kind: 'some' | 'none'; readonly path: Path }

/** The reading of a condition: who asks, and when, for the values of variables. */
interface ConditionContext {
  readonly caller: Caller
  readonly now: Date
  /** Called with the place of each variable whose value was used. */
  readonly onVariable?: (path: Path) => void
  /** The work that reading it counts to. Absent = it is read once, and not in each run. */
  readonly work?: ConditionWork
}

// Operators of values whose type is known only when they are compared are those of a path in a document.
const schema: Schema = defineSchema({ chain: { key: false, fields: { value: { type: 'json' } } } })
const chain: Collection = schema.collections.get('chain') as Collection // defined above

/** Reads a condition on a data chain, of which the names of the first level are the roots. All mistakes are thrown together. */
export function readCondition(filter: unknown, path: Path, context: ConditionContext): Condition {
  if (!isRecord(filter) || Object.keys(filter).length === 0)
    throw fault('INVALID_QUERY', 'A condition is a filter that says something.', { path })
  return readObject(filter, path, { context, depth: 0 })
}

interface ReadingCondition {
  readonly context: ConditionContext
  readonly depth: number
}

const deepest = 30

function readObject(
  node: Readonly<Record<string, unknown>>,
  path: Path,
  reading: ReadingCondition,
): Condition {
  if (reading.depth > deepest)
    throw fault('INVALID_QUERY', `A condition nests deeper than ${deepest} levels.`, {
      path: path.slice(0, 3),
    })
  reading.context.work?.spendParts(1)
  const inner = { ...reading, depth: reading.depth + 1 }
  const operators: Record<string, unknown> = {}
  const parts: Condition[] = []
  for (const name of Object.keys(node)) {
    const value: unknown = Reflect.get(node, name)
    if (isOperator(name)) Object.defineProperty(operators, name, { value, enumerable: true })
    else parts.push(readEntry(name, value, [...path, name], inner))
  }
  if (Object.keys(operators).length > 0) parts.push(test(operators, path, reading))
  const [first] = parts
  return first && parts.length === 1 ? first : { kind: 'and', parts }
}

function readEntry(name: string, value: unknown, path: Path, reading: ReadingCondition): Condition {
  if (isJunction(name)) {
    if (!Array.isArray(value) || (name === '_or' && value.length === 0))
      throw fault('INVALID_QUERY', `"${name}" takes a list of conditions.`, { path })
    const parts = value.map((one: unknown, at) => readBranch(one, [...path, at], reading))
    return { kind: name === '_and' ? 'and' : 'or', parts, path }
  }
  if (isQuantifier(name))
    return { kind: name === '_some' ? 'some' : 'none', condition: readBranch(value, path, reading), path }
  const place = stepsOf(name, path)
  const condition = isRecord(value)
    ? readObject(value, path, reading)
    : test(value === null ? { _null: true } : { _eq: value }, path, reading)
  return { kind: 'one', steps: place, condition }
}

function readBranch(value: unknown, path: Path, reading: ReadingCondition): Condition {
  if (!isRecord(value) || Object.keys(value).length === 0)
    throw fault('INVALID_QUERY', 'A part of a condition is a filter that says something.', { path })
  return readObject(value, path, reading)
}

/** Returns the steps that a name is: of a name with dots, each part is one. */
export function stepsOf(name: string, path: Path): ChainPlace['steps'] {
  if (name.startsWith('_'))
    throw fault('INVALID_QUERY', `There is no operator ${quote(name)} here.`, { path })
  const place = readPlace(name)
  return typeof place === 'string' ? [name] : [place.root, ...place.steps]
}

function test(operators: object, path: Path, { context }: ReadingCondition): Condition {
  for (const [name, operand] of Object.entries(operators))
    if (isOperator(name)) context.work?.spendReading(name, operand)
  const filter = { value: { _json: { at: operators } } }
  try {
    const predicate = readPredicate(
      filter,
      chain,
      { schema },
      { schema, circumstances: context, use: 'memory' },
    )
    return tested(predicate, path)
  } catch (error) {
    if (!isEngineError(error)) throw error
    const operator = error.path?.[4]
    throw fault('INVALID_QUERY', error.message, {
      path: operator === undefined ? path : [...path, operator],
      hint: error.hint,
    })
  }
}

/** Returns a predicate on one value as a condition, whose tests are counted one by one. */
function tested(predicate: Predicate, path: Path): Condition {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return { kind: predicate.kind, parts: predicate.parts.map((part) => tested(part, path)), path }
    case 'test':
      return { kind: 'test', ...folded(predicate), path }
    default:
      throw unreachable(`a predicate of kind ${predicate.kind} on a value`)
  }
}

/** Returns a test that ignores case as one of folded texts that does not: a text that many tests look at is folded once. */
function folded(test: Test): { readonly test: Test; readonly ignoresCase: boolean } {
  const { operator, operand } = test
  if (!ignoresCase(operator) || operand.kind !== 'text') return { test, ignoresCase: false }
  const exact = operator.replace(/^(_n?)i/, '$1')
  if (!isOperator(exact)) throw unreachable(`the operator ${operator} without one that minds case`)
  const text = foldCase(operand.text)
  return { test: { ...test, operator: exact, operand: { kind: 'text', text } }, ignoresCase: true }
}

interface ConditionSetting extends MemorySetting {
  readonly work: ConditionWork
}

/** Returns the place of the first condition that a value does not meet; undefined if it meets all. What takes too much work is OUT_OF_TIME. */
export function unmetBy(condition: Condition, value: unknown, setting: ConditionSetting): Path | undefined {
  const { work } = setting
  const reader: RowReader<unknown, ChainTest, ChainStep> = {
    visit: () => work.spendParts(1),
    passes: (test, one) => isMet(test, one ?? null, setting),
    behind: (step, one) => {
      if (step.kind !== 'one') return one === undefined ? [] : Array.isArray(one) && one
      work.spendParts(step.steps.length)
      return [below(one, step.steps)]
    },
  }
  const verdict = verdictOn(condition, value, reader)
  return typeof verdict === 'object' && 'path' in verdict ? verdict.path : undefined
}

function isMet({ test, ignoresCase }: ChainTest, value: unknown, setting: ConditionSetting): boolean {
  const { work } = setting
  const compared = ignoresCase && typeof value === 'string' ? work.fold(value) : value
  const bounded = boundedTest({ test, value: compared }, work)
  return holds(bounded.test, { value: { at: bounded.value } }, setting)
}
