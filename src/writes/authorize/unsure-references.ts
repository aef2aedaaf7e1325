// References that may be stored otherwise than they are known before: a default, a trigger or a nested item makes a part of them. What they
// lead to is judged as if nothing were written, so that no write makes its own target visible.

import { TableFacts, wholeTable } from '../../execution/table-facts.ts'
import { holdersOf } from '../../plan/touches.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import { type ItemWrite, isTouched } from '../../plan/write/write-plan.ts'
import { type Collection, isPartOf, type StoredField } from '../../schema/model.ts'
import { isGenerated } from '../../schema/output-schema.ts'
import { canUndo } from '../context/retry.ts'
import { permissionsOf, type WriteContext } from '../context/write-context.ts'
import { seesAll } from '../stored/lock-rows.ts'
import { hasTriggers, isView, knownTriggers } from '../stored/side-effects.ts'
import {
  type FoundReference,
  isGiven,
  type Referring,
  referringOf,
  targetsOf,
  valueAfter,
} from './references.ts'

/** Tables whose references came out otherwise than they were judged, though nothing had said that they may. */
const unsure = new TableFacts()

/** Lets the next call that refers from a table be judged behind a savepoint. Where there are none, references come out otherwise for reasons
 *  that are known. */
export function noteUnsure({ collection }: ItemWrite, { caller, engine }: WriteContext): void {
  if (canUndo(caller)) unsure.set(collection, wholeTable, engine, true)
}

/** True if some items may be stored with other references than are known before, to where the caller does not see everything. */
export async function areUnsure(items: readonly ItemWrite[], writing: WriteContext): Promise<boolean> {
  const limited: GivenReference[] = []
  for (const item of items)
    for (const field of referringOf(item.collection))
      if (await isGivenLimited(item, field, writing)) limited.push({ item, field })
  if (limited.length === 0) return false
  if (limited.some((one) => mayDiffer(one, writing))) return true
  // A trigger of one table may change rows of another.
  for (const one of tablesWritten(items, writing))
    if (knownTriggers(one, writing) ?? (await hasTriggers(one, writing))) return true
  return false
}

interface GivenReference {
  readonly item: ItemWrite
  readonly field: Referring
}

/** True if the caller has given a part of a reference, to where they do not see everything. */
async function isGivenLimited(item: ItemWrite, field: Referring, writing: WriteContext): Promise<boolean> {
  if (!holdersOf(field).some((part) => isGiven(item, part, writing))) return false
  for (const target of targetsOf(field)) if (await isLimited(target, writing)) return true
  return false
}

/** True if a reference may be stored otherwise than it is known, whatever triggers do. */
function mayDiffer({ item, field }: GivenReference, writing: WriteContext): boolean {
  if (unsure.get(item.collection, wholeTable, writing.engine)) return true
  const parts = holdersOf(field)
  const isNested = item.owner === field || item.targets.some((target) => target.field === field)
  if (!isNested && parts.some((part) => valueAfter(item, part, writing) === undefined)) return true
  // A column may pad a text, or fold its case.
  return !parts.every(({ value: { family } }) => family === 'integer' || family === 'uuid')
}

/** True if what is written may decide which items of a collection are visible to the caller: they see some, and not all, or those of a view. */
export const isLimited = (target: Collection, writing: WriteContext): boolean | Promise<boolean> =>
  permissionsOf(writing)?.seen.reached(target) !== undefined &&
  (!seesAll(target, writing) || isView(target, writing))

/** Returns the collections whose rows a call writes. */
const tablesWritten = (
  items: readonly ItemWrite[],
  { removedChildren }: WriteContext,
): ReadonlySet<Collection> =>
  new Set([
    ...items.filter(isTouched).map(({ collection }) => collection),
    ...removedChildren.map(({ relation }) => relation.target),
  ])

/** Lets items be written with those parts of their references that the database has filled in. */
export function giveParts(references: readonly FoundReference[], writing: WriteContext): void {
  for (const { item, field, row } of references)
    for (const part of holdersOf(field)) {
      if (!isFilledIn(item, part, row[part.name], writing)) continue
      const read = readStored(part, row[part.name])
      if (read.kind === 'value') item.values.set(part, read.value)
    }
}

/** True if neither the caller nor another item has set a part, and it can be set. */
function isFilledIn(item: ItemWrite, part: StoredField, value: unknown, writing: WriteContext): boolean {
  const { action, owner, targets } = item
  if (isGiven(item, part, writing) || isGenerated(part)) return false
  if (action === 'update' && part.isKey) return false
  if ((owner && isPartOf(part, owner)) || targets.some((target) => isPartOf(part, target.field))) return false
  const before = writing.references.get(item)?.stored?.[part.name]
  return JSON.stringify(before) !== JSON.stringify(value)
}
