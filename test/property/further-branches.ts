// Filters with an `_and` somewhere inside, and the same with one branch more: over every operator, relation and depth.
import type { Field } from '../../src/index.ts'
import { isToMany } from '../../src/schema/model.ts'
import type { OperandKind } from '../../src/vocabulary/operator.ts'
import { operators, operatorsOf } from '../../src/vocabulary/operators.ts'
import { rows } from '../conformance/rows.ts'
import { schema } from '../conformance/schema.ts'

export type Filter = Readonly<Record<string, unknown>>

export interface Pair {
  readonly base: Filter
  readonly further: Filter
  /** An odd number of `_none` stands around the `_and`. */
  readonly isOdd: boolean
  /** Undeclared relations are not followed in memory. */
  readonly needsSql: boolean
}

/** A branch to add, and what of the language it shows. */
interface Branch {
  readonly filter: Filter
  readonly shows: string
  readonly needsSql?: boolean
}

/** A place in a filter of articles where a filter of a collection stands. */
interface Place {
  readonly of: string
  readonly depth: number
  readonly isOdd: boolean
  readonly needsSql: boolean
  readonly fill: (filter: Filter) => Filter
}

interface Step {
  readonly key: string
  readonly to: string
  readonly isMany: boolean
  readonly needsSql: boolean
}

/** Takes of each list one after the other, so that each has its turn. */
class Turns {
  readonly #turns = new Map<string, number>()

  next<Thing>(name: string, things: readonly Thing[]): Thing {
    const turn = this.#turns.get(name) ?? 0
    this.#turns.set(name, turn + 1)
    const thing = things[turn % things.length]
    if (thing === undefined) throw new Error(`nothing to choose from for ${name}`)
    return thing
  }
}

/** Pairs for each place, and what of the language they show. */
export function pairsOfFilters(): { readonly pairs: readonly Pair[]; readonly shown: ReadonlySet<string> } {
  const turns = new Turns()
  const pairs: Pair[] = []
  const shown = new Set<string>()
  for (const place of places()) {
    const { of } = place
    add(place, of, nextOf(`item ${of}`, itemBranches(of)), (branches) => ({ _and: branches }))
    for (const step of stepsOf(of).filter(({ isMany }) => isMany)) {
      const at = { ...place, needsSql: place.needsSql || step.needsSql }
      const way = turns.next('way', ways)
      const own = turns.next(`own ${step.to}`, conditionsOf(step.to)).filter
      const other = turns.next(`other ${step.to}`, listBranches(step.to)).filter
      const more = nextOf(`list ${step.to}`, listBranches(step.to))
      add(at, step.to, more, (branches) => ({ [step.key]: way(branches, own, other) }))
      shown.add(`${step.key} below ${place.depth}`)
    }
  }
  return { pairs, shown }

  /** What was not shown yet comes first. */
  function nextOf(name: string, branches: readonly Branch[]): Branch {
    return branches.find(({ shows }) => !shown.has(shows)) ?? turns.next(name, branches)
  }

  function add(place: Place, of: string, more: Branch, holding: (branches: readonly Filter[]) => Filter) {
    const { isOdd, fill } = place
    // Two that differ: another child may meet each of them.
    const one = turns.next(`one ${of}`, conditionsOf(of)).filter
    const other = turns.next(`other one ${of}`, conditionsOf(of).toReversed()).filter
    const branches = [one, other]
    pairs.push({
      base: fill(holding(branches)),
      further: fill(holding([...branches, more.filter])),
      isOdd,
      needsSql: place.needsSql || more.needsSql === true,
    })
    shown.add(more.shows)
  }
}

/** How an `_and` stands under a to-many relation: alone, in a branch beside others, in one of two alternatives. */
const ways: readonly ((branches: readonly Filter[], own: Filter, other: Filter) => Filter)[] = [
  (branches) => ({ _and: branches }),
  (branches, own, other) => ({ ...own, _or: [{ _and: branches }, other] }),
  (branches, own, other) => ({
    _and: [{ _or: [{ _and: branches }, { _none: {} }] }, { _or: [other, { _some: own }] }],
  }),
]

/** All places down to two relations, and some of those below a third. */
function places(): readonly Place[] {
  const root: Place = {
    of: 'articles',
    depth: 0,
    isOdd: false,
    needsSql: false,
    fill: (filter) => filter,
  }
  const first = below(root)
  const second = first.flatMap(below)
  // Texts are reached seldom, and have a type of their own.
  const third = second.flatMap(below).filter(({ of }, index) => index % 8 === 0 || of === 'texts')
  return [root, ...first, ...second, ...third]
}

function below(place: Place): readonly Place[] {
  return stepsOf(place.of).flatMap((step) => {
    const to = {
      of: step.to,
      depth: place.depth + 1,
      isOdd: place.isOdd,
      needsSql: place.needsSql || step.needsSql,
    }
    const filled = (inside: (filter: Filter) => Filter) => (filter: Filter) =>
      place.fill({ [step.key]: inside(filter) })
    const plain: Place = { ...to, fill: filled((filter) => filter) }
    if (!step.isMany) return [plain]
    return [
      plain,
      { ...to, fill: filled((filter) => ({ _some: filter })) },
      { ...to, isOdd: !place.isOdd, fill: filled((filter) => ({ _none: filter })) },
      { ...to, fill: filled((filter) => ({ _or: [{ _none: {} }, filter] })) },
    ]
  })
}

