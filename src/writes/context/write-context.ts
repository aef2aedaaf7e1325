// Context of a write call: its engine, its caller, its time, and the mistakes found so far.

import type { Permissions } from '../../access/caller-scope.ts'
import type { RuleRead } from '../../access/rules.ts'
import { callHook } from '../../engine/call-hook.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import type { EventName, ItemChange } from '../../engine/events.ts'
import type { ChangeDetails } from '../../engine/hooks.ts'
import type { OldRow } from '../../engine/listeners.ts'
import type { EngineError, Path } from '../../errors/errors.ts'
import { Problems } from '../../errors/problems.ts'
import type { Options } from '../../execution/database.ts'
import { type Soon, soon } from '../../execution/soon.ts'
import type { RowValidation } from '../../plan/filter/validate-row.ts'
import { type Key, shownKeyOf } from '../../plan/key.ts'
import type { ItemData } from '../../plan/write/changes.ts'
import type { WriteMoment } from '../../plan/write/defaults.ts'
import type { ValidationContext } from '../../plan/write/validate-item.ts'
import type { ItemWrite, RemovedChild } from '../../plan/write/write-plan.ts'
import type { Collection, ManyToOne, StoredField, ToMany } from '../../schema/model.ts'
import type { Storable } from '../../types/family-row.ts'
import { randomUUID } from '../../values/from-node.ts'
import type { Circumstances } from '../../vocabulary/variables.ts'

export interface WriteContext {
  /** Engine on which statements run. It may do everything; the caller's rights are checked before. */
  readonly engine: EngineInternals
  /** Engine with which the function was called. */
  readonly caller: EngineInternals
  readonly options: Options
  readonly moment: WriteMoment
  readonly problems: Problems
  /** Keys of all items that the call names, as texts, with the foreign keys by which it links them to others. */
  readonly named: Map<Collection, Map<string, Set<ManyToOne | undefined>>>
  /** Values that the call writes to items that are there, by the texts of their keys: of those that are planned already. */
  readonly planned: Map<Collection, Map<string, ItemData>>
  /** Items that are linked as they are through a condition, which they have to meet once they are locked. */
  readonly linked: LinkedWithin[]
  /** Children that this call removes from an item. */
  removedChildren: readonly RemovedChild[]
  /** Updates of removed children that stay. */
  unlinked: ReadonlyMap<RemovedChild, ItemWrite>
  /** Requires that what was found before rows were locked is still there, and what was missing is not. Absent = nothing was looked for. */
  readonly verify?: () => Promise<void>
  /** True if rows are updated in the order of their items, whichever get the same values. */
  readonly isInOrder?: true
  /** Rules of which one has to allow each item, if there are rules. They have the same presets. */
  readonly allowedBy: Map<ItemWrite, readonly Permit[]>
  /** Items for which rules with other presets are left, should these not allow them. */
  readonly choices: Map<ItemWrite, RuleChoice>
  /** Values of rows before they were written, for listeners that want them: by the texts of their keys. */
  readonly old: Map<Collection, Map<string, OldRow>>
  /** References of each item that are judged, if there are rules or conditions. */
  readonly references: Map<ItemWrite, ReferencesInput>
}

/** A relation to many, or the items of one collection behind a reference to several. */
export type Conditional = Pick<ToMany, 'name' | 'target' | 'within'> & Partial<Pick<ToMany, 'foreign'>>

/** An item that meets the condition of a relation, and is linked as it is. */
export interface LinkedWithin {
  readonly relation: Conditional
  readonly key: Key
}

type ShownRow = Readonly<Record<string, unknown>>

/** The fields of an item's references that are given by the caller, a nested item or the item around it, with the row before the write. */
export interface ReferencesInput {
  readonly fields: ReadonlySet<StoredField>
  /** Values that are visible to the caller. Hidden values cannot be sent back, and must not be discoverable by trying. */
  readonly shown: ShownRow | undefined
  readonly stored: ShownRow | undefined
  /** References that were judged already, as texts. */
  readonly judged: Set<string>
}

/** A rule that may allow an item, with the validation that can run only once the item is stored. */
export interface Permit {
  readonly rule: RuleRead
  readonly later: RowValidation | undefined
  /** True if it has passed, and only triggers can change what it has judged. */
  readonly isFirm?: boolean | undefined
  /** The row as it was, where the write is to blame only if the database has changed what the validation names. */
  readonly before: Readonly<Record<string, unknown>> | undefined
}

/** Values that a rule fills in. */
export type FilledValues = ReadonlyMap<StoredField, Storable | null>

