// Everything that must hold for a row which one statement writes, each obligation at its place: in memory over the new values, in the statement,
// or in locks before it. What none of these places can judge is left to the general path.

import type { Permissions } from '../../access/caller-scope.ts'
import type { RuleRead } from '../../access/rules.ts'
import { textOfRules } from '../../access/rules-text.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { allOf, always, decided, isAlways, type Predicate, type Test } from '../../plan/filter/predicate.ts'
import { collectionsTested } from '../../plan/touches.ts'
import { testsIn } from '../../plan/walk.ts'
import type { FilterNode } from '../../query/query.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import type { RowLimits } from '../../sql/write/list-write-statements.ts'
import type { RowConditions, TargetCondition } from '../../sql/write/row-writes.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'
import { presetsFor } from '../authorize/rule-presets.ts'
import { bothOf, judgingOf, type Placed, type RowFacts, unasked } from '../context/place.ts'
import { type Alternative, type contextFor, meeting, type Values } from './alternatives.ts'
import { lockedTargets, looksFurther } from './targets.ts'

/** Obligations of a row that a statement writes. */
export interface RowObligations {
  /** Judged by the statement. */
  readonly conditions: RowConditions
  /** False if no rules limit the caller. */
  readonly isLimited: boolean
  /** True if the row has to be locked before it is judged. */
  readonly needsLock: boolean
  /** Items to which new values refer that have to be locked before they are judged. */
  readonly locked: readonly TargetCondition[]
  /** True if a row that is visible may be one that may not be written. */
  readonly mayRefuse: boolean
  /** Tests that are judged beside the statement, or hold for all visible rows. */
  readonly beside: readonly Test[]
  /** True if triggers must not change afterwards what is judged before. */
  readonly isValidated: boolean
  /** Fields whose stored values decide, and not the given ones. */
  readonly storedFields: readonly StoredField[]
  /** Tables that the statement looks at: for what must hold before any row of the call is written, for what must hold after, and to find out whether the
   *  row is visible then. */
  readonly looksAt: Readonly<Record<'before' | 'after' | 'shown', readonly string[]>>
  /** Names of fields that a rule fills in. */
  readonly presetNames: readonly string[]
  /** Returns the values of these fields for a caller. Undefined if a variable in them has no value. */
  readonly presets: (circumstances: Circumstances) => Values | undefined
  /** Returns the function that finds the rules which new values match, in the order of the statement's alternatives; it returns undefined if there
   *  is none. `bound`: the operand of a test for this caller. */
  readonly meeting: (bound?: (test: Test) => Test) => (values: Values) => readonly boolean[] | undefined
}

const nothing: Values = {}
const met: readonly boolean[] = []

/** The obligations of an engine without rules. */
export const unlimited: RowObligations = {
  conditions: { seen: always, alternatives: [], targets: [], shown: always },
  isLimited: false,
  needsLock: false,
  locked: [],
  mayRefuse: false,
  beside: [],
  isValidated: false,
  storedFields: [],
  looksAt: { before: [], after: [], shown: [] },
  presetNames: [],
  presets: () => nothing,
  meeting: () => () => met,
}

/** Fields of a row by name, and those of them that are null. */
export interface NamedFields {
  readonly names: readonly string[]
  readonly empty: ReadonlySet<string>
  /** Names of relations to items that are written with the row. */
  readonly nested?: readonly string[]
  /** Name of the field that refers to the item around it, which the same call has written. */
  readonly owner?: string | undefined
}

/** Returns the names of the fields whose values the caller gives. */
export const givenIn = ({ names, empty, owner }: NamedFields): ReadonlySet<string> =>
  new Set(names.filter((name) => !empty.has(name) && name !== owner))

export const asItIs = (test: Test): Test => test

/** Rules that allow to write some fields, and what they fill in alike. */
export interface Granted {
  readonly rules: readonly RuleRead[]
  readonly presetNames: readonly string[]
}

/** Returns undefined if no rule allows it, or if they fill in different values: which of them is known by the row only. */
export function grantedBy(rules: readonly RuleRead[], names: readonly string[]): Granted | undefined {
  const granting = rules.filter(({ fields }) => names.every((name) => fields.has(name)))
  const [first, ...others] = granting
  if (!first) return undefined
  const left = ({ presets }: RuleRead) =>
    Object.fromEntries(Object.entries(presets).filter(([name]) => !names.includes(name)))
  const presets = left(first)
  const text = others.length > 0 ? textOfRules(presets) : ''
  if (text === undefined || others.some((rule) => textOfRules(left(rule)) !== text)) return undefined
  return { rules: granting, presetNames: Object.keys(presets) }
}

/** The grant of a caller whom no rules limit. */
const everything: Granted = { rules: [], presetNames: [] }

interface Composed {
  readonly collection: Collection
  readonly permissions: Permissions | undefined
  readonly granted: Granted
  readonly seen: Predicate
  readonly shown: Predicate
  /** Those of each rule. */
  readonly alternatives: readonly (readonly Alternative[] | undefined)[]
  readonly references: readonly TargetCondition[] | undefined
  /** The ways in which the row passes the validations of its fields. */
  readonly passing: readonly Placed[] | undefined
  readonly facts: RowFacts
  /** Name of the field that refers to an item which the same call has written, and so holds. */
  readonly owner?: string | undefined
  readonly context: ReturnType<typeof contextFor>
}

