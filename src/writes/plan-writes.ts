// Plans writes: runs the hooks, and gathers everything nested in the payloads. Nothing is written yet, so that all mistakes can be reported
// together.

import type { Path } from '../errors/errors.ts'
import type { Problems } from '../errors/problems.ts'
import { isNameOfKey, type Key, ownKeyIn } from '../plan/key.ts'
import type { Changes, Child, ItemData } from '../plan/write/changes.ts'
import { storedFieldsOf } from '../plan/write/defaults.ts'
import { endlessMistake, type Nest, withoutOwner } from '../plan/write/nested-item.ts'
import { type Payload, readPayload } from '../plan/write/payload.ts'
import type { ChildrenWrite, ItemWrite, TargetWrite } from '../plan/write/write-plan.ts'
import { type Collection, type ManyToOne, partsOf } from '../schema/model.ts'
import { childrenThrough, notePlanned, targetThrough } from './authorize/within.ts'
import { type Gate, gateOf, refuseReadonly, withoutNames } from './authorize/writable-fields.ts'
import { groupBy } from './context/group-by.ts'
import { changeOf, runBeforeHooks, type WriteContext } from './context/write-context.ts'
import { type Decided, decideCreateOrUpdate, type Intent } from './create-or-update.ts'
import { heldByWrites, type UnwrittenItem } from './stored/held-values.ts'

export async function planWrites(
  collection: Collection,
  intents: readonly Intent[],
  writing: WriteContext,
): Promise<readonly ItemWrite[]> {
  if (intents.length === 0) return []
  for (const { payload, within, path } of intents) {
    const endless = endlessMistake(payload, within, path)
    if (endless) throw endless
  }
  const decided = await decideCreateOrUpdate(collection, intents, writing)
  // A link names an item and leaves it as it is.
  const changing = decided.find((one) => !isLinkTo(collection, one))
  if (changing) refuseReadonly(collection, writing.engine, changing.intent.path)
  const items = await readItems(collection, decided, writing)
  notePlanned(collection, items, writing)
  const targets = await gatherTargets(items, writing)
  const children = await gatherChildren(items, writing)
  return items.map((item, index) =>
    itemWrite(collection, item, targets[index] ?? none, children[index] ?? none),
  )
}

const none: readonly never[] = []

/** An item whose hooks have run and whose payload is read. */
interface ReadItem extends PayloadSource {
  readonly one: Decided
  /** Names of the fields that the caller writes. */
  readonly named: readonly string[]
  readonly input: ItemData
}

/** True if an intent names an item by its key, and changes nothing of it. */
const isLinkTo = (collection: Collection, { intent, action }: Decided): boolean =>
  action === 'update' &&
  !intent.owner &&
  Object.keys(intent.payload).every((name) => isNameOfKey(collection, name))

/** Runs the hooks of items one after the other, and reads their payloads. */
async function readItems(
  collection: Collection,
  decided: readonly Decided[],
  writing: WriteContext,
): Promise<readonly ReadItem[]> {
  const { problems, engine } = writing
  const { hooks } = engine
  const { refusing, reaches } = gateOf(writing.caller)
  const refuse = { create: refusing(collection, 'create'), update: refusing(collection, 'update') }
  const reading = { collection, problems, reaches }
  const hasHooks = {
    create: hooks.of('before', 'items.create', collection.name).length > 0,
    update: hooks.of('before', 'items.update', collection.name).length > 0,
  }
  const items: ReadItem[] = []
  for (const one of decided) {
    const named = namesOf(collection, one)
    const { path, payload: data } = one.intent
    const refused = refuse[one.action](namesToCheck(one, named), path, problems)
    const isOpen = hasHooks[one.action] && !one.intent.isHooked
    const payload = isOpen ? keptOn(one.intent, await payloadOfHooks(collection, one, writing)) : data
    items.push({ one, named, ...readItem(one, payload, refused, reading) })
  }
  return items
}

/** Everything with which the payloads of a collection's items are read. */
interface PayloadReading {
  readonly collection: Collection
  readonly problems: Problems
  readonly reaches: Gate['reaches']
}

/** Reads the payload of an item, without the names that were refused. */
function readItem(
  { intent, action, key }: Decided,
  payload: ItemData,
  refused: ReadonlySet<string>,
  { collection, problems, reaches }: PayloadReading,
): PayloadSource & Pick<ReadItem, 'input'> {
  const { fixed, within, path } = intent
  const others = fixed ? withoutNames(payload, new Set(Object.keys(fixed))) : payload
  const own = withoutOwner(withoutNames(others, refused), intent.owner)
  const place = { collection, path, problems, isKeyed: action === 'update', key }
  const mayIncrement = action === 'update' && !intent.on
  const found = readPayload(own, reaches ? { ...place, mayIncrement, reaches } : { ...place, mayIncrement })
  if (fixed)
    for (const [field, value] of readPayload(fixed, { ...place, isFixed: true }).values)
      found.values.set(field, value)
  const data = withoutNames(fixed ? { ...others, ...fixed } : others, refused)
  return {
    input: data,
    key,
    // Fields that are still missing depend on the refused ones, which are not disclosed.
    payload: refused.size > 0 ? { ...found, refused: new Set(storedFieldsOf(collection)) } : found,
    nest: { payload: data, depth: (within?.depth ?? 0) + 1, outer: within },
  }
}

