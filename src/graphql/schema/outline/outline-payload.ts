import type { VisibleActions } from '../../../access/visible-actions.ts'
import { needsValue } from '../../../plan/write/defaults.ts'
import { mayBeIncremented } from '../../../plan/write/increment.ts'
import {
  type Collection,
  type Field,
  isRowNumber,
  isStored,
  isToMany,
  keyFieldsOf,
  type ToMany,
} from '../../../schema/model.ts'
import type { SchemaNames } from '../names/names.ts'
import type { SchemaSettings } from '../schema-options.ts'
import { inputForm } from '../value-scalars.ts'
import type { PayloadOutline } from './outline.ts'
import { isKeyPart, isSoleKey } from './outline-members.ts'

export type PayloadAction = 'create' | 'update'

interface PayloadContext {
  readonly names: SchemaNames
  readonly settings: SchemaSettings
  /** Collections of which items may be nested in others. */
  readonly targeted: () => ReadonlySet<string>
  /** True if an item of the collection may be nested in that way. */
  readonly mayWrite: (action: PayloadAction, collection: string) => boolean
}

/** Returns the members of what a caller creates or updates. */
export function payloadOf(
  visible: VisibleActions,
  action: PayloadAction,
  context: PayloadContext,
): readonly PayloadOutline[] {
  return inputFields(visible, action).flatMap((field) => memberOf(field, visible, action, context))
}

/** Returns the members of an item that is updated or created, from those of both: none of them is always needed. */
export function upsertOf(
  { seen, whole }: VisibleActions,
  [create, update]: readonly (readonly PayloadOutline[] | undefined)[],
): readonly PayloadOutline[] | undefined {
  if (!seen || whole.isSingleton || !whole.key || (!create && !update)) return undefined
  const names = new Set(update?.map(({ name }) => name))
  const others = create?.filter(({ name }) => !names.has(name)) ?? []
  return [...(update ?? []), ...others].map((member) => ({ ...member, isNeeded: false }))
}

/** Returns those members of an update to whose stored values it may add: numbers that the caller reads as well as writes. */
export function incrementsOf(
  { seen, may, writable }: VisibleActions,
  members: readonly PayloadOutline[] | undefined,
): readonly PayloadOutline[] | undefined {
  if (!members || !seen || !may('update')) return undefined
  const names = new Set(
    writable('update').flatMap((field) =>
      seen.fields.has(field.name) && !isToMany(field) && isGivable(field) && mayBeIncremented(field)
        ? [field.name]
        : [],
    ),
  )
  const found = members.filter(({ field }) => names.has(field))
  return found.length > 0 ? found : undefined
}

/** True if there are members wherever relations lead. */
export function hasOwnInput(visible: VisibleActions, action: PayloadAction, names: SchemaNames): boolean {
  const { whole } = visible
  const own = names.of.get(whole.name)
  if (!own) return false
  const certain = own.certain === undefined ? undefined : whole.fields.get(own.certain)
  if (certain && isOwnInput(certain, whole) && isWritable(certain, visible, action)) return true
  return inputFields(visible, action).some((field) => isOwnInput(field, whole) && own.fields.has(field.name))
}

function isOwnInput(field: Field, whole: Collection): boolean {
  return !isToMany(field) && (isGivable(field) || isKeyPart(field, whole))
}

function inputFields(visible: VisibleActions, action: PayloadAction): readonly Field[] {
  const { whole, seen, may } = visible
  const fields = new Set(fieldsFor(visible, action))
  // An item that is there already is named by its key.
  const keys = keyFieldsOf(whole).filter(({ name }) => may('update') && seen?.fields.has(name))
  return [...whole.fields.values()].filter(
    (field) => !isNumber(field, whole) && (fields.has(field) || keys.some(({ name }) => name === field.name)),
  )
}

const fieldsFor = ({ may, writable }: VisibleActions, action: PayloadAction): readonly Field[] =>
  may(action) ? writable(action) : writable('create')

const isWritable = (field: Field, visible: VisibleActions, action: PayloadAction): boolean =>
  !isNumber(field, visible.whole) && fieldsFor(visible, action).includes(field)

/** True for a key that is the number of its row, which names nothing that lasts. */
const isNumber = (field: Field, whole: Collection): boolean =>
  isRowNumber(whole.key) && isSoleKey(field, whole)

function memberOf(
  field: Field,
  visible: VisibleActions,
  action: PayloadAction,
  context: PayloadContext,
): readonly PayloadOutline[] {
  const { whole } = visible
  const name = context.names.of.get(whole.name)?.fields.get(field.name)
  const type = name === undefined ? undefined : typeOf(field, whole, action, context)
  if (name === undefined || !type) return []
  const isNeeded = action === 'create' && isNeededIn(field, visible, context)
  return [{ field: field.name, name, note: field.note, type, isNeeded }]
}

/** Returns the type of a member; undefined for what cannot be given. */
function typeOf(
  field: Field,
  whole: Collection,
  action: PayloadAction,
  { settings, mayWrite }: PayloadContext,
): PayloadOutline['type'] | undefined {
  const isList = isToMany(field)
  if (!isList && !isGivable(field) && !isKeyPart(field, whole)) return undefined
  const target = isList || field.kind === 'm2o' ? field.target.name : undefined
  // An update may bring new items along, too, and a new item those that are there.
  const nested = target === undefined ? undefined : byPreference[action].find((one) => mayWrite(one, target))
  if (nested && target !== undefined) return { kind: 'nested', target, action: nested, isList }
  if (isList) return undefined
  // A key, or an item: GraphQL has no choice between inputs.
  if (field.kind === 'any') return { kind: 'value', scalar: 'JSON', isList }
  if (!isStored(field) || isSoleKey(field, whole)) return { kind: 'value', scalar: 'ID', isList }
  return { kind: 'value', ...inputForm(field, settings) }
}

const byPreference = {
  create: ['create', 'update'],
  update: ['update', 'create'],
} as const satisfies Record<PayloadAction, readonly PayloadAction[]>

/** True for a field that payloads may name. What the engine fills in is taken, and passed over. */
function isGivable(field: Exclude<Field, ToMany>): boolean {
  if (isStored(field) && field.special.some((one) => one !== 'uuid')) return true
  return !field.isReadonly && !(field.kind === 'scalar' && field.isGenerated)
}

/** True if a new item has to have the field. An item inside another may be one that is there already, of which only the key is given. */
function isNeededIn(field: Field, visible: VisibleActions, { targeted }: PayloadContext): boolean {
  const { whole, mayChange, isPreset } = visible
  if (!isStored(field) || mayChange('create') || isPreset(field)) return false
  if (!needsValue(field) || field.special.length > 0 || (field.default ?? undefined) !== undefined)
    return false
  return targeted().has(whole.name) ? field.kind === 'scalar' && isSoleKey(field, whole) : true
}
