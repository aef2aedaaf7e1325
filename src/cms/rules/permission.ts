// Translates one permission of the service into a rule: as a whole, or not at all.
import { type Action, type AnyRule, actions } from '../../access/access.ts'
import { readRules } from '../../access/rules.ts'
import { isEngineError, quote } from '../../errors/errors.ts'
import { type Collection, isToMany, type Schema } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import type { CmsRemark } from '../cms-remark.ts'
import { ipAllowlistOf } from '../ip-allowlist.ts'
import { Policies, type Policy, type PolicyRows } from '../policies.ts'
import { jsonIn, listIn, type ServiceRow, textIn } from '../read-cells.ts'
import { translateFilter } from './translate-filter.ts'

interface Permission {
  readonly policy: string
  readonly collection: string
  readonly action: Action
  readonly rule: AnyRule
  /** Why it allows nothing, if it cannot be translated. */
  readonly remark?: CmsRemark
}

export interface PermissionContext {
  readonly schema: Schema
  /** True if the service has a field that is left out here. */
  readonly isLeftOut: (collection: string, field: string) => boolean
}

/** Translates a permission. Undefined for one without meaning here; a remark for one that cannot be translated, and so allows nothing. */
function readPermission(row: ServiceRow, context: PermissionContext): Permission | CmsRemark | undefined {
  const name = textIn(row, 'collection') ?? ''
  const action = actions.find((one) => one === textIn(row, 'action'))
  const policy = textIn(row, 'policy')
  // Sharing by links is not supported, and a permission without a policy has no effect.
  if (!action || policy === undefined) return undefined
  const place = { permission: String(row.id), policy, collection: name }
  const collection = context.schema.collections.get(name)
  const remarkOf = (message: string): CmsRemark => ({ ...place, message: `It allows nothing. ${message}` })
  if (!collection) return remarkOf(`There is no collection ${quote(name)} here.`)
  const refused = (message: string): Permission => {
    const remark = remarkOf(message)
    return { policy, collection: name, action, rule: { refused: remark.message }, remark }
  }
  const parts = partsOf(row, collection, action, context)
  if (typeof parts === 'string') return refused(parts)
  if (!parts) return undefined
  const mistake = mistakeIn({ [name]: { [action]: [parts] } }, context.schema)
  return mistake === undefined ? { policy, collection: name, action, rule: parts } : refused(mistake)
}

/** Returns the mistake that an engine would find in rules; undefined if there is none. */
function mistakeIn(rules: object, schema: Schema): string | undefined {
  try {
    readRules(rules, schema, [])
    return undefined
  } catch (error) {
    if (isEngineError(error)) return error.message
    throw error
  }
}

function partsOf(
  row: ServiceRow,
  collection: Collection,
  action: Action,
  context: PermissionContext,
): AnyRule | string | undefined {
  const fields = action === 'delete' ? ['*'] : fieldsIn(row, collection, context)
  if (typeof fields === 'string') return fields
  // Items without any field would still be counted.
  if (fields.length === 0 && action === 'read') return undefined
  const { schema } = context
  const rows = translateFilter(jsonIn(row, 'permissions'), collection, { schema, use: 'rows' })
  const written = translateFilter(jsonIn(row, 'validation'), collection, { schema, use: 'validation' })
  const [refusal] = [...rows.refusals, ...written.refusals]
  if (refusal !== undefined) return refusal
  const presets = presetsIn(row, collection)
  if (typeof presets === 'string') return presets
  // The service takes it for a text.
  if (JSON.stringify([rows.filter, written.filter, presets]).includes('"$TEXT('))
    return 'It holds "$TEXT(…)".'
  const isWritten = action === 'create' || action === 'update'
  return {
    fields,
    ...(rows.filter && { filter: rows.filter }),
    ...(isWritten && written.filter && { validation: written.filter }),
    ...(isWritten && Object.keys(presets).length > 0 && { presets }),
  }
}

/** Returns the names of fields; a sentence if one of them has never existed. */
function fieldsIn(
  row: ServiceRow,
  { name, fields }: Collection,
  { isLeftOut }: PermissionContext,
): readonly string[] | string {
  const listed = listIn(row, 'fields')
  const lost = listed.find((field) => field !== '*' && !fields.has(field) && !isLeftOut(name, field))
  if (lost !== undefined) return `There is no field ${quote(lost)} in "${name}".`
  return listed.filter((field) => field === '*' || fields.has(field))
}

function presetsIn(row: ServiceRow, { fields }: Collection): Readonly<Record<string, unknown>> | string {
  const input = jsonIn(row, 'presets')
  if (input === undefined || input === null) return {}
  if (!isRecord(input)) return `Presets are an object, not ${quote(input)}.`
  const kept = Object.entries(input).filter(([name]) => {
    const field = fields.get(name)
    // A read-only field takes no preset from a rule, either.
    return !field || isToMany(field) || !field.isReadonly
  })
  return Object.fromEntries(kept.map(([name, value]) => [name, typed(value)]))
}

/** Replaces the words that the service reads as null. */
const typed = (value: unknown): unknown => (value === 'null' || value === 'NULL' ? null : value)

interface GrantRows extends PolicyRows {
  readonly permissions: readonly ServiceRow[]
}

export interface ServiceGrants {
  readonly policies: Policies
  /** Returns the rules of policies: the same object for the same policies, so that an engine reads it once. */
  rulesOf(policies: readonly Policy[]): CmsRules
  readonly remarks: readonly CmsRemark[]
}

/** Returns the permissions of the service, where they can be translated, read from its rows of roles, policies and permissions. */
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
