// The items of an upsert mean what they would mean one after the other: they are written in the order in which they are given, as many at a
// time as make no difference.

import { rulePredicate, viewIn } from '../../access/caller-scope.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import { rowValidation } from '../../plan/filter/validate-row.ts'
import { collectionsTested } from '../../plan/touches.ts'
import { conditionsAfterwards } from '../../plan/write/later-validations.ts'
import type { ItemWrite } from '../../plan/write/write-plan.ts'
import type { Collection } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import { referringOf, targetsOf } from '../authorize/references.ts'
import { rulesFor } from '../authorize/writable-fields.ts'
import { isSameTable } from '../context/place.ts'
import { hasHooksBefore } from '../context/single-statement.ts'
import {
  circumstancesOf,
  contextOf,
  newWriteContext,
  permissionsOf,
  type WriteContext,
} from '../context/write-context.ts'
import type { Intent } from '../create-or-update.ts'
import { lockTogether } from '../locks/lock-items.ts'
import { seesAll } from '../stored/lock-rows.ts'
import { executeWrite, type PreparedWrite, prepareWrite } from '../write.ts'

/** Items that are looked for again when it is their turn: those before them decide what the caller sees of them. */
export interface FoundInTurns {
  /** True of one that is left as it is by what was found before. */
  isLeft(intent: Intent): boolean
  /** Returns what is done with the item: undefined if it is left as it is. */
  find(intent: Intent): Promise<Intent | undefined>
}

/** Writes items in their order. Hooks run before anything is locked, unless items hold others, which the items before them may make. */
export async function writeInTurns(
  collection: Collection,
  intents: readonly Intent[],
  writing: WriteContext,
  found?: FoundInTurns,
): Promise<readonly ItemWrite[]> {
  const turns = turnsOf(intents, found !== undefined || mayMeet(collection, intents, writing))
  const { caller, options, moment, problems } = writing
  const prepare = (turn: readonly Intent[]) =>
    prepareWrite(collection, turn, { ...newWriteContext(caller, options), moment, problems, isInOrder: true })
  const isAhead = !intents.some(holdsOthers)
  const prepared: (PreparedWrite | undefined)[] = []
  if (isAhead)
    for (const turn of turns)
      prepared.push(found && turn.some(found.isLeft) ? undefined : await prepare(turn))
  if (problems.isEmpty) {
    await lockTogether(
      prepared.flatMap((one) => one?.everyItem ?? []),
      writing,
    )
    await writing.verify?.()
  }
  const written: ItemWrite[] = []
  for (const [at, turn] of turns.entries()) {
    const [intent] = turn
    const now = found && intent ? await found.find(intent) : intent
    if (!now) continue
    const ready = now === intent ? prepared[at] : undefined
    written.push(...(await executeWrite(ready ?? (await prepare(now === intent ? turn : [now])))))
  }
  return written
}

/** Splits items into those that are written together: of one action, and each by itself where one may look at what another writes. */
function turnsOf(intents: readonly Intent[], areApart: boolean): readonly (readonly Intent[])[] {
  const turns: Intent[][] = []
  for (const intent of intents) {
    const last = turns.at(-1)
    if (last && !areApart && last[0]?.action === intent.action) last.push(intent)
    else turns.push([intent])
  }
  return turns
}

/** True if an item may depend on what another one of the call writes, besides the values that the database holds to be unique. */
function mayMeet(collection: Collection, intents: readonly Intent[], writing: WriteContext): boolean {
  const { engine } = writing
  const isHooked = (['items.create', 'items.update'] as const).some((event) =>
    hasHooksBefore(engine, event, collection),
  )
  return (
    isHooked ||
    refersToItself(collection) ||
    intents.some(holdsOthers) ||
    conditionsAfterwards(collection, contextOf(writing)).some(({ condition }) =>
      looksAt(condition, collection),
    ) ||
    rulesLookAt(collection, writing)
  )
}

/** True if items of a collection refer to others of it. */
export const refersToItself = (collection: Collection): boolean =>
  referringOf(collection).some((field) => targetsOf(field).some((target) => isSameTable(target, collection)))

/** True if other items are nested in an item. */
const holdsOthers = ({ payload }: Intent): boolean =>
  Object.values(payload).some((value) => isRecord(value) || Array.isArray(value))

/** True if rules of the caller look at the table that is written, for more than the row itself. */
export function rulesLookAt(collection: Collection, writing: WriteContext): boolean {
  const permissions = permissionsOf(writing)
  if (!permissions) return false
  const { schema } = writing.engine
  const rules = (['read', 'create', 'update'] as const).flatMap((action) =>
    rulesFor(permissions, collection, action),
  )
  const conditions = rules.flatMap((rule) => [
    rulePredicate(rule, collection, schema, circumstancesOf(writing)),
    ...(rule.validation ? [rowValidation(collection, rule.validation, contextOf(writing)).predicate] : []),
  ])
  return (
    conditions.some((condition) => looksAt(condition, collection)) ||
    referringOf(collection).some((field) =>
      targetsOf(field).some((target) => dependsOn(target, collection, writing)),
    )
  )
}

/** True if a condition tests other rows of a table. */
export const looksAt = (condition: Predicate, collection: Collection): boolean =>
  collectionsTested(condition).some((one) => isSameTable(one, collection))

/** True if what a table holds decides which items of a collection are visible. */
function dependsOn(target: Collection, table: Collection, writing: WriteContext): boolean {
  const permissions = permissionsOf(writing)
  const seen = permissions?.seen.reached(target)
  if (!permissions || !seen || seesAll(target, writing)) return false
  const rows = viewIn(seen, permissions, circumstancesOf(writing))?.rows
  return isSameTable(target, table) || (rows !== undefined && looksAt(rows, table))
}
