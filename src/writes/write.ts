// The road of every item that is created or updated: gathered, checked as a whole, stored.
import { rulePredicate } from '../access/narrow.ts'
import type { RuleRead } from '../access/read-rules.ts'
import type { Engine } from '../engine.ts'
import type { EngineError } from '../errors.ts'
import { complete } from '../plan/complete.ts'
import { type Given, readPayload } from '../plan/payload.ts'
import { isAlways, type Predicate } from '../plan/predicate.ts'
import { keyAnswer } from '../plan/shown-value.ts'
import {
  conditionAfterwards,
  conditionLeft,
  type Judge,
  judgeBy,
  judgeOf,
  notPassing,
} from '../plan/validate-item.ts'
import { type ItemWrite, keyText } from '../plan/write-plan.ts'
import { Problems } from '../problems.ts'
import type { Collection, ManyToOne } from '../schema/model.ts'
import { matchingKeys } from './chosen.ts'
import type { Intent } from './decide.ts'
import { gather } from './gather.ts'
import { grouped } from './grouped.ts'
import { hashSecrets } from './hashes.ts'
import { refuseSecond } from './only.ts'
import { permit } from './permit.ts'
import { forbidden, writtenFields } from './permits.ts'
import { store } from './store.ts'
import { circumstancesOf, contextOf, type Permit, type Writing } from './writing.ts'

export async function write(
  collection: Collection,
  intents: readonly Intent[],
  writing: Writing,
): Promise<readonly ItemWrite[]> {
  const items = await gather(collection, intents, writing)
  const all = items.flatMap(withNested)
  // What is not seen, or not there, is told before what is not allowed.
  if (writing.problems.isEmpty) await permit(all, writing)
  for (const item of all) fillOtherwise(item, writing)
  check(all, writing)
  await refuseSeconds(all, writing)
  await hashSecrets(all)
  for (const item of all) name(item, writing)
  await store(items, writing)
  await checkAfterwards(all, writing)
  return items
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
    if (item.isLink) continue
    const { collection, given, path } = item
    const judge = judges.get(collection) ?? judgeOf(collection, context)
    judges.set(collection, judge)
    if (caller.narrowing?.limits) completeFor(caller, item, writing)
    else complete(item, occasion, problems)
    for (const failure of judge(given, path)) problems.report(failure)
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

/** Validations that look at related items see them as they are now, inside the transaction. */
async function checkAfterwards(items: readonly ItemWrite[], writing: Writing): Promise<void> {
  const context = contextOf(writing)
  const written = items.filter(({ isLink }) => !isLink)
  for (const [collection, group] of grouped(written, (item) => item.collection)) {
    const condition = conditionAfterwards(collection, context)
    if (!condition) continue
    await requirePassing(collection, group, condition, writing)
  }
  await checkRules(items, writing)
  writing.problems.throwIfAny()
}

/** Of the rules that may allow an item one has to. */
async function checkRules(items: readonly ItemWrite[], writing: Writing): Promise<void> {
  const permitted = items.flatMap((item) =>
    (writing.allowedBy.get(item) ?? []).map((permit) => ({ item, ...permit })),
  )
  const failures = new Map<ItemWrite, (readonly EngineError[])[]>()
  for (const [rule, group] of grouped(permitted, (one) => one.rule)) {
    const failed = grouped(await failuresOf(rule, group, writing), ({ of }) => of)
    for (const { item } of group)
      failures.set(item, [...(failures.get(item) ?? []), (failed.get(item) ?? []).map(({ error }) => error)])
  }
  for (const ofRules of failures.values())
    if (ofRules.every((errors) => errors.length > 0))
      for (const error of ofRules[0] ?? []) writing.problems.report(error)
}

interface Failure {
  readonly of: ItemWrite
  readonly error: EngineError
}

/** What a rule says of items can be asked in full only now: related items have keys, and a new item has to be one of those that the rule
 *  speaks of. */
async function failuresOf(
  rule: RuleRead,
  group: readonly (Permit & { readonly item: ItemWrite })[],
  writing: Writing,
): Promise<readonly Failure[]> {
  const items = group.map(({ item }) => item)
  const [first] = items
  if (!first) return []
  const { collection } = first
  const context = contextOf(writing)
  const failures: Failure[] = []
  const left = rule.validation && conditionLeft(collection, rule.validation, context)
  if (left) {
    for (const of of await notMatching(collection, items, left, writing))
      failures.push({ of, error: notPassing(collection, of.path) })
  } else if (rule.validation) {
    const judge = judgeBy(collection, rule.validation, context)
    for (const { item: of, presets } of group)
      if (of.owner || of.targets.length > 0)
        for (const error of judge({ ...presets, ...of.given, ...referencesOf(of) }, of.path))
          failures.push({ of, error })
  }
  const made = items.filter(({ action }) => action === 'create')
  const meant = rulePredicate(rule, collection, writing.engine.schema, circumstancesOf(writing))
  if (made.length > 0 && !isAlways(meant))
    for (const of of await notMatching(collection, made, meant, writing))
      failures.push({ of, error: forbidden(of.path, 'create') })
  return failures
}

/** The keys of what an item was nested in, and of what was nested in it. */
function referencesOf({ owner, targets, values }: ItemWrite): Given {
  const fields = [...(owner ? [owner] : []), ...targets.map(({ field }) => field)]
  return Object.fromEntries(
    fields.map((field) => {
      const value = values.get(field) ?? null
      return [field.name, value === null || field.kind === 'any' ? value : keyAnswer(field.target, value)]
    }),
  )
}

async function requirePassing(
  collection: Collection,
  items: readonly ItemWrite[],
  condition: Predicate,
  writing: Writing,
): Promise<void> {
  for (const { path } of await notMatching(collection, items, condition, writing))
    writing.problems.report(notPassing(collection, path))
}

async function notMatching(
  collection: Collection,
  items: readonly ItemWrite[],
  condition: Predicate,
  writing: Writing,
): Promise<readonly ItemWrite[]> {
  const keys = items.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const matching = await matchingKeys(collection, keys, condition, writing)
  return items.filter(({ key }) => key !== undefined && !matching.has(keyText(key)))
}
