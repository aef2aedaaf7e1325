// Rows chosen by a condition, as a list with the same query would show them.
import { unreachable } from '../errors.ts'
import type { Predicate, Test } from '../plan/predicate.ts'
import type { ListPlan, Member } from '../plan/read-plan.ts'
import { readStored, type Storable } from '../plan/stored-value.ts'
import { keyText } from '../plan/write-plan.ts'
import { execute } from '../run/execute.ts'
import { mapperOf } from '../run/mapper.ts'
import { parseList } from '../run/row.ts'
import { fill } from '../run/template.ts'
import type { Collection, StoredField } from '../schema/model.ts'
import { rowStatement } from '../sql/statement.ts'
import { listKeysStatement } from '../sql/write.ts'
import type { Writing } from './writing.ts'

/** The key of each row, and nothing else. */
export const keyMember = ({ key }: Collection): Member => valueMember(keyName, key)

const valueMember = (name: string, field: StoredField): Member => ({
  kind: 'value',
  name,
  subject: { kind: 'field', field, type: field.value },
  path: [],
})

/** No field is called so. */
export const keyName = ''

/** A condition that the key is one of some. */
export function isOneOf({ key }: Collection, keys: readonly Storable[]): Test {
  // What a field has read is an operand of its family, too.
  const values = keys.map((at) => ({ at: at as object, exact: true }))
  const [value] = values
  const subject = { kind: 'field', field: key, type: key.value } as const
  const path = ['keys']
  return values.length === 1 && value
    ? { kind: 'test', subject, operator: '_eq', operand: { kind: 'value', value }, path }
    : { kind: 'test', subject, operator: '_in', operand: { kind: 'values', values }, path }
}

/** All rows that meet a condition, in any order. */
export function wholeList(collection: Collection, condition: Predicate): ListPlan {
  return {
    collection,
    children: undefined,
    condition,
    order: [],
    page: { limit: undefined, offset: 0, isCut: false, isFixed: true, path: [] },
    rows: { kind: 'items', members: [] },
    place: '',
  }
}

/** The rows of a list, mapped. */
export async function rowsOf(
  list: ListPlan,
  { engine, options }: Pick<Writing, 'engine' | 'options'>,
): Promise<readonly unknown[]> {
  const { recipe, ...statement } = rowStatement(list, engine, { probe: 0 })
  const mapper = mapperOf(recipe)
  const rows = await execute(engine, fill(statement, new Map()), options)
  return rows.map((row) => mapper(row, undefined))
}

/** What rows hold before they are changed, as answers show it: by collection, and by the text of their keys. */
export type StoredItems = ReadonlyMap<Collection, ReadonlyMap<string, Readonly<Record<string, unknown>>>>

/** Some fields of some items, by the texts of their keys. */
export async function storedItems(
  collection: Collection,
  keys: readonly Storable[],
  fields: readonly StoredField[],
  reader: Pick<Writing, 'engine' | 'options'>,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  if (keys.length === 0 || fields.length === 0) return new Map()
  const members = fields.map((field): Member => valueMember(field.name, field))
  const list = wholeList(collection, isOneOf(collection, keys))
  const found = await rowsOf(
    { ...list, rows: { kind: 'items', members: [...members, keyMember(collection)] } },
    reader,
  )
  return new Map(
    found.map((row) => {
      const { [keyName]: key, ...item } = Object(row)
      const read = readStored(collection.key, key)
      return [read.kind === 'value' ? keyText(read.value) : '', item] as const
    }),
  )
}

/** The keys of a list's rows, as answers show them. */
export async function shownKeys(
  list: ListPlan,
  { engine, options }: Pick<Writing, 'engine' | 'options'>,
): Promise<readonly (string | number)[]> {
  const { read, ...statement } = listKeysStatement(list, engine)
  const [row] = await execute(engine, fill(statement, new Map()), options)
  // What the statement is made to answer. A key is never null.
  const found = parseList(row?.[0]) as (string | number)[]
  return read ? found.map((element) => read(element) as string | number) : found
}

/** The keys of a list's rows, as payloads are read. */
export async function chosenKeys(
  list: ListPlan,
  { engine, options }: Pick<Writing, 'engine' | 'options'>,
): Promise<readonly Storable[]> {
  const { key } = list.collection
  const keys = await shownKeys(list, { engine, options })
  return keys.map((shown) => {
    const read = readStored(key, shown)
    if (read.kind !== 'value') throw unreachable('a stored key is no key')
    return read.value
  })
}

/** Which of some rows meet a condition, as texts of their keys. */
export async function matchingKeys(
  collection: Collection,
  keys: readonly Storable[],
  condition: Predicate,
  reader: Pick<Writing, 'engine' | 'options'>,
): Promise<ReadonlySet<string>> {
  const all = { kind: 'and', parts: [isOneOf(collection, keys), condition] } as const
  const found = await chosenKeys(wholeList(collection, all), reader)
  return new Set(found.map(keyText))
}
