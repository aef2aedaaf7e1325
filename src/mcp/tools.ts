import type { Action } from '../access/access.ts'
import { eachVisible } from '../access/visible-actions.ts'
import { actionContext } from '../engine/action-context.ts'
import { type CollectionDescription, describeSchema } from '../engine/describe-schema.ts'
import { type Engine, internalsOf } from '../engine/engine.ts'
import { collectionLine, legend } from '../engine/schema-text.ts'
import { fault, isEngineError } from '../errors/errors.ts'
import { explained } from '../http/overview/explain.ts'
import { getItem } from '../items/get.ts'
import { listItems } from '../items/list.ts'
import { listPage } from '../items/list-page.ts'
import { getSingleton } from '../items/singleton.ts'
import { rootCollection } from '../plan/resolve-name.ts'
import type { Query } from '../query/types.ts'
import type { Collection, Schema } from '../schema/model.ts'
import { type Bounds, boundedJson, boundedLines, fitting, itemsOf, textLimit } from './bounded.ts'
import type { McpSettings } from './mcp-options.ts'

/** Input of a tool, which the called function checks. */
export type ToolInput = Readonly<Record<string, unknown>>

export interface ToolCall {
  readonly engine: Engine
  readonly settings: McpSettings
  readonly signal: AbortSignal
}

export interface AgentTool {
  readonly description: string
  readonly input: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly isDestructive?: true
  readonly isReadOnly: boolean
  /** True if the caller may use it at all. */
  readonly isOffered: (may: (action: Action) => boolean, settings: McpSettings) => boolean
  readonly run: (input: ToolInput, call: ToolCall) => Promise<string>
}

export const string = { type: 'string' }
export const object = { type: 'object' }
const integer = { type: 'integer' }
const strings = { type: 'array', items: string }
const reading = {
  collection: string,
  filter: { ...object, description: 'As in {"title":{"_contains":"x"}}' },
}

const reads = { isReadOnly: true, isOffered: (may: (action: Action) => boolean) => may('read') } as const

export const readTools: Readonly<Record<string, AgentTool>> = {
  describe: {
    description: 'The collections and what you may do there; with names their fields. Begin here.',
    input: { names: strings, search: { ...string, description: 'Only names or notes with this word' } },
    isReadOnly: true,
    isOffered: () => true,
    run: async (input, call) => describe(input, call),
  },
  list: {
    ...reads,
    description: `Items of a collection, page by page. Fields of related items: "author.name".`,
    input: { ...reading, fields: strings, sort: strings, search: string, limit: integer, after: string },
    required: ['collection'],
    run: list,
  },
  get: {
    ...reads,
    description: 'One item by its key; of a singleton without a key.',
    input: { collection: string, key: {}, fields: strings },
    required: ['collection'],
    run: get,
  },
  aggregate: {
    ...reads,
    description: 'Numbers of items or groups: {"count":"*","sum":["price"],"avg":…}.',
    input: { ...reading, aggregate: object, groupBy: strings, having: object, sort: strings, limit: integer },
    required: ['collection', 'aggregate'],
    run: aggregate,
  },
  explain: {
    description: 'How a query runs, or with an action your rules.',
    input: { collection: string, query: object, database: { type: 'boolean' }, action: string },
    required: ['collection'],
    isReadOnly: true,
    isOffered: (_may, { explain }) => explain,
    run: async (input, { engine, signal, settings }) =>
      boundedJson(await explained(engine, input, { signal }), settings.bounds),
  },
}

/** Refuses what a tool does not take. */
export function only(input: ToolInput, names: readonly string[]): void {
  const other = Object.keys(input).find((name) => !names.includes(name))
  if (other !== undefined)
    throw fault(
      'INVALID_QUERY',
      `There is no input "${other.slice(0, 60)}"; there are ${names.join(', ')}.`,
      { path: [other] },
    )
}

export function collectionOf({ collection }: ToolInput): string {
  if (typeof collection === 'string') return collection
  throw fault('INVALID_QUERY', '"collection" is the name of a collection.', { path: ['collection'] })
}

function describe(input: ToolInput, { engine, settings: { bounds } }: ToolCall): string {
  only(input, ['names', 'search'])
  const { names, search } = input
  const all = describeSchema(internalsOf(engine)).collections
  if (names !== undefined) {
    const wanted = namesIn(names)
    const lines = function* () {
      yield legend
      for (const name of wanted) yield collectionLine(name, described(name, all, engine))
    }
    return boundedLines(lines(), { count: wanted.size + 1, hint: 'Ask for fewer names.', bounds })
  }
  const word = typeof search === 'string' ? search.toLowerCase() : ''
  const found = Object.entries(all).filter(([name, { note = '' }]) =>
    `${name} ${note}`.toLowerCase().includes(word),
  )
  const lines = found.map(([name, { may, fields, note }]) =>
    collectionLine(name, { may, fields: {}, ...(note !== undefined && { note }) }).replace(
      /\]: /,
      () => `] ${Object.keys(fields).length} fields`,
    ),
  )
  return boundedLines(lines, { count: lines.length, hint: 'Search for a word.', bounds })
}

function namesIn(names: unknown): ReadonlySet<string> {
  if (Array.isArray(names) && names.length <= maxNames && names.every((name) => typeof name === 'string'))
    return new Set(names)
  throw fault('INVALID_QUERY', `"names" is a list of at most ${maxNames} names of collections.`, {
    path: ['names'],
  })
}

