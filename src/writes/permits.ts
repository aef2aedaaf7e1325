// What a caller may write. Of several rules any may allow an item, and then it is that rule alone which says what of the item may be
// written, what it has to be afterwards, and what is filled in.
import type { Action } from '../access/access.ts'
import { type Limited, rulePredicate } from '../access/narrow.ts'
import type { RuleRead } from '../access/read-rules.ts'
import type { Engine } from '../engine.ts'
import { fault, type Path } from '../errors.ts'
import { noField, rootCollection } from '../plan/gate.ts'
import { type Given, readPayload } from '../plan/payload.ts'
import { isAlways } from '../plan/predicate.ts'
import type { Storable } from '../plan/stored-value.ts'
import { judgeBy } from '../plan/validate-item.ts'
import { type ItemWrite, keyText } from '../plan/write-plan.ts'
import type { Problems } from '../problems.ts'
import { type Collection, type Field, isToMany } from '../schema/model.ts'
import { readVariable, variableValue } from '../vocabulary/variables.ts'
import { chosenKeys, isOneOf, matchingKeys, wholeList } from './chosen.ts'
import { grouped } from './grouped.ts'
import { existing, missing } from './rows.ts'
import { circumstancesOf, contextOf, type Writing } from './writing.ts'

/** The collection that a verb writes to. What cannot be seen is not there, unless it may be created unseen. */
export function writtenCollection(engine: Engine, name: string, ...wanted: readonly Action[]): Collection {
  const limits = engine.narrowing?.limits
  if (!limits) return rootCollection(engine.schema, name)
  const collection = limits.whole.collections.get(name)
  const granted = collection ? wanted.filter((action) => rulesFor(limits, collection, action).length > 0) : []
  const isSeen = engine.schema.collections.has(name)
  if (!collection || (!isSeen && !granted.includes('create'))) return rootCollection(engine.schema, name)
  if (granted.length === 0) throw forbidden([], wanted[0] ?? 'read', `items of "${name}"`)
  return collection
}

const forbidden = (path: Path, action: Action, what = 'this item') =>
  fault('FORBIDDEN', `You may not ${action} ${what}.`, { path })

function rulesFor({ grants }: Limited, collection: Collection, action: Action): readonly RuleRead[] {
  return grants.get(collection)?.[action] ?? []
}

const limitsOf = ({ caller }: Writing): Limited | undefined => caller.narrowing?.limits

/** Which of some items the caller can see, by the texts of their keys. */
export async function visibleKeys(
  collection: Collection,
  keys: readonly Storable[],
  writing: Writing,
): Promise<ReadonlySet<string>> {
  const limits = limitsOf(writing)
  if (!limits) return existing(collection, keys, writing)
  const seen = collection.isSeen ? collection : limits.seen.of.get(collection)
  if (!seen || keys.length === 0) return new Set()
  const list = wholeList(seen, isOneOf(seen, keys))
  const found = await chosenKeys(list, { engine: writing.caller, options: writing.options })
  return new Set(found.map(keyText))
}

/** What of a payload there is for whoever gives it. */
export interface Gate {
  /** Refuses names that no rule allows, as if there were no such fields, and answers them. */
  readonly refuse: (
    collection: Collection,
    action: Action,
    names: readonly string[],
    path: Path,
    problems: Problems,
  ) => ReadonlySet<string>
  readonly reaches?: (collection: Collection) => boolean
}

export function gateOf({ narrowing }: Engine): Gate {
  const limits = narrowing?.limits
  if (!limits) return { refuse: () => nothing }
  const reaches = (collection: Collection) => isReached(limits, collection)
  const allowed = new Map<string, ReadonlySet<string>>()
  const allowedIn = (collection: Collection, action: Action) => {
    const title = `${action} ${collection.name}`
    const found = allowed.get(title) ?? namesAllowed(limits, collection, action)
    allowed.set(title, found)
    return found
  }
  return {
    reaches,
    refuse: (collection, action, names, path, problems) => {
      // What is read of a version names what is seen; whether it may be written is asked when it is promoted.
      if (collection.isSeen) return nothing
      const legal = allowedIn(collection, action)
      const refused = names.filter((name) => !legal.has(name))
      for (const name of refused) problems.report(noField(among(collection, legal), name, [...path, name]))
      return refused.length === 0 ? nothing : new Set(refused)
    },
  }
}

const nothing: ReadonlySet<string> = new Set()

