// From payloads to what is to be written: what exists is told from what is new, handlers are asked, and everything nested is found.
// Nothing is changed yet, so that all that is wrong can be told together.
import { fault, type Path, quote } from '../errors.ts'
import type { Changes, Child } from '../plan/changes.ts'
import { type Given, type Payload, readPayload } from '../plan/payload.ts'
import { readStored, type Storable } from '../plan/stored-value.ts'
import { type ChildrenWrite, type ItemWrite, keyText, type TargetWrite } from '../plan/write-plan.ts'
import type { Collection, ManyToOne } from '../schema/model.ts'
import { existing, missing } from './rows.ts'
import { ask, changeOf, type Writing } from './writing.ts'

/** An item as it was asked for. */
export interface Intent {
  readonly given: Given
  readonly path: Path
  /** `either`: what exists is updated, anything else created. `link`: it exists and nothing of its own is written. */
  readonly action: 'create' | 'update' | 'either' | 'link'
  /** Known from elsewhere than the payload. */
  readonly key?: Storable | undefined
  /** The statement that changes it tells whether it exists. */
  readonly isToldLater?: boolean
  readonly owner?: ManyToOne | undefined
}

/** An item whose kind of write is decided. */
interface Decided {
  readonly intent: Intent
  readonly action: ItemWrite['action']
  readonly key: Storable | undefined
}

export async function gather(
  collection: Collection,
  intents: readonly Intent[],
  writing: Writing,
  depth = 0,
): Promise<readonly ItemWrite[]> {
  const [first] = intents
  if (!first) return []
  const { relationDepth } = writing.engine.limits
  if (depth > relationDepth)
    throw fault('INVALID_PAYLOAD', `Items nest deeper than ${relationDepth} relations.`, { path: first.path })
  const decided = await decide(collection, intents, writing)
  const read: { readonly one: Decided; readonly given: Given; readonly payload: Payload }[] = []
  const { hooks } = writing.engine
  const isAsked = {
    create: hooks.of('before', 'items.create', collection.name).length > 0,
    update: hooks.of('before', 'items.update', collection.name).length > 0,
  }
  for (const one of decided) {
    const given = isAsked[one.action] ? await asked(collection, one, writing) : one.intent.given
    const { path } = one.intent
    const isKeyed = one.action === 'update'
    const payload = readPayload(given, { collection, path, problems: writing.problems, isKeyed })
    read.push({ one, given, payload })
  }
  const targets = await gatherTargets(
    read.map(({ payload }) => payload),
    writing,
    depth + 1,
  )
  const children = await gatherChildren(
    read.map(({ payload }) => payload),
    writing,
    depth + 1,
  )
  return read.map(({ one: { intent, action, key }, given, payload: { values, refused } }, index) => ({
    collection,
    action,
    path: intent.path,
    given,
    key: key ?? (action === 'create' ? (values.get(collection.key) ?? undefined) : undefined),
    values,
    refused,
    targets: targets[index] ?? [],
    children: children[index] ?? [],
    isLink: action === 'update' && Object.keys(given).every((name) => name === collection.key.name),
    owner: intent.owner,
  }))
}

/** Asks the handlers of an item's event. Whoever is only taken into a relation is not asked about: nothing of its own changes. */
async function asked(
  collection: Collection,
  { intent, action, key }: Decided,
  writing: Writing,
): Promise<Given> {
  if (intent.action === 'link') return intent.given
  const keys = key === undefined ? [] : [key]
  const change = changeOf(writing, `items.${action}`, collection, keys, intent.given)
  return (await ask(writing, change)) ?? intent.given
}

/** Which items exist. One statement looks for all of them. */
async function decide(
  collection: Collection,
  intents: readonly Intent[],
  writing: Writing,
): Promise<readonly Decided[]> {
  const keyed = intents.map((intent) => ({ intent, key: keyOf(collection, intent, writing) }))
  const doubtful = keyed.flatMap(({ intent, key }) =>
    key !== undefined && intent.action !== 'create' && !intent.isToldLater ? [key] : [],
  )
  const found = await existing(collection, doubtful, writing)
  return keyed.map(({ intent, key }): Decided => {
    const exists = key !== undefined && (intent.isToldLater === true || found.has(keyText(key)))
    if (intent.action === 'create' || (intent.action === 'either' && !exists))
      return { intent, action: 'create', key }
    if (!exists && !writing.problems.isFull) writing.problems.report(missing(intent.path))
    return { intent, action: 'update', key }
  })
}

