import {
  type CollectionName,
  type Engine,
  EngineError,
  getItem,
  getSingleton,
  listItemsJson,
  type ParsedQuery,
} from 'quernel'
import type { schema } from './schema.ts'

type Magazine = typeof schema

/** What a path answers: `/items/articles` is a list, `/items/articles/3` an item, `/` a table of contents. */
export async function read(engine: Engine<Magazine>, path: string, query: ParsedQuery): Promise<string> {
  const [items, collection, key, ...more] = stepsOf(path)
  if (items === undefined) return JSON.stringify({ collections: pathsOf(engine) })
  if (items !== 'items' || collection === undefined || more.length > 0)
    throw new EngineError('NOT_FOUND', 'There is nothing here; "/" says what there is.')
  // Names and keys go on as they were sent: the verbs say what is wrong with them.
  const name = collection as CollectionName<Magazine>
  if (engine.schema.collections.get(name)?.isSingleton && key === undefined)
    return JSON.stringify({ data: await getSingleton(engine, name, query) })
  if (key === undefined) return listItemsJson(engine, name, query)
  return JSON.stringify({ data: await getItem(engine, name, key as unknown as number, query) })
}

function stepsOf(path: string): readonly string[] {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent)
  } catch {
    // An escape that is none leads nowhere.
    return [path]
  }
}

const pathsOf = ({ schema: { collections } }: Engine<Magazine>) =>
  [...collections.keys()].map((name) => `/items/${name}`)
