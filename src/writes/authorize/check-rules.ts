// Authorizes items: finds for each item the rule that allows it. Any of several rules may allow an item, and then that rule alone decides
// which fields may be written, which condition the item has to meet afterwards, and which presets are filled in.

import type { RuleRead } from '../../access/rules.ts'
import type { EngineError } from '../../errors/errors.ts'
import { type RowValidation, rowValidation, validateRow } from '../../plan/filter/validate-row.ts'
import { keyIdentity } from '../../plan/key.ts'
import { noField } from '../../plan/resolve-name.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import { type Validate, validatorBy } from '../../plan/write/validate-item.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { groupBy } from '../group-by.ts'
import { storedItems } from '../locks/select-keys.ts'
import { keysIn } from '../rows-by-key.ts'
import { hasTriggers, knownTriggers } from '../update/side-effects.ts'
import {
  circumstancesOf,
  contextOf,
  type Permit,
  permissionsOf,
  type WriteContext,
} from '../write-context.ts'
import { refuseUnseenTargets } from './check-references.ts'
import { errorDisclosure, tellHost } from './error-disclosure.ts'
import { refuseUnreadLinks } from './linked-values.ts'
import { namesWritten } from './references.ts'
import { areFirm, isConcerned, isKnownBefore, presetValues, rowAfter } from './row-after.ts'
import { presetNamesOf, presetsFor } from './rule-presets.ts'
import { type MatchingRows, matchingRows, requireRows } from './visible-keys.ts'
import { among, forbidden, rulesFor } from './writable-fields.ts'

/** Finds the rule that allows each item, and fills in the presets of that rule. */
export async function checkRules(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const permissions = permissionsOf(writing)
  if (!permissions) return
  for (const [collection, group] of groupBy(items, (item) => item.collection))
    for (const [action, alike] of groupBy(group, (item) => item.action)) {
      const rules = rulesFor(permissions, collection, action)
      const validators = rules.map((rule) => ruleValidator(rule, collection, writing))
      const isUpdate = action === 'update'
      const matching = isUpdate ? await matchingRows(collection, rules, keysIn(alike), writing) : undefined
      const rows = isUpdate ? await storedRows(collection, alike, validators, writing) : new Map()
      const isFollowed = await areFollowed(collection, validators, writing)
      for (const item of alike) {
        // An item that is only linked to does not change.
        if (!item.isLink || namesWritten(item).length > 0)
          permitItem(
            item,
            validatorsOn(item, validators, matching),
            { stored: rows.get(textOf(item)), isFollowed },
            writing,
          )
      }
    }
  writing.problems.throwIfAny()
  await permitRemovals(writing)
  await refuseUnreadLinks(items, writing)
  await refuseUnseenTargets(items, writing)
}

type RuleRow = Readonly<Record<string, unknown>>

/** What is known of a row before it is written. */
interface RowBefore {
  /** Undefined for a new one. */
  readonly stored: RuleRow | undefined
  /** True if triggers may change what is written. */
  readonly isFollowed: boolean
}

/** True if triggers may change what some rules validate. */
const areFollowed = async (
  collection: Collection,
  validators: readonly RuleValidator[],
  writing: WriteContext,
): Promise<boolean> =>
  validators.some(({ validation }) => validation) &&
  (knownTriggers(collection, writing) ?? (await hasTriggers(collection, writing)))

const textOf = ({ key }: ItemWrite): string => (key === undefined ? '' : keyIdentity(key))

/** Returns the stored values of the fields on which validations depend. */
function storedRows(
  collection: Collection,
  items: readonly ItemWrite[],
  validators: readonly RuleValidator[],
  writing: WriteContext,
): Promise<ReadonlyMap<string, RuleRow>> {
  const judged = validators.flatMap(({ validation }) => [...(validation?.fields ?? [])])
  return storedItems(collection, keysIn(items), [...new Set<StoredField>(judged)], writing)
}

/** Authorizes the deletion of removed children. */
async function permitRemovals(writing: WriteContext): Promise<void> {
  const deleted = writing.removedChildren.filter(({ isDeleted }) => isDeleted)
  for (const [target, group] of groupBy(deleted, ({ relation }) => relation.target))
    await requireRows(target, { action: 'delete', keys: group.map(({ key }) => key) }, writing)
}

