import type { Action } from '../../access/access.ts'
import { actions } from '../../access/access.ts'
import { type RuleRead, refusalOf } from '../../access/rules.ts'
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { fault, quote } from '../../errors/errors.ts'
import { rootCollection } from '../../plan/resolve-name.ts'
import type { CollectionName } from '../../schema/infer.ts'
import type { Collection, Schema } from '../../schema/model.ts'

/** Permissions of a caller for a collection, as data. */
export interface AccessExplanation {
  readonly allowed: boolean
  /** Fields that may be read or written: always, or only for items that some of the rules allow. */
  readonly fields: Readonly<Record<string, 'always' | 'sometimes'>>
  /** Rules of which any may allow an item. */
  readonly rules: readonly RuleExplanation[]
  /** Why rules that were imported allow nothing. Absent if there are none. */
  readonly refused?: readonly string[]
}

/** A rule, as data. */
export interface RuleExplanation {
  readonly fields: readonly string[]
  readonly filter?: object
  readonly validation?: object
  readonly presets?: object
}

/** Explains the permissions of an engine for a collection. Meant for the host: the result discloses the rules.
 *  @example const reader = engine.as({ rules: { tags: { read: { fields: ['name'] } } } })
 *  explainAccess(reader, 'tags', 'read').fields // → { name: 'always' }
 *  explainAccess(reader, 'tags', 'delete').allowed // → false */
export function explainAccess<S extends Schema, C extends CollectionName<S>>(
  engine: Engine<S>,
  collection: C,
  action: Action,
): AccessExplanation {
  const core = internalsOf(engine)
  if (!actions.includes(action))
    throw fault('INVALID_OPTIONS', `There is no action ${quote(action)}; there are ${actions.join(', ')}.`)
  const whole = rootCollection(core.whole().schema, collection)
  const permissions = core.scope?.permissions
  if (!permissions) {
    const fields = [...whole.fields.keys()]
    return {
      allowed: true,
      fields: Object.fromEntries(fields.map((name) => [name, 'always'])),
      rules: [{ fields }],
    }
  }
  const rules = permissions.grants.get(whole)?.[action] ?? []
  const usable = action === 'read' ? (permissions.seen.of.get(whole)?.fields ?? nothing) : whole.fields
  return {
    allowed: rules.length > 0,
    fields: fieldsOf(rules, usable),
    rules: rules.map((rule) => explained(rule, usable)),
    ...refusedOf(core.scope?.access.rules, collection, action),
  }
}

function refusedOf(rules: unknown, collection: string, action: Action): Pick<AccessExplanation, 'refused'> {
  const grant: unknown = Object(Object(rules)[collection])[action]
  const refused = [grant].flat().flatMap((rule) => refusalOf(rule) ?? [])
  return refused.length > 0 ? { refused } : {}
}

const nothing: Collection['fields'] = new Map()

/** Returns the fields that rules allow. A relation to a collection that is not visible cannot be used, whatever the rules say. */
function fieldsOf(rules: readonly RuleRead[], usable: Collection['fields']): AccessExplanation['fields'] {
  const granted = [...usable.keys()].filter((name) => rules.some(({ fields }) => fields.has(name)))
  const isAlways = (name: string) =>
    rules.every(({ fields }) => fields.has(name)) ||
    rules.some((rule) => rule.fields.has(name) && rule.filter === undefined)
  return Object.fromEntries(granted.map((name) => [name, isAlways(name) ? 'always' : 'sometimes']))
}

function explained(
  { fields, filter, validation, presets }: RuleRead,
  usable: Collection['fields'],
): RuleExplanation {
  return {
    fields: [...usable.keys()].filter((name) => fields.has(name)),
    ...(filter && { filter }),
    ...(validation && { validation }),
    ...(Object.keys(presets).length > 0 && { presets }),
  }
}
