// Which fields an answer shows: names with dots and wildcards, made into one tree.

import { fieldNames, keyParts, type Relation, readScope, relationOf, type World } from './dataset.ts'
import { type Aliases, answerKey, readName, unaliased } from './expression.ts'

/** What an item shows, by key and in the order of first mention. */
export type Selection = Map<string, Shown>
export type Shown = Value | Nested | Arms

/** A value of the item itself: a field, a function, a bare key, or the bare keys of children. */
export interface Value {
  readonly kind: 'value'
  readonly name: string
}
export interface Nested {
  readonly kind: 'nested'
  readonly field: string
  readonly selection: Selection
}
/** What is shown of each collection that an `any` field points to. */
export interface Arms {
  readonly kind: 'arms'
  readonly field: string
  readonly selections: Map<string, Selection>
}

/** The parameters of a level and of those below, as `deep` has them. */
export type Deep = Readonly<Record<string, unknown>>

// A query of the tests is well formed; these say what a member of `deep` then is.
export const below = (deep: Deep, name: string): Deep => (deep[name] ?? {}) as Deep
export const aliasesOf = (deep: Deep): Aliases => (deep._alias ?? {}) as Aliases

interface Level {
  readonly world: World
  readonly collection: string
  readonly selection: Selection
  readonly deep: Deep
  /** Whether wildcards expand the relation by which they came. */
  readonly backlink: boolean
  /** As the field that holds its foreign key: `comments.article`, from whichever side. */
  readonly cameBy?: string
}

/** `deep` of the root holds the root's aliases too. */
export function select(
  world: World,
  collection: string,
  fields: readonly string[],
  deep: Deep,
  backlink = true,
): Selection {
  const selection: Selection = new Map()
  const level = { world, collection, selection, deep, backlink }
  for (const field of fields) add(level, stepsOf(field))
  return selection
}

/** The last step may be a function: `year(author.born)` → author, year(born). */
function stepsOf(field: string): readonly string[] {
  if (!field.includes('(')) return field.split('.')
  const { path, ...name } = readName(field)
  const argument = name.argument === undefined ? '' : `, ${name.argument}`
  const of = name.of === undefined ? '' : `.${name.of}`
  return [...path, `${name.function}(${name.field}${of}${argument})`]
}

function add(level: Level, [step = '', ...rest]: readonly string[]): void {
  if (step === '*') addAll(level, rest)
  else if (rest.length === 0) addValue(level, step)
  else addNested(level, step, rest)
}

function addAll(level: Level, rest: readonly string[]): void {
  const aliases = Object.keys(aliasesOf(level.deep))
  // A field that gives way to an alias comes where the alias does.
  const fields = fieldNames(level.world, level.collection).filter((name) => !aliases.includes(name))
  for (const name of [...fields, ...aliases]) {
    const target = targetOf(level, name)
    const relation = target.includes('(') ? undefined : relationOf(level.world, level.collection, target)
    const reference = relation && referenceOf(level.collection, target, relation)
    const isBack = !level.backlink && reference !== undefined && reference === level.cameBy
    if (relation && rest.length > 0 && !isBack) addNested(level, name, rest)
    else if (!isWithoutKeys(level, name, relation)) addValue(level, name)
  }
}

/** Nothing can stand for items without a key, unless they make groups. */
function isWithoutKeys({ world, deep }: Level, name: string, relation: Relation | undefined): boolean {
  if (relation?.kind !== 'many' || keyParts(world, relation.to).length > 0) return false
  const { _aggregate, _groupBy } = below(deep, name)
  return _aggregate === undefined && _groupBy === undefined
}

const targetOf = ({ deep }: Level, name: string): string => unaliased(name, aliasesOf(deep))

/** Where relations lead to is shown in full when anything of it was asked for, bare or not. */
function addValue(level: Level, step: string): void {
  const target = targetOf(level, step)
  const key = target === step ? answerKey(readName(step)) : step
  if (!level.selection.has(key)) level.selection.set(key, { kind: 'value', name: target })
}

function addNested(level: Level, step: string, rest: readonly string[]): void {
  const { world, collection, selection } = level
  const scope = readScope(step)
  const name = scope?.field ?? step
  const target = targetOf(level, name)
  const relation = relationOf(world, collection, target)
  if (!relation) throw new Error(`${target} is no relation`)
  const shown = selection.get(name)
  if (relation.kind === 'any') {
    const selections = shown?.kind === 'arms' ? shown.selections : new Map<string, Selection>()
    selection.set(name, { kind: 'arms', field: target, selections })
    for (const arm of scope ? [scope.arm] : relation.to) {
      const inside = selections.get(arm) ?? new Map()
      selections.set(arm, inside)
      const deep = below(level.deep, `${name}:${arm}`)
      add({ world, collection: arm, selection: inside, deep, backlink: level.backlink }, rest)
    }
    return
  }
  const inside = shown?.kind === 'nested' ? shown.selection : new Map()
  selection.set(name, { kind: 'nested', field: target, selection: inside })
  const reference = referenceOf(collection, target, relation)
  const deep = below(level.deep, name)
  add(
    {
      world,
      collection: relation.to,
      selection: inside,
      deep,
      backlink: level.backlink,
      ...(reference !== undefined && { cameBy: reference }),
    },
    rest,
  )
}

function referenceOf(collection: string, field: string, relation: Relation): string | undefined {
  if (relation.kind === 'one') return `${collection}.${field}`
  return relation.kind === 'many' ? `${relation.to}.${relation.from}` : undefined
}