/** A rule with its validation, resolved once for all items. */
interface RuleValidator {
  readonly rule: RuleRead
  readonly validation: RowValidation | undefined
  readonly means: Validate | undefined
}

export function ruleValidator(rule: RuleRead, collection: Collection, writing: WriteContext): RuleValidator {
  const context = contextOf(writing)
  return {
    rule,
    validation: rule.validation && rowValidation(collection, rule.validation, context),
    means: rule.filter && validatorBy(collection, rule.filter, context),
  }
}

const validatorsOn = (
  item: ItemWrite,
  validators: readonly RuleValidator[],
  matching: MatchingRows | undefined,
) =>
  matching
    ? validators.filter(({ rule }) => item.key !== undefined && matching.get(rule)?.has(textOf(item)))
    : validators

export function permitItem(
  item: ItemWrite,
  validators: readonly RuleValidator[],
  before: RowBefore,
  writing: WriteContext,
): void {
  const { collection, action, path } = item
  if (validators.length === 0) {
    writing.problems.report(forbidden(path, action))
    return
  }
  const named = namesWritten(item)
  const granting = validators.filter(({ rule }) => named.every((name) => rule.fields.has(name)))
  if (granting.length === 0) {
    // Each name is allowed by some rule, but no rule that matches this item allows them all.
    const most = new Set(validators.flatMap(({ rule }) => [...rule.fields]))
    const refused = named.find((name) => !most.has(name)) ?? named.at(-1) ?? ''
    const at = [...path, refused]
    writing.problems.reportMade(() => noField(among(collection, most), refused, at), at)
    return
  }
  const judged = granting.map((validate) => judgedBy(validate, item, before, writing))
  const passing = judged.flatMap((one) => (one.presets && one.failures.length === 0 ? [one] : []))
  const best = passing.find(({ matches }) => matches) ?? passing[0]
  if (best) {
    for (const [field, value] of best.values) item.values.set(field, value)
    const filled = JSON.stringify(best.presets, asText)
    const alike = passing.filter(({ presets }) => JSON.stringify(presets, asText) === filled)
    writing.allowedBy.set(item, [best, ...alike.filter((one) => one !== best)].map(permitOf))
    return
  }
  const refusing = judged.find(({ presets }) => presets)
  for (const failure of refusing?.failures ?? [forbidden(path, action)]) writing.problems.report(failure)
  tellHost(refusing?.hidden ?? [], writing)
}

const asText = (_name: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)

interface JudgedItem {
  readonly rule: RuleRead
  /** Undefined if a variable in the presets has no value. */
  readonly presets: ItemData | undefined
  readonly values: ReadonlyMap<StoredField, Storable | null>
  readonly failures: readonly EngineError[]
  readonly hidden: readonly EngineError[]
  /** True unless the item, as far as it is known, contradicts the rule's filter. */
  readonly matches: boolean
  /** Validation that can run only once the item is stored. */
  readonly later: RowValidation | undefined
  readonly before: RuleRow | undefined
}

const permitOf = ({ rule, later, before }: JudgedItem): Permit => ({ rule, later, before })

/** Judges an item by a rule as far as that is possible before it is stored. */
function judgedBy(
  { rule, validation, means }: RuleValidator,
  item: ItemWrite,
  { stored, isFollowed }: RowBefore,
  writing: WriteContext,
): JudgedItem {
  const { action, path, payload } = item
  const presets = presetsFor(rule, presetNamesOf(rule, payload), circumstancesOf(writing))
  const values = presets && presetValues(item, presets)
  const matches = action === 'update' || !means || means({ ...presets, ...payload }, path).length === 0
  const nothing = {
    rule,
    presets,
    values: values ?? new Map(),
    failures: [],
    hidden: [],
    matches,
    later: undefined,
    before: undefined,
  }
  if (!values) return { ...nothing, presets: undefined }
  if (!validation) return nothing
  if (!isConcerned(item, values, validation, stored))
    return isFollowed || validation.isComputed ? { ...nothing, later: validation, before: stored } : nothing
  if (!isKnownBefore(item, values, validation)) return { ...nothing, later: validation }
  const hidden: EngineError[] = []
  const row = rowAfter(item, values, validation.fields, stored)
  const failures = validateRow(validation, row, errorDisclosure(item, writing, hidden), contextOf(writing))
  const isFirm = !isFollowed && areFirm(validation.fields, row)
  return { ...nothing, failures, hidden, later: isFirm ? undefined : validation }
}
