// The schema as a caller sees it, as plain data: what clients, pages and agents know of it. Nothing that rules hide is in it.
import { type Action, actions } from '../access/access.ts'
import { actionsOn, mayDoAnything, type VisibleActions, visibleActions } from '../access/visible-actions.ts'
import {
  type Collection,
  type Field,
  isToMany,
  isTuple,
  keyFieldsOf,
  type LinkTuple,
  type ManyToOne,
  type OwnField,
  referencedFields,
  type ToMany,
} from '../schema/model.ts'
import { isConcealed, isReadOnly } from '../schema/output-schema.ts'
import { versionsIn } from '../schema/own-collections.ts'
import { actionContext } from './action-context.ts'
import type { EngineInternals } from './engine.ts'

/** The collections that a caller may name. */
export interface SchemaDescription {
  readonly collections: Readonly<Record<string, CollectionDescription>>
}

/** A collection, in the words of its definition. */
export interface CollectionDescription {
  /** The actions that the caller may perform, on some items at least, by their initials: `crud`. */
  readonly may: string
  /** The fields of its key, if the caller sees them. */
  readonly key?: readonly string[]
  readonly singleton?: true
  readonly versioned?: true
  readonly note?: string
  readonly fields: Readonly<Record<string, FieldDescription>>
}

/** A field, in the words of its definition. */
export interface FieldDescription {
  /** The type of its values, or `m2o`, `o2m`, `m2m`, `m2a` and `any` for relations. */
  readonly type: string
  readonly array?: true
  readonly nullable?: true
  readonly conceal?: true
  readonly values?: readonly string[]
  readonly note?: string
  /** The collection that a relation leads to, or the field of the junction that leads on. */
  readonly to?: string | readonly string[]
  readonly references?: readonly string[]
  readonly by?: string | readonly string[]
  /** `collection.field` that points here. */
  readonly from?: string
  /** `junction.field` that points here. */
  readonly through?: string
  /** The actions that may name the field, if these are not those on items: `r`, `cr`. */
  readonly may?: string
}

type VisibleByName = ReadonlyMap<string, VisibleActions>

/** Describes what the caller of an engine sees of its schema, and of the engine's own collections that rules reach. */
export function describeSchema(engine: EngineInternals): SchemaDescription {
  const all = namedBy(engine)
  return {
    collections: Object.fromEntries([...all].map(([name, visible]) => [name, described(visible, all)])),
  }
}

/** Returns the collections that a caller may name, with those that have paths of their own. */
function namedBy(engine: EngineInternals): VisibleByName {
  const named = visibleActions(actionContext(engine))
  const own = [versionsIn(engine), engine.files?.collection]
    .filter((one) => one !== undefined)
    .filter(({ name }) => !named.has(name))
    .map((one) => actionsOn(one, actionContext(engine.withOwn())))
  return new Map([...named, ...own.filter(mayDoAnything).map((one) => [one.name, one] as const)])
}

function described(visible: VisibleActions, all: VisibleByName): CollectionDescription {
  const { whole, seen } = visible
  const may = initials(actions.filter(visible.may))
  const key = keyFieldsOf(whole).map(({ name }) => name)
  const fields = [...whole.fields.values()].flatMap((field) => {
    const seenField = seen?.fields.get(field.name)
    const mayField = initials(actionsWith(field, visible, all))
    if (mayField === '') return []
    const isSame = mayField === may.replace('d', '')
    const about = aboutField(seenField ?? field, all)
    return [[field.name, isSame ? about : { ...about, may: mayField }] as const]
  })
  return {
    may,
    ...(key.length > 0 && key.every((name) => seen?.fields.has(name)) && { key }),
    ...(whole.isSingleton && { singleton: true }),
    ...(seen?.isVersioned && { versioned: true }),
    ...(seen?.note !== undefined && { note: seen.note }),
    fields: Object.fromEntries(fields),
  }
}

const initials = (may: readonly Action[]): string => may.map((action) => action.charAt(0)).join('')

function actionsWith(field: Field, visible: VisibleActions, all: VisibleByName): readonly Action[] {
  const isWritable = isToMany(field)
    ? all.get(field.target.name)?.isReadonly === false
    : !isReadOnly(field) && !(field.kind === 'm2o' && isTuple(field) && !isReachable(field.target, all))
  const mayWrite = (action: 'create' | 'update') =>
    isWritable && visible.may(action) && visible.writable(action).includes(field)
  return [
    ...(mayWrite('create') ? (['create'] as const) : []),
    ...(visible.seen?.fields.has(field.name) ? (['read'] as const) : []),
    ...(mayWrite('update') ? (['update'] as const) : []),
  ]
}

function aboutField(field: Field, all: VisibleByName): FieldDescription {
  const note = field.note === undefined ? {} : { note: field.note }
  if (isToMany(field)) return { ...toMany(field, all), ...note }
  return {
    ...ofOwn(field, all),
    ...(field.isNullable && { nullable: true }),
    ...(isConcealed(field) && { conceal: true }),
    ...note,
  }
}

function ofOwn(field: OwnField, all: VisibleByName): FieldDescription {
  if (field.kind === 'm2o' && isReachable(field.target, all)) return manyToOne(field, all)
  if (field.kind === 'any') {
    const to = [...field.targets.values()].filter((target) => isReachable(target, all))
    const isShown = isNamed(field.collection, field.by.name, all)
    if (to.length > 0)
      return { type: 'any', to: to.map(({ name }) => name), ...(isShown && { by: field.by.name }) }
  }
  const { type, isArray, values } = field.value
  return { type, ...(isArray && { array: true }), ...(values && { values }) }
}

function manyToOne(field: ManyToOne, all: VisibleByName): FieldDescription {
  const references = field.references ? referencedFields(field).map(({ name }) => name) : []
  const isShown = references.length > 0 && references.every((name) => isNamed(field.target, name, all))
  return {
    type: 'm2o',
    to: field.target.name,
    ...(isTuple(field) && partsShown(field, all)),
    ...(isShown && { references }),
  }
}

/** Returns the fields of a key of several parts, unless one of them is hidden. */
function partsShown({ parts, collection }: LinkTuple, all: VisibleByName): Pick<FieldDescription, 'by'> {
  const by = parts.map(({ name }) => name)
  return by.every((name) => isNamed(collection, name, all)) ? { by } : {}
}

/** Returns a relation to many. One that leads on to what is hidden ends at its junction. */
function toMany(field: ToMany, all: VisibleByName): FieldDescription {
  const { target, foreign } = field
  const way = isNamed(target, foreign.name, all) ? `${target.name}.${foreign.name}` : target.name
  if (field.kind === 'o2m' || !isNamed(target, field.far.name, all)) return { type: 'o2m', from: way }
  return { type: field.kind, through: way, to: field.far.name }
}

const isReachable = ({ name }: Collection, all: VisibleByName): boolean => all.has(name)

/** True for a field that the caller may name: in a query, or in a payload. */
function isNamed({ name }: Collection, field: string, all: VisibleByName): boolean {
  const visible = all.get(name)
  if (!visible) return false
  const isWritable = (action: 'create' | 'update') =>
    visible.may(action) && visible.writable(action).some((one) => one.name === field)
  return visible.seen?.fields.has(field) === true || isWritable('create') || isWritable('update')
}
