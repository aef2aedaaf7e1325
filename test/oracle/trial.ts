// One query, asked of the engine and of the oracle: what differs, and the smallest form of the question that differs still.
import { isDeepStrictEqual } from 'node:util'
import type { OpenDatabase, TestDatabase } from '../support/databases.ts'
import { difference } from './difference.ts'
import { engineOf, type Tested } from './engine.ts'
import { type Answer, evaluate, evaluateOne } from './evaluate.ts'
import type { Asked } from './random-query.ts'
import { build, demolish } from './tables.ts'
import { keyOf, type Row, type World } from './world.ts'

export async function differs(
  world: World,
  tested: Tested,
  { collection, query }: Asked,
): Promise<string | undefined> {
  const want = evaluate(world, collection, query)
  let got: Answer
  try {
    got = await tested.list(collection, query)
  } catch (error) {
    return `threw ${String(error)}`
  }
  return difference(inOrder(got), want)
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
  asked: Asked,
): Promise<string | undefined> {
  const { collection, query } = asked
  const [parsed, listed] = [
    JSON.parse(await tested.listJson(collection, query)),
    await tested.list(collection, query),
  ]
  if (!isDeepStrictEqual(parsed, listed)) return `as JSON: ${difference(parsed, listed)}`
  const [row] = world.rows[collection] ?? []
  if (!row) return undefined
  const key = row[keyOf(world, collection)]
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

type Tree = Readonly<Record<string, unknown>>

/** Drops parts of the query while it differs still. */
export async function smallerQuery(world: World, tested: Tested, asked: Asked): Promise<Asked> {
  for (const query of withoutOnePart(asked.query as Tree)) {
    const smaller: Asked = { ...asked, query }
    if (await failsStill(world, tested, smaller)) return smallerQuery(world, tested, smaller)
  }
  return asked
}

async function failsStill(world: World, tested: Tested, asked: Asked): Promise<boolean> {
  try {
    return (await differs(world, tested, asked)) !== undefined
  } catch {
    // The oracle does not understand it: what is left is no query.
    return false
  }
}

function* withoutOnePart(value: Tree): Generator<Tree> {
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...others } = value
    yield others
    if (Array.isArray(member)) {
      if (member.length > 1) {
        for (const index of member.keys()) yield { ...value, [name]: member.filter((_, at) => at !== index) }
      }
      for (const [index, inner] of member.entries()) {
        if (typeof inner !== 'object' || inner === null) continue
        for (const less of withoutOnePart(inner)) {
          if (Object.keys(less).length > 0) yield { ...value, [name]: member.with(index, less) }
        }
      }
    } else if (typeof member === 'object' && member !== null) {
      for (const less of withoutOnePart(member as Tree)) {
        if (Object.keys(less).length > 0) yield { ...value, [name]: less }
      }
    }
  }
}

/** Drops rows while the query differs still. */
export async function smallerWorld(
  db: OpenDatabase['db'],
  dialect: TestDatabase['name'],
  world: World,
  asked: Asked,
): Promise<World> {
  for (const [collection, rows] of Object.entries(world.rows)) {
    for (const fewer of parts(rows)) {
      const smaller = { ...world, rows: { ...world.rows, [collection]: fewer } }
      await build(db, smaller, dialect)
      const isSmallerFailing = await failsStill(smaller, engineOf(db, smaller), asked)
      await demolish(db, smaller)
      if (isSmallerFailing) return smallerWorld(db, dialect, smaller, asked)
    }
  }
  return world
}

function parts(rows: readonly Row[]): (readonly Row[])[] {
  if (rows.length === 0) return []
  const half = Math.ceil(rows.length / 2)
  const halves = rows.length > 3 ? [rows.slice(half), rows.slice(0, half)] : []
  return [[], ...halves, ...rows.map((_, index) => rows.filter((__, at) => at !== index))]
}
