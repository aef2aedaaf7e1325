import type { Engine } from '../engine/engine.ts'
import { Hooks } from '../engine/hooks.ts'
import { Problems } from '../errors/problems.ts'
import { keyIdentity } from '../plan/key.ts'
import { withDefaults } from '../plan/write/defaults.ts'
import { readPayload } from '../plan/write/payload.ts'
import { isValidated, type Validate, validatorOf } from '../plan/write/validate-item.ts'
import { type ItemWrite, isTouched } from '../plan/write/write-plan.ts'
import type { Collection, ManyToOne } from '../schema/model.ts'
import { refuseKnownTargets } from './authorize/check-references.ts'
import { checkRules } from './authorize/check-rules.ts'
import { disclosableFields } from './authorize/error-disclosure.ts'
import { ownerOf, sumsOf } from './authorize/row-after.ts'
import { filledByRules, refusalOf, takeNextRule } from './authorize/rule-choice.ts'
import { areUnsure } from './authorize/unsure-references.ts'
import { forbidden, writtenFields } from './authorize/writable-fields.ts'
import { checkStored } from './check-stored.ts'
import { tellOfMoves } from './children/move-hooks.ts'
import { movedChildren } from './children/moved-children.ts'
import { groupBy } from './context/group-by.ts'
import { canUndo } from './context/retry.ts'
import { contextOf, newProblems, type WriteContext } from './context/write-context.ts'
import type { Intent } from './create-or-update.ts'
import { type Hashed, hashFields } from './hash-fields.ts'
import { lockItems, noteRemoved } from './locks/lock-items.ts'
import { refuseSecondItem } from './locks/singleton-lock.ts'
import { planWrites } from './plan-writes.ts'
import { storeByRules } from './store-by-rules.ts'
import { store } from './store-items.ts'
import { storeJudged } from './store-judged.ts'
import { addIncrements } from './update/increments.ts'

/** Items after their hooks have run, with everything nested in them: nothing is locked or checked yet. */
export interface PreparedWrite {
  readonly items: readonly ItemWrite[]
  readonly everyItem: readonly ItemWrite[]
  readonly hashed: Hashed
  readonly writing: WriteContext
}

export async function write(
  collection: Collection,
  intents: readonly Intent[],
  writing: WriteContext,
): Promise<readonly ItemWrite[]> {
  return executeWrite(await prepareWrite(collection, intents, writing))
}

/** Does the slow work before rows are locked, so that no other transaction waits for it: runs hooks, and hashes secrets. */
export async function prepareWrite(
  collection: Collection,
  intents: readonly Intent[],
  writing: WriteContext,
): Promise<PreparedWrite> {
  const items = await planWrites(collection, intents, writing)
  const everyItem = items.flatMap(withNested)
  for (const item of everyItem) noteKey(item, writing)
  const hashed: Hashed = new WeakMap()
  if (writing.problems.isEmpty) await hashFields(everyItem, hashed)
  return { items, everyItem, hashed, writing }
}

export async function executeWrite({
  items,
  everyItem,
  hashed,
  writing,
}: PreparedWrite): Promise<readonly ItemWrite[]> {
  if (writing.problems.isEmpty) {
    await lockItems(everyItem, writing)
    await writing.verify?.()
  }
  await addAll(everyItem, writing)
  await checkAll(everyItem, writing)
  const all = [...everyItem, ...writing.unlinked.values()]
  await refuseSecondItems(everyItem, writing)
  await hashFields(all, hashed)
  await refuseKnownTargets(all, writing)
  const storeAll = (inside: WriteContext) => store(items, inside)
  const finish = async (inside: WriteContext) => {
    await tellOfMoves(everyItem, inside)
    await checkStored(all, inside)
  }
  const storeOnce = async (inside: WriteContext) => {
    if (canUndo(inside.caller) && (await areUnsure(all, inside)))
      return storeJudged(all, inside, { store: storeAll, finish })
    await storeAll(inside)
    await finish(inside)
  }
  const check = (some: readonly ItemWrite[]) => checkAgain(some, hashed, writing)
  await storeByRules(all, writing, { store: storeOnce, check })
  return items
}

/** Checks items into which another rule has filled its values. */
async function checkAgain(items: readonly ItemWrite[], hashed: Hashed, writing: WriteContext): Promise<void> {
  for (const item of items) {
    fillOtherwise(item, writing)
    for (const field of filledByRules(item, writing)) hashed.get(item)?.delete(field)
  }
  checkItems(items, writing)
  await hashFields(items, hashed)
  await refuseKnownTargets(items, writing)
}

