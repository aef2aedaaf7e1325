// References that may be stored otherwise than they are known before: a default, a trigger or a nested item makes a part of them. What they
// lead to is judged as if nothing were written, so that no write makes its own target visible.

import { viewIn } from '../../access/caller-scope.ts'
import { collectionsTested, holdersOf } from '../../plan/touches.ts'
import { readStored } from '../../plan/write/stored-value.ts'
import { type ItemWrite, isTouched } from '../../plan/write/write-plan.ts'
import { type Collection, isPartOf, type StoredField } from '../../schema/model.ts'
import { seesAll } from '../locks/lock-rows.ts'
import { hasTriggers, knownTriggers } from '../update/side-effects.ts'
import { circumstancesOf, permissionsOf, type WriteContext } from '../write-context.ts'
import {
  type FoundReference,
  isGiven,
  type Referring,
  referringOf,
  targetsOf,
  valueAfter,
} from './references.ts'
import { isSameTable } from './statement-rules.ts'

/** True if some items may be stored with other references than are known before, to where the caller does not see everything. */
export async function areUnsure(items: readonly ItemWrite[], writing: WriteContext): Promise<boolean> {
  const written = tablesWritten(items, writing)
  for (const item of items)
    for (const field of referringOf(item.collection))
      if (await mayDiffer(item, field, written, writing)) return true
  return false
}

async function mayDiffer(
  item: ItemWrite,
  field: Referring,
  written: readonly Collection[],
  writing: WriteContext,
): Promise<boolean> {
  const parts = holdersOf(field)
  if (!parts.some((part) => isGiven(item, part, writing))) return false
  const limited = targetsOf(field).filter((target) => isLimited(target, writing))
  if (limited.length === 0) return false
  const isNested = item.owner === field || item.targets.some((target) => target.field === field)
  if (!isNested && parts.some((part) => valueAfter(item, part, writing) === undefined)) return true
  // A column may pad a text, or fold its case.
  const isFirm = parts.every(({ value: { family } }) => family === 'integer' || family === 'uuid')
  if (!isFirm && limited.some((target) => dependsOn(target, written, writing))) return true
  return knownTriggers(item.collection, writing) ?? hasTriggers(item.collection, writing)
}

/** True if the caller sees some items of a collection, and not all. */
const isLimited = (target: Collection, writing: WriteContext): boolean =>
  permissionsOf(writing)?.seen.reached(target) !== undefined && !seesAll(target, writing)

/** Returns the collections whose rows a call writes. */
export const tablesWritten = (
  items: readonly ItemWrite[],
  { removedChildren }: WriteContext,
): readonly Collection[] => [
  ...new Set([
    ...items.filter(isTouched).map(({ collection }) => collection),
    ...removedChildren.map(({ relation }) => relation.target),
  ]),
]

/** True if what some tables hold decides which items of a collection are visible. */
export function dependsOn(target: Collection, tables: readonly Collection[], writing: WriteContext): boolean {
  const permissions = permissionsOf(writing)
  const seen = permissions?.seen.reached(target)
  if (!permissions || !seen || !isLimited(target, writing)) return false
  const rows = viewIn(seen, permissions, circumstancesOf(writing))?.rows
  const read = [target, ...(rows ? collectionsTested(rows) : [])]
  return read.some((one) => tables.some((table) => isSameTable(one, table)))
}

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
  if (isGiven(item, part, writing) || (part.kind === 'scalar' && part.isGenerated)) return false
  if (action === 'update' && part.isKey) return false
  if ((owner && isPartOf(part, owner)) || targets.some((target) => isPartOf(part, target.field))) return false
  const before = writing.references.get(item)?.stored?.[part.name]
  return JSON.stringify(before) !== JSON.stringify(value)
}
