// Translates one permission of the service into a rule: as a whole, or not at all.
import { type Action, type AnyRule, actions } from '../../access/access.ts'
import { readRules } from '../../access/rules.ts'
import { isEngineError, quote } from '../../errors/errors.ts'
import { type Collection, isToMany, type Schema } from '../../schema/model.ts'
import { isRecord } from '../../values/guards.ts'
import type { CmsRemark } from '../cms-remark.ts'
import { jsonIn, listIn, type ServiceRow, textIn } from '../read-cells.ts'
import { translateFilter } from './translate-filter.ts'

export interface Permission {
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
export function readPermission(
  row: ServiceRow,
  context: PermissionContext,
): Permission | CmsRemark | undefined {
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
export function mistakeIn(rules: object, schema: Schema): string | undefined {
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
