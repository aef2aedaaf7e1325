import type { Action, AnyRule } from '../../access/access.ts'
import type { Schema } from '../../schema/model.ts'
import { mistakeIn, type Permission } from './permission.ts'

export type CmsRules = Readonly<Record<string, { readonly [A in Action]?: readonly AnyRule[] }>>

/** Assembles the rules of a caller from their permissions, the strongest last. Any of them may allow an item, with its own fields; written
 *  items have to pass the validations of all, and get the presets of all. */
export function assembleRules(permissions: readonly Permission[], schema: Schema): CmsRules {
  const rules = new Map<string, Map<Action, readonly AnyRule[]>>()
  for (const { collection, action, rule } of permissions) {
    const ofCollection = rules.get(collection) ?? new Map<Action, readonly AnyRule[]>()
    rules.set(collection, ofCollection.set(action, [...(ofCollection.get(action) ?? []), rule]))
  }
  return Object.fromEntries(
    [...rules].map(([collection, byAction]) => [collection, shared(collection, byAction, schema)]),
  )
}

function shared(
  collection: string,
  byAction: ReadonlyMap<Action, readonly AnyRule[]>,
  schema: Schema,
): Readonly<Record<string, readonly AnyRule[]>> {
  const made = [...byAction].map(([action, rules]) => [action, alike(rules)] as const)
  // Each was valid by itself; together they may exceed the limits of a filter.
  return Object.fromEntries(
    made.filter(([action, rules]) => mistakeIn({ [collection]: { [action]: rules } }, schema) === undefined),
  )
}

function alike(rules: readonly AnyRule[]): readonly AnyRule[] {
  const validations = rules.flatMap(({ validation }) => validation ?? [])
  const [first] = validations
  const validation = validations.length > 1 ? { _and: validations } : first
  const presets: Readonly<Record<string, unknown>> = Object.assign({}, ...rules.map((rule) => rule.presets))
  return rules.map(({ fields, filter }) => ({
    ...(fields && { fields }),
    ...(filter && { filter }),
    ...(validation && { validation }),
    ...(Object.keys(presets).length > 0 && { presets }),
  }))
}
