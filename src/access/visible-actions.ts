// Actions of a caller on each collection, and the fields that they see: descriptions of an API are made of this.
import type { Collection, Field, Schema } from '../schema/model.ts'
import { once } from '../values/memo.ts'
import { type Action, actions } from './access.ts'
import type { Permissions } from './caller-scope.ts'
import type { RuleRead } from './rules.ts'

export interface VisibleActions {
  readonly name: string
  /** Visible collection. Undefined if nothing of it may be read. */
  readonly seen: Collection | undefined
  /** Collection without rules applied. Payloads are read by it. */
  readonly whole: Collection
  /** True if no verb writes its items, also as children of others. */
  readonly isReadonly: boolean
  /** True if rules limit which written items are visible. */
  readonly isNarrowed: boolean
  readonly may: (action: Action) => boolean
  /** Returns the fields that a payload may name. */
  readonly writable: (action: 'create' | 'update') => readonly Field[]
  /** True if a rule presets the field when the caller does not give it. */
  readonly isPreset: (field: Field) => boolean
  /** True if a hook may change written items, so that nothing about them is certain. */
  readonly mayChange: (action: 'create' | 'update') => boolean
}

export interface ActionContext {
  /** The schema without rules. */
  readonly whole: Schema
  /** The schema that is visible to the caller. */
  readonly seen: Schema
  /** Limits set by rules. Undefined: everything is allowed. */
  readonly permissions: Permissions | undefined
  /** True if a hook may change items that are written. */
  readonly mayChange: (action: 'create' | 'update', collection: string) => boolean
  /** True if no verb writes the items of a collection. */
  readonly isReadonly: (collection: Collection) => boolean
}

export const visibleActions = (context: ActionContext): ReadonlyMap<string, VisibleActions> =>
  new Map([...eachVisible(context)].map((one) => [one.name, one]))

/** Yields what a caller may do, one collection after the other: the first may be enough. */
export function* eachVisible(context: ActionContext): Generator<VisibleActions> {
  const apart = context.permissions?.seen.apart
  for (const collection of context.whole.collections.values()) {
    if (apart?.has(collection)) continue
    const one = actionsOn(collection, context)
    if (mayDoAnything(one)) yield one
  }
}

export const mayDoAnything = ({ may }: VisibleActions): boolean => actions.some((action) => may(action))

export function actionsOn(
  whole: Collection,
  { seen, permissions, mayChange, isReadonly: isReadonlyIn }: ActionContext,
): VisibleActions {
  const { name } = whole
  const visible = seen.collections.get(name)
  const isReadonly = isReadonlyIn(whole)
  const fields = once(() => (isReadonly ? [] : [...whole.fields.values()]))
  // Items without a key can be listed, and nothing else.
  const isPossible = (action: Action): boolean =>
    action === 'read' || (whole.key !== undefined && !isReadonly)
  const always = {
    name,
    seen: visible,
    whole,
    isReadonly,
    mayChange: (action: 'create' | 'update') => mayChange(action, name),
  }
  if (!permissions)
    return { ...always, isNarrowed: false, may: isPossible, writable: fields, isPreset: () => false }
  const rulesFor = (action: Action): readonly RuleRead[] => permissions.grants.get(whole)?.[action] ?? []
  return {
    ...always,
    isNarrowed: true,
    // Items that are not visible can be neither updated nor deleted.
    may: (action) =>
      isPossible(action) && (action === 'create' || visible !== undefined) && rulesFor(action).length > 0,
    writable: (action) =>
      fields().filter((field) => rulesFor(action).some((rule) => rule.fields.has(field.name))),
    isPreset: (field) => rulesFor('create').some(({ presets }) => Object.hasOwn(presets, field.name)),
  }
}
