// The items that an operation names: by one key, by keys, or by a query.
import { type Engine, internalsOf } from '../../engine/engine.ts'
import { listItems } from '../../items/list.ts'
import { keyFieldsOf } from '../../schema/model.ts'
import { badValue } from '../reject.ts'

interface NamedItems {
  readonly key?: unknown
  readonly keys?: readonly unknown[] | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
}

/** Items as exactly one option names them. */
type ChosenItems =
  | { readonly kind: 'key'; readonly key: never }
  | { readonly kind: 'keys'; readonly keys: readonly never[] }
  | { readonly kind: 'query'; readonly query: object }

/** Returns the items that exactly one option names. */
export function chosenItems(named: NamedItems, engine: Engine, collection: string): ChosenItems {
  const chosen = chosenAtMost(named, engine, collection)
  if (!chosen) throw badValue('One of "key", "keys" and "query" names the items, and none is given.')
  return chosen
}

/** Returns the items that an option names; undefined if none does. */
export function chosenAtMost(
  { key, keys, query }: NamedItems,
  engine: Engine,
  collection: string,
): ChosenItems | undefined {
  const named = [key, keys, query].filter((one) => one !== undefined)
  if (named.length > 1) throw badValue('One of "key", "keys" and "query" names the items, and not several.')
  // A key is checked when it is used: the verb refuses what is none.
  if (key !== undefined) return { kind: 'key', key: oneKey(key, engine, collection) as never }
  if (keys !== undefined) return { kind: 'keys', keys: keys as readonly never[] }
  return query && { kind: 'query', query }
}

/** One key; of a list of one element, the element. The key of several fields is a list itself. */
function oneKey(key: unknown, engine: Engine, name: string): unknown {
  if (!Array.isArray(key) || keyReading(engine, name).fields.length > 1) return key
  if (key.length === 1) return key[0]
  throw badValue(`"key" takes one key, and this is a list of ${key.length}.`, ['key'])
}

/** Returns the query that reads the keys of items, and how a key is made of an item. */
export function keyReading(engine: Engine, name: string) {
  const collection = internalsOf(engine).schema.collections.get(name)
  const names = collection?.key ? keyFieldsOf(collection).map((field) => field.name) : []
  const keyOf = (item: unknown): unknown => {
    if (typeof item !== 'object' || item === null) return null
    const parts = names.map((one) => Reflect.get(item, one))
    return parts.length === 1 ? parts[0] : parts
  }
  return { fields: names, keyOf }
}

export function amongKeys(fields: readonly string[], some: readonly unknown[]): object {
  const [field, ...others] = fields
  if (field !== undefined && others.length === 0) return { [field]: { _in: some } }
  const parts = some.map((one) => {
    if (!Array.isArray(one) || one.length !== fields.length)
      throw badValue(`A key of this collection is a list of ${fields.length} values.`, ['keys'])
    return Object.fromEntries(fields.map((name, at) => [name, { _eq: one[at] }]))
  })
  return parts.length > 0 ? { _or: parts } : { _and: [{ [String(field)]: { _in: [] } }] }
}

const atOnce = 1_000

/** Looks for items by their keys, some at once. Yields the number of those, and the keys of the ones that are seen. */
export async function* seenAmong(engine: Engine, name: string, keys: readonly unknown[]) {
  const { fields, keyOf } = keyReading(engine, name)
  for (let from = 0; from < keys.length; from += atOnce) {
    const some = keys.slice(from, from + atOnce)
    const query = { fields, filter: amongKeys(fields, some), limit: some.length }
    // A caller who does not see the key names no item. The names come from the schema, and not from a literal.
    const data = fields.length > 0 ? (await listItems(engine.fresh(), name, query as object)).data : []
    yield { count: some.length, seen: (data as readonly unknown[]).map(keyOf) }
  }
}
