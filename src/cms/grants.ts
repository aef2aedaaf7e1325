// Permissions of the service, where they can be translated, read from its rows of roles, policies and permissions.

import type { Action, AnyRule } from '../access/access.ts'
import type { Schema } from '../schema/model.ts'
import type { CmsRemark } from './cms-remark.ts'
import { ipAllowlistOf } from './ip-allowlist.ts'
import { Policies, type Policy, type PolicyRows } from './policies.ts'
import { type ServiceRow, textIn } from './read-cells.ts'
import { mistakeIn, type Permission, type PermissionContext, readPermission } from './rules/permission.ts'

interface GrantRows extends PolicyRows {
  readonly permissions: readonly ServiceRow[]
}

export interface ServiceGrants {
  readonly policies: Policies
  /** Returns the rules of policies: the same object for the same policies, so that an engine reads it once. */
  rulesOf(policies: readonly Policy[]): CmsRules
  readonly remarks: readonly CmsRemark[]
}

export function grantsOf(
  rows: GrantRows,
  context: PermissionContext,
  knowsAddresses: boolean,
): ServiceGrants {
  const policies = new Policies(rows)
  const read = inOrder(rows.permissions).map((row) => readPermission(row, context))
  const permissions = read.filter((one): one is Permission => one !== undefined && 'rule' in one)
  const known = new Map<string, CmsRules>()
  return {
    policies,
    rulesOf: (held) => {
      const name = held.map(({ id }) => id).join()
      const rules = known.get(name) ?? assembleRules(inWeight(permissions, held), context.schema)
      known.set(name, rules)
      return rules
    },
    remarks: [
      ...policies.remarks,
      ...rows.policies.flatMap((row) => networkRemarks(row, knowsAddresses)),
      ...read.flatMap((one) => remarkIn(one) ?? []),
    ],
  }
}

const remarkIn = (read: Permission | CmsRemark | undefined): CmsRemark | undefined =>
  read && 'rule' in read ? read.remark : read

const inOrder = (rows: readonly ServiceRow[]) =>
  rows.toSorted((one, other) => Number(one.id) - Number(other.id))

const inWeight = (permissions: readonly Permission[], held: readonly Policy[]): readonly Permission[] =>
  held.flatMap(({ id }) => permissions.filter(({ policy }) => policy === id))

function networkRemarks(row: ServiceRow, knowsAddresses: boolean): readonly CmsRemark[] {
  const text = textIn(row, 'ip_access')
  if (text === undefined) return []
  const policy = textIn(row, 'id') ?? ''
  if (!knowsAddresses)
    return [
      { policy, message: 'It counts from some networks only, so it grants nothing without "addressOf".' },
    ]
  return ipAllowlistOf(text.split(','))
    ? []
    : [{ policy, message: 'None of its networks can be read, so it grants nothing.' }]
}

type CmsRules = Readonly<Record<string, { readonly [A in Action]?: readonly AnyRule[] }>>

/** Assembles the rules of a caller from their permissions, the strongest last. Any of them may allow an item, with its own fields; written
 *  items have to pass the validations of all, and get the presets of all. */
function assembleRules(permissions: readonly Permission[], schema: Schema): CmsRules {
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

function alike(all: readonly AnyRule[]): readonly AnyRule[] {
  const rules = all.filter(({ refused }) => refused === undefined)
  const validations = rules.flatMap(({ validation }) => validation ?? [])
  const [first] = validations
  const validation = validations.length > 1 ? { _and: validations } : first
  const presets: Readonly<Record<string, unknown>> = Object.assign({}, ...rules.map((rule) => rule.presets))
  const translated = rules.map(({ fields, filter }) => ({
    ...(fields && { fields }),
    ...(filter && { filter }),
    ...(validation && { validation }),
    ...(Object.keys(presets).length > 0 && { presets }),
  }))
  return [...translated, ...all.filter(({ refused }) => refused !== undefined)]
}