/** What of a collection a caller may name to have it written. */
export function writtenFields(
  { narrowing }: Engine,
  collection: Collection,
  action: Action,
): Pick<Collection, 'name' | 'fields'> {
  const limits = narrowing?.limits
  return limits ? among(collection, namesAllowed(limits, collection, action)) : collection
}

/** Whether there is such a collection for a caller, be it that they only may put something into it. */
function isReached(limits: Limited, collection: Collection): boolean {
  const { seen } = limits
  return (
    collection.isSeen === true ||
    seen.of.has(collection) ||
    (['create', 'update'] as const).some((action) => rulesFor(limits, collection, action).length > 0)
  )
}

/** The fields that any rule allows to be written. A relation to many that leads nowhere is none. */
function namesAllowed(limits: Limited, collection: Collection, action: Action): ReadonlySet<string> {
  const names = rulesFor(limits, collection, action).flatMap(({ fields }) => [...fields])
  return new Set(
    names.filter((name) => {
      const field = collection.fields.get(name)
      return field && (!isToMany(field) || isReached(limits, field.target))
    }),
  )
}

/** A payload without what was refused of it: of that nothing more is said. */
export function withoutNames(given: Given, names: ReadonlySet<string>): Given {
  if (names.size === 0) return given
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)))
}

/** A collection with some of its fields, for what is said of names. */
const among = ({ name, fields }: Collection, allowed: ReadonlySet<string>) => ({
  name,
  fields: new Map<string, Field>([...fields].filter(([one]) => allowed.has(one))),
})

/** Finds the rule that allows each item, and fills in what that rule presets. */
export async function permit(items: readonly ItemWrite[], writing: Writing): Promise<void> {
  const limits = limitsOf(writing)
  if (!limits) return
  for (const [collection, group] of grouped(items, (item) => item.collection))
    for (const [action, alike] of grouped(group, (item) => item.action)) {
      const rules = rulesFor(limits, collection, action)
      const meant =
        action === 'update' ? await rowsMeant(collection, rules, alike.flatMap(keysOf), writing) : undefined
      // Whoever is only pointed to stays as it is.
      for (const item of alike)
        if (!item.isLink || item.named.length > 0) permitItem(item, rulesOn(item, rules, meant), writing)
    }
  writing.problems.throwIfAny()
  await refuseUnseenTargets(items, writing)
}

const keysOf = ({ key }: ItemWrite): readonly Storable[] => (key === undefined ? [] : [key])

type RowsMeant = ReadonlyMap<RuleRead, ReadonlySet<string>>

/** Which rows each rule speaks of. */
async function rowsMeant(
  collection: Collection,
  rules: readonly RuleRead[],
  keys: readonly Storable[],
  writing: Writing,
): Promise<RowsMeant> {
  const circumstances = circumstancesOf(writing)
  const meant = new Map<RuleRead, ReadonlySet<string>>()
  for (const rule of rules) {
    const predicate = rulePredicate(rule, collection, writing.engine.schema, circumstances)
    const found = isAlways(predicate)
      ? new Set(keys.map(keyText))
      : keys.length === 0
        ? new Set<string>()
        : await matchingKeys(collection, keys, predicate, writing)
    meant.set(rule, found)
  }
  return meant
}

const rulesOn = ({ key }: ItemWrite, rules: readonly RuleRead[], meant: RowsMeant | undefined) =>
  meant ? rules.filter((rule) => key !== undefined && meant.get(rule)?.has(keyText(key))) : rules

function permitItem(item: ItemWrite, rules: readonly RuleRead[], writing: Writing): void {
  const { collection, action, path, named } = item
  if (rules.length === 0) {
    writing.problems.report(forbidden(path, action))
    return
  }
  const granting = rules.filter(({ fields }) => named.every((name) => fields.has(name)))
  if (granting.length === 0) {
    // Each name is allowed by some rule, and the names together by none that speaks of this item.
    const most = new Set(rules.flatMap(({ fields }) => [...fields]))
    const refused = named.find((name) => !most.has(name)) ?? named.at(-1) ?? ''
    writing.problems.report(noField(among(collection, most), refused, [...path, refused]))
    return
  }
  const judged = granting.map((rule) => judgedBy(rule, item, writing))
  const passing = judged.flatMap(({ rule, presets, failures, isMeant }) =>
    presets && failures.length === 0 ? [{ rule, presets, isMeant }] : [],
  )
  const best = passing.find(({ isMeant }) => isMeant) ?? passing[0]
  if (best) {
    fillIn(item, best.presets, writing)
    const filled = JSON.stringify(best.presets, asText)
    const alike = passing.filter(({ presets }) => JSON.stringify(presets, asText) === filled)
    writing.allowedBy.set(item, [best, ...alike.filter((one) => one !== best)])
    return
  }
  for (const failure of judged.find(({ presets }) => presets)?.failures ?? [forbidden(path, action)])
    writing.problems.report(failure)
}

