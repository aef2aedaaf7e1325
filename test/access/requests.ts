// What can be asked of an engine, and what comes of it: an answer, or an error in full.
import * as library from '../../src/index.ts'
import type { PlainQuery } from '../../src/query/query.ts'
import { type Field, soleKeyOf } from '../../src/schema/model.ts'
import { keyOf, type World } from '../oracle/dataset.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { hiddenKey, isHidden } from './removed.ts'

export interface Question {
  readonly verb: 'list' | 'text' | 'stream' | 'one'
  readonly collection: string
  readonly query: PlainQuery
  /** For one item. */
  readonly key?: unknown
}

export type Outcome =
  | { readonly answer: unknown }
  | { readonly error: unknown }
  /** What is not the caller's doing, even where both sides have it. */
  | { readonly bug: string }

interface Verbs {
  readonly listItems: (engine: library.Engine, collection: string, query: object) => Promise<unknown>
  readonly listItemsJson: (engine: library.Engine, collection: string, query: object) => Promise<string>
  readonly streamItems: (engine: library.Engine, collection: string, query: object) => AsyncIterable<unknown>
  readonly getItem: (
    engine: library.Engine,
    collection: string,
    key: unknown,
    query: object,
  ) => Promise<unknown>
}

// The worlds' collections are known at run time only, so the verbs are seen without their types.
const verbs = library as unknown as Verbs

export const engineOn = (db: OpenDatabase['db'], world: World): library.Engine =>
  engineOf(db, world, library.defineSchema<library.SchemaDefinition>(world.definition))

/** `left`: what is left of a world. Where keys are gone, rows have others, which no answer shows. */
export function engineOnLeft(db: OpenDatabase['db'], left: World, whole: World): library.Engine {
  const schema: library.Schema = library.defineSchema<library.SchemaDefinition>(left.definition)
  for (const collection of schema.collections.values()) {
    const { name, fields } = collection
    if (soleKeyOf(collection).name !== hiddenKey) continue
    const shown = fields.get(keyOf(whole, name))
    // No schema of a host's has a key that is no field of its collection.
    const own = fields as Map<string, Field>
    if (shown) own.set(hiddenKey, shown)
    else own.delete(hiddenKey)
  }
  return engineOf(db, left, schema)
}

// Wildcards of three levels name many fields here.
const engineOf = (db: OpenDatabase['db'], { limits }: World, schema: library.Schema): library.Engine =>
  library.createEngine({
    db,
    schema,
    limits: { expandedFields: 1_000_000, ...limits },
    // A busy machine is no reason to differ.
    acquireTimeoutMs: 600_000,
  })

export const ask = (engine: library.Engine, question: Question): Promise<Outcome> =>
  outcomeOf(() => answerTo(engine, question))

async function answerTo(
  engine: library.Engine,
  { verb, collection, query, key }: Question,
): Promise<unknown> {
  if (verb === 'list') return inOrder(await verbs.listItems(engine, collection, query))
  if (verb === 'text') return inOrder(JSON.parse(await verbs.listItemsJson(engine, collection, query)))
  if (verb === 'one') return verbs.getItem(engine, collection, key, query)
  const items: unknown[] = []
  for await (const item of verbs.streamItems(engine, collection, query)) items.push(item)
  return items
}

/** Which path of `truncated` comes first is not said. */
function inOrder(answer: unknown): unknown {
  const meta: unknown = Reflect.get(Object(answer), 'meta')
  const truncated: unknown = meta && Reflect.get(Object(meta), 'truncated')
  if (!Array.isArray(truncated)) return answer
  return { ...Object(answer), meta: { ...Object(meta), truncated: [...truncated].sort() } }
}

export async function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { answer: await work() }
  } catch (error) {
    if (library.isEngineError(error) && error.status < 500) return { error: told(error) }
    const cause = error instanceof Error ? error.cause : undefined
    return { bug: `${error} ${cause instanceof Error ? cause.message : ''}` }
  }
}

function told({ code, status, message, path, hint, extensions, errors }: library.EngineError): unknown {
  return { code, status, message, path, hint, extensions, errors: errors?.map(told) }
}

/** True where a statement is larger than the database takes: rules are a part of it, and nothing is told by that. */
export const isBeyondStatement = (outcome: Outcome): boolean =>
  'error' in outcome &&
  Reflect.get(Object(outcome.error), 'message') === 'This is more than the database takes in one statement.'

/** What is answered where the keys that nobody may see are no part of it. */
export function withoutHiddenKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHiddenKeys)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([name]) => !isHidden(name))
  return Object.fromEntries(members.map(([name, member]) => [name, withoutHiddenKeys(member)]))
}