function itemWrite(
  collection: Collection,
  { one: { intent, action, key }, named, input, payload: { values, increments, refused } }: ReadItem,
  targets: readonly TargetWrite[],
  children: readonly ChildrenWrite[],
): ItemWrite {
  return {
    collection,
    action,
    named,
    path: intent.path,
    payload: input,
    key: key ?? (action === 'create' ? ownKeyIn(values, collection) : undefined),
    values,
    increments,
    refused,
    targets,
    children,
    isLink: action === 'update' && Object.keys(input).every((name) => isNameOfKey(collection, name)),
    isAttached: false,
    owner: intent.owner,
    otherwise: intent.otherwise,
    isUnlessThere: intent.isUnlessThere,
  }
}

/** Returns the payload of hooks with the values by which an upsert finds its item. */
function keptOn({ on, payload: input }: Intent, payload: ItemData): ItemData {
  if (!on) return payload
  const kept = [...on].filter((name) => input[name] !== undefined).map((name) => [name, input[name]] as const)
  return { ...withoutNames(payload, on), ...Object.fromEntries(kept) }
}

/** Returns the names of the fields that a caller writes: those of the payload, and the foreign key to the parent. */
function namesOf(collection: Collection, { intent, action }: Decided): readonly string[] {
  const { payload: made, from: payload = made, owner } = intent
  const names = Object.keys(payload).filter(
    (name) => payload[name] !== undefined && !(action === 'update' && isNameOfKey(collection, name)),
  )
  return owner && !names.includes(owner.name) ? [...names, owner.name] : names
}

/** Leaves out the foreign key of an existing child, whose current parent is looked up later: it may be the same. */
const namesToCheck = ({ intent, action }: Decided, named: readonly string[]): readonly string[] =>
  action === 'create' ? named : named.filter((name) => name !== intent.owner?.name)

/** A payload in which items are nested. */
interface PayloadSource {
  readonly payload: Payload
  readonly nest: Nest
  /** The key of the item, if it is known. */
  readonly key: Key | undefined
}

/** Runs the hooks of an item's event. There are none for an item that is only linked: none of its own fields changes. */
async function payloadOfHooks(
  collection: Collection,
  { intent, action, key }: Decided,
  writing: WriteContext,
): Promise<ItemData> {
  if (intent.action === 'link') return intent.payload
  const keys = key === undefined ? [] : [key]
  const payload = intent.fixed ? { ...intent.payload, ...intent.fixed } : intent.payload
  const change = changeOf(writing, `items.${action}`, { collection, keys, payload })
  return (await runBeforeHooks(writing, change)) ?? intent.payload
}

/** Gathers the targets of many items together: those of one collection in one batch. */
async function gatherTargets(
  sources: readonly PayloadSource[],
  writing: WriteContext,
): Promise<readonly (readonly TargetWrite[])[]> {
  if (sources.every(({ payload: { targets } }) => targets.length === 0)) return none
  const wanted = await Promise.all(
    sources.flatMap(({ payload: { targets }, nest: within }, index) =>
      targets.map(async (target) => {
        const { field, collection } = target
        return { index, field, collection, intent: { ...(await targetThrough(target, writing)), within } }
      }),
    ),
  )
  const gathered: TargetWrite[][] = sources.map(() => [])
  for (const [collection, group] of groupBy(wanted, ({ collection: one }) => one)) {
    const items = await planWrites(
      collection,
      group.map(({ intent }) => intent),
      writing,
    )
    for (const [at, item] of items.entries()) {
      const from = group[at]
      if (from) gathered[from.index]?.push({ field: from.field, item })
    }
  }
  return gathered
}

async function gatherChildren(
  sources: readonly PayloadSource[],
  writing: WriteContext,
): Promise<readonly (readonly ChildrenWrite[])[]> {
  if (sources.every(({ payload: { children } }) => children.length === 0)) return none
  const wanted = sources.flatMap(({ payload: { children, values }, nest, key }, index) =>
    children.map(({ relation, changes, path }) => ({ index, nest, key, values, relation, changes, path })),
  )
  const gathered: ChildrenWrite[][] = sources.map(() => [])
  for (const [relation, group] of groupBy(wanted, ({ relation: one }) => one)) {
    refuseReadonly(relation.target, writing.engine, group[0]?.path)
    const held = await heldAhead(relation.foreign, group, writing)
    const through = await Promise.all(
      group.map(({ changes }) => childrenThrough(relation, changes.children, writing)),
    )
    const intents = group.map(({ nest }, index) =>
      (through[index] ?? []).map((child) => childIntent(child, relation.foreign, nest, held[index])),
    )
    const items = await planWrites(relation.target, intents.flat(), writing)
    let from = 0
    for (const [at, { index, changes, path }] of group.entries()) {
      const until = from + (intents[at]?.length ?? 0)
      gathered[index]?.push(childrenWrite(relation, changes, items.slice(from, until), path))
      from = until
    }
  }
  return gathered
}

/** Returns what children will hold of their items, where it is known: it matters where that is a part of their own key. */
async function heldAhead(
  foreign: ManyToOne,
  owners: readonly UnwrittenItem[],
  writing: WriteContext,
): Promise<readonly (Key | undefined)[]> {
  if (!partsOf(foreign).some(({ isKey }) => isKey)) return owners.map(() => undefined)
  return (await heldByWrites(foreign, owners, writing)).map(({ after }) => after ?? undefined)
}

const childrenWrite = (
  relation: ChildrenWrite['relation'],
  { isComplete, removed }: Changes,
  items: readonly ItemWrite[],
  path: Path,
): ChildrenWrite => ({ relation, isComplete, items, removed, path })

function childIntent(child: Child, owner: ManyToOne, within: Nest, ownerValue: Key | undefined): Intent {
  const { path } = child
  if (child.kind === 'link') return { payload: {}, path, action: 'link', key: child.key, owner, ownerValue }
  return { payload: child.payload, path, action: child.action, owner, ownerValue, within }
}