const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)

/** What can be said of an item by a rule before it is stored. `isMeant`: nothing in it contradicts the rule's filter, as far as it is known. */
function judgedBy(rule: RuleRead, item: ItemWrite, writing: Writing) {
  const { collection, action, path, given } = item
  const context = contextOf(writing)
  const presets = presetsOf(rule, item, writing)
  const merged = { ...presets, ...given }
  const failures = rule.validation ? judgeBy(collection, rule.validation, context)(merged, path) : []
  const isMeant =
    action === 'update' ||
    !rule.filter ||
    judgeBy(collection, rule.filter, context)(merged, path).length === 0
  return { rule, presets, failures, isMeant }
}

/** What a rule fills in where the caller says nothing. Undefined when a variable in it has no value. */
function presetsOf(
  { presets }: RuleRead,
  { action, given, isLink }: ItemWrite,
  writing: Writing,
): Given | undefined {
  const values: Record<string, unknown> = {}
  // An item that is only taken into a relation keeps what it has.
  if (isLink && action === 'update') return values
  for (const [name, preset] of Object.entries(presets)) {
    if (given[name] !== undefined) continue
    const variable = readVariable(preset)
    const value = variable ? variableValue(variable, circumstancesOf(writing)) : preset
    if (value === undefined || (variable && value === null)) return undefined
    values[name] = value
  }
  return values
}

function fillIn(item: ItemWrite, presets: Given, { problems }: Writing): void {
  const { collection, path } = item
  const { values } = readPayload(presets, { collection, path, problems, isKeyed: item.action === 'update' })
  for (const [field, value] of values) item.values.set(field, value)
}

/** A reference to an item that cannot be seen is one to an item that is not there. */
async function refuseUnseenTargets(items: readonly ItemWrite[], writing: Writing): Promise<void> {
  const limits = limitsOf(writing)
  const references = items.flatMap((item) =>
    [...item.values].flatMap(([field, value]) =>
      field.kind === 'm2o' && value !== null && item.named.includes(field.name) && item.owner !== field
        ? [{ item, field, value }]
        : [],
    ),
  )
  for (const [target, group] of grouped(references, ({ field }) => field.target)) {
    // Where nothing of a collection is seen, its keys are values like any other.
    if (!limits?.seen.of.has(target)) continue
    const seen = await visibleKeys(
      target,
      group.map(({ value }) => value),
      writing,
    )
    for (const { item, field, value } of group)
      if (!seen.has(keyText(value)))
        writing.problems.report(
          fault('INVALID_FOREIGN_KEY', undefined, {
            path: [...item.path, field.name],
            extensions: { collection: item.collection.name, field: field.name },
          }),
        )
  }
  writing.problems.throwIfAny()
}

/** Refuses to do something to rows that are seen, unless rules allow it on each of them. `names`: the fields that it changes. */
export async function requireRows(
  collection: Collection,
  action: 'update' | 'delete',
  keys: readonly Storable[],
  writing: Writing,
  names: readonly string[] = [],
): Promise<void> {
  const limits = limitsOf(writing)
  if (!limits || keys.length === 0) return
  const rules = rulesFor(limits, collection, action).filter(({ fields }) =>
    names.every((name) => fields.has(name)),
  )
  const meant = await rowsMeant(collection, rules, keys, writing)
  const isAllowed = (key: Storable) => [...meant.values()].some((texts) => texts.has(keyText(key)))
  if (!keys.every(isAllowed))
    throw forbidden([], action, keys.length === 1 ? 'this item' : 'all of these items')
}

/** Refuses keys of items that cannot be seen. */
export async function requireVisible(
  collection: Collection,
  keys: readonly Storable[],
  writing: Writing,
): Promise<void> {
  const seen = await visibleKeys(collection, keys, writing)
  if (keys.some((key) => !seen.has(keyText(key)))) throw missing()
}
