// Relations with a condition: which children they have, and what is written through them.

import { fault } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import { holds } from '../../plan/filter/evaluate.ts'
import type { Predicate, Test } from '../../plan/filter/predicate.ts'
import { relationCondition } from '../../plan/filter/relation-condition.ts'
import {
  isNameOfKey,
  itemOfKey,
  type Key,
  keyIdentities,
  keyIdentity,
  keyInItem,
  readKey,
  shownKeyOf,
} from '../../plan/key.ts'
import { conjunctsOf } from '../../plan/walk.ts'
import type { Child, ItemData } from '../../plan/write/changes.ts'
import type { TargetPayload } from '../../plan/write/payload.ts'
import { type Collection, keyFieldsOf, type OwnField, type RelationFilter } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { readVariable, variableValue } from '../../vocabulary/variables.ts'
import { groupBy } from '../context/group-by.ts'
import { changedMeanwhile } from '../context/retry.ts'
import {
  type Conditional,
  circumstancesOf,
  type LinkedWithin,
  permissionsOf,
  type WriteContext,
} from '../context/write-context.ts'
import { matchingKeys } from '../stored/select-keys.ts'
import { visibleKeys } from './visible-keys.ts'
import { gateOf } from './writable-fields.ts'

/** Requires that linked items still meet their conditions. Called once they are locked. */
export async function requireWithin(linked: readonly LinkedWithin[], writing: WriteContext): Promise<void> {
  for (const [relation, group] of groupBy(linked, (one) => one.relation)) {
    const keys = group.map(({ key }) => key)
    const there = await keysWithin(relation, keys, writing)
    if (keys.some((key) => !there.has(keyIdentity(key)))) throw changedMeanwhile()
  }
}

/** Returns those of some keys that the caller sees, and that meet the condition of a relation, as texts. */
export async function keysWithin(
  relation: Omit<Conditional, 'name'>,
  keys: readonly Key[],
  writing: WriteContext,
): Promise<ReadonlySet<string>> {
  const { within, target } = relation
  const seen = permissionsOf(writing) ? await visibleKeys(target, keys, writing) : keyIdentities(keys)
  if (!within || seen.size === 0) return seen
  const met = await matchingKeys(within.of, keys, conditionOf(within, writing), writing)
  return new Set([...seen].filter((key) => met.has(key)))
}

const conditionOf = (within: RelationFilter, writing: WriteContext): Predicate =>
  relationCondition({ ...within, circumstances: circumstancesOf(writing) })

/** Returns children as they are written through a relation: with the values that its condition fixes. */
export async function childrenThrough(
  relation: Conditional,
  children: readonly Child[],
  writing: WriteContext,
): Promise<readonly Child[]> {
  const { within, target } = relation
  if (!within || children.length === 0) return children
  const condition = conditionOf(within, writing)
  const tests = conjunctsOf(condition)
  const fixed = tests.flatMap((part) => (part.kind === 'test' ? fixedBy(part, { within, writing }) : []))
  const keys = children.map((child) => keyLinked(child, target))
  const linked = keys.filter((key) => key !== undefined)
  const there = await keysWithin(relation, linked, writing)
  const planned = writing.planned.get(target)
  const isSaid = (part: Predicate, payload: ItemData): part is Test =>
    part.kind === 'test' && isSaidOtherwise(part, payload, writing)
  const isLinked = ({ kind }: Child, key: Key) =>
    there.has(keyIdentity(key)) &&
    // A key writes nothing. An object does, where the call itself has changed the item.
    (kind === 'link' || !tests.some((part) => isSaid(part, planned?.get(keyIdentity(key)) ?? {})))
  return children.map((child, index): Child => {
    const { path } = child
    const key = keys[index]
    if (key !== undefined && isLinked(child, key)) {
      writing.linked.push({ relation, key })
      return child
    }
    if (child.kind === 'link') {
      if (fixed.length < tests.length) throw contradiction(relation, undefined, path)
      requireKnown(fixed, relation, { writing, path })
      const payload = { ...itemOfKey(target, shownKeyOf(target, child.key)), ...Object.fromEntries(fixed) }
      return { kind: 'item', payload, action: 'update', path }
    }
    // Its names are refused as it is planned, before anything is said of the condition.
    if (hasRefusedName(child, relation, writing)) return child
    const isNew =
      child.action === 'create' || keyFieldsOf(target).some(({ name }) => child.payload[name] === undefined)
    // Fields that are absent of a new item are null.
    const set = isNew ? fixed.filter(([, value]) => value !== null) : fixed
    requireKnown(set, relation, { writing, path })
    for (const part of tests) if (isSaid(part, child.payload)) throw contradiction(relation, part, path)
    return { ...child, payload: { ...Object.fromEntries(set), ...child.payload } }
  })
}