const maxNames = 1_000

function described(
  name: string,
  all: Readonly<Record<string, CollectionDescription>>,
  engine: Engine,
): CollectionDescription {
  const found = Object.hasOwn(all, name) ? all[name] : undefined
  if (found) return found
  rootCollection(engine.schema, name)
  throw fault('NOT_FOUND', 'There is no such collection, or you may not see it.')
}

/** The verbs check names and queries, whose types no tool knows. */
const anyQuery = (query: object): Query<Schema, string> => query as never

async function list(input: ToolInput, { engine, signal, settings: { bounds } }: ToolCall): Promise<string> {
  only(input, listInput)
  const name = collectionOf(input)
  const { limit, fields } = input
  const wanted = countIn(limit, bounds)
  const query: Record<string, unknown> = { limit: wanted }
  for (const part of listParts) if (input[part] !== undefined) query[part] = input[part]
  const seen = engine.schema.collections.get(name)
  const core = internalsOf(engine)
  const read = (meta: readonly string[]) => {
    query.meta = meta
    return listPage(core, name, query, { signal })
  }
  // A list has no cursors if its order is hidden on some rows.
  const page = await read(seen?.key && wanted > 0 ? ['filter_count', 'cursors'] : ['filter_count']).catch(
    (error: unknown) => {
      if (isEngineError(error) && error.path?.[0] === 'meta') return read(['filter_count'])
      throw error
    },
  )
  const { data, count = data.length } = page
  const texts = fitting(data, textsOf(seen, textLimit(fields, bounds)), bounds)
  if (texts.length === 0 && data.length > 0) throw tooLong('One item alone is too long for an answer.')
  const bound = boundOf(limit, bounds)
  const [last, truncated] = page.upTo(texts.length)
  const cut = truncated.length > 0 ? ` Cut by their limit: ${truncated.join(', ')}.` : ''
  const isCut = page.hasMore || texts.length < data.length
  const isPart = isCut || (query.after === undefined && texts.length < count)
  const rest = isPart && last === null && texts.length > 0 ? ' Narrow "filter" for others.' : ''
  const after = isCut && last !== null ? ` For more: "after": ${JSON.stringify(last)}.` : rest
  return `{"data":[${texts.join(',')}]}\n${texts.length} of ${count} items.${bound}${cut}${after}`
}

const listParts = ['filter', 'fields', 'sort', 'search', 'after'] as const
const listInput = ['collection', ...listParts, 'limit']

const textsOf = (seen: Collection | undefined, limit: number) => {
  const items = itemsOf(seen)
  return (item: unknown) => JSON.stringify(items.shown(item, limit))
}

const tooLong = (says: string) =>
  fault('INVALID_QUERY', says, { hint: 'Ask for fewer fields.', path: ['fields'] })

async function get(input: ToolInput, { engine, signal, settings: { bounds } }: ToolCall): Promise<string> {
  only(input, ['collection', 'key', 'fields'])
  const name = collectionOf(input)
  const { key, fields } = input
  const query = anyQuery(fields === undefined ? {} : { fields })
  const seen = engine.schema.collections.get(name)
  // `getItem` checks it.
  const known = key as never
  const item: unknown =
    seen?.isSingleton && key === undefined
      ? await getSingleton(engine, name, query, { signal })
      : await getItem(engine, name, known, query, { signal })
  const [text] = fitting([item], textsOf(seen, textLimit(fields, bounds)), bounds)
  if (text === undefined) throw tooLong('The item is too long for an answer.')
  return `{"data":${text}}`
}

async function aggregate(
  input: ToolInput,
  { engine, signal, settings: { bounds } }: ToolCall,
): Promise<string> {
  only(input, ['collection', 'filter', 'aggregate', 'groupBy', 'having', 'sort', 'limit'])
  const name = collectionOf(input)
  const { collection: _, limit, ...query } = input
  const most = countIn(limit, bounds)
  const { data } = await listItems(engine, name, anyQuery({ ...query, limit: most + 1 }), { signal })
  const seen = engine.schema.collections.get(name)
  const fits = fitting(data.slice(0, most), textsOf(seen, textLimit(undefined, bounds)), bounds)
  const isCut = fits.length < data.length
  const said = `${isCut ? ', and there are more. Narrow "filter" or "having".' : '.'}${boundOf(limit, bounds)}`
  return `{"data":[${fits.join(',')}]}${said === '.' ? '' : `\n${fits.length} groups${said}`}`
}

/** Returns the number of items that a call asks for, within the bound. */
const countIn = (limit: unknown, { items }: Bounds): number =>
  typeof limit === 'number' && limit >= 0 && limit <= items ? limit : items

/** The sentence on the bound, where it is not what a call asks for. */
const boundOf = (limit: unknown, bounds: Bounds): string =>
  limit === undefined || countIn(limit, bounds) === limit ? '' : ` A list has at most ${bounds.items}.`

/** Returns a test of what the caller may do in any collection. */
export function mayAnywhere(engine: Engine): (action: Action) => boolean {
  const context = actionContext(internalsOf(engine))
  return (action) => {
    for (const { may, seen } of eachVisible(context))
      if (action === 'read' ? seen !== undefined : may(action)) return true
    return false
  }
}