/** The key that an item has in its payload, or was asked for by. */
function keyOf(collection: Collection, intent: Intent, { problems }: Writing): Storable | undefined {
  const { key: field } = collection
  if (intent.key !== undefined) return intent.key
  const given = intent.given[field.name]
  if (given === undefined || given === null) {
    if (intent.action === 'update')
      problems.report(
        fault('INVALID_PAYLOAD', `Each item to update needs its key, "${field.name}".`, {
          path: intent.path,
        }),
      )
    return undefined
  }
  // A key that is a relation may be written together with its target, whose key is not known yet.
  if (typeof given === 'object') return undefined
  const read = readStored(field, given)
  if (read.kind === 'value') return read.value
  // The reader of the payload says it of a new item; no existing one has such a key.
  if (intent.action === 'update')
    problems.report(
      fault('NOT_FOUND', `No item has the key ${quote(given)}.`, { path: [...intent.path, field.name] }),
    )
  return undefined
}

/** Related items of many items, found together: those of one collection in one batch. */
async function gatherTargets(
  payloads: readonly Payload[],
  writing: Writing,
  depth: number,
): Promise<readonly (readonly TargetWrite[])[]> {
  const wanted = payloads.flatMap(({ targets }, index) =>
    targets.map(({ field, collection, given, path }) => ({
      index,
      field,
      collection,
      intent: { given, path, action: 'either' } as const,
    })),
  )
  const gathered: TargetWrite[][] = payloads.map(() => [])
  for (const [collection, group] of grouped(wanted, ({ collection: one }) => one)) {
    const items = await gather(
      collection,
      group.map(({ intent }) => intent),
      writing,
      depth,
    )
    for (const [at, item] of items.entries()) {
      const from = group[at]
      if (from) gathered[from.index]?.push({ field: from.field, item })
    }
  }
  return gathered
}

async function gatherChildren(
  payloads: readonly Payload[],
  writing: Writing,
  depth: number,
): Promise<readonly (readonly ChildrenWrite[])[]> {
  const wanted = payloads.flatMap(({ children }, index) =>
    children.map(({ relation, changes, path }) => ({ index, relation, changes, path })),
  )
  const gathered: ChildrenWrite[][] = payloads.map(() => [])
  for (const [relation, group] of grouped(wanted, ({ relation: one }) => one)) {
    const intents = group.map(({ changes }) =>
      changes.children.map((child) => childIntent(child, relation.foreign)),
    )
    const items = await gather(relation.target, intents.flat(), writing, depth)
    let from = 0
    for (const [at, { index, changes, path }] of group.entries()) {
      const until = from + (intents[at]?.length ?? 0)
      gathered[index]?.push(childrenWrite(relation, changes, items.slice(from, until), path))
      from = until
    }
  }
  return gathered
}

const childrenWrite = (
  relation: ChildrenWrite['relation'],
  { isWhole, removed }: Changes,
  items: readonly ItemWrite[],
  path: Path,
): ChildrenWrite => ({ relation, isWhole, items, removed, path })

function childIntent(child: Child, owner: ManyToOne): Intent {
  if (child.kind === 'link') return { given: {}, path: child.path, action: 'link', key: child.key, owner }
  return { given: child.given, path: child.path, action: child.action, owner }
}

/** What belongs together, in the order in which it was first met. */
export function grouped<Item, Group>(
  items: readonly Item[],
  groupOf: (item: Item) => Group,
): ReadonlyMap<Group, readonly Item[]> {
  const groups = new Map<Group, Item[]>()
  for (const item of items) {
    const group = groupOf(item)
    const known = groups.get(group)
    if (known) known.push(item)
    else groups.set(group, [item])
  }
  return groups
}
