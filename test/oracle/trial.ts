// One query, asked of the engine and of the oracle.
import { isDeepStrictEqual } from 'node:util'
import { keyValue, type World } from './dataset.ts'
import { difference } from './difference.ts'
import { isTooLarge, type Tested } from './engine.ts'
import { type Answer, evaluate, evaluateOne } from './evaluate.ts'
import type { Asked } from './random-query.ts'

/** Where the answers part, in words; undefined when they are the same. */
export async function differs(
  world: World,
  tested: Tested,
  { collection, query }: Asked,
  want: Answer = evaluate(world, collection, query),
): Promise<string | undefined> {
  try {
    return difference(inOrder(await tested.list(collection, query)), want)
  } catch (error) {
    return isTooLarge(error) ? undefined : `threw ${String(error)}`
  }
}

/** Which path of `truncated` comes first is not said. */
function inOrder(answer: Answer): Answer {
  const { meta } = answer
  if (!Array.isArray(meta?.truncated)) return answer
  return { ...answer, meta: { ...meta, truncated: [...meta.truncated].sort() } }
}

/** The same answer as text, and one of its items alone. */
export async function differsOtherwise(
  world: World,
  tested: Tested,
  { collection, query }: Asked,
  turn: number,
): Promise<string | undefined> {
  try {
    return await differsInForm(world, tested, { collection, query }, turn)
  } catch (error) {
    if (isTooLarge(error)) return undefined
    throw error
  }
}

async function differsInForm(
  world: World,
  tested: Tested,
  { collection, query }: Asked,
  turn: number,
): Promise<string | undefined> {
  const [parsed, listed] = [
    JSON.parse(await tested.listJson(collection, query)),
    await tested.list(collection, query),
  ]
  if (!isDeepStrictEqual(parsed, listed)) return `as JSON: ${difference(parsed, listed)}`
  const rows = world.rows[collection] ?? []
  const row = rows[turn % rows.length]
  if (!row) return undefined
  const key = keyValue(world, collection, row)
  if (key === null) return undefined
  const { fields, alias, deep, backlink } = query
  const one = {
    ...(fields && { fields }),
    ...(alias && { alias }),
    ...(deep && { deep }),
    ...(backlink !== undefined && { backlink }),
  }
  const found = difference(await tested.get(collection, key, one), evaluateOne(world, collection, key, one))
  return found && `as one item: ${found}`
}
