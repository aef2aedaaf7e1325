// The operands of a filter: others in their place, and variables of a caller that stand for them.
import type { Random } from '../property/seeded-random.ts'
import type { World } from './dataset.ts'
import type { Filter } from './filter.ts'
import { flagNames, operatorNames } from './operators.ts'

type Tree = Readonly<Record<string, unknown>>

/** An operand, and where it stands. */
interface Place {
  /** The name of the field, or the function of it. */
  readonly name: string
  readonly operator: string
  readonly value: unknown
}

/** The filter with other operands. */
function replaced(filter: unknown, make: (place: Place) => unknown, name = ''): unknown {
  if (Array.isArray(filter)) return filter.map((part) => replaced(part, make, name))
  if (!isTree(filter)) return filter
  return Object.fromEntries(
    Object.entries(filter).map(([word, value]) => {
      const isOperand = operatorNames.includes(word) && !flagNames.includes(word) && !isTree(value)
      if (isOperand) return [word, make({ name, operator: word, value })]
      return [word, replaced(value, make, word.startsWith('_') ? name : word)]
    }),
  )
}

/** The filter with operands of other rows, which may have them. */
export const withOthers = (random: Random, world: World, filter: Filter): Filter =>
  replaced(filter, ({ name, operator, value }) => {
    if (random.chance(0.25)) return value
    const one = (each: unknown) => other(random, world, { name, operator, value: each })
    if (!Array.isArray(value)) return one(value)
    const list = value.map(one)
    return operator === '_in' || operator === '_nin' ? list.slice(random.below(2)) : list
  }) as Filter // only operands differ

function other(random: Random, { rows }: World, { name, operator, value }: Place): unknown {
  if (name.includes('(') || Array.isArray(value))
    return typeof value === 'number' ? value + random.below(5) - 2 : value
  const all = Object.values(rows).flatMap((some) => some.map((row) => row[name]))
  const alike = all.filter((one) => one !== null && typeof one === typeof value)
  const found = alike.length > 0 ? random.one(alike) : value
  if (typeof found !== 'string' || !/contains$|with$/.test(operator)) return found
  const letters = [...found]
  const from = operator.includes('start') ? 0 : random.below(letters.length + 1)
  return letters.slice(from, operator.includes('end') ? undefined : from + 1 + random.below(3)).join('')
}

/** A filter whose operands are variables of the caller, and their values. */
export interface Parametrized {
  readonly filter: object
  readonly variables: Readonly<Record<string, unknown>>
}

/** The filter with variables in the place of its operands. Two filters with the same words get the same variables. */
export function parametrized(filter: Filter, prefix: string): Parametrized {
  const variables: Record<string, unknown> = {}
  const variableFor = (value: unknown) => {
    const name = `$CURRENT_USER.${prefix}${Object.keys(variables).length}`
    variables[name] = value
    return name
  }
  const made = replaced(filter, ({ operator, value }) =>
    operator.endsWith('between') && Array.isArray(value) ? value.map(variableFor) : variableFor(value),
  )
  return { filter: made as object, variables } // a filter is an object
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
