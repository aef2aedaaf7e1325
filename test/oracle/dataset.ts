// A world: a schema as it was written down, and the rows of its collections as plain objects. Everything the oracle
// knows of relations is looked up here, by walking the definition.
import type {
  AnyDefinition,
  CollectionDefinition,
  FieldDefinition,
  ScalarDefinition,
  SchemaDefinition,
} from '../../src/schema/definition.ts'
import { holds } from './operators.ts'

/** Values are in the form that answers have; an absent one is null. */
export type Row = Readonly<Record<string, unknown>>

export interface World {
  readonly definition: SchemaDefinition
  readonly rows: Readonly<Record<string, readonly Row[]>>
  readonly limits?: { readonly defaultLimit?: number; readonly maxLimit?: number }
}

/** To one item, to many rows of a collection, or to one item of some collection. */
export type Relation = ToOne | ToMany | ToAny
export interface ToOne {
  readonly kind: 'one'
  readonly to: string
}
/** The condition of a relation, which the worlds keep to one operator on one field. */
type IsMet = (row: Row) => boolean

export interface ToMany {
  readonly kind: 'many'
  readonly to: string
  readonly from: string
  readonly sort: string | undefined
  readonly within?: IsMet
  /** For an `any` field: the field that names the collection, which must be this one. */
  readonly by?: { readonly field: string; readonly is: string }
}
export interface ToAny {
  readonly kind: 'any'
  readonly to: readonly string[]
  readonly by: string
  /** The conditions that the items of each collection meet. */
  readonly conditions: Readonly<Record<string, IsMet | undefined>>
}

export function collectionOf(world: World, name: string): CollectionDefinition {
  const collection = world.definition[name]
  if (!collection) throw new Error(`no collection ${name}`)
  return collection
}

export function fieldOf(world: World, collection: string, name: string): FieldDefinition {
  const field = collectionOf(world, collection).fields[name]
  if (!field) throw new Error(`no field ${name} in ${collection}`)
  return field
}

export const fieldNames = (world: World, collection: string): readonly string[] =>
  Object.keys(collectionOf(world, collection).fields)

/** The fields that identify an item; none where nothing does. */
export function keyParts(world: World, collection: string): readonly string[] {
  const { fields, key } = collectionOf(world, collection)
  if (key) return key
  return Object.keys(fields).filter((name) => {
    const field = fields[name]
    return field && 'key' in field && field.key
  })
}

/** The only field that identifies an item. */
export function keyOf(world: World, collection: string): string {
  const [key, ...others] = keyParts(world, collection)
  if (key === undefined || others.length > 0) throw new Error(`no key of one field in ${collection}`)
  return key
}

/** A key as answers show it: a value, or a list of several; null where there is none. */
export function keyValue(world: World, collection: string, row: Row | undefined): unknown {
  const parts = keyParts(world, collection).map((name) => row?.[name] ?? null)
  if (parts.length <= 1) return parts[0] ?? null
  return parts.includes(null) ? null : parts
}

/** The type of keys: of several parts, `tuple:` and the types of these. */
export function keyType(world: World, collection: string): string {
  const types = keyParts(world, collection).map((name) => typeOf(world, collection, name))
  return types.length === 1 ? (types[0] ?? '') : `tuple:${types.join()}`
}

export const isTuple = (type: string): boolean => type.startsWith('tuple:')

export const keyText = (key: unknown): string => (Array.isArray(key) ? JSON.stringify(key) : String(key))

/** The fields that hold a relation to one; none where it has a column. */
export function heldBy(world: World, collection: string, name: string): readonly string[] {
  const field = fieldOf(world, collection, name)
  return field.type === 'm2o' ? (field.by ?? []) : []
}

/** The relation behind a field, or undefined when it holds a plain value. */
export function relationOf(world: World, collection: string, name: string): Relation | undefined {
  const field = fieldOf(world, collection, name)
  if (field.type === 'm2o') return { kind: 'one', to: field.to }
  if (field.type === 'any') return toAny(world, collection, name)
  if (field.type === 'o2m') return toMany(world, field.from, field)
  if (field.type === 'm2m' || field.type === 'm2a') return toMany(world, field.through, field)
  return undefined
}