const follows: Readonly<Record<string, Step>> = {
  authors: { key: '$FOLLOW(heroes, owner)', to: 'heroes', isMany: true, needsSql: true },
  articles: { key: '$FOLLOW(comments, article)', to: 'comments', isMany: true, needsSql: true },
  heroes: {
    key: '$FOLLOW(articles_blocks, item, collection)',
    to: 'articles_blocks',
    isMany: true,
    needsSql: true,
  },
}

export function stepsOf(collection: string): readonly Step[] {
  const follow = follows[collection]
  return [...fieldsOf(collection).flatMap(stepsInto), ...(follow ? [follow] : [])]
}

function stepsInto(field: Field): readonly Step[] {
  if (field.kind === 'scalar') return []
  if (field.kind === 'any')
    return [...field.targets.keys()].map((to) => ({
      key: `${field.name}:${to}`,
      to,
      isMany: false,
      needsSql: false,
    }))
  return [{ key: field.name, to: field.target.name, isMany: isToMany(field), needsSql: false }]
}

const fieldsOf = (collection: string): readonly Field[] => [
  ...(schema.collections.get(collection as 'articles')?.fields.values() ?? []),
]

/** What an `_and` of an item takes. */
function itemBranches(collection: string): readonly Branch[] {
  const related = stepsOf(collection).flatMap((step): Branch[] => {
    const [first, second] = conditionsOf(step.to)
    if (!first || !second) return []
    const conditions = step.isMany
      ? [first.filter, { _none: second.filter }, { _and: [first.filter, { _nnull: true }] }]
      : [first.filter]
    const { needsSql } = step
    return conditions.map((filter) => ({ filter: { [step.key]: filter }, shows: 'a relation', needsSql }))
  })
  return [...conditionsOf(collection), ...related]
}

/** What an `_and` under a to-many relation takes besides: words about the list. */
function listBranches(to: string): readonly Branch[] {
  const [first, second] = conditionsOf(to)
  const inner = [first?.filter ?? {}, second?.filter ?? {}]
  const words: readonly Filter[] = [
    { _null: true },
    { _nnull: true },
    { _null: false },
    { _empty: true },
    { _nempty: true },
    { _some: inner[0] },
    { _none: inner[1] },
    { _none: {} },
    { _or: [inner[0], { _none: inner[1] }] },
    { _and: [{ _nnull: true }, inner[1]] },
    { _or: [{ _and: [inner[0], { _some: inner[1] }] }, { _null: true }] },
  ]
  const ofList = words.map((filter) => ({ filter, shows: `${Object.keys(filter).join()} of a list` }))
  // In turns, so that words about the list come often.
  return itemBranches(to).flatMap((branch, index) => [branch, ofList[index % ofList.length] ?? branch])
}

const known = new Map<string, readonly Branch[]>()

/** Every operator on every field of a collection, with operands that its rows have. */
function conditionsOf(collection: string): readonly Branch[] {
  const made = known.get(collection) ?? conditionsIn(collection)
  known.set(collection, made)
  return made
}

function conditionsIn(collection: string): readonly Branch[] {
  return fieldsOf(collection).flatMap((field): Branch[] => {
    if (field.kind !== 'scalar') return []
    const samples = (rows[collection] ?? []).map((row) => row[field.name]).filter((value) => value !== null)
    return operatorsOf(field.value.family)
      .filter((word) => !('memoryOnly' in operators[word]))
      .flatMap((word) => {
        const operand = operandOf[operators[word].operand](samples)
        return operand === undefined
          ? []
          : [{ filter: { [field.name]: { [word]: operand } }, shows: `${word} of ${field.value.family}` }]
      })
  })
}

/** Each operator on each family of values that it works on here, and each list below each number of relations. */
export function toBeShown(): ReadonlySet<string> {
  const collections = [...schema.collections.keys()]
  const depths = (name: string) => places().flatMap(({ of, depth }) => (of === name ? [depth] : []))
  return new Set([
    ...collections.flatMap((name) => conditionsOf(name).map(({ shows }) => shows)),
    ...collections.flatMap((name) =>
      stepsOf(name).flatMap(({ key, isMany }) =>
        isMany ? depths(name).map((depth) => `${key} below ${depth}`) : [],
      ),
    ),
  ])
}

const operandOf: Readonly<Record<OperandKind, (samples: readonly unknown[]) => unknown>> = {
  value: (samples) => samples[1] ?? samples[0],
  values: (samples) => samples.slice(0, 2),
  pair: ([one, other = one]) => [one, other],
  text: ([one]) => (typeof one === 'string' ? one.slice(0, 1) : undefined),
  geometry: () => undefined,
  flag: () => true,
  pattern: () => undefined,
}
