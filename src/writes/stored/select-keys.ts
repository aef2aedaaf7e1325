// Selects rows by a condition, as a list with the same query would.

import { execute } from '../../execution/execute.ts'
import type { Predicate } from '../../plan/filter/predicate.ts'
import { type Key, keyIdentities, keyIdentity, readKey, storedKey, unreadableKey } from '../../plan/key.ts'
import { isOneOf, keyMember, keyName, valueMember, wholeList } from '../../plan/read/by-key.ts'
import type { ListPlan, Member } from '../../plan/read/read-plan.ts'
import { bindStatement, noBoundValues, type StatementValues } from '../../prepared/templates/template.ts'
import { compileMapper } from '../../rows/compile-mapper.ts'
import { parseList } from '../../rows/row.ts'
import type { Collection, StoredField } from '../../schema/model.ts'
import { rowStatement } from '../../sql/row-statements.ts'
import { type KeysStatement, listKeysStatement } from '../../sql/write/list-write-statements.ts'
import type { WriteContext } from '../context/write-context.ts'

/** Returns the rows of a list, mapped to items. */
export async function rowsOf(
  list: ListPlan,
  { engine, options }: Pick<WriteContext, 'engine' | 'options'>,
): Promise<readonly unknown[]> {
  const { recipe, ...statement } = rowStatement(list, engine, { probe: 0 })
  const mapper = compileMapper(recipe)
  const rows = await execute(engine, bindStatement(statement, noBoundValues), options)
  return rows.map((row) => mapper(row, undefined))
}

/** Values of rows before they are changed, as results show them: by collection, and by the text of their keys. */
export type StoredItems = ReadonlyMap<Collection, ReadonlyMap<string, Readonly<Record<string, unknown>>>>

/** Returns some fields of some items, by the texts of their keys. */
export async function storedItems(
  collection: Collection,
  keys: readonly Key[],
  fields: readonly StoredField[],
  reader: Pick<WriteContext, 'engine' | 'options'>,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  if (keys.length === 0 || fields.length === 0) return new Map()
  const members = fields.map((field): Member => valueMember(field.name, field))
  const list = wholeList(collection, isOneOf(collection, keys))
  const found = await rowsOf(
    { ...list, rows: { kind: 'items', members: [...members, keyMember(collection)] } },
    reader,
  )
  return new Map(
    found.flatMap((row) => {
      const { [keyName]: shown, ...item } = Object(row)
      const key = readKey(collection, shown)
      return key === undefined ? [] : [[keyIdentity(key), item] as const]
    }),
  )
}

/** Returns the keys of a list's rows, as results show them. */
export const shownKeys = (
  list: ListPlan,
  reader: Pick<WriteContext, 'engine' | 'options'>,
): Promise<readonly ShownElement[]> =>
  keysReadBy(listKeysStatement(list, reader.engine), noBoundValues, reader)

type ShownElement = string | number

/** Returns the keys that a statement reads. `boundValues`: the values of its query. */
export async function keysReadBy(
  { read, collection, ...statement }: KeysStatement,
  boundValues: StatementValues,
  { engine, options }: Pick<WriteContext, 'engine' | 'options'>,
): Promise<readonly ShownElement[]> {
  const [row] = await execute(engine, bindStatement(statement, boundValues), options)
  const keys = shownElements(parseList(row?.[0]), read)
  if (!keys) throw unreadableKey(collection)
  return keys
}

/** Returns keys of a JSON list as results show them; undefined if one of them cannot be read: nothing keeps null out of some tables. */
export function shownElements(
  list: unknown,
  read: KeysStatement['read'],
): readonly ShownElement[] | undefined {
  const elements = list as readonly (ShownElement | null)[] // the statement returns a JSON list
  const shown = read
    ? elements.map((element) => (element === null ? null : (read(element) as ShownElement | null)))
    : elements
  return shown.every(isWhole) ? shown : undefined
}

const isWhole = (shown: ShownElement | null): shown is ShownElement =>
  Array.isArray(shown) ? !shown.includes(null) : shown !== null

/** Returns the keys of a list's rows, in the form of payloads. */
export async function selectedKeys(
  list: ListPlan,
  { engine, options }: Pick<WriteContext, 'engine' | 'options'>,
): Promise<readonly Key[]> {
  const keys = await shownKeys(list, { engine, options })
  return keys.map((shown) => storedKey(list.collection, shown))
}

/** Returns the keys of those rows that meet a condition, as texts. */
export async function matchingKeys(
  collection: Collection,
  keys: readonly Key[],
  condition: Predicate,
  reader: Pick<WriteContext, 'engine' | 'options'>,
): Promise<ReadonlySet<string>> {
  const all = { kind: 'and', parts: [isOneOf(collection, keys), condition] } as const
  const found = await selectedKeys(wholeList(collection, all), reader)
  return keyIdentities(found)
}
