// Places at which the conditions of an obligation are judged: each part as early as that is sound, found from what it names and from facts about the table.

import type { Dialect } from '../../dialects/dialect.ts'
import { holdsWithout, type MemorySetting } from '../../plan/filter/evaluate.ts'
import { allOf, always, decided, never, type Predicate } from '../../plan/filter/predicate.ts'
import { ownTouches } from '../../plan/filter/validate-row.ts'
import { collectionsTested, ownFields } from '../../plan/touches.ts'
import { conjunctsOf, leavesOf, testsIn } from '../../plan/walk.ts'
import { needsDatabase } from '../../plan/write/validate-item.ts'
import { type Collection, isByValue, isTuple, type StoredField } from '../../schema/model.ts'
import { isGenerated } from '../../schema/output-schema.ts'
import type { TargetCondition } from '../../sql/write/row-writes.ts'
import type { Family } from '../../types/families.ts'

/** Facts about a row that is written, and its table. */
export interface RowFacts {
  readonly collection: Collection
  /** True for a new row. */
  readonly isNew: boolean
  /** Names of the fields whose new values are known before the statement. */
  readonly known: ReadonlySet<string>
  /** Names of those that are null. */
  readonly empty: ReadonlySet<string>
  /** Names of the fields that the statement changes. */
  readonly changed: ReadonlySet<string>
  readonly dialect: Pick<Dialect, 'writeLock' | 'lockRows'>
  readonly setting: MemorySetting
}

/** The parts of a condition on a row as it is after the write, by the places at which they are judged. */
export interface Placed {
  /** Judged in memory, over the new values. */
  readonly values: Predicate
  /** Judged by the statement over the row as it was, in fields that stay as they are. */
  readonly row: Predicate
  /** Judged by the statement over the items to which new values refer. */
  readonly targets: readonly TargetCondition[]
  /** Fields whose given values are judged for the stored ones. */
  readonly storedFields: readonly StoredField[]
}

/** Maximum number of ways in which a condition is met. */
const mostWays = 8

/** Nothing is asked. */
export const unasked: Placed = { values: always, row: always, targets: [], storedFields: [] }

/** Places a condition on the row after the write: returns the ways in which it is met; undefined if a part of it takes the row itself, locked or
 *  stored. */
export function placed(condition: Predicate, facts: RowFacts): readonly Placed[] | undefined {
  let ways: readonly Placed[] = [unasked]
  for (const part of conjunctsOf(condition)) {
    const own = placesOf(part, facts)
    if (!own || own.length * ways.length > mostWays) return undefined
    ways = ways.flatMap((way) => own.map((one) => bothOf(way, one)))
  }
  return ways
}

/** Returns what two conditions ask together. */
export const bothOf = (one: Placed, other: Placed): Placed => ({
  values: decided(allOf([one.values, other.values])),
  row: decided(allOf([one.row, other.row])),
  targets: [...one.targets, ...other.targets],
  storedFields: [...one.storedFields, ...other.storedFields],
})

/** Places a part as a whole, or else each of its branches. */
function placesOf(part: Predicate, facts: RowFacts): readonly Placed[] | undefined {
  const place = placeOf(part, facts)
  if (place) return [{ ...unasked, ...place }]
  if (part.kind !== 'or') return undefined
  const branches = part.parts.map((branch) => placed(branch, facts))
  return branches.includes(undefined) ? undefined : branches.flatMap((ways) => ways ?? [])
}

function placeOf(part: Predicate, facts: RowFacts): Partial<Placed> | undefined {
  const { known, empty, changed, isNew, collection, dialect, setting } = facts
  if (part.kind === 'one' && known.has(part.field.name) && !isTuple(part.field) && !isByValue(part.field)) {
    const storedFields = [part.field]
    if (empty.has(part.field.name))
      return {
        values: holdsWithout(part.condition, setting.negationMatchesNull) ? always : never,
        storedFields,
      }
    // The own table is read as it was before.
    const isOwn = isSameTable(part.field.target, collection)
    if (isOwn || judgingOf(part.condition, collection, dialect) === 'never' || !isSayable(part))
      return undefined
    return { targets: [{ field: part.field, condition: part.condition }], storedFields }
  }
  const touches = ownTouches(part)
  const fields = touches.flatMap(ownFields)
  const isOfValues = touches.every(({ kind }) => kind === 'field') && !needsDatabase(part)
  if (isOfValues && fields.every((field) => known.has(field.name) && !isGenerated(field)))
    return { values: part, storedFields: fields }
  const isLeft = !isNew && fields.every((field) => !changed.has(field.name) && !isMade(field))
  const isLinked = touches.some(
    (touch) =>
      touch.kind === 'children' && touch.children.foreign.kind === 'm2o' && isByValue(touch.children.foreign),
  )
  if (!isLeft || isLinked || !isSayable(part)) return undefined
  return judgingOf(part, collection, dialect) === 'never' ? undefined : { row: part }
}

/** True if a field changes whenever its row is written. */
const isMade = (field: StoredField): boolean => isGenerated(field) || field.special.length > 0

/** True if a database judges a condition as memory does. */
const isSayable = (condition: Predicate): boolean =>
  testsIn(condition).every(({ operand }) => operand.kind !== 'pattern') &&
  leavesOf(condition).every(
    (leaf) =>
      leaf.kind !== 'test' ||
      (leaf.subject.kind === 'field' &&
        !leaf.subject.type.isArray &&
        (sayable.has(leaf.subject.type.family) ||
          // Texts are equal as the column says, and ordered by code point.
          (leaf.subject.type.family === 'text' && equalities.has(leaf.operator)))),
  )

const sayable: ReadonlySet<Family> = new Set([
  'integer',
  'decimal',
  'float',
  'boolean',
  'uuid',
  'date',
  'time',
  'dateTime',
  'timestamp',
])
const equalities: ReadonlySet<string> = new Set([
  '_eq',
  '_neq',
  '_in',
  '_nin',
  '_null',
  '_nnull',
  '_empty',
  '_nempty',
])

/** How a statement that writes a row judges it by a condition: alone, once its row is locked, or never. */
export type Judging = 'alone' | 'locked' | 'never'

/** Returns how a statement that writes a row of a collection judges it by a condition. What it returns is judged while its table is still as it
 *  was, and related rows may change while it waits for its own. */
export function judgingOf(
  condition: Predicate,
  collection: Collection,
  { writeLock, lockRows }: Pick<Dialect, 'writeLock' | 'lockRows'>,
): Judging {
  const others = collectionsTested(condition)
  if (others.length === 0) return 'alone'
  if (others.some((one) => isSameTable(one, collection))) return 'never'
  if (writeLock) return 'alone'
  return lockRows ? 'locked' : 'never'
}

export const isSameTable = (one: Collection, other: Collection): boolean =>
  one.table.toLowerCase() === other.table.toLowerCase()

/** True if memory and every database agree on a condition where it holds, whatever they compare texts by. */
export function isExact(predicate: Predicate): boolean {
  if (predicate.kind === 'and' || predicate.kind === 'or') return predicate.parts.every(isExact)
  if (predicate.kind !== 'test' || predicate.subject.kind !== 'field') return false
  const { type } = predicate.subject
  if (type.isArray || predicate.operand.kind === 'pattern') return false
  // Equal texts are equal in every collation; different ones may be equal, too.
  if (type.family === 'text') return predicate.operator === '_eq' || predicate.operator === '_in'
  return type.family === 'integer' || type.family === 'uuid' || type.family === 'boolean'
}
