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
  const { dice, world } = draw
  const collection = crowded(draw, world)
  const level = randomLevel(draw, collection, '')
  const asked: Record<string, unknown> = dice.chance(0.14)
    ? randomGrouping(draw, collection, '', level)
    : { ...level, ...randomFields(draw, collection) }
  if (dice.chance(0.2)) asked.meta = dice.do(() => ['*'], randomMeta(draw))
  if (dice.chance(0.06)) asked.backlink = dice.chance(0.3)
  for (const name of Object.keys(asked)) note(draw, name)
  // Made of the parameters of a query and nothing else.
  return { collection, query: asked as PlainQuery }
}

const randomMeta = ({ dice }: Draw) => {
  const words = ['total_count', 'filter_count', 'limit', 'offset', 'page', 'page_count', 'truncated']
  return () => [...new Set(dice.many(1, 3, () => dice.one(words)))]
}

/** Mostly a collection that holds something. */
function crowded({ dice }: Draw, { rows }: World): string {
  const names = Object.keys(rows)
  const full = names.filter((name) => (rows[name] ?? []).length > 0)
  return full.length > 0 && dice.chance(0.95) ? dice.one(full) : dice.one(names)
}
