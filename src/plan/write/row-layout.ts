// A row layout: it binds new items that name the same fields as rows. It is made once for all of them, and only
// for rows; items with anything else, or with a mistake, do not fit.

import type { Dialect } from '../../dialects/dialect.ts'
import { type Collection, type Field, isStored, type StoredField } from '../../schema/model.ts'
import { mask } from '../../types/hash.ts'
import { memoFor } from '../../values/memo.ts'
import type { ItemData } from './changes.ts'
import { filled, needsValue, storedFieldsOf, type WriteMoment } from './defaults.ts'
import { isWrapped } from './document-change.ts'
import { addedEncoding, isAddedBy, isIncrement, readIncrement } from './increment.ts'
import { readStored } from './stored-value.ts'

export interface RowLayout {
  readonly names: readonly string[]
  readonly fields: readonly StoredField[]
  readonly cells: readonly LayoutCell[]
  /** Those of the fields to whose stored values the given ones are added, and the form in which they are. */
  readonly added: ReadonlyMap<StoredField, string | undefined>
}

/** Returns the bound value of a field; undefined if the item does not fit. */
type LayoutCell = (payload: ItemData, moment: WriteMoment) => unknown

/** Returns undefined if items that name these fields are more than rows, or incomplete. */
export function rowLayoutOf(
  collection: Collection,
  names: readonly string[],
  dialect: Dialect,
): RowLayout | undefined {
  const cells = new Map<StoredField, LayoutCell>()
  for (const name of names) {
    const field = collection.fields.get(name)
    if (!field || !isPlain(field) || conditionalNames(collection).has(name)) return undefined
    cells.set(field, inputCell(field, dialect))
  }
  for (const field of storedFieldsOf(collection)) {
    if (cells.has(field)) continue
    const cell = filledCell(field, dialect)
    if (cell) cells.set(field, cell)
    else if (needsValue(field)) return undefined
  }
  if (cells.size === 0) return undefined
  return newLayout(names, cells)
}

const newLayout = (
  names: readonly string[],
  cells: ReadonlyMap<StoredField, LayoutCell>,
  added: RowLayout['added'] = nothing,
): RowLayout => ({ names, fields: [...cells.keys()], cells: [...cells.values()], added })

const nothing: ReadonlyMap<StoredField, undefined> = new Map()

export interface ChangeNames {
  readonly names: readonly string[]
  readonly incremented: readonly string[]
  /** The forms of these, as `addedForms` finds them. */
  readonly forms?: readonly (string | undefined)[]
  readonly isUser: boolean
}

/** Returns the layout of updates that name these fields; undefined if they are more than new values of columns, and sums that the database makes. */
export function changeLayoutOf(
  collection: Collection,
  { names, incremented, forms, isUser }: ChangeNames,
  dialect: Dialect,
): RowLayout | undefined {
  const cells = new Map<StoredField, LayoutCell>()
  const added = new Map<StoredField, string | undefined>()
  for (const name of names) {
    const field = collection.fields.get(name)
    if (!field || !isPlain(field) || field.isKey || conditionalNames(collection).has(name)) return undefined
    const at = incremented.indexOf(name)
    const form = forms?.[at]
    const cell = at < 0 ? inputCell(field, dialect) : incrementCell(field, form, dialect)
    if (!cell) return undefined
    if (at >= 0) added.set(field, form)
    cells.set(field, cell)
  }
  for (const field of storedFieldsOf(collection))
    for (const special of field.special) {
      const { on, value } = filled[special]
      const isLeft = special === 'user-updated' && !isUser
      if (on.includes('update') && !isLeft) cells.set(field, momentCell(field, value, dialect))
    }
  return newLayout(names, cells, added)
}

/** Returns undefined if the database does not add to the field. */
function incrementCell(
  field: StoredField,
  form: string | undefined,
  dialect: Dialect,
): LayoutCell | undefined {
  if (!isAddedBy(dialect, field)) return undefined
  const { name } = field
  const encode = addedEncoding(field.value, dialect)
  const { formOf } = dialect.storing(field.value)
  return ({ [name]: value }) => {
    const read = isIncrement(field, value) ? readIncrement(field, value, []) : undefined
    return read && 'by' in read && formOf?.(read.by) === form ? encode(read.by) : undefined
  }
}

/** The forms in which the database adds to fields of which a payload has increments. */
export const addedForms = (
  { fields }: Collection,
  payload: ItemData,
  incremented: readonly string[],
  dialect: Dialect,
): readonly (string | undefined)[] =>
  incremented.map((name) => {
    const { [name]: input } = payload
    const field = fields.get(name)
    if (field?.kind !== 'scalar' || !isIncrement(field, input)) return undefined
    const { formOf } = dialect.storing(field.value)
    const read = formOf && readIncrement(field, input, [])
    return read && 'by' in read ? formOf?.(read.by) : undefined
  })