/** Notes what is written to items, so that an object that links one of them later in the call finds it as it is then. */
export function notePlanned(
  collection: Collection,
  items: readonly { readonly key: Key | undefined; readonly input: ItemData }[],
  { planned }: WriteContext,
): void {
  const known = planned.get(collection) ?? new Map<string, ItemData>()
  for (const { key, input } of items) {
    if (key === undefined) continue
    const before = known.get(keyIdentity(key))
    known.set(keyIdentity(key), before ? { ...before, ...input } : input)
  }
  planned.set(collection, known)
}

/** Returns the key of a child that is named by it and not changed. */
function keyLinked(child: Child, target: Collection): Key | undefined {
  if (child.kind === 'link') return child.key
  const { payload, action } = child
  const isLink = Object.keys(payload).every(
    (name) => payload[name] === undefined || isNameOfKey(target, name),
  )
  return isLink && action !== 'create' ? readKey(target, keyInItem(target, payload)) : undefined
}

/** Returns the item in a reference as it is written: with the values that the condition on it fixes. */
export async function targetThrough(
  { field, collection: target, payload, path }: TargetPayload,
  writing: WriteContext,
): Promise<Child & { readonly kind: 'item' }> {
  const child = { kind: 'item', payload, action: 'either', path } as const
  const within = conditionOn(field, target)
  const [through] = within
    ? await childrenThrough({ name: field.name, target, within }, [child], writing)
    : []
  return through?.kind === 'item' ? through : child
}

/** The condition that the items of a collection meet behind a reference. */
export const conditionOn = (field: OwnField, { name }: Collection): RelationFilter | undefined =>
  field.kind === 'any' ? field.within.get(name) : undefined

/** Returns the field whose value a test fixes, and the value as the filter says it. */
function fixedBy(
  { subject, operator, path }: Test,
  { within, writing }: { readonly within: RelationFilter; readonly writing: WriteContext },
): readonly (readonly [string, unknown])[] {
  if (subject.kind !== 'field') return []
  if (operator === '_null') return [[subject.field.name, null]]
  if (operator !== '_eq') return []
  let said: unknown = within.filter
  // A value without an operator stands in the place of it.
  for (const step of path.slice(within.path.length))
    if (isRecord(said) || Array.isArray(said)) said = Reflect.get(said, step)
  const variable = readVariable(said)
  return [[subject.field.name, variable ? variableValue(variable, circumstancesOf(writing)) : said]]
}

/** True if a payload gives a field of a test a value that does not pass. */
function isSaidOtherwise(test: Test, payload: ItemData, { engine }: WriteContext): boolean {
  const { subject } = test
  return (
    subject.kind === 'field' && payload[subject.field.name] !== undefined && !holds(test, payload, engine)
  )
}

/** True if a payload names a field that the caller may not write, whether the item is created or updated. */
function hasRefusedName(
  { payload, action, path }: Extract<Child, { kind: 'item' }>,
  { target, foreign }: Conditional,
  { caller }: WriteContext,
): boolean {
  const gate = gateOf(caller)
  const isChecked = (name: string) =>
    payload[name] !== undefined &&
    // Fixed values of an item that is updated may be those that it has already.
    (action === 'create' || !(isNameOfKey(target, name) || name === foreign?.name))
  const actions: readonly ('create' | 'update')[] = action === 'either' ? ['create', 'update'] : [action]
  const refused = actions.reduce<readonly string[]>(
    (names, one) => [...gate.refusing(target, one)(names, path, new Problems('INVALID_PAYLOAD'))],
    Object.keys(payload).filter(isChecked),
  )
  return refused.length > 0
}

/** Refuses to set a field that the caller does not know: an error about it would name it. */
function requireKnown(
  fixed: readonly (readonly [name: string, value: unknown])[],
  { name, target }: Conditional,
  { writing, path }: Pick<Child, 'path'> & { readonly writing: WriteContext },
): void {
  const permissions = permissionsOf(writing)
  if (!permissions) return
  // A draft is read through what its caller sees.
  const known = (target.isSeen ? target : permissions.seen.reached(target))?.fields
  if (fixed.every(([field]) => known?.has(field))) return
  throw fault('FORBIDDEN', `The condition of "${name}" sets a field that you may not write.`, { path })
}

function contradiction({ name, target }: Conditional, test: Test | undefined, path: Child['path']) {
  const field = test?.subject.kind === 'field' ? test.subject.field.name : undefined
  const visible = field !== undefined && target.fields.has(field)
  return fault(
    'INVALID_PAYLOAD',
    `This is no item of "${name}" by the condition of the relation, and nothing that it sets makes it one.`,
    { path: visible ? [...path, field] : path },
  )
}
