// Queries drawn by chance, in the form of typed input.
import type { PlainQuery } from '../../src/query/query.ts'
import type { World } from './dataset.ts'
import { type Draw, note } from './draw.ts'
import { randomFields } from './random-fields.ts'
import { randomGrouping } from './random-grouping.ts'
import { randomLevel } from './random-level.ts'

export interface Asked {
  readonly collection: string
  readonly query: PlainQuery
}

export function randomQuery(draw: Draw): Asked {
  const { random, world } = draw
  const collection = populated(draw, world)
  const level = randomLevel(draw, collection, '')
  const asked: Record<string, unknown> = random.chance(0.14)
    ? randomGrouping(draw, collection, '', level)
    : { ...level, ...randomFields(draw, collection) }
  if (random.chance(0.2)) asked.meta = random.do(() => ['*'], randomMeta(draw))
  if (random.chance(0.06)) asked.backlink = random.chance(0.3)
  for (const name of Object.keys(asked)) note(draw, name)
  // Made of the parameters of a query and nothing else.
  return { collection, query: asked as PlainQuery }
}

const randomMeta = ({ random }: Draw) => {
  const words = ['total_count', 'filter_count', 'limit', 'offset', 'page', 'page_count', 'truncated']
  return () => [...new Set(random.many(1, 3, () => random.one(words)))]
}

/** Mostly a collection that holds something. */
function populated({ random }: Draw, { rows }: World): string {
  const names = Object.keys(rows)
  const full = names.filter((name) => (rows[name] ?? []).length > 0)
  return full.length > 0 && random.chance(0.95) ? random.one(full) : random.one(names)
}