/** True if the row is to be locked by a statement before, as what is added in these forms would be added to the row as it was before a wait. */
export const addsToStaleRows = (
  { fields }: Collection,
  { incremented, forms = [] }: Pick<ChangeNames, 'incremented' | 'forms'>,
  dialect: Dialect,
): boolean =>
  incremented.some((name, at) => {
    const field = fields.get(name)
    return (
      field?.kind === 'scalar' &&
      forms[at] !== undefined &&
      dialect.storing(field.value).staleForm === forms[at]
    )
  })

function momentCell(
  field: StoredField,
  valueAt: (moment: WriteMoment) => unknown,
  dialect: Dialect,
): LayoutCell {
  const bind = binderOf(field, dialect)
  return (_input, moment) => {
    const value = valueAt(moment)
    if (value === null) return field.isNullable ? null : undefined
    return value === undefined ? undefined : bind(value)
  }
}

/** True if a field is stored as it is read, and its value comes from the caller alone. */
function isPlain(field: Field): field is StoredField {
  if (!isStored(field) || field.kind === 'any' || field.isReadonly || field.special.length > 0) return false
  return field.kind === 'm2o' || !(field.isGenerated || field.value.family === 'hash')
}

const conditional = new WeakMap<Collection, ReadonlySet<string>>()

/** The names of the fields of references with a condition: more than the row decides what they may hold. */
export const conditionalNames = (collection: Collection): ReadonlySet<string> =>
  memoFor(conditional, collection, () => {
    const fields = [...collection.fields.values()]
    return new Set(
      fields.flatMap((one) => (one.kind === 'any' && one.within.size > 0 ? [one.name, one.by.name] : [])),
    )
  })

function inputCell(field: StoredField, dialect: Dialect): LayoutCell {
  const { name } = field
  const bind = binderOf(field, dialect)
  const isConcealed = field.kind === 'scalar' && field.isConcealed
  return ({ [name]: value }) => {
    if (value === null) return field.isNullable ? null : undefined
    // A client that sends back the mask has not changed the value, and a rule presets no change of a document.
    if (value === undefined || (isConcealed && value === mask)) return undefined
    if (typeof value === 'object' && (isWrapped(field, value) || isIncrement(field, value))) return undefined
    return bind(value)
  }
}

function filledCell(field: StoredField, dialect: Dialect): LayoutCell | undefined {
  const special = field.special
    .map((one) => filled[one])
    .find(({ on }) => on.includes('create') || !field.isNullable)
  if (special) return momentCell(field, special.value, dialect)
  if (field.default === undefined) return undefined
  const bound = field.default === null ? null : binderOf(field, dialect)(field.default)
  return () => bound
}

function binderOf(field: StoredField, dialect: Dialect): (value: unknown) => unknown {
  const { encode, isAsGiven } = dialect.storing(field.value)
  const isChecked = field.kind === 'scalar' && field.schema !== undefined
  const quick = isChecked ? undefined : isAsGiven
  return (value) => {
    if (quick?.(value)) return value
    const read = readStored(field, value)
    return read.kind === 'value' ? encode(read.value) : undefined
  }
}

/** The bound values of all items, one after the other. Undefined if one of them does not fit. */
export function bindItems(
  layout: RowLayout,
  items: readonly { readonly payload: ItemData }[],
  moment: WriteMoment,
): readonly unknown[] | undefined {
  const { names } = layout
  const bound: unknown[] = []
  for (const { payload } of items) {
    const row = isNamed(payload, names) ? bindItem(layout, payload, moment) : undefined
    if (!row) return undefined
    bound.push(...row)
  }
  return bound
}

/** The bound values of an item that has the names of a layout. Undefined if they do not fit. */
export function bindItem(
  { cells }: Pick<RowLayout, 'cells'>,
  payload: ItemData,
  moment: WriteMoment,
): readonly unknown[] | undefined {
  // A list that grows takes several times the memory.
  const bound = new Array<unknown>(cells.length)
  let at = 0
  for (const cell of cells) {
    const value = cell(payload, moment)
    if (value === undefined) return undefined
    bound[at++] = value
  }
  return bound
}

/** True if an item has exactly these names, in this order. */
export function isNamed(item: ItemData, names: readonly string[]): boolean {
  const own = Object.keys(item)
  if (own.length !== names.length) return false
  for (let index = 0; index < names.length; index++) if (own[index] !== names[index]) return false
  return true
}