/** Values that one or more successive rules fill in. */
export interface RuleWay {
  readonly values: FilledValues
  readonly permits: readonly Permit[]
  /** True if one of them is known to allow the item. */
  readonly isMet: boolean
}

/** The ways in which rules may allow an item, in the order of the rules. */
export interface RuleChoice {
  readonly ways: readonly RuleWay[]
  /** The values of the item without what rules fill in. */
  readonly initial: FilledValues
  /** Position of the way that is tried. */
  at: number
  /** Position of the way whose refusal is reported, if none allows it. */
  readonly reportedAt: number
  reported?: readonly EngineError[]
}

export function newWriteContext(engine: EngineInternals, options: Options): WriteContext {
  return {
    engine: engine.whole(),
    caller: engine,
    options,
    moment: { now: engine.clock(), user: engine.scope?.caller.user, newId: randomUUID },
    problems: newProblems(),
    named: new Map(),
    planned: new Map(),
    linked: [],
    removedChildren: [],
    unlinked: new Map(),
    allowedBy: new Map(),
    choices: new Map(),
    old: new Map(),
    references: new Map(),
  }
}

/** Creates the context of the engine's own write, for a caller who need not be allowed to do it. */
export function ownWriteContext(engine: EngineInternals, options: Options): WriteContext {
  const writing = newWriteContext(engine, options)
  return { ...writing, caller: writing.engine }
}

/** Returns the rules for the caller; undefined if everything is allowed. */
export const permissionsOf = ({ caller }: WriteContext): Permissions | undefined => caller.scope?.permissions

/** Returns the time of a write and its caller. */
export const circumstancesOf = ({ caller, moment }: WriteContext): Circumstances => ({
  now: moment.now,
  caller: caller.scope?.ruleCaller ?? {},
})

export const contextOf = (writing: WriteContext): ValidationContext => ({
  schema: writing.engine.schema,
  circumstances: circumstancesOf(writing),
  setting: {
    zone: writing.engine.zone,
    negationMatchesNull: writing.engine.negationMatchesNull,
  },
})

/** Items of a collection that are changed alike. */
interface ChangedItems {
  readonly collection: Collection
  readonly keys: readonly Key[]
  readonly payload?: ItemChange['payload']
}

/** Returns the event for hooks before or after a change. */
export function changeOf(
  { moment }: WriteContext,
  event: EventName,
  { collection, keys, payload }: ChangedItems,
): ItemChange {
  return {
    event,
    collection: collection.name,
    keys: keys.map((key) => shownKeyOf(collection, key)),
    payload,
    query: undefined,
    items: undefined,
    user: moment.user,
    at: moment.now,
  }
}

/** Queues the event of a change until it is committed. */
export function queueEvent(writing: WriteContext, change: ItemChange, details?: ChangeDetails): void {
  const { hooks, unit } = writing.engine
  if (!unit || !hooks.isHeard(change.event, change.collection)) return
  const isUnsettled = hooks.of('beforeCommit', change.event, change.collection).length > 0
  unit.addEvent({ change, engine: writing.caller, ...details }, isUnsettled)
}

/** Runs the "before" hooks; each gets the payload that the one before returned. Makes no promise if all of them return at once. */
export function runBeforeHooks(
  { engine, caller }: WriteContext,
  change: ItemChange,
): Soon<ItemChange['payload']> {
  const hooks = engine.hooks.of('before', change.event, change.collection)
  const from = (at: number, payload: ItemChange['payload']): Soon<ItemChange['payload']> => {
    const hook = hooks[at]
    if (!hook) return payload
    const event = payload === change.payload ? change : { ...change, payload }
    return soon(callHook(hook, event, caller), (answer) =>
      from(at + 1, typeof answer === 'object' && answer !== null ? { ...answer } : payload),
    )
  }
  return from(0, change.payload)
}

/** Returns a collection of the mistakes of a call. */
export const newProblems = (): Problems => new DistinctProblems('INVALID_PAYLOAD')

/** Reports each mistake once, even if several items share a payload. */
class DistinctProblems extends Problems {
  // Most writes have none.
  #reported: Set<string> | undefined
  #made: Set<string> | undefined

  override report(problem: EngineError): void {
    const { code, path, message } = problem
    this.#reported ??= new Set()
    if (!this.isFull && isNew(this.#reported, [code, path, message])) super.report(problem)
  }

  override reportMade(make: () => EngineError, path: Path): void {
    this.#made ??= new Set()
    if (!this.isFull && isNew(this.#made, path)) super.reportMade(make, path)
  }
}

function isNew(known: Set<string>, what: readonly unknown[]): boolean {
  const text = JSON.stringify(what)
  if (known.has(text)) return false
  known.add(text)
  return true
}
