// The fixture of the recorded answers as a world, and the answers that an oracle has to give, too.

import { deviations } from '../conformance/deviations.ts'
import rows from '../conformance/fixture/rows.json' with { type: 'json' }
import { schema } from '../conformance/fixture/schema.ts'
import { recorded as requests } from '../conformance/recorded.ts'
import type { World } from './dataset.ts'

const { articles, ...others } = schema.definition

// The recording service ordered the blocks by their sort field, and showed moments to the millisecond.
export const recordedWorld: World = {
  definition: {
    ...others,
    articles: {
      ...articles,
      fields: { ...articles.fields, blocks: { ...articles.fields.blocks, sort: 'sort' } },
    },
  },
  rows: {
    ...rows,
    articles: rows.articles.map((row) => ({ ...row, created_ts: inFull(row.created_ts) })),
    comments: rows.comments.map((row) => ({ ...row, created: inFull(row.created) })),
  },
}

function inFull(moment: string | null): string | null {
  return moment && new Date(moment).toISOString()
}

/** Numbers and their texts count as the same, as they did between the databases of the recording. */
export function loosely(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(loosely)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, loosely(member)]))
  }
  const isNumber = typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value))
  return isNumber ? Number(value) : value
}

const deviating = new Set(deviations.flatMap(({ answers }) => Object.keys(answers)))

/** The requests whose recorded answers stand. The oracle answers lists, and knows of no caller. */
export const recorded = requests.filter(
  ({ name, collection, key, query }) =>
    !deviating.has(name) &&
    key === undefined &&
    collection !== 'site' &&
    !String(query).includes('%24CURRENT'),
)
