// Turns the selection of a field into a tree of members, and the arguments inside into levels.
import { createHash } from 'node:crypto'
import {
  type FieldNode,
  type GraphQLField,
  GraphQLObjectType,
  type GraphQLUnionType,
  getNamedType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { SelectionTree, TreeMember } from '../../plan/read/selection-tree.ts'
import { type ArmsMeaning, type FieldMeaning, type FunctionsMeaning, meaningOf } from '../schema/meaning.ts'
import { type Collecting, collectFields, type FieldNodes } from './collect-fields.ts'
import type { DocumentSelection } from './document-selection.ts'
import type { ExtraLevel } from './extra-level.ts'
import { extraLevel, levelUnder, selectExtra, withExtras } from './extra-selection.ts'
import { argumentsOf, levelOf } from './level-arguments.ts'
import { type InnerLevel, levelsOf } from './selection-levels.ts'
import { hasVariables, type Variables } from './variables.ts'

type AnyField = GraphQLField<unknown, unknown>

/** Returns what is selected of items of a type, which is read once for equal requests. */
export function selectionOf(
  type: GraphQLObjectType,
  nodes: FieldNodes,
  collecting: Collecting,
): DocumentSelection {
  const known = collecting.kept?.selections.get(nodes)
  if (known) return known
  const { selection, isSteady } = readSelection(type, nodes, collecting)
  if (isSteady) collecting.kept?.selections.set(nodes, selection)
  return selection
}

function readSelection(
  type: GraphQLObjectType,
  nodes: readonly FieldNode[],
  collecting: Collecting,
): { readonly selection: DocumentSelection; readonly isSteady: boolean } {
  const reader = new SelectionReader(collecting)
  const levels: InnerLevel[] = []
  const extras = extraLevel()
  const members = reader.members(type, nodes, { levels, extras, depth: 0 })
  const tree: SelectionTree = { id: idOf(members), members, isExact: reader.isExact }
  const { nodes: fields, size, isSteady } = reader
  return {
    selection: { tree, size, deepOf: levelsOf(levels), nodes: fields, extras: withExtras(extras) },
    isSteady,
  }
}

/** A short text, because it is read with each request. */
const idOf = (members: readonly TreeMember[]): string =>
  createHash('sha256').update(JSON.stringify(members)).digest('base64url')

/** Findings beside the members of a level. */
interface Inside {
  readonly levels: InnerLevel[]
  readonly extras: ExtraLevel
  readonly depth: number
}

/** A field of a type, and the nodes that select it under one response key. */
interface SelectedField {
  readonly field: AnyField
  readonly name: string
  readonly nodes: FieldNodes
}

class SelectionReader {
  readonly nodes = new Map<string, FieldNode>()
  isExact = false
  /** False if a variable is part of a member. */
  isSteady = true
  readonly #collecting: Collecting
  #extras = 0
  #members = 0

  constructor(collecting: Collecting) {
    this.#collecting = collecting
  }

  get size(): number {
    return this.#members
  }

  /** Returns the members of a type, and adds the levels below. */
  members(
    type: GraphQLObjectType,
    nodes: readonly FieldNode[],
    inside: Inside,
    union?: GraphQLUnionType,
  ): readonly TreeMember[] {
    if (this.#isBelow(inside.depth)) return []
    const fields = collectFields(type, nodes, this.#collecting, union)
    return [...fields].flatMap(([name, [node, ...others]]) =>
      node ? this.#member(type, name, [node, ...others], inside) : [],
    )
  }

  #member(type: GraphQLObjectType, name: string, nodes: FieldNodes, inside: Inside): readonly TreeMember[] {
    if (this.#isBeyond()) return []
    const [node] = nodes
    if (node.name.value === '__typename') return [{ kind: 'constant', name, text: type.name }]
    const field = type.getFields()[node.name.value]
    const meaning = field && meaningOf(field)
    if (!field || !meaning) return []
    if ('isKey' in meaning) return [{ kind: 'key', name }]
    if ('isCursor' in meaning) return [{ kind: 'cursor', name }]
    if ('functionsOf' in meaning) return [this.#functions(field, name, nodes, meaning)]
    if ('extra' in meaning)
      return [selectExtra(inside.extras, { name, node, definition: field }, meaning, this.#extras++)]
    return 'field' in meaning ? [this.#field({ field, name, nodes }, meaning, inside)] : []
  }

  #field({ field, name, nodes }: SelectedField, meaning: FieldMeaning, inside: Inside): TreeMember {
    const type = getNamedType(field.type)
    if (isUnionType(type))
      return { kind: 'any', name, field: meaning.field, arms: this.#arms(name, type, nodes, inside) }
    if (!isObjectType(type)) {
      const as = shownAs[type.name]
      this.isExact ||= as === 'number'
      return { kind: 'value', name, field: meaning.field, as }
    }
    const [node] = nodes
    const level = this.#nextLevel(node)
    const below: InnerLevel[] = []
    const own = (variables: Variables) => levelOf(field, argumentsOf(field, node, variables), '_')
    inside.levels.push({
      name: level,
      own: hasVariables(node) ? own : own(this.#collecting.variables),
      below,
    })
    const extras = levelUnder(inside.extras, name)
    const members = this.members(type, nodes, { levels: below, extras, depth: inside.depth + 1 })
    return { kind: 'items', name, field: meaning.field, level, members }
  }

  #arms(name: string, union: GraphQLUnionType, nodes: FieldNodes, inside: Inside) {
    const { arms } = meaningOf(union) as ArmsMeaning // each union of ours has them
    const types = new Map(union.getTypes().map((type) => [type.name, type]))
    return Object.entries(arms).map(([typeName, collection]) => {
      const level = this.#nextLevel(nodes[0])
      const below: InnerLevel[] = []
      inside.levels.push({ name: level, own: {}, below })
      const type = types.get(typeName) ?? unnamed(typeName)
      const extras = levelUnder(inside.extras, name)
      const members = this.members(type, nodes, { levels: below, extras, depth: inside.depth + 1 }, union)
      if (!this.#collecting.namesTypes) return { collection, level, members }
      const named: TreeMember = { kind: 'constant', name: typeNameKey, text: typeName }
      return { collection, level, members: [...members, named] }
    })
  }

  /** True after one member too many, for which the plan refuses what was read so far. Engines with other limits must not get that. */
  #isBeyond(): boolean {
    this.#members++
    const isBeyond = this.#members > this.#collecting.maxMembers + 1
    if (isBeyond) this.isSteady = false
    return isBeyond
  }

  /** True below one level too many, likewise: what nests without end would end the stack. */
  #isBelow(depth: number): boolean {
    const isBelow = depth > this.#collecting.maxLevels + 1
    if (isBelow) this.isSteady = false
    return isBelow
  }

  #nextLevel(node: FieldNode): string {
    const level = `level${this.nodes.size}`
    this.nodes.set(level, node)
    return level
  }

  #functions(
    field: AnyField,
    name: string,
    nodes: readonly FieldNode[],
    { functionsOf }: FunctionsMeaning,
  ): TreeMember {
    const type = getNamedType(field.type)
    if (!isObjectType(type)) return { kind: 'group', name, members: [] }
    const fields = collectFields(type, nodes, this.#collecting)
    const members = [...fields].flatMap(([key, [node]]): TreeMember[] => {
      if (node?.name.value === '__typename') return [{ kind: 'constant', name: key, text: type.name }]
      const called = node && type.getFields()[node.name.value]
      const meaning = called && meaningOf(called)
      if (!node || !called || !meaning || !('function' in meaning)) return []
      if (hasVariables(node)) this.isSteady = false
      const { path, field: of } = argumentsOf(called, node, this.#collecting.variables)
      const rest = typeof path === 'string' ? `, ${path}` : typeof of === 'string' ? `.${of}` : ''
      const as = typeof of === 'string' ? 'number' : undefined
      this.isExact ||= as !== undefined
      return [{ kind: 'value', name: key, field: `${meaning.function}(${functionsOf}${rest})`, as }]
    })
    return { kind: 'group', name, members }
  }
}

/** The member that says the type of an item of a union. No response key has a blank. */
export const typeNameKey = 'type name'

/** A type of a union that a document does not name, so that nothing but its name can be asked of it. */
const unnamed = (name: string) => new GraphQLObjectType({ name, fields: {} })

/** Types that are shown in another form than their fields. */
const shownAs: Readonly<Record<string, 'key' | 'number' | undefined>> = { ID: 'key', Float: 'number' }
