// A variable in the place of a value of a filter: of who asks, whose value is what stood there, or nothing.
import { type Draw, note } from '../oracle/draw.ts'
import type { Filter } from '../oracle/filter.ts'
import { isOperator } from '../oracle/operators.ts'

/** What a filter comes to in which a variable has no value, and nothing could be met instead. */
const denied = Symbol('denied')
type Meant = Filter | typeof denied

export const isDenied = (meant: Meant): meant is typeof denied => meant === denied

interface Asker extends Draw {
  readonly person: Person
}

/** Members of an access that variables stand for, as they come up: undefined where one has no value. */
export type Person = Map<string, unknown>

/** The filter with the variable, and what it means for that person; undefined when no value can be a person's. */
export function randomVariable(
  asker: Asker,
  filter: Filter,
): { readonly given: Filter; readonly meant: Meant } | undefined {
  const places = [...leaves(filter, [])]
  if (places.length === 0) return undefined
  const { path, value } = asker.random.one(places)
  const [name, word] = variableFor(asker, value)
  const isKnown = asker.person.has(name) ? asker.person.get(name) !== undefined : asker.random.chance(0.65)
  if (!asker.person.has(name)) asker.person.set(name, isKnown ? value : undefined)
  // One person has one value of each kind.
  if (isKnown && !isEqual(asker.person.get(name), value)) return undefined
  note(asker, isKnown ? 'variable known' : 'variable unknown')
  const given = replaced(filter, path, Array.isArray(value) ? [word] : word)
  return { given, meant: isKnown ? filter : without(filter, path) }
}

const isEqual = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)

const variableFor = ({ random }: Asker, value: unknown) =>
  Array.isArray(value)
    ? random.one([
        ['roles', '$CURRENT_ROLES'],
        ['policies', '$CURRENT_POLICIES'],
      ] as const)
    : random.one([
        ['user', '$CURRENT_USER'],
        ['role', '$CURRENT_ROLE'],
      ] as const)

interface Place {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

const isPersons = (value: unknown) => typeof value === 'string' || typeof value === 'number'
const lists: readonly string[] = ['_in', '_nin']

/** Values that could as well be those of a person. */
function* leaves(part: unknown, path: readonly (string | number)[]): Generator<Place> {
  if (Array.isArray(part)) {
    for (const [index, member] of part.entries()) yield* leaves(member, [...path, index])
    return
  }
  if (typeof part !== 'object' || part === null) return
  for (const [word, value] of Object.entries(part)) {
    const here = [...path, word]
    if (isOperator(word)) {
      const isList = lists.includes(word) && Array.isArray(value) && value.every(isPersons)
      if (isList || isPersons(value)) yield { path: here, value }
    } else if (isPersons(value)) yield { path: here, value }
    else yield* leaves(value, here)
  }
}

function replaced(part: Filter, path: readonly (string | number)[], value: unknown): Filter {
  const copy: Filter = structuredClone(part)
  // A path leads through objects and lists, as it was found.
  const holder = path.slice(0, -1).reduce<unknown>((at, step) => Reflect.get(Object(at), step), copy)
  Reflect.set(Object(holder), path.at(-1) ?? '', value)
  return copy
}

/** The nearest branch of an `_or` that holds it is false; an `_or` of which nothing is left is like the branch that it held. */
function without(filter: Filter, path: readonly (string | number)[]): Meant {
  const at = path.lastIndexOf('_or')
  if (at < 0) return denied
  const branchesPath = path.slice(0, at + 1)
  const branches: unknown = branchesPath.reduce<unknown>(
    (one, step) => Reflect.get(Object(one), step),
    filter,
  )
  const others = Array.isArray(branches) ? branches.filter((_, index) => index !== path[at + 1]) : []
  return others.length === 0 ? without(filter, path.slice(0, at)) : replaced(filter, branchesPath, others)
}
