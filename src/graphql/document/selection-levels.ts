// Parameters of the levels inside of a selection. Those without variables are the same for all requests.
import type { Variables } from './variables.ts'

/** Parameters by the names of levels, and of parameters. */
export type Levels = Readonly<Record<string, unknown>>

export interface InnerLevel {
  readonly name: string
  /** Parameters of its own, or how variables make them. */
  readonly own: Levels | ((variables: Variables) => Levels)
  readonly below: readonly InnerLevel[]
}

export function levelsOf(levels: readonly InnerLevel[]): (variables: Variables) => Levels {
  const made = levels.map((level) => ({ name: level.name, parametersOf: parametersOf(level) }))
  if (levels.some(isVarying)) return (variables) => all(made, variables)
  const same = all(made, noVariables)
  return () => same
}

// No level without variables reads one; versions of GraphQL.js differ in what holds none.
const noVariables = {} as Variables

interface MadeLevel {
  readonly name: string
  readonly parametersOf: (variables: Variables) => Levels
}

const all = (made: readonly MadeLevel[], variables: Variables): Levels => {
  const levels: Record<string, unknown> = {}
  for (const { name, parametersOf } of made) levels[name] = parametersOf(variables)
  return levels
}

function parametersOf({ own, below }: InnerLevel): (variables: Variables) => Levels {
  const belowOf = levelsOf(below)
  if (typeof own === 'function') return (variables) => ({ ...own(variables), ...belowOf(variables) })
  if (below.some(isVarying)) return (variables) => ({ ...own, ...belowOf(variables) })
  return () => ({ ...own, ...belowOf(noVariables) })
}

const isVarying = ({ own, below }: InnerLevel): boolean => typeof own === 'function' || below.some(isVarying)
