// The work of a condition. It is evaluated in one go, so no timer ends it: what each test takes is counted before it is done.
import { type EngineError, unreachable } from '../errors/errors.ts'
import type { Test } from '../plan/filter/predicate.ts'
import type { Operand } from '../types/family-row.ts'
import { type Decimal, decimalText } from '../values/decimal.ts'
import { foldCase } from '../values/fold.ts'
import { isRecord } from '../values/guards.ts'
import { type OperatorName, operators } from '../vocabulary/operators.ts'
import type { Pattern } from '../vocabulary/regex.ts'
import { tooLong } from './reject.ts'

/** Units of work of one condition at most, and of all in a run of a row. A unit is ten nanoseconds, so they are about half a second. */
export const mostWork = 50_000_000

/** Units of each thing that a condition does, at the worst that was measured. */
const units = {
  part: 10,
  test: 100,
  /** A number that is no small whole one is read digit by digit. */
  fraction: 500,
  number: 150,
  member: 60,
  operand: 100,
  /** A place at which a long text begins as its part does. */
  candidate: 100,
  patternCharacter: 40,
  patternPlace: 25,
  /** An operator of a filter that templates have made is read again in each run. */
  readOperator: 5_000,
  readOperand: 600,
  readPatternCharacter: 1_400,
} as const

/** Units of a character of a text. */
const perCharacter = { check: 0.25, compare: 1, search: 1, split: 4, foldAscii: 1, fold: 25 } as const

/** The units that are left of one condition, and what is worth doing once. */
export class ConditionWork {
  readonly #most: number
  #spent = 0
  readonly #folded = new Map<string, string>()
  readonly #sets = new Map<readonly Operand[], ReadonlyMap<unknown, Operand>>()

  /** `left`: the units that are left for it and those behind it. */
  constructor(left: number = mostWork) {
    this.#most = Math.min(left, mostWork)
  }

  get spent(): number {
    return this.#spent
  }

  spend(more: number): void {
    this.#spent += more
    if (this.#spent > this.#most) throw tooMuch()
  }

  /** Spends what it takes to go into parts of a condition, or steps into a value. */
  spendParts(count: number): void {
    this.spend(units.part * count)
  }

  spendReading(operator: OperatorName, operand: unknown): void {
    this.spend(units.readOperator)
    if (Array.isArray(operand)) this.spend(operand.length * units.readOperand)
    if (typeof operand !== 'string') return
    const { operand: kind } = operators[operator]
    if (kind === 'pattern') this.spend(operand.length * units.readPatternCharacter)
    // A text of values has commas between them.
    if (kind === 'values') this.spend((operand.length * units.readOperand) / 2)
  }

  /** Returns a text in the form in which it compares ignoring case. Several tests in a row are about the same text. */
  fold(text: string): string {
    this.spend(text.length * perCharacter.check)
    const known = this.#folded.get(text)
    if (known !== undefined) return known
    this.spend(text.length * (isAscii.test(text) ? perCharacter.foldAscii : perCharacter.fold))
    const folded = foldCase(text)
    if (this.#folded.size >= mostFolded) this.#folded.clear()
    this.#folded.set(text, folded)
    return folded
  }

  /** Returns those of many operands that a value can equal. */
  among(operands: readonly Operand[], value: unknown): readonly Operand[] {
    let set = this.#sets.get(operands)
    if (!set) {
      this.spend(operands.length * units.operand)
      set = new Map(operands.map((operand) => [identityOf(operand), operand]))
      this.#sets.set(operands, set)
    }
    const found = set.get(value)
    return found ? [found] : []
  }
}

const mostFolded = 8
const isAscii = /^\p{ASCII}*$/u

/** Returns what equals a value of JSON that the operand equals. */
function identityOf({ at }: Operand): unknown {
  // The only operands of JSON that are objects are its numbers.
  return typeof at === 'object' ? Number(decimalText(at as Decimal)) : at
}

/** Repeated, the condition takes as long again. */
const tooMuch = (): EngineError =>
  tooLong(
    'The condition takes more work than is left for it: it, or those before it in its run, compare too much, or too long texts.',
    true,
  )

interface ValueTest {
  readonly test: Test
  readonly value: unknown
}

/** Spends what a test of a value takes, and returns one with the same answer that takes no more. */
export function boundedTest({ test, value }: ValueTest, work: ConditionWork): ValueTest {
  work.spend(unitsOfValue(value))
  const { operand } = test
  switch (operand.kind) {
    case 'value':
      work.spend(unitsOfComparing(value, operand.value))
      return { test, value }
    case 'pair':
      work.spend(unitsOfComparing(value, operand.low) + unitsOfComparing(value, operand.high))
      return { test, value }
    case 'values':
      return amongMany({ test, value }, operand.values, work)
    case 'text':
      return search({ test, value }, operand.text, work)
    case 'pattern':
      return { test: { ...test, operand: { ...operand, pattern: counted(operand.pattern, work) } }, value }
    case 'flag':
      if (isOfMembers(test.operator) && isRecord(value)) work.spend(Object.keys(value).length * units.member)
      return { test, value }
    case 'geometry':
    case 'field':
      throw unreachable(`a ${operand.kind} in a data chain`)
    default:
      throw unreachable(`an operand of kind ${String(operand satisfies never)}`)
  }
}

function unitsOfValue(value: unknown): number {
  if (typeof value === 'string') return units.test + value.length * perCharacter.check
  return typeof value === 'number' && !Number.isSafeInteger(value) ? units.fraction : units.test
}

function unitsOfComparing(value: unknown, { at }: Operand): number {
  if (typeof value === 'string' && typeof at === 'string')
    return units.part + Math.min(value.length, at.length) * perCharacter.compare
  return typeof value === 'number' ? units.number : units.part
}

/** An object is known to be empty once its members are listed. */
const isOfMembers = (operator: OperatorName) => operator === '_empty' || operator === '_nempty'

/** Number of operands up to which a value is compared with each. */
const mostCompared = 16

function amongMany({ test, value }: ValueTest, operands: readonly Operand[], work: ConditionWork): ValueTest {
  if (operands.length > mostCompared)
    return { test: { ...test, operand: { kind: 'values', values: work.among(operands, value) } }, value }
  for (const operand of operands) work.spend(unitsOfComparing(value, operand))
  return { test, value }
}

/** Longest part that is left to the engine: beyond, its search multiplies both lengths where a part repeats itself. */
const mostOfEngine = 250

function search({ test, value }: ValueTest, part: string, work: ConditionWork): ValueTest {
  if (typeof value !== 'string') return { test, value }
  const isAnywhere = test.operator === '_contains' || test.operator === '_ncontains'
  work.spend((isAnywhere ? value.length : part.length) * perCharacter.search)
  if (!isAnywhere || part.length <= mostOfEngine) return { test, value }
  return { test, value: holdsLong(value, part, work) ? part : '' }
}

/** True if a text holds a long part. Each place at which the part begins is counted: in other than made up texts they are few. */
function holdsLong(text: string, part: string, work: ConditionWork): boolean {
  const head = part.slice(0, mostOfEngine)
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    work.spend(units.candidate + part.length * perCharacter.compare)
    if (text.startsWith(part, at)) return true
  }
  return false
}

/** Returns a pattern that spends what it takes. */
const counted = (pattern: Pattern, work: ConditionWork): Pattern => ({
  test: (text) => {
    work.spend(text.length * perCharacter.split)
    return pattern.test(text, (places) => work.spend(units.patternCharacter + places * units.patternPlace))
  },
})
