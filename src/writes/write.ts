import type { Engine } from '../engine.ts'
import { Hooks } from '../hooks.ts'
import { complete } from '../plan/complete.ts'
import { readPayload } from '../plan/payload.ts'
import { type Judge, judgeOf } from '../plan/validate-item.ts'
import { type ItemWrite, isTouched, keyText } from '../plan/write-plan.ts'
import { Problems } from '../problems.ts'
import type { Collection, ManyToOne } from '../schema/model.ts'
import { checkStored } from './check-stored.ts'
import type { Intent } from './decide.ts'
import { gather } from './gather.ts'
import { grouped } from './grouped.ts'
import { survey } from './hanging.ts'
import { type Hashed, hashSecrets } from './hashes.ts'
import { foreseeLeaving, holdItems } from './hold-items.ts'
import { tellOfMoves } from './move-hooks.ts'
import { refuseSecond } from './only.ts'
import { permit } from './permit.ts'
import { forbidden, writtenFields } from './permits.ts'
import { ownerOf } from './row-after.ts'
import { store } from './store.ts'
import { tellable } from './telling.ts'
import { contextOf, type Writing } from './writing.ts'

/** Items that hooks were asked about, with everything nested in them: nothing of it is held or judged yet. */
export interface Prepared {
  readonly items: readonly ItemWrite[]
  readonly named: readonly ItemWrite[]
  readonly hashed: Hashed
  readonly writing: Writing
}

export async function write(
  collection: Collection,
  intents: readonly Intent[],
  writing: Writing,
): Promise<readonly ItemWrite[]> {
  return carryOut(await prepare(collection, intents, writing))
}

/** What takes its time, and what nobody is to wait for while rows are held: hooks are asked, and secrets hashed. */
export async function prepare(
  collection: Collection,
  intents: readonly Intent[],
  writing: Writing,
): Promise<Prepared> {
  const items = await gather(collection, intents, writing)
  const named = items.flatMap(withNested)
  for (const item of named) name(item, writing)
  const hashed: Hashed = new WeakMap()
  if (writing.problems.isEmpty) await hashSecrets(named, hashed)
  return { items, named, hashed, writing }
}

export async function carryOut({ items, named, hashed, writing }: Prepared): Promise<readonly ItemWrite[]> {
  if (writing.problems.isEmpty) await holdItems(named, writing)
  await judge(named, writing)
  const all = [...named, ...writing.unlinked.values()]
  await refuseSeconds(named, writing)
  await hashSecrets(all, hashed)
  await store(items, writing)
  tellOfMoves(named, writing)
  await checkStored(all, writing)
  return items
}

/** Everything but the writing: what would be refused is told. Nobody is asked, and nobody waits. */
export async function rehearse(
  collection: Collection,
  intents: readonly Intent[],
  writing: Writing,
): Promise<void> {
  const quiet = { ...writing, engine: { ...writing.engine, hooks: new Hooks<Engine>() } }
  const items = (await gather(collection, intents, quiet)).flatMap(withNested)
  for (const item of items) name(item, quiet)
  if (quiet.problems.isEmpty) foreseeLeaving(await survey(items, quiet), quiet)
  await judge(items, quiet)
}

/** Everything that can be wrong before the first row is changed. What is not seen, or not there, is told before what is not allowed. */
async function judge(named: readonly ItemWrite[], writing: Writing): Promise<void> {
  const all = [...named, ...writing.unlinked.values()]
  if (writing.problems.isEmpty) await permit(all, writing)
  for (const item of named) fillOtherwise(item, writing)
  check(all, writing)
}

/** An item and everything nested in it. */
function withNested(item: ItemWrite): readonly ItemWrite[] {
  const targets = item.targets.flatMap((target) => withNested(target.item))
  const children = item.children.flatMap(({ items }) => items.flatMap(withNested))
  return [item, ...targets, ...children]
}

function name({ collection, key, owner }: ItemWrite, { named }: Writing): void {
  if (key === undefined) return
  const keys = named.get(collection) ?? new Map<string, Set<ManyToOne | undefined>>()
  named.set(collection, keys.set(keyText(key), (keys.get(keyText(key)) ?? new Set()).add(owner)))
}

/** What nobody has said anything of, be it in a payload or in a rule. */
function fillOtherwise({ collection, path, values, otherwise }: ItemWrite, { problems }: Writing): void {
  if (!otherwise) return
  const found = readPayload(otherwise, { collection, path, problems, isKeyed: true, isFixed: true })
  for (const [field, value] of found.values) if (!values.has(field)) values.set(field, value)
}

/** Everything that can be wrong before the first row is changed, told together. */
function check(items: readonly ItemWrite[], writing: Writing): void {
  const { caller, problems, occasion } = writing
  const context = contextOf(writing)
  const judges = new Map<Collection, Judge>()
  for (const item of items) {
    if (!isTouched(item)) continue
    const { collection, given, path } = item
    const judge = judges.get(collection) ?? judgeOf(collection, context)
    judges.set(collection, judge)
    if (caller.narrowing?.limits) completeFor(caller, item, writing)
    else complete(item, occasion, problems)
    for (const failure of judge({ ...given, ...ownerOf(item) }, path))
      problems.report(tellable(failure, item, writing))
  }
  problems.throwIfAny()
}

/** Says of a field that the caller may not write no more than that the item cannot be written. */
function completeFor(caller: Engine, item: ItemWrite, { occasion, problems }: Writing): void {
  const { collection, action, path } = item
  const found = new Problems('FAILED_VALIDATION')
  complete(item, occasion, found)
  if (found.isEmpty) return
  const { fields } = writtenFields(caller, collection, action)
  for (const problem of found.all) {
    const { field } = problem.extensions
    problems.report(typeof field === 'string' && !fields.has(field) ? forbidden(path, action) : problem)
  }
}

/** Also where it is nested, a singleton gets no second item. */
async function refuseSeconds(items: readonly ItemWrite[], writing: Writing): Promise<void> {
  const created = items.filter(({ collection, action }) => collection.isSingleton && action === 'create')
  for (const [collection, group] of grouped(created, (item) => item.collection))
    await refuseSecond(collection, group.length, writing)
}
