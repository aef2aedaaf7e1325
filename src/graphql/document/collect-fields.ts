// Merges the fields of a selection by their response keys, with fragments resolved and `@skip` and `@include` decided.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  type GraphQLUnionType,
  getDirectiveValues,
  isAbstractType,
  type SelectionNode,
  type SelectionSetNode,
  typeFromAST,
} from 'graphql'
import { fault } from '../../errors/errors.ts'
import type { DocumentSelection, RootArguments } from './document-selection.ts'
import type { Variables } from './variables.ts'

export interface Collecting {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Variables
  /** Members that one field may select. One more is enough to refuse it: fragments can double them without end. */
  readonly maxMembers: number
  /** Relations that a selection may follow. */
  readonly maxLevels: number
  /** Fields under other names that one selection may have, whichever fragments they come from. Absent = any number. */
  readonly maxAliases?: number | undefined
  /** True if the items of a union have to say their type, whatever is selected of them. */
  readonly namesTypes?: true
  readonly kept?: KeptParts | undefined
}

/** Parts of an operation that are the same for all requests that leave out the same of it, by the nodes of a field. */
export interface KeptParts {
  readonly selections: WeakMap<FieldNodes, DocumentSelection>
  readonly arguments: WeakMap<FieldNodes, RootArguments>
}

/** Nodes by response key. Those of one key are the same field with the same arguments, which validation has checked. */
export type Fields = ReadonlyMap<string, FieldNodes>

export type FieldNodes = readonly [FieldNode, ...FieldNode[]]

/** Returns the fields of a type that some nodes select, in the order of their first mention. `union`: one that the type belongs to, where the
 *  schema does not say so. */
export function collectFields(
  type: GraphQLObjectType,
  nodes: readonly { readonly selectionSet?: SelectionSetNode | undefined }[],
  collecting: Collecting,
  union?: GraphQLUnionType,
): Fields {
  const found = new Map<string, [FieldNode, ...FieldNode[]]>()
  const visited = new Set<string>()
  for (const { selectionSet } of nodes) if (selectionSet) take(selectionSet)
  refuseCrowded(found, collecting)
  return found

  function take({ selections }: SelectionSetNode): void {
    for (const node of selections) if (isIncluded(node, collecting)) takeNode(node)
  }

  function applies(condition: Condition): boolean {
    return (
      (union !== undefined && condition?.name.value === union.name) || appliesTo(type, condition, collecting)
    )
  }

  function takeNode(node: SelectionNode): void {
    if (node.kind === 'Field') {
      const key = (node.alias ?? node.name).value
      const known = found.get(key)
      if (known) known.push(node)
      else found.set(key, [node])
      return
    }
    if (node.kind === 'InlineFragment') {
      if (applies(node.typeCondition)) take(node.selectionSet)
      return
    }
    const { value: name } = node.name
    const fragment = collecting.fragments.get(name)
    if (!fragment || visited.has(name)) return
    visited.add(name)
    if (applies(fragment.typeCondition)) take(fragment.selectionSet)
  }
}

/** Refuses too many fields under other names: each is computed on its own. */
function refuseCrowded(found: Fields, { maxAliases: max = Number.POSITIVE_INFINITY }: Collecting): void {
  if (found.size <= max) return
  const aliased = [...found].filter(([name, [node]]) => node.name.value !== name)
  if (aliased.length > max) throw fault('INVALID_QUERY', crowdedSelection(max))
}

export const crowdedSelection = (max: number): string =>
  `A selection has more than ${max} fields under other names.`

/** True unless a request leaves a node out. */
export function isIncluded(node: SelectionNode, { variables }: Collecting): boolean {
  if ((node.directives?.length ?? 0) === 0) return true
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false
}

type Condition = FragmentDefinitionNode['typeCondition'] | undefined

function appliesTo(type: GraphQLObjectType, condition: Condition, { schema }: Collecting): boolean {
  if (!condition || condition.name.value === type.name) return true
  const other = typeFromAST(schema, condition)
  return isAbstractType(other) && schema.isSubType(other satisfies GraphQLAbstractType, type)
}