/** Returns the obligations of a caller whom no rules limit: what the schema asks of a row. */
export const schemaObligations = (parts: Pick<Composed, 'collection' | 'facts' | 'context' | 'passing'>) =>
  composed({
    ...{ ...parts, permissions: undefined, granted: everything, seen: always, shown: always },
    alternatives: [[{ ...unasked, filter: always }]],
    references: [],
  })

/** Puts the obligations of a row together; undefined if a statement alone cannot judge one of them. */
export function composed(parts: Composed): RowObligations | undefined {
  const { collection, permissions, granted, seen, shown, references, facts, context, passing, owner } = parts
  if (!references || !passing || parts.alternatives.includes(undefined)) return undefined
  const found = parts.alternatives
    .flatMap((one) => one ?? [])
    .flatMap((one) => passing.map((other) => ({ ...bothOf(one, other), filter: one.filter })))
  const { dialect, isNew } = facts
  const isLone = found.length === 1
  // A filter that all visible rows meet is not asked again.
  const isAllowed =
    !isNew &&
    permissions &&
    granted.rules.length === 1 &&
    areAllowed(visibleBy(collection, permissions), granted.rules)
  const alternatives = found.map(({ filter, row, values, targets }) => ({
    values,
    row: isAllowed ? row : decided(allOf([filter, row])),
    targets,
  }))
  const rows = [seen, ...alternatives.map(({ row }) => row)]
  // Each of several rules asks for itself: a row that meets one of them need not meet the others.
  const others = alternatives.map(({ targets }) => targets.filter(({ field }) => field.name !== owner))
  const together = isLone ? others.flat() : []
  const apart = isLone ? [] : others.flatMap((targets) => lockedTargets(targets, dialect))
  const [rule] = granted.rules
  // While the statement waits for its row, those to which new values refer may change.
  const mayWait =
    !isNew &&
    !dialect.writeLock &&
    references.length + alternatives.flatMap(({ targets }) => targets).length > 0
  if (mayWait && !dialect.lockRows) return undefined
  return {
    conditions: { seen, shown, targets: references, alternatives },
    isLimited: true,
    needsLock: mayWait || (!isNew && rows.some((row) => judgingOf(row, collection, dialect) === 'locked')),
    locked: [...lockedTargets([...references.filter(looksFurther), ...together], dialect), ...apart],
    mayRefuse: !alternatives.some(({ row, values }) => isAlways(row) && (isLone || isAlways(values))),
    beside: found.flatMap(({ filter, values }) => [filter, values]).flatMap(testsIn),
    isValidated:
      granted.rules.some(({ validation }) => validation !== undefined) || !passing.includes(unasked),
    storedFields: [
      ...new Set([...references.map(({ field }) => field), ...found.flatMap((one) => one.storedFields)]),
    ],
    looksAt: {
      before: [
        ...references.flatMap(tablesOf),
        ...[seen, ...(isAllowed ? [] : found.map(({ filter }) => filter))].flatMap(tablesTested),
      ],
      after: found.flatMap(({ row, targets }) => [...tablesTested(row), ...targets.flatMap(tablesOf)]),
      shown: tablesTested(shown),
    },
    presetNames: granted.presetNames,
    presets: (now) => (rule ? presetsFor(rule, granted.presetNames, now) : nothing),
    meeting: (bound = asItIs) => {
      const each = alternatives.map((one) => meeting(one.values, bound, context))
      return (values) => {
        const truths = each.map((meets) => meets(values))
        return truths.includes(true) ? truths : undefined
      }
    },
  }
}

export const tableOf = ({ table }: Collection): string => table.toLowerCase()

export const tablesTested = (condition: Predicate): readonly string[] =>
  collectionsTested(condition).map(tableOf)

const tablesOf = ({ field, condition }: TargetCondition): readonly string[] => [
  tableOf(field.target),
  ...tablesTested(condition),
]

/** The rules by which rows are visible. */
export const visibleBy = (collection: Collection, { seen }: Permissions): readonly RuleRead[] | undefined => {
  const view = seen.of.get(collection)
  return view && seen.shown.get(view)?.rules
}

/** Returns what limits a statement that writes the rows of a list; undefined if nothing does. */
export function limitsOf(
  { conditions, isLimited, mayRefuse: refuses }: RowObligations,
  truths: readonly boolean[],
  setting: EngineInternals,
): RowLimits | undefined {
  if (!isLimited) return undefined
  // Memory has judged the new values, which are those of all rows.
  const left = conditions.alternatives
    .filter((_, at) => truths[at] !== false)
    .map((one) => ({ ...one, values: always }))
  const mayRefuse = refuses || [conditions, ...left].some(({ targets }) => targets.length > 0)
  return { conditions: { ...conditions, alternatives: mayRefuse ? left : [] }, mayRefuse, setting }
}

/** True if the statement judges more of new rows than their values, of which memory has judged what they must be. */
export const asksSomething = ({ conditions, mayRefuse, storedFields }: RowObligations): boolean =>
  mayRefuse ||
  storedFields.length > 0 ||
  [conditions, ...conditions.alternatives].some(({ targets }) => targets.length > 0)

/** True if all rows of some rules are rows of others. */
export const areAllowed = (rows: readonly RuleRead[] | undefined, allowing: readonly RuleRead[]): boolean =>
  allowing.some(({ filter }) => filter === undefined) ||
  (rows?.every(({ filter }) => allowing.some((rule) => isSameFilter(filter, rule.filter))) ?? false)

function isSameFilter(one: FilterNode | undefined, other: FilterNode | undefined): boolean {
  const text = textOfRules(one)
  return text !== undefined && text === textOfRules(other)
}
