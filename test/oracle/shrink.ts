// The smallest form of a question, and of its world, that the engine still answers differently.
import type { CollectionDefinition } from '../../src/schema/definition.ts'
import type { OpenDatabase, TestDatabase } from '../support/databases.ts'
import { keyParts, type Row, type World } from './dataset.ts'
import { engineOf, type Tested } from './engine.ts'
import type { Asked } from './random-query.ts'
import { build, demolish } from './tables.ts'

type Tree = Readonly<Record<string, unknown>>

/** Says what is wrong with the answers to a question. */
export type Check = (world: World, tested: Tested, asked: Asked) => Promise<string | undefined>

/** Drops parts of the query while it differs still. */
export async function smallerQuery(check: Check, world: World, tested: Tested, asked: Asked): Promise<Asked> {
  const kind = kindOf(await check(world, tested, asked))
  for (const query of withoutOnePart(asked.query as Tree)) {
    const smaller: Asked = { ...asked, query }
    if (await differsAlike(check, world, tested, smaller, kind)) {
      return smallerQuery(check, world, tested, smaller)
    }
  }
  return asked
}

/** An error stays an error of the same beginning, a wrong answer a wrong answer. */
const kindOf = (found: string | undefined): string | undefined =>
  found?.startsWith('threw') ? found.slice(0, 40) : found && 'wrong'

async function differsAlike(
  check: Check,
  world: World,
  tested: Tested,
  asked: Asked,
  kind: string | undefined,
): Promise<boolean> {
  try {
    return kindOf(await check(world, tested, asked)) === kind
  } catch {
    // The oracle does not understand what is left: it is no query.
    return false
  }
}

function* withoutOnePart(value: Tree, isFilter = false): Generator<Tree> {
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...others } = value
    yield others
    const isInside = isFilter || name === 'filter' || name === '_filter'
    if (Array.isArray(member)) {
      if (member.length > 1) {
        for (const index of member.keys()) yield { ...value, [name]: member.filter((_, at) => at !== index) }
      }
      for (const [index, inner] of member.entries()) {
        if (!isTree(inner)) continue
        for (const less of partsOf(inner, isInside)) yield { ...value, [name]: member.with(index, less) }
      }
    } else if (isTree(member)) {
      for (const less of partsOf(member, isInside)) yield { ...value, [name]: less }
    }
  }
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object without a part; in a filter, what is in it may take its place. */
function* partsOf(value: Tree, isFilter: boolean): Generator<Tree> {
  if (isFilter) for (const member of Object.values(value)) if (isTree(member)) yield member
  for (const less of withoutOnePart(value, isFilter)) if (Object.keys(less).length > 0) yield less
}

/** Drops rows, fields and collections while the query differs still. */
export async function smallerWorld(
  check: Check,
  db: OpenDatabase['db'],
  dialect: TestDatabase['name'],
  world: World,
  asked: Asked,
  kind: string | undefined = undefined,
): Promise<World> {
  const wanted = kind ?? kindOf(await tried(check, db, dialect, world, asked))
  for (const smaller of smallerWorlds(world)) {
    const found = await tried(check, db, dialect, smaller, asked)
    if (found !== undefined && kindOf(found) === wanted)
      return smallerWorld(check, db, dialect, smaller, asked, wanted)
  }
  return world
}

/** What differs on a world of its own; undefined too when it is no world. */
export async function tried(
  check: Check,
  db: OpenDatabase['db'],
  dialect: TestDatabase['name'],
  world: World,
  asked: Asked,
): Promise<string | undefined> {
  try {
    const tested = engineOf(db, world)
    await build(db, world, dialect)
    return await check(world, tested, asked)
  } catch {
    return undefined
  } finally {
    await demolish(db, world)
  }
}

function* smallerWorlds(world: World): Generator<World> {
  for (const [collection, rows] of Object.entries(world.rows)) {
    for (const fewer of fewerRows(rows)) yield { ...world, rows: { ...world.rows, [collection]: fewer } }
  }
  if (world.limits) {
    const { limits: _, ...unlimited } = world
    yield unlimited
  }
  for (const [name, collection] of Object.entries(world.definition)) {
    const { [name]: _, ...definition } = world.definition
    const { [name]: __, ...rows } = world.rows
    yield { ...world, definition, rows }
    for (const smaller of smallerCollections(collection, keyParts(world, name))) {
      yield { ...world, definition: { ...world.definition, [name]: smaller } }
    }
  }
}

function* smallerCollections(
  collection: CollectionDefinition,
  keys: readonly string[],
): Generator<CollectionDefinition> {
  const { table: _, sortField: __, ...plain } = collection
  if (Object.keys(plain).length < Object.keys(collection).length) yield plain
  for (const [name, field] of Object.entries(collection.fields)) {
    const { [name]: ___, ...fields } = collection.fields
    if (!keys.includes(name)) yield { ...collection, fields }
    for (const option of ['column', 'storage', 'searchable', 'sort']) {
      const options = Object.entries(field).filter(([word]) => word !== option)
      if (options.length === Object.keys(field).length) continue
      // The same field with an option less.
      yield {
        ...collection,
        fields: { ...collection.fields, [name]: Object.fromEntries(options) as typeof field },
      }
    }
  }
}

function fewerRows(rows: readonly Row[]): (readonly Row[])[] {
  if (rows.length === 0) return []
  const half = Math.ceil(rows.length / 2)
  const halves = rows.length > 3 ? [rows.slice(half), rows.slice(0, half)] : []
  return [[], ...halves, ...rows.map((_, index) => rows.filter((__, at) => at !== index))]
}
