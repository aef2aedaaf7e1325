// Rules that fill in different values are tried whole, in their order: the first of which all parts hold allows the item. Memory judges what it
// can; the rest is judged over the row as it is stored with the values of that rule.

import type { EngineError } from '../../errors/errors.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { StoredField } from '../../schema/model.ts'
import { canUndo } from '../context/retry.ts'
import type { FilledValues, Permit, RuleWay, WriteContext } from '../context/write-context.ts'

/** A rule that may allow an item, with what is known before the item is stored. */
export interface JudgedRule {
  readonly permit: Permit
  /** The values that it fills in, and the same as a text. */
  readonly values: FilledValues
  readonly valuesText: string
  /** False if the payload contradicts the rule's filter. */
  readonly isLikely: boolean
  /** True if all of its parts hold; undefined if the stored row decides. */
  readonly isMet: boolean | undefined
}

/** Ends an attempt in which the rules that were tried refuse some items, and others are left for them. */
export class RulesRefuse extends Error {
  readonly refused: ReadonlyMap<ItemWrite, readonly EngineError[]>

  constructor(refused: ReadonlyMap<ItemWrite, readonly EngineError[]>) {
    super()
    this.refused = refused
  }
}

/** Fills in the values of the first of some rules that may allow an item, and notes the others. */
export function chooseRule(item: ItemWrite, rules: readonly JudgedRule[], writing: WriteContext): void {
  const likely = rules.find(({ isLikely }) => isLikely) ?? rules[0]
  const ways = waysOf(rules, likely, writing)
  const [first] = ways
  if (!first) return
  if (ways.length > 1) {
    const reportedAt = ways.findIndex(({ permits }) => permits.some((one) => one === likely?.permit))
    const initial = new Map(item.values)
    writing.choices.set(item, { ways, initial, at: 0, reportedAt: Math.max(reportedAt, 0) })
  }
  take(item, first, writing)
}

function waysOf(
  rules: readonly JudgedRule[],
  likely: JudgedRule | undefined,
  { caller }: WriteContext,
): readonly RuleWay[] {
  const open = rules.filter(({ isMet }) => isMet !== false)
  const alike = rules.filter(({ valuesText }) => valuesText === likely?.valuesText)
  // The stored row is judged again: where memory rules all of them out, the error is that of the stored row.
  if (alike.length === rules.length || open.length === 0 || !canUndo(caller)) return [wayOf(alike)]
  const met = open.findIndex(({ isMet }) => isMet)
  const runs: JudgedRule[][] = []
  for (const rule of met < 0 ? open : open.slice(0, met + 1))
    if (runs.at(-1)?.[0]?.valuesText === rule.valuesText) runs.at(-1)?.push(rule)
    else runs.push([rule])
  return runs.map(wayOf)
}

function wayOf(rules: readonly JudgedRule[]): RuleWay {
  const likely = rules.filter(({ isLikely }) => isLikely)
  const ordered = [...likely, ...rules.filter(({ isLikely }) => !isLikely)]
  return {
    values: ordered[0]?.values ?? new Map(),
    permits: ordered.map(({ permit }) => permit),
    isMet: rules.some(({ isMet }) => isMet),
  }
}

function take(item: ItemWrite, { values, permits }: RuleWay, { allowedBy }: WriteContext): void {
  for (const [field, value] of values) item.values.set(field, value)
  allowedBy.set(item, permits)
}

/** Fills in the values of the next rule in the place of those that were refused. Returns false if none is left. */
export function takeNextRule(
  item: ItemWrite,
  refused: readonly EngineError[],
  writing: WriteContext,
): boolean {
  const choice = writing.choices.get(item)
  if (!choice) return false
  if (choice.at === choice.reportedAt) choice.reported = refused
  const next = choice.ways[choice.at + 1]
  if (!next) return false
  choice.at++
  item.values.clear()
  for (const [field, value] of choice.initial) item.values.set(field, value)
  take(item, next, writing)
  return true
}

/** True if other rules may allow an item, should those that are tried refuse it. */
export function isUndecided(item: ItemWrite, { choices }: WriteContext): boolean {
  const choice = choices.get(item)
  return choice !== undefined && choice.at + 1 < choice.ways.length
}

/** Returns why an item is refused. `latest`: what is wrong with the values of the rule that was tried last. */
export function refusalOf(
  item: ItemWrite,
  latest: readonly EngineError[],
  { choices }: WriteContext,
): readonly EngineError[] {
  const { ways = [], at = 0, reported = latest } = choices.get(item) ?? {}
  return ways[at]?.isMet ? latest : reported
}

/** Tries no other rules for items than those that are tried now. */
export function settleRules(items: readonly ItemWrite[], { choices }: WriteContext): void {
  for (const item of items) {
    const choice = choices.get(item)
    if (choice) choices.set(item, { ...choice, ways: choice.ways.slice(0, choice.at + 1) })
  }
}

/** Returns the fields that the rules of an item fill in, each of its own. */
export const filledByRules = (item: ItemWrite, { choices }: WriteContext): readonly StoredField[] =>
  choices.get(item)?.ways.flatMap(({ values }) => [...values.keys()]) ?? []
