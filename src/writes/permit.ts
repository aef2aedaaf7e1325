// Finds for each item the rule that allows it. Of several rules any may allow an item, and then it is that rule alone which says what of the
// item may be written, what it has to be afterwards, and what is filled in.
import type { RuleRead } from '../access/read-rules.ts'
import { fault } from '../errors.ts'
import { noField } from '../plan/gate.ts'
import { type Given, readPayload } from '../plan/payload.ts'
import type { Storable } from '../plan/stored-value.ts'
import { type Judge, judgeBy } from '../plan/validate-item.ts'
import { type ItemWrite, keyText } from '../plan/write-plan.ts'
import type { Collection } from '../schema/model.ts'
import { readVariable, variableValue } from '../vocabulary/variables.ts'
import { grouped } from './grouped.ts'
import { among, forbidden, limitsOf, type RowsMeant, rowsMeant, rulesFor, visibleKeys } from './permits.ts'
import { holders } from './rows.ts'
import { circumstancesOf, contextOf, type Writing } from './writing.ts'

/** Finds the rule that allows each item, and fills in what that rule presets. */
export async function permit(items: readonly ItemWrite[], writing: Writing): Promise<void> {
  const limits = limitsOf(writing)
  if (!limits) return
  const unmoved = await unmovedAmong(items, writing)
  for (const [collection, group] of grouped(items, (item) => item.collection))
    for (const [action, alike] of grouped(group, (item) => item.action)) {
      const rules = rulesFor(limits, collection, action)
      const meant =
        action === 'update' ? await rowsMeant(collection, rules, alike.flatMap(keysOf), writing) : undefined
      const judges = rules.map((rule) => ruleJudge(rule, collection, writing))
      for (const item of alike) {
        // A child that hangs there already is not hung anew, and whoever is only pointed to stays as it is.
        const named = unmoved.has(item) ? item.named.filter((name) => name !== item.owner?.name) : item.named
        if (!item.isLink || named.length > 0) permitItem(item, named, judgesOn(item, judges, meant), writing)
      }
    }
  writing.problems.throwIfAny()
  await refuseUnseenTargets(items, writing)
}

/** Children that hang on their item already. */
async function unmovedAmong(items: readonly ItemWrite[], writing: Writing): Promise<ReadonlySet<ItemWrite>> {
  const hung = items.flatMap(({ key, children }) =>
    key === undefined
      ? []
      : children.flatMap(({ relation, items: kids }) =>
          kids.flatMap((kid) => (kid.key === undefined ? [] : [{ relation, kid, key: kid.key, owner: key }])),
        ),
  )
  const unmoved = new Set<ItemWrite>()
  for (const [relation, group] of grouped(hung, (one) => one.relation)) {
    const owners = [...new Map(group.map(({ owner }) => [keyText(owner), owner])).values()]
    const there = await holders(relation.foreign, owners, undefined, writing)
    const known = new Set(
      [...there].flatMap(([owner, children]) => children.map(({ key }) => `${owner}\n${keyText(key)}`)),
    )
    for (const { kid, key, owner } of group)
      if (known.has(`${keyText(owner)}\n${keyText(key)}`)) unmoved.add(kid)
  }
  return unmoved
}

const keysOf = ({ key }: ItemWrite): readonly Storable[] => (key === undefined ? [] : [key])

/** A rule, with what it asks of items resolved once for all of them. */
interface RuleJudge {
  readonly rule: RuleRead
  readonly validates: Judge | undefined
  readonly means: Judge | undefined
}

function ruleJudge(rule: RuleRead, collection: Collection, writing: Writing): RuleJudge {
  const context = contextOf(writing)
  const by = (node: RuleRead['filter']) => node && judgeBy(collection, node, context)
  return { rule, validates: by(rule.validation), means: by(rule.filter) }
}

const judgesOn = ({ key }: ItemWrite, judges: readonly RuleJudge[], meant: RowsMeant | undefined) =>
  meant ? judges.filter(({ rule }) => key !== undefined && meant.get(rule)?.has(keyText(key))) : judges

function permitItem(
  item: ItemWrite,
  named: readonly string[],
  judges: readonly RuleJudge[],
  writing: Writing,
): void {
  const { collection, action, path } = item
  if (judges.length === 0) {
    writing.problems.report(forbidden(path, action))
    return
  }
  const granting = judges.filter(({ rule }) => named.every((name) => rule.fields.has(name)))
  if (granting.length === 0) {
    // Each name is allowed by some rule, and the names together by none that speaks of this item.
    const most = new Set(judges.flatMap(({ rule }) => [...rule.fields]))
    const refused = named.find((name) => !most.has(name)) ?? named.at(-1) ?? ''
    const at = [...path, refused]
    writing.problems.reportMade(() => noField(among(collection, most), refused, at), at)
    return
  }
  const judged = granting.map((judge) => judgedBy(judge, item, writing))
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
function judgedBy({ rule, validates, means }: RuleJudge, item: ItemWrite, writing: Writing) {
  const { action, path, given } = item
  const presets = presetsOf(rule, item, writing)
  const merged = { ...presets, ...given }
  const failures = validates?.(merged, path) ?? []
  const isMeant = action === 'update' || !means || means(merged, path).length === 0
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
    if (!limits?.seen.reached(target)) continue
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
