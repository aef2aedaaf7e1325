// Authorizes items: finds for each item the rule that allows it. Any of several rules may allow an item, and then that rule alone decides
// which fields may be written, which condition the item has to meet afterwards, and which presets are filled in.

import { rulePredicate } from '../../access/caller-scope.ts'
import type { RuleRead } from '../../access/rules.ts'
import type { EngineError } from '../../errors/errors.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import { type RowValidation, rowValidation, validateRow } from '../../plan/filter/validate-row.ts'
import { keyIdentity } from '../../plan/key.ts'
import { noField } from '../../plan/resolve-name.ts'
import { type Validate, validatorBy } from '../../plan/write/validate-item.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { groupBy, valuesText } from '../context/group-by.ts'
import {
  circumstancesOf,
  contextOf,
  type FilledValues,
  permissionsOf,
  type WriteContext,
} from '../context/write-context.ts'
import { keysIn } from '../stored/rows-by-key.ts'
import { storedItems } from '../stored/select-keys.ts'
import { hasTriggers } from '../stored/side-effects.ts'
import { refuseUnseenTargets } from './check-references.ts'
import { errorDisclosure, tellHost } from './error-disclosure.ts'
import { refuseUnreadLinks } from './linked-values.ts'
import { namesWritten } from './references.ts'
import {
  areFirm,
  areGiven,
  filterHolds,
  isConcerned,
  isKnownBefore,
  presetValues,
  rowAfter,
  sumsOf,
} from './row-after.ts'
import { chooseRule, type JudgedRule } from './rule-choice.ts'
import { presetNamesOf, presetsFor } from './rule-presets.ts'
import { type MatchingRows, matchingRows, requireRows } from './visible-keys.ts'
import { among, forbidden, rulesFor } from './writable-fields.ts'

/** Finds the rule that allows each item, and fills in the presets of that rule. */
export async function checkRules(items: readonly ItemWrite[], writing: WriteContext): Promise<void> {
  const permissions = permissionsOf(writing)
  if (!permissions) return refuseUnseenTargets(items, writing)
  for (const [collection, group] of groupBy(items, (item) => item.collection))
    for (const [action, alike] of groupBy(group, (item) => item.action)) {
      const rules = rulesFor(permissions, collection, action)
      const validators = ruleValidators(rules, collection, action, writing)
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
  /** True if triggers may change what is written; undefined if that is asked once it is stored. */
  readonly isFollowed: boolean | undefined
}

/** True if triggers may change which of several rules allows an item. They may have been added since another call has asked. */
const areFollowed = async (
  collection: Collection,
  validators: readonly RuleValidator[],
  writing: WriteContext,
): Promise<boolean | undefined> =>
  validators.length > 1 && validators.some(({ validation, filter }) => validation || filter)
    ? hasTriggers(collection, writing)
    : undefined

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
  /** Filter of new items, where it decides which values are filled in. */
  readonly filter: Predicate | undefined
}

export function ruleValidator(rule: RuleRead, collection: Collection, writing: WriteContext): RuleValidator {
  const context = contextOf(writing)
  return {
    rule,
    validation: rule.validation && rowValidation(collection, rule.validation, context),
    means: rule.filter && validatorBy(collection, rule.filter, context),
    filter: undefined,
  }
}

function ruleValidators(
  rules: readonly RuleRead[],
  collection: Collection,
  action: ItemWrite['action'],
  writing: WriteContext,
): readonly RuleValidator[] {
  const isNew = action === 'create'
  const isChosen = isNew && rules.length > 1 && rules.some(({ presets }) => Object.keys(presets).length > 0)
  const filterOf = (rule: RuleRead) =>
    isChosen && rule.filter
      ? rulePredicate(rule, collection, writing.engine.schema, circumstancesOf(writing))
      : undefined
  return rules.map((rule) => ({
    ...ruleValidator(rule, collection, writing),
    filter: filterOf(rule),
  }))
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
  const judged = granting.flatMap((validator) => judgedBy(validator, item, before, writing) ?? [])
  const passing = judged.filter(({ failures }) => failures.length === 0)
  if (passing.length > 0) {
    chooseRule(item, passing, writing)
    return
  }
  const [refusing] = judged
  for (const failure of refusing?.failures ?? [forbidden(path, action)]) writing.problems.report(failure)
  tellHost(refusing?.hidden ?? [], writing)
}

interface JudgedItem extends JudgedRule {
  readonly failures: readonly EngineError[]
  readonly hidden: readonly EngineError[]
}

/** Checks an item by a rule, where that is possible before it is stored. Undefined if it cannot have the values that the rule fills in: a
 *  variable in them has none. */
function judgedBy(
  validator: RuleValidator,
  item: ItemWrite,
  before: RowBefore,
  writing: WriteContext,
): JudgedItem | undefined {
  const { rule, means, filter } = validator
  const { action, path, payload } = item
  const presets = presetsFor(rule, presetNamesOf(rule, payload), circumstancesOf(writing))
  const values = presets && presetValues(item, presets)
  if (!values) return undefined
  const validated = validatedBy(validator, { item, values }, before, writing)
  const { failures, hidden, later, isFirm, stored } = validated
  const known = before.isFollowed ? undefined : filter && filterHolds(filter, item, values, writing)
  const isMatching = filter ? known : true
  return {
    permit: { rule, later, isFirm, before: stored },
    values,
    valuesText: valuesText(values),
    isLikely:
      action === 'update' || !means || means({ ...presets, ...payload, ...sumsOf(item) }, path).length === 0,
    isMet: isMatching && later ? undefined : isMatching,
    failures,
    hidden,
  }
}

/** An item with the values that a rule fills in. */
interface FilledItem {
  readonly item: ItemWrite
  readonly values: FilledValues
}

interface ValidatedItem {
  readonly failures: readonly EngineError[]
  readonly hidden: readonly EngineError[]
  /** Validation that can run only once the item is stored. */
  readonly later?: RowValidation | undefined
  readonly isFirm?: boolean | undefined
  readonly stored?: RuleRow | undefined
}

const passed: ValidatedItem = { failures: [], hidden: [] }

function validatedBy(
  { validation }: RuleValidator,
  { item, values }: FilledItem,
  { stored, isFollowed }: RowBefore,
  writing: WriteContext,
): ValidatedItem {
  if (!validation) return passed
  const later = validation
  if (!isConcerned(item, values, validation, stored)) {
    const isFirm = !isFollowed && !validation.isComputed
    return isFirm && isFollowed === false ? passed : { ...passed, later, isFirm, stored }
  }
  if (!isKnownBefore(item, values, validation)) return { ...passed, later }
  const hidden: EngineError[] = []
  const row = rowAfter(item, values, validation.fields, stored)
  const failures = validateRow(validation, row, errorDisclosure(item, writing, hidden), contextOf(writing))
  const isWhole = item.action === 'update' || areGiven(item, values, validation.fields)
  const isFirm = isWhole && !isFollowed && areFirm(validation.fields, row)
  return { failures, hidden, isFirm, later: isFirm && isFollowed === false ? undefined : later }
}
