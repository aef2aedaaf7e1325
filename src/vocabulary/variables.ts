// The dynamic variables: words in a filter whose values depend on the request.
import type { Path } from '../errors/errors.ts'
import { addMonths } from '../values/calendar.ts'
import { isRecord } from '../values/guards.ts'

/** The caller of a request, with what variables need of it. */
export interface Caller {
  /** Key of the user: the value of `$CURRENT_USER`. */
  readonly user?: string | number | null
  /** Key of the role: the value of `$CURRENT_ROLE`. */
  readonly role?: string | number | null
  /** Keys of all roles: the value of `$CURRENT_ROLES`. */
  readonly roles?: readonly (string | number)[]
  /** Keys of the policies: the value of `$CURRENT_POLICIES`. */
  readonly policies?: readonly (string | number)[]
  /** Values of variables and of paths into them: `{ '$CURRENT_ROLE.name': 'Editors' }`. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined
}

export interface Circumstances {
  readonly now: Date
  readonly caller: Caller
  /** Called when a variable without a value denies a condition: the result is then valid for this caller only. */
  readonly onDenied?: () => void
  /** Called with the place of each variable whose value was used. */
  readonly onVariable?: (path: Path) => void
  /** Values of order keys that are too long for a cursor, by the cursor. */
  readonly cursors?: ReadonlyMap<string, readonly (string | null)[]> | undefined
}

/** Circumstances in which no variable but the time has a value. */
export const nobody: Circumstances = { now: new Date(0), caller: {} }

interface VariableRow {
  readonly value: (circumstances: Circumstances) => unknown
  /** Changes the value by the argument in parentheses; undefined if that is invalid. */
  readonly adjust?: (value: unknown, adjustment: string) => unknown
}

export const variables = {
  $NOW: {
    value: ({ now }) => now,
    adjust: (value, adjustment) => shift(value as Date, adjustment), // the value above
  },
  $CURRENT_USER: { value: ({ caller }) => caller.user },
  $CURRENT_ROLE: { value: ({ caller }) => caller.role },
  $CURRENT_ROLES: {
    value: ({ caller }) => caller.roles,
  },
  $CURRENT_POLICIES: {
    value: ({ caller }) => caller.policies,
  },
  $TEXT: {
    value: () => undefined,
    adjust: (_value, text) => text,
  },
} as const satisfies Record<`$${string}`, VariableRow>

export type VariableName = keyof typeof variables

export const isOfCaller = (name: VariableName): boolean => !('adjust' in variables[name])

/** The collections in which fields of variables are looked up: `{ $CURRENT_USER: 'users' }`. */
export type Lookups = Readonly<Partial<Record<VariableName, string>>>

/** The variables with paths in the texts of a value: `$CURRENT_USER.department`. The value is unchecked, so it
 *  may be as deep as memory is large, and circular. */
export function pathsIn(input: unknown): readonly string[] {
  const found: string[] = []
  const seen = new Set<object>()
  const left = [input]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string' && readVariable(one)?.path !== undefined) found.push(one)
    if ((!Array.isArray(one) && !isRecord(one)) || seen.has(one)) continue
    seen.add(one)
    // By its keys, because a list may be sparse.
    for (const key of Object.keys(one).reverse()) left.push(Reflect.get(one, key))
  }
  return found
}

export interface Variable {
  readonly name: VariableName
  readonly path: string | undefined
  readonly adjustment: string | undefined
}

const grammar = /^(\$[A-Z_]+)(?:\.([^()]+)|\((.*)\))?$/s

/** Reads a variable; undefined for ordinary text. An unknown word is text, whatever it starts with. */
export function readVariable(text: unknown): Variable | undefined {
  const match = typeof text === 'string' && text.startsWith('$') ? grammar.exec(text) : null
  const [, name = '', path, adjustment] = match ?? []
  return Object.hasOwn(variables, name) ? { name: name as VariableName, path, adjustment } : undefined
}

/** The mistake in a written variable, in words; undefined if there is none. */
export function variableMistake({ name, path, adjustment }: Variable): string | undefined {
  const row: VariableRow = variables[name]
  if (path !== undefined && row.adjust) return `${name} has no fields`
  if (adjustment === undefined) return undefined
  if (!row.adjust) return `${name} takes nothing in parentheses`
  const isUnderstood = row.adjust(new Date(0), adjustment) !== undefined
  return isUnderstood ? undefined : `${name}(…) takes a distance such as -1 year or +2 hours`
}

/** The value of a variable; undefined if there is none, which denies the condition. */
export function variableValue({ name, path, adjustment }: Variable, circumstances: Circumstances): unknown {
  const row: VariableRow = variables[name]
  const payload = circumstances.caller.variables ?? {}
  const whole = path === undefined ? name : `${name}.${path}`
  if (Object.hasOwn(payload, whole) && !row.adjust) return payload[whole] ?? undefined
  if (path !== undefined)
    return Object.hasOwn(payload, name) ? walk(payload[name], path.split('.')) : undefined
  const value = row.value(circumstances) ?? undefined
  return adjustment === undefined ? value : row.adjust?.(value, adjustment)
}

function walk(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = Object.entries(found).find(([key]) => key === name)?.[1]
  }
  return found ?? undefined
}

const distance = /^\s*([+-]?)\s*(\d{1,9}(?:\.\d{1,9})?)\s*([a-z]+)?\s*$/i

function shift(now: Date, adjustment: string): Date | undefined {
  const [, sign, amount, unit = 'd'] = distance.exec(adjustment) ?? []
  const move = units.find(({ names }) => names.includes(unit.toLowerCase()))
  if (amount === undefined || !move) return undefined
  const moved = move.by(now, Number(amount) * (sign === '-' ? -1 : 1))
  return Number.isNaN(moved.getTime()) ? undefined : moved
}

const milliseconds = (each: number) => (now: Date, amount: number) =>
  new Date(now.getTime() + Math.round(amount * each))

// Whole months follow the calendar; a fraction of a month counts by the average length of one.
const averageMonth = milliseconds(30.436875 * 86_400_000)
const months = (each: number) => (now: Date, amount: number) => {
  const whole = Math.trunc(amount * each)
  return averageMonth(addMonths(now, whole), amount * each - whole)
}

const units: readonly {
  readonly names: readonly string[]
  readonly by: (now: Date, amount: number) => Date
}[] = [
  { names: ['y', 'yr', 'yrs', 'year', 'years'], by: months(12) },
  { names: ['mo', 'mth', 'month', 'months'], by: months(1) },
  { names: ['w', 'week', 'weeks'], by: milliseconds(604_800_000) },
  { names: ['d', 'day', 'days'], by: milliseconds(86_400_000) },
  { names: ['h', 'hr', 'hrs', 'hour', 'hours'], by: milliseconds(3_600_000) },
  { names: ['m', 'min', 'mins', 'minute', 'minutes'], by: milliseconds(60_000) },
  { names: ['s', 'sec', 'secs', 'second', 'seconds'], by: milliseconds(1_000) },
  { names: ['ms', 'msec', 'msecs', 'millisecond', 'milliseconds'], by: milliseconds(1) },
]

/** True if a filter names a variable, such as the caller or the time. */
export function hasVariable(node: unknown): boolean {
  if (typeof node === 'string') return (readVariable(node)?.name ?? '$TEXT') !== '$TEXT'
  if (Array.isArray(node)) return node.some(hasVariable)
  return isRecord(node) && Object.values(node).some(hasVariable)
}
