import { type CollectionName, compileFilter, type Engine, EngineError, parseQuery } from 'quernel'
import type { schema } from './schema.ts'

/** No answer of this server is longer, whatever is asked. */
const most = 1_000

type Magazine = Engine<typeof schema>

/** Answers one list request with the host's own Kysely query; the filter is the only part that Quernel writes. */
export async function list(engine: Magazine, collection: string, search: URLSearchParams): Promise<object> {
  const name = collectionNamed(engine, collection)
  const {
    filter = {},
    sort = ['id'],
    limit = 25,
    offset = 0,
    ...rest
  } = parseQuery(search, { limits: { maxLimit: most } })
  refuseOthers(Object.keys(rest))

  const { expression } = compileFilter(engine, name, filter)
  let query = engine.db
    .selectFrom(name)
    .selectAll()
    .where(expression)
    .limit(limit < 0 ? most : limit)
    .offset(offset)
  for (const key of sort)
    query = query.orderBy(column(engine, name, key.replace(/^-/, '')), key.startsWith('-') ? 'desc' : 'asc')
  const counted = engine.db
    .selectFrom(name)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(expression)

  const [data, { count }] = [await query.execute(), await counted.executeTakeFirstOrThrow()]
  return { data, meta: { filter_count: count } }
}

function collectionNamed(engine: Magazine, name: string): CollectionName<typeof schema> {
  const found = Object.keys(engine.schema.definition).find((known) => known === name)
  if (found === undefined) throw new EngineError('NOT_FOUND', `There is no collection "${name}".`)
  return found as CollectionName<typeof schema> // a key of the definition
}

function column(engine: Magazine, collection: string, name: string): string {
  const field = engine.schema.collections.get(collection)?.fields.get(name)
  if (field && 'column' in field) return field.column
  throw new EngineError('FORBIDDEN', `There is no field "${name}" to sort by.`, { path: ['sort'] })
}

/** This example serves a part of the language, and says so rather than ignoring the rest. */
function refuseOthers(names: readonly string[]): void {
  const [first] = names
  if (first === undefined) return
  throw new EngineError(
    'INVALID_QUERY',
    `This example does not serve "${first}"; it serves filter, sort, limit and offset.`,
    { path: [first] },
  )
}
