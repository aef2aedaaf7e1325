// What a caller can tell of an answer.
import {
  type Engine,
  getItem,
  getSingleton,
  isEngineError,
  listItems,
  listItemsJson,
  type Schema,
  streamItems,
  toErrorBody,
} from '../../../src/index.ts'
import type { Call } from '../../conformance/reads/case.ts'

/** The answer, or all that an error tells, with the word that was asked for left out. */
export async function outcome(work: () => Promise<unknown>, sought: unknown): Promise<string> {
  const told = await work().then(
    (answer) => JSON.stringify({ answer }),
    (error: unknown) => {
      if (!isEngineError(error)) throw error
      return JSON.stringify({
        ...toErrorBody(error),
        status: error.status,
        message: error.message,
        hint: error.hint,
      })
    },
  )
  return typeof sought === 'string'
    ? told.replaceAll(sought, '?')
    : told.replaceAll(new RegExp(`\\b${String(sought)}\\b`, 'g'), '?')
}

/** The same, asked in every way in which it can be asked. */
export async function outcomes(
  engine: Engine<Schema>,
  { verb, of, key, query }: Call,
  sought: unknown,
  isGrouped = false,
): Promise<readonly string[]> {
  if (verb === 'one') return [await outcome(() => getItem(engine, of, key, query), sought)]
  if (verb === 'singleton') return [await outcome(() => getSingleton(engine, of, query), sought)]
  const streamed = async () => {
    const data: unknown[] = []
    for await (const item of streamItems(engine, of, query)) data.push(item)
    return { data }
  }
  if (verb === 'stream') return [await outcome(streamed, sought)]
  return [
    await outcome(() => listItems(engine, of, query), sought),
    await outcome(async () => JSON.parse(await listItemsJson(engine, of, query)), sought),
    // Asked again, it is answered by a statement that is known already.
    await outcome(() => listItems(engine, of, query), sought),
    ...(isGrouped || 'meta' in query ? [] : [await outcome(streamed, sought)]),
  ]
}
