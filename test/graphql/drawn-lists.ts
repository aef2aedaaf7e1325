// The lists of a drawn document as the functions on items answer them: their items by keys, and the lists inside.
import { type Engine, listItems } from '../../src/index.ts'
import { isRecord } from '../../src/values/guards.ts'
import type { DrawnCursor, DrawnList, ListQuery } from './random-lists.ts'

type Values = Readonly<Record<string, unknown>>
type Tokens = ReadonlyMap<DrawnCursor, unknown>

/** The keys that a document shows of lists, at every depth. */
export const shownOf = (lists: readonly DrawnList[], data: Values): Values =>
  Object.fromEntries(
    lists
      .filter(({ name }) => data[name] !== undefined)
      .map((list) => [list.name, keysIn(data[list.name], list)]),
  )

/** The keys of the lists that a document shows, as the functions on items read them. */
export async function keysOf(
  engine: Engine,
  lists: readonly DrawnList[],
  variables: Values,
  shown: Values,
): Promise<Values> {
  const keys: Record<string, unknown> = {}
  for (const list of lists) {
    if (shown[list.name] === undefined) continue
    const tokens = await tokensOf(engine, list, variables)
    const { data } = await listItems(engine, list.field, levelOf(list, Number(variables.n), tokens, ''))
    keys[list.name] = keysIn(data, list, shown[list.name])
  }
  return keys
}

/** The keys of a list and those below it. What the document shows says which lists it skips. */
function keysIn(value: unknown, list: DrawnList, shown: unknown = value): unknown {
  if (Array.isArray(value))
    return value.map((item, at) => keysIn(item, list, Array.isArray(shown) ? shown[at] : {}))
  if (!isRecord(value) || !isRecord(shown)) return null
  const below = list.below.filter(({ name }) => name in shown)
  return [Number(value.id), ...below.map((one) => [one.name, keysIn(value[one.name], one, shown[one.name])])]
}

/** The parameters of a list and of those below it. */
function levelOf(list: DrawnList, n: number, tokens: Tokens, sign: '' | '_'): Values {
  const { filter, sort, limit, offset, cursor } = list.query
  const token = cursor && tokens.get(cursor)
  const own = {
    ...(filter && { filter }),
    ...(sort && { sort }),
    ...(limit && { limit: limit === '$n' ? n : limit }),
    ...(offset && { offset }),
    ...(cursor && token !== undefined && { [cursor.from]: token }),
    ...(list.below.length > 0 && {
      alias: Object.fromEntries(list.below.map(({ name, field }) => [name, field])),
    }),
  }
  const deep = Object.fromEntries(list.below.map((one) => [one.name, levelOf(one, n, tokens, '_')]))
  const named = Object.fromEntries(Object.entries(own).map(([name, value]) => [`${sign}${name}`, value]))
  return sign === '_' ? { ...named, ...deep } : { ...named, deep, fields: fieldsOf(list) }
}

const fieldsOf = ({ below }: DrawnList): readonly string[] => [
  'id',
  ...below.flatMap((one) => fieldsOf(one).map((field) => `${one.name}.${field}`)),
]

/** The cursors that a request has, as the functions make them. */
async function tokensOf(engine: Engine, list: DrawnList, variables: Values): Promise<Tokens> {
  const tokens = new Map<DrawnCursor, unknown>()
  for (const { cursor } of [list, ...allBelow(list)].map(({ query }) => query))
    if (cursor && (cursor.isLiteral || cursor.name in variables))
      tokens.set(cursor, await tokenOf(engine, cursor))
  return tokens
}

const allBelow = ({ below }: DrawnList): readonly DrawnList[] =>
  below.flatMap((one) => [one, ...allBelow(one)])

async function tokenOf(
  engine: Engine,
  { list: { field, parent }, query, pick }: DrawnCursor,
): Promise<unknown> {
  const found = parent
    ? await listItems(engine, parent, {
        fields: [`${field}.$cursor`],
        deep: { [field]: { ...underlined(query), _limit: -1 } },
      })
    : await listItems(engine, field, { ...query, fields: ['$cursor'], limit: -1 })
  const all = parent ? found.data.flatMap((item: Values) => item[field] as readonly Values[]) : found.data
  return all[pick % all.length]?.$cursor
}

const underlined = ({ filter, sort }: Pick<ListQuery, 'filter' | 'sort'>): Values => ({
  ...(filter && { _filter: filter }),
  ...(sort && { _sort: sort }),
})
