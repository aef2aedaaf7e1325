import { fault, type Path } from '../../errors/errors.ts'
import type { PlainQuery } from '../../query/query.ts'
import type { Collection } from '../../schema/model.ts'
import { stepsOf } from '../field-path.ts'
import { allOf, decided, type Predicate } from '../filter/predicate.ts'
import { listOf, membersOf } from './list.ts'
import { type ReadContext, rootLevel } from './query-level.ts'
import type { ListPlan } from './read-plan.ts'
import type { RequestedFields } from './selection.ts'
import { type SelectionTree, treeMembers } from './selection-tree.ts'

interface ReadPlanInput {
  readonly query: PlainQuery
  readonly collection: Collection
  /** A condition besides the filter: the key of a single item. */
  readonly condition?: Predicate
  readonly isUnlimited?: boolean
  /** The members of its items, instead of the fields of the query. */
  readonly tree?: SelectionTree | undefined
}

/** Resolves a query: names become fields, filters predicates, levels lists. All problems are thrown together. */
export function planRead(
  { query, collection, condition, isUnlimited = false, tree }: ReadPlanInput,
  input: Omit<ReadContext, 'count' | 'conditions'>,
): ListPlan {
  const context: ReadContext = {
    ...input,
    count: counter(input.limits.expandedFields),
    conditions: new Map(),
  }
  const level = rootLevel(query, collection, context)
  const list = listOf(level, {
    members: (root) => (tree ? treeMembers(root, tree.members) : membersOf(root, requestedOf())),
    children: undefined,
    sortField: undefined,
    isUnlimited,
  })
  context.problems.throwIfAny()
  if (!condition) return list
  return { ...list, condition: decided(allOf([condition, list.condition])) }

  function requestedOf(): RequestedFields[] {
    return (query.fields ?? ['*']).map((name, index) => ({
      steps: stepsOf(name),
      path: query.fields && query.fields.length > 1 ? ['fields', index] : ['fields'],
      isWild: false,
    }))
  }
}

function counter(max: number): (path: Path) => void {
  let counted = 0
  return (path) => {
    counted++
    if (counted > max)
      throw fault(
        'INVALID_QUERY',
        `The query asks for more than ${max} fields, with those that wildcards stand for.`,
        { path },
      )
  }
}