/** Does everything except writing: reports what would be refused. No hooks run, and nothing waits. */
export async function rehearse(
  collection: Collection,
  intents: readonly Intent[],
  writing: WriteContext,
): Promise<void> {
  const quiet = withoutHooks(writing)
  const items = (await planWrites(collection, intents, quiet)).flatMap(withNested)
  for (const item of items) noteKey(item, quiet)
  if (quiet.problems.isEmpty) noteRemoved(await movedChildren(items, quiet), quiet)
  await addAll(items, quiet)
  await checkAll(items, quiet)
}

/** Returns the context of a write without hooks. */
export const withoutHooks = (writing: WriteContext): WriteContext => ({
  ...writing,
  engine: { ...writing.engine, hooks: new Hooks<Engine>() },
})

/** Adds the increments of all items, those of children that leave included. */
async function addAll(everyItem: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  if (writing.problems.isEmpty) await addIncrements([...everyItem, ...writing.unlinked.values()], writing)
}

/** Checks everything before the first row is changed. Items that are not visible or do not exist are reported before those that are not
 *  allowed. */
async function checkAll(everyItem: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const all = [...everyItem, ...writing.unlinked.values()]
  if (writing.problems.isEmpty) await checkRules(all, writing)
  for (const item of everyItem) fillOtherwise(item, writing)
  checkItems(all, writing)
}

/** Returns an item and everything nested in it. */
function withNested(item: ItemWrite): readonly ItemWrite[] {
  const targets = item.targets.flatMap((target) => withNested(target.item))
  const children = item.children.flatMap(({ items }) => items.flatMap(withNested))
  return [item, ...targets, ...children]
}

function noteKey({ collection, key, owner }: ItemWrite, { named }: WriteContext): void {
  if (key === undefined) return
  const keys = named.get(collection) ?? new Map<string, Set<ManyToOne | undefined>>()
  named.set(collection, keys.set(keyIdentity(key), (keys.get(keyIdentity(key)) ?? new Set()).add(owner)))
}

/** Fills in values for fields that neither the payload nor a rule sets. */
function fillOtherwise({ collection, path, values, otherwise }: ItemWrite, { problems }: WriteContext): void {
  if (!otherwise) return
  const found = readPayload(otherwise, { collection, path, problems, isKeyed: true, isFixed: true })
  for (const [field, value] of found.values) if (!values.has(field)) values.set(field, value)
}

/** Checks items before the first row is changed, and reports all mistakes together. */
function checkItems(items: readonly ItemWrite[], writing: WriteContext): void {
  const { problems, choices } = writing
  const context = contextOf(writing)
  const validators = new Map<Collection, Validate>()
  for (const item of items) {
    if (problems.isFull) break
    if (!isTouched(item)) continue
    const { collection } = item
    const validate = validators.get(collection) ?? validatorOf(collection, context)
    validators.set(collection, validate)
    if (choices.has(item)) checkByRules(item, validate, writing)
    else checkItem(item, validate, writing)
  }
  problems.throwIfAny()
}

function checkItem(item: ItemWrite, validate: Validate, writing: WriteContext): void {
  const { caller, moment, problems } = writing
  const { payload, path } = item
  if (caller.scope?.permissions) fillDefaultsFor(item, writing)
  else withDefaults(item, moment, problems)
  if (!isValidated(item.collection)) return
  for (const failure of validate({ ...payload, ...sumsOf(item), ...ownerOf(item) }, path))
    problems.report(disclosableFields(failure, item, writing))
}

/** Checks an item with the values of one rule after the other, as long as it is not complete with them. */
function checkByRules(item: ItemWrite, validate: Validate, writing: WriteContext): void {
  for (;;) {
    const problems = newProblems()
    checkItem(item, validate, { ...writing, problems })
    if (problems.isEmpty) return
    if (!takeNextRule(item, problems.all, writing)) {
      for (const problem of refusalOf(item, problems.all, writing)) writing.problems.report(problem)
      return
    }
    fillOtherwise(item, writing)
  }
}

/** Reports a missing field that the caller may not write only as an item that cannot be written. */
function fillDefaultsFor(item: ItemWrite, { caller, moment, problems }: WriteContext): void {
  const { collection, action, path } = item
  const found = new Problems('FAILED_VALIDATION')
  withDefaults(item, moment, found)
  if (found.isEmpty) return
  const { fields } = writtenFields(caller, collection, action)
  for (const problem of found.all) {
    const { field } = problem.extensions
    problems.report(typeof field === 'string' && !fields.has(field) ? forbidden(path, action) : problem)
  }
}

/** Refuses a second item of a singleton, nested ones included. */
async function refuseSecondItems(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const created = items.filter(({ collection, action }) => collection.isSingleton && action === 'create')
  for (const [collection, group] of groupBy(created, (item) => item.collection))
    await refuseSecondItem(collection, group.length, writing)
}
