// Turns levels into lists. Lists of items follow the selection into related items, where there are levels again.
import { fault, isEngineError, quote } from '../../errors/errors.ts'
import {
  type AnyReference,
  type Collection,
  type Field,
  isToMany,
  type ManyToOne,
  type StoredField,
  type ToMany,
} from '../../schema/model.ts'
import { fieldSubject } from '../field-path.ts'
import type { Children } from '../filter/predicate.ts'
import { armOf, childrenOf } from './child-lists.ts'
import { cursorMember, cursorName, noCursorYet, placeOf } from './cursor.ts'
import { groupOrder, groupsOf } from './groups.ts'
import { conditionOf } from './level-condition.ts'
import { pageOf } from './pagination.ts'
import { isGrouped, type Level, levelBelow, parameterPath } from './query-level.ts'
import type { ArmMember, ListPlan, ListRows, Member, OneMember, Page } from './read-plan.ts'
import { isField, type RequestedFields, type SelectedFields, selectionOf } from './selection.ts'
import { orderOf } from './sort-order.ts'

interface ListPlanInput {
  /** Reads the members of the items; undefined = only their keys. */
  readonly members: ((level: Level) => readonly Member[]) | undefined
  readonly children: Children | undefined
  readonly sortField: StoredField | undefined
  /** True if no default limit applies. */
  readonly isUnlimited: boolean
}

export function listOf(level: Level, { members, children, sortField, isUnlimited }: ListPlanInput): ListPlan {
  const { collection, context, query, path, place } = level
  const condition = conditionOf(level)
  const groups = groupsOf(level)
  const order = groups ? groupOrder(level, groups) : orderOf(level, sortField)
  const page = pageAt(level, order, pageOf(query, context.limits, path, isUnlimited))
  const rows: ListRows =
    groups ??
    (members ? { kind: 'items', members: withCursor(members(level), level, order) } : { kind: 'keys' })
  return { collection, children, condition, order, page, rows, place }
}

/** Returns the page with the place at which it begins or ends, if it has a cursor. */
function pageAt(level: Level, order: ListPlan['order'], page: Page): Page {
  const place = placeOf({ collection: level.collection, order }, level)
  if (!isEngineError(place)) return place ? { ...page, place } : page
  level.context.problems.report(place)
  return page
}

/** Fills in the cursor of a list, whose order is known by now. */
function withCursor(
  members: readonly Member[],
  { collection, query, context }: Level,
  order: ListPlan['order'],
): readonly Member[] {
  return members.flatMap((member): readonly Member[] => {
    if (member.kind !== 'cursor') return [member]
    const made = cursorMember({ collection, order }, query, member.path)
    if (!isEngineError(made)) return [{ ...made, name: member.name }]
    context.problems.report(made)
    return []
  })
}

export function membersOf(level: Level, requested: readonly RequestedFields[]): readonly Member[] {
  const isCursor = ({ steps }: RequestedFields) => steps.length === 1 && steps[0] === cursorName
  const cursor = requested.find(isCursor)
  const selection = selectionOf(level, cursor ? requested.filter((one) => !isCursor(one)) : requested)
  checkLevels(level, selection)
  const members = selection.map((selected) => {
    level.context.count(selected.path)
    return memberOf(level, selected)
  })
  return cursor ? [...members, noCursorYet(cursor.path)] : members
}

function memberOf(level: Level, selected: SelectedFields): Member {
  const { name, target, path } = selected
  if (!isField(target)) return { kind: 'value', name, subject: target, path }
  if (isToMany(target)) return { kind: 'many', name, list: childList(level, target, selected) }
  if (target.kind === 'm2o' && selected.below.length > 0) return oneMember(level, target, selected)
  if (target.kind === 'any' && (selected.below.length > 0 || selected.scopes.length > 0)) {
    const arms = [...target.targets.values()].map((collection) =>
      armMember(level, target, collection, selected),
    )
    return { kind: 'any', name, field: target, arms }
  }
  return { kind: 'value', name, subject: fieldSubject(target), path }
}

