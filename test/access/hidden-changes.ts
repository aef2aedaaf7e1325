// A world that differs from another in what a caller may not read, and in nothing else.
import { isDeepStrictEqual } from 'node:util'
import { fieldOf, keyOf, type Row, relationOf, typeOf, type World } from '../oracle/dataset.ts'
import { makers, uuid } from '../oracle/random-values.ts'
import type { Random } from '../property/seeded-random.ts'
import type { DrawnCaller, Reading } from './caller.ts'
import { removed } from './removed.ts'

/** A caller, and what their rules say of rows that are written. */
export interface Watcher extends DrawnCaller {
  readonly writes?: Readonly<Record<string, readonly Reading[]>>
}

/** Many small changes, of which those stay that the rules do not show. */
export function changedOutOfSight(
  random: Random,
  world: World,
  caller: Watcher,
): { readonly other: World; readonly changes: number } {
  const before = sightOf(world, caller)
  let other = world
  let changes = 0
  for (const collection of Object.keys(world.definition))
    for (const change of [otherValues, otherValues, otherValues, oneLess, oneMore, oneMore]) {
      const next = change(random, other, collection)
      if (next === other || !isDeepStrictEqual(sightOf(next, caller), before)) continue
      other = next
      changes++
    }
  return { other, changes }
}

/** All that the caller sees, and what may be done to it. What stands in rows that they may not read is nothing to them. */
function sightOf(world: World, { reads, writes = {} }: Watcher): unknown {
  const allowed = Object.entries(writes).map(([name, rules]) => {
    const visible = (world.rows[name] ?? []).filter((row) =>
      reads[name]?.some(({ rows }) => rows === undefined || rows(world, row)),
    )
    return [name, visible.map((row) => rules.map(({ rows }) => rows === undefined || rows(world, row)))]
  })
  return { rows: removed(world, reads).rows, allowed }
}

const withRows = (world: World, collection: string, rows: readonly Row[]): World => ({
  ...world,
  rows: { ...world.rows, [collection]: rows },
})

/** Other values in one column, in some rows or in all. */
function otherValues(random: Random, world: World, collection: string): World {
  const names = Object.keys(world.definition[collection]?.fields ?? {}).filter(
    (name) => name !== keyOf(world, collection) && relationOf(world, collection, name)?.kind !== 'many',
  )
  const rows = world.rows[collection] ?? []
  if (names.length === 0 || rows.length === 0) return world
  const name = random.one(names)
  const only = random.chance(0.5) ? random.one(rows) : undefined
  const changed = rows.map((row) =>
    only === undefined || row === only
      ? { ...row, [name]: otherValue(random, world, collection, name) }
      : row,
  )
  return withRows(world, collection, changed)
}

function otherValue(random: Random, world: World, collection: string, name: string): unknown {
  const field = fieldOf(world, collection, name)
  const relation = relationOf(world, collection, name)
  if (relation?.kind === 'one') {
    const keys = (world.rows[relation.to] ?? []).map((row) => row[keyOf(world, relation.to)])
    return keys.length > 0 ? random.one(keys) : null
  }
  if (relation?.kind === 'any') return random.chance(0.5) ? null : 'elsewhere'
  return makers[field.type]?.(random, field) ?? null
}

function oneLess(random: Random, world: World, collection: string): World {
  const rows = world.rows[collection] ?? []
  if (rows.length === 0) return world
  const gone = random.one(rows)
  return withRows(
    world,
    collection,
    rows.filter((row) => row !== gone),
  )
}

/** A row like another, under a key of its own. */
function oneMore(random: Random, world: World, collection: string): World {
  const rows = world.rows[collection] ?? []
  const key = keyOf(world, collection)
  if (rows.length === 0 || relationOf(world, collection, key)) return world
  const made = newKey(random, typeOf(world, collection, key))
  if (rows.some((row) => row[key] === made)) return world
  return withRows(world, collection, [...rows, { ...random.one(rows), [key]: made }])
}

/** Never one of those that rows are drawn with. */
export function newKey(random: Random, type: string): unknown {
  const number = 500 + random.below(400)
  if (type === 'integer') return number
  if (type === 'binary') return `eeeeee${number.toString(16).padStart(4, '0')}`
  return type === 'uuid' ? uuid(number) : `new ${number}`
}