function toMany(
  world: World,
  text: string,
  { sort, filter }: { sort?: string | undefined; filter?: object | undefined },
): ToMany {
  const { to, from } = reference(text)
  const within = conditionOf(world, to, filter)
  return { kind: 'many', to, from, sort, ...(within && { within }) }
}

function conditionOf(world: World, collection: string, filter: object | undefined): IsMet | undefined {
  const [[field, condition] = []] = Object.entries<object>({ ...filter })
  const [[operator, operand] = []] = Object.entries({ ...condition })
  if (field === undefined || operator === undefined) return undefined
  return (row) => holds(operator, operand, typeOf(world, collection, field), row[field] ?? null)
}

/** `comments.article`: the rows of comments whose article is the item at hand. */
function reference(text: string) {
  const [to = '', from = ''] = text.split('.')
  return { to, from }
}

/** `$FOLLOW(comments, article)`, or with a third name for a field that points anywhere. */
export function followed(collection: string, key: string): ToMany | undefined {
  const [, inside] = /^\$FOLLOW\((.*)\)$/.exec(key) ?? []
  if (inside === undefined) return undefined
  const [to = '', from = '', by] = inside.split(',').map((part) => part.trim())
  return { kind: 'many', to, from, sort: undefined, ...(by && { by: { field: by, is: collection } }) }
}

/** The item a key leads to; undefined when there is none. */
export function itemAt(world: World, collection: string, key: unknown): Row | undefined {
  if (key === null || key === undefined) return undefined
  return world.rows[collection]?.find((row) => identity(keyValue(world, collection, row)) === identity(key))
}

const identity = (key: unknown): string =>
  Array.isArray(key) ? JSON.stringify(key.map(String)) : String(key)

/** The rows that point to an item, in no particular order. */
export function childrenOf(
  world: World,
  collection: string,
  row: Row,
  { to, from, by, within }: ToMany,
): Row[] {
  const key = keyValue(world, collection, row)
  const wanted = by ? keyText(key) : identity(key)
  const ofOwner = by && toAny(world, to, from).conditions[collection]
  return (world.rows[to] ?? []).filter(
    (child) =>
      child[from] !== null &&
      child[from] !== undefined &&
      identity(child[from]) === wanted &&
      (!by || child[by.field] === by.is) &&
      (!ofOwner || ofOwner(row)) &&
      (!within || within(child)),
  )
}

/** The item behind `item:heroes`, when the row points into that collection. */
export function armOf(
  world: World,
  row: Row,
  name: string,
  { by, conditions }: ToAny,
  arm: string,
): Row | undefined {
  if (row[by] !== arm) return undefined
  const found = world.rows[arm]?.find((one) => keyText(keyValue(world, arm, one)) === row[name])
  return found && (conditions[arm]?.(found) ?? true) ? found : undefined
}

/** `item:heroes` → the field and the collection; undefined for a plain name. */
export function readScope(name: string): { readonly field: string; readonly arm: string } | undefined {
  const [field = '', arm] = name.split(':')
  return arm === undefined ? undefined : { field, arm }
}

export function toAny(world: World, collection: string, name: string): ToAny {
  const field: FieldDefinition = fieldOf(world, collection, name)
  const { to, by, filter = {} } = field as AnyDefinition // the caller saw a scope, and only such fields take one
  const conditions = Object.entries(filter).map(([arm, one]) => [arm, conditionOf(world, arm, one)] as const)
  return { kind: 'any', to, by, conditions: Object.fromEntries(conditions) }
}

/** How the values of a field are written and stored, besides their type: as those of the key to which it leads. */
export function formOf(
  world: World,
  collection: string,
  name: string,
): Pick<ScalarDefinition, 'encoding' | 'storage'> {
  const field = fieldOf(world, collection, name)
  if (field.type === 'm2o') return formOf(world, field.to, keyOf(world, field.to))
  return {
    ...('encoding' in field && { encoding: field.encoding }),
    ...('storage' in field && { storage: field.storage }),
  }
}

/** The type of the values of a field: of a relation to one, that of the other's key. */
export function typeOf(world: World, collection: string, name: string): string {
  const field = fieldOf(world, collection, name)
  if (field.type === 'm2o') return keyType(world, field.to)
  return field.type === 'any' ? 'string' : field.type
}