function childList(level: Level, field: ToMany, { name, below, path }: SelectedFields) {
  const inner = levelBelow(level, name, field.target, field.foreign)
  if (below.length === 0 && !field.target.key && !isGrouped(inner.query))
    level.context.problems.add(
      path,
      `"${field.name}" has no keys to show, because "${field.target.name}" has none.`,
      `Write "${name}.*", or name the fields.`,
    )
  return listOf(inner, {
    members: below.length === 0 ? undefined : (one) => membersOf(one, below),
    children: childrenOf(field, level.context.circumstances),
    sortField: field.sort,
    isUnlimited: false,
  })
}

function oneMember(level: Level, field: ManyToOne, { name, below }: SelectedFields): OneMember {
  const inner = levelBelow(level, name, field.target, field)
  const members = membersOfOne(inner, below)
  return { kind: 'one', name, field, condition: conditionOf(inner), members }
}

function armMember(
  level: Level,
  field: AnyReference,
  target: Collection,
  selected: SelectedFields,
): ArmMember {
  const requested = selected.below.filter(({ scope }) => scope === undefined || scope === target.name)
  const inner = levelBelow(level, `${selected.name}:${target.name}`, target, undefined)
  const members = membersOfOne(inner, requested)
  return { ...armOf(field, target, level.context.circumstances), condition: conditionOf(inner), members }
}

function membersOfOne(level: Level, requested: readonly RequestedFields[]): readonly Member[] {
  refuseLists(level)
  return refuseCursors(level, membersOf(level, requested))
}

/** Refuses the cursor of an item that is in no list. */
export function refuseCursors({ context }: Level, members: readonly Member[]): readonly Member[] {
  for (const member of members)
    if (member.kind === 'cursor')
      context.problems.add(member.path, 'A cursor is of a list, and there is one item here.')
  return members
}

/** Refuses parameters that only lists have. */
export function refuseLists(level: Level): void {
  for (const name of ['aggregate', 'groupBy', 'having', 'after', 'before'] as const) {
    if (level.query[name] === undefined) continue
    const what = name === 'after' || name === 'before' ? 'begins a page' : 'makes groups'
    const message = `"_${name}" ${what} of a list, and there is one item here.`
    level.context.problems.add(parameterPath(level, name), message)
  }
}

/** Checks that every level of `deep` belongs to a relation. One that was not selected is resolved as well, so
 *  that its mistakes are reported. */
function checkLevels(level: Level, selection: readonly SelectedFields[]): void {
  for (const key of Object.keys(level.deep)) {
    if (level.context.problems.isFull) break
    const [name = '', scope] = key.split(':')
    const selected = selection.find((one) => one.name === name) ?? unselected(level, name)
    const path = [...(level.path.length === 0 ? ['deep'] : level.path), key]
    const field = selected && isField(selected.target) ? selected.target : undefined
    if (!field || !leadsTo(field, scope)) {
      const message = `There is no relation ${quote(key)} in "${level.collection.name}", or you may not use it.`
      level.context.problems.report(fault('FORBIDDEN', message, { path }))
    } else if (!selection.some((one) => one.name === name && isExpanded(one, scope))) {
      memberOf(level, selectedFor(key, { name: key, target: field, path, below: [], scopes: [] }, scope))
    }
  }
}

const isExpanded = ({ target, below, scopes }: SelectedFields, scope: string | undefined) =>
  isField(target) && (isToMany(target) || below.length > 0 || (scope !== undefined && scopes.length > 0))

function unselected(level: Level, name: string): SelectedFields | undefined {
  const text = level.query.alias && Object.hasOwn(level.query.alias, name) ? level.query.alias[name] : name
  const target = text === undefined ? undefined : level.collection.fields.get(text)
  return target && { name, target, path: [], below: [], scopes: [] }
}

function leadsTo(field: Field, scope: string | undefined): boolean {
  if (field.kind === 'any') return scope !== undefined && field.targets.has(scope)
  return scope === undefined && field.kind !== 'scalar'
}

function selectedFor(key: string, selected: SelectedFields, scope: string | undefined): SelectedFields {
  const requested: RequestedFields = {
    steps: ['*'],
    path: selected.path,
    isWild: true,
    ...(scope !== undefined && { scope }),
  }
  const scopes = scope === undefined ? [] : [scope]
  return { ...selected, name: key.split(':')[0] ?? key, below: [requested], scopes }
}
