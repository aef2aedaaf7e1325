// Fields of rows that are flows: those that are read, those that only its own payloads may write, and marks of the rows: their keys, each with a
// text that differs where the row does.
import { render, type Sql, sql } from '../../dialects/sql.ts'
import type { EngineInternals } from '../../engine/engine.ts'
import { quote } from '../../errors/errors.ts'
import { execute } from '../../execution/execute.ts'
import { holdersOf } from '../../plan/touches.ts'
import { storedFieldsOf } from '../../plan/write/defaults.ts'
import {
  type Collection,
  type Field,
  isStored,
  isToMany,
  keyFieldsOf,
  type Schema,
  type StoredField,
} from '../../schema/model.ts'
import { tableName } from '../../sql/frame.ts'
import { hashOf } from '../chain/chain.ts'
import { badOption } from '../reject.ts'
import type { CollectionFlows } from './collection-flows.ts'

const wanted = ['name', 'trigger', 'operations'] as const
const optional = ['access', 'first', 'active'] as const

/** Returns the collection whose rows are flows, and the fields that are read of them. One that lacks any is refused. */
export function flowFieldsOf(schema: Schema, { collection: name, author }: CollectionFlows) {
  const collection = schema.collections.get(name)
  if (!collection) throw badOption(`There is no collection ${quote(name)} whose rows are flows.`, ['flows'])
  const missing = wanted.find((one) => !isStoredIn(collection, one))
  const lack = `The collection ${quote(name)} has no field ${quote(missing)}, which a flow has.`
  if (missing !== undefined) throw badOption(lack, ['flows'])
  if (author !== undefined) checkGuarded(schema, collection, author)
  const fields = [...wanted, ...optional.filter((one) => isStoredIn(collection, one))]
  return { collection, fields: author === undefined ? fields : [...fields, author] }
}

const isStoredIn = ({ fields }: Collection, name: string): boolean => {
  const field = fields.get(name)
  return field !== undefined && isStored(field)
}

export interface RowMark {
  /** Its key, as results and filters name it. */
  readonly key: unknown
  readonly mark: string
}

/** Families of keys whose texts name them. */
const named: readonly string[] = ['integer', 'text', 'uuid']

/** Returns the marks of rows in the order of their keys, by the texts of their keys; undefined where they cannot be known. */
export async function marksOf(
  engine: EngineInternals,
  collection: Collection,
  most: number,
): Promise<ReadonlyMap<string, RowMark> | undefined> {
  const { dialect } = engine
  const keys = collection.key ? keyFieldsOf(collection) : []
  const [key] = keys
  if (!dialect.mark || !key || keys.length > 1) return undefined
  const { family, storage, isArray } = key.value
  if (!named.includes(family) || storage !== undefined || isArray) return undefined
  const column = dialect.identifier(key.column)
  const columns = storedFieldsOf(collection).map((field) => dialect.identifier(field.column))
  const statement: Sql = sql`select cast(${column} as text) as ${dialect.identifier('k')}, ${dialect.mark(columns)} as ${dialect.identifier('m')} from ${tableName(collection, dialect)} order by ${column} limit ${sql.val(most)}`
  const rows = await execute(engine, render(statement, dialect), {})
  const isNumber = family === 'integer'
  return new Map(
    rows.map((row) => {
      const text = String(Reflect.get(row, 'k'))
      const mark = hashOf(String(Reflect.get(row, 'm')))
      return [text, { key: isNumber && Number.isSafeInteger(Number(text)) ? Number(text) : text, mark }]
    }),
  )
}

/** Fields of a row that say what it does. */
export const definitionFields = ['name', 'trigger', 'operations', 'access', 'first'] as const

export const guardedFields = ({ fields }: Collection, author: string): readonly StoredField[] =>
  [author, ...definitionFields].flatMap((one) => {
    const field = fields.get(one)
    return field && isStored(field) ? [field] : []
  })

/** Refuses a schema in which anything but a payload of the row itself writes who its author is, or what it does. */
function checkGuarded(schema: Schema, collection: Collection, author: string): void {
  const guarded = guardedFields(collection, author)
  const refuse = (field: string, says: string, hint: string) =>
    badOption(`The field ${quote(field)} of ${quote(collection.name)} ${says}`, ['flows'], hint)
  checkAuthor(collection.fields.get(author), (says, hint) => refuse(author, says, hint))
  const generated = guarded.find((field) => field.kind === 'scalar' && field.isGenerated)
  if (generated)
    throw refuse(
      generated.name,
      'is computed from others, so a user who writes those would change what the flow of another does.',
      'Name a collection whose rows hold their definitions themselves.',
    )
  const all = [...schema.collections.values()].flatMap(({ fields }) => [...fields.values()])
  for (const field of guarded) {
    const writer = all.find((one) => one !== field && writtenBy(one).some((part) => isSame(part, field)))
    if (writer)
      throw refuse(
        field.name,
        `is written by ${quote(writer.name)} of ${quote(writer.collection.name)}, so a user who writes that would change who has written a flow, or what it does.`,
        'Take a field that is no part of a relation, gives no order, to which no relation to many leads, and whose column no other collection has, unless it is "generated" there.',
      )
  }
}

/** Refuses a field that cannot hold who has written a flow, or that something else fills in. */
function checkAuthor(field: Field | undefined, refuse: (says: string, hint: string) => Error): void {
  const isWritten = field && isStored(field) && field.kind !== 'any' && !field.isReadonly && !field.isKey
  if (!isWritten || (field.kind === 'scalar' && field.isGenerated))
    throw refuse(
      'cannot say who has written a flow.',
      'Name a field that holds a user, and that nothing but the flows writes.',
    )
  if (field.special.length > 0)
    throw refuse(
      'is filled in at each write, so any change of a row would give it the rights of its writer.',
      'Name a field without "special". Rows in which it is empty run once they are saved.',
    )
  if ((field.default ?? null) !== null || field.isDefaulted)
    throw refuse(
      'has a default, so a flow would have an author who has not written it.',
      'Name a field without "default" and "defaulted".',
    )
}

/** Returns the fields that a payload writes by naming one: itself, or what holds a relation, and the order of its items. */
function writtenBy(field: Field): readonly StoredField[] {
  if (isToMany(field)) {
    const far = field.kind === 'o2m' ? [] : holdersOf(field.far)
    return [...holdersOf(field.foreign), ...far, ...(field.sort ? [field.sort] : [])]
  }
  if (field.kind !== 'scalar') return holdersOf(field)
  return field.isGenerated ? [] : [field]
}

/** True if two fields are one column. Where a schema of the database is not written, and in the case of names, they are taken for the same. */
function isSame(one: StoredField, other: StoredField): boolean {
  const { collection: a } = one
  const { collection: b } = other
  return (
    folded(one.column) === folded(other.column) &&
    folded(a.table) === folded(b.table) &&
    (a.dbSchema === undefined || b.dbSchema === undefined || folded(a.dbSchema) === folded(b.dbSchema))
  )
}

const folded = (name: string): string => name.toLowerCase()
