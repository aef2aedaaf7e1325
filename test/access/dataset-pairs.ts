// Worlds, callers and questions by turns: what tests of access go through.

import { keyOf, type World } from '../oracle/dataset.ts'
import { type Draw, note } from '../oracle/draw.ts'
import { type Asked, randomQuery } from '../oracle/random-query.ts'
import type { Random } from '../property/seeded-random.ts'
import { hiddenKey, withoutMarks } from './removed.ts'
import type { Question } from './requests.ts'

/** How often each word was used, over all that is asked in a file. */
export type Tally = Map<string, number>

/** A question that a caller may ask: mostly of what they see, with values of what they do not see. */
export function randomQuestion(random: Random, tally: Tally, whole: World, seen: World): Question {
  const isOfWhole = random.chance(0.15) || Object.keys(seen.definition).length === 0
  note({ tally } as Draw, isOfWhole ? 'asks of everything' : 'asks of what is seen')
  const asked = isOfWhole
    ? drawn(random, tally, whole)
    : drawn(random, tally, withoutMarks(random.chance(0.5) ? seen : withAll(whole, seen)))
  return questionOf(random, tally, whole, asked)
}

/** What is seen, with the rows that there are. */
function withAll(whole: World, seen: World): World {
  const rows = Object.keys(seen.definition).map((name) => [
    name,
    (whole.rows[name] ?? []).map((row) => ({ ...row, [hiddenKey]: row[keyOf(whole, name)] })),
  ])
  return { ...seen, rows: Object.fromEntries(rows) }
}

/** Draws until the query does not name a key that nobody may name. */
function drawn(random: Random, tally: Tally, world: World): Asked {
  for (let tries = 0; tries < 40; tries++) {
    const own: Tally = new Map()
    const asked = randomQuery({ world, random, tally: own })
    if (JSON.stringify(asked.query).includes(hiddenKey)) continue
    for (const [word, times] of own) tally.set(word, (tally.get(word) ?? 0) + times)
    return asked
  }
  return { collection: random.one(Object.keys(world.definition)), query: { aggregate: { count: ['*'] } } }
}

function questionOf(random: Random, tally: Tally, whole: World, { collection, query }: Asked): Question {
  const verb = random.one([
    'list',
    'list',
    'list',
    'list',
    'list',
    'text',
    'text',
    'stream',
    'one',
    'one',
  ] as const)
  note({ tally } as Draw, `verb ${verb}`)
  if (verb === 'list' && random.chance(0.2)) return { verb, collection, query: { ...query, meta: ['*'] } }
  if (verb === 'stream') {
    const { meta: _, ...streamed } = query
    return { verb, collection, query: streamed }
  }
  if (verb !== 'one') return { verb, collection, query }
  const { fields, alias, deep, backlink } = query
  const rows = whole.rows[collection] ?? []
  const row = rows.length > 0 ? random.one(rows) : undefined
  const shape = Object.entries({ fields, alias, deep, backlink }).filter(([, value]) => value !== undefined)
  return { verb, collection, query: Object.fromEntries(shape), key: row ? row[keyOf(whole, collection)] : 1 }
}
