// Plans a request: reads its query and resolves it.

import { fault, isEngineError } from '../errors/errors.ts'
import { Problems } from '../errors/problems.ts'
import type { Predicate } from '../plan/filter/predicate.ts'
import { keyMember } from '../plan/read/by-key.ts'
import { cursorMember } from '../plan/read/cursor.ts'
import { planRead } from '../plan/read/read.ts'
import type { CursorMember, ListPlan, Page } from '../plan/read/read-plan.ts'
import type { SelectionTree } from '../plan/read/selection-tree.ts'
import type { Limits } from '../query/limits.ts'
import { parseTyped } from '../query/parse.ts'
import type { PlainQuery } from '../query/query.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { refuseUnsupported } from './limits/unsupported-parameters.ts'
import type { ReadRequestValues } from './templates/bind.ts'

/** Inputs of a plan. */
export interface PlanInput {
  readonly schema: Schema
  readonly limits: Limits
}

/** The kind of a request: `watched` is a list with the key of each item, and `members` all items of which it shows a page. */
export type Verb = 'list' | 'text' | 'stream' | 'one' | 'singleton' | 'watched' | 'members'

export interface ReadRequest extends ReadRequestValues {
  readonly verb: Verb
  readonly collection: Collection
  /** Members of the items, instead of the fields of the query. */
  readonly tree?: SelectionTree | undefined
  /** Condition on the rows besides the query's filter. */
  readonly condition?: () => Predicate
}

interface PlannedRequest {
  readonly list: ListPlan
  readonly query: PlainQuery
  /** The cursor of each item, if the metadata show those of the first and the last. */
  readonly cursor: CursorMember | undefined
}

export function planRequest(
  { verb, collection, query: payload, tree, condition, circumstances }: ReadRequest,
  { schema, limits }: PlanInput,
): PlannedRequest {
  // The brand is for the compiler only; the value is plain.
  const query = parseTyped(payload, limits) as unknown as PlainQuery
  refuseUnsupported(query, isSingle(verb) ? 'single' : verb === 'stream' ? 'stream' : 'list')
  const list = planRead(
    { query, collection, tree, isUnlimited: verb === 'stream', ...(condition && { condition: condition() }) },
    { schema, limits, circumstances, problems: new Problems('INVALID_QUERY') },
  )
  if (isSingle(verb)) refuseCursors(list, query)
  const cursor = query.meta?.includes('cursors') ? cursorMember(list, query, ['meta']) : undefined
  if (isEngineError(cursor)) throw cursor
  return { list: formOf(list, verb), query, cursor }
}

/** Refuses cursors of a single item. */
function refuseCursors({ rows }: ListPlan, { meta }: PlainQuery): void {
  const members = rows.kind === 'items' ? rows.members : []
  const [path] = members.flatMap((member) => (member.kind === 'cursor' ? [member.path] : []))
  const at = path ?? (meta?.includes('cursors') ? ['meta'] : undefined)
  if (at) throw fault('INVALID_QUERY', 'A cursor is of a list, and there is one item here.', { path: at })
}

function formOf(list: ListPlan, verb: Verb): ListPlan {
  if (isSingle(verb)) return single(list, verb)
  if (verb === 'watched') return withKeys(list)
  return verb === 'members' ? { ...withKeys(list), page: everything } : list
}

/** Returns the plan with the key beside the members of each item. Groups have none. */
const withKeys = (list: ListPlan): ListPlan =>
  list.rows.kind === 'items'
    ? { ...list, rows: { ...list.rows, members: [...list.rows.members, keyMember(list.collection)] } }
    : list

const everything: Page = { limit: undefined, offset: 0, isCut: false, isFixed: true, path: [] }

export const isSingle = (verb: Verb): verb is 'one' | 'singleton' => verb === 'one' || verb === 'singleton'

/** Returns the plan of a single row. One item needs no order and no page. */
function single(list: ListPlan, verb: 'one' | 'singleton'): ListPlan {
  const page: Page = { limit: 1, offset: 0, isCut: false, isFixed: true, path: [] }
  return list.rows.kind === 'items' && verb === 'one' ? { ...list, order: [], page } : { ...list, page }
}
