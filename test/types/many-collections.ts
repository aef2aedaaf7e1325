/** A module with a schema of many collections, ten fields each, and with types that are made from it. */
export function schemaOfManyCollections(count: number): string {
  const name = (index: number) => `c${(index + count) % count}`
  const collections = Array.from(
    { length: count },
    (_, index) => `
  ${name(index)}: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string', validation: { name: { _nempty: true } } },
      views: { type: 'bigInteger', nullable: true },
      status: { type: 'string', values: ['draft', 'published'], default: 'draft' },
      at: { type: 'timestamp' },
      meta: { type: 'json', nullable: true },
      next: { type: 'm2o', to: '${name(index + 1)}' },
      far: { type: 'm2o', to: '${name(index + 7)}', nullable: true },
      previous: { type: 'o2m', from: '${name(index - 1)}.next' },
      linked: { type: 'm2m', through: '${name(index - 7)}.far', to: 'next' },
    },
  },`,
  )
  const uses = Array.from({ length: count / 5 }, (_, index) => use(name(index * 5), index))
  return `
import { defineSchema } from '../../src/schema/define-schema.ts'
import type { Item } from '../../src/schema/infer.ts'
import type { Filter } from '../../src/query/filter-types.ts'
import type { Query } from '../../src/query/types.ts'
export const schema = defineSchema({${collections.join('')}
})
type S = typeof schema
${uses.join('')}`
}

const use = (collection: string, index: number) => `
export const item${index} = (item: Item<S, '${collection}'>): [string, number, number | null, number[]] =>
  [item.name, item.next, item.far, item.linked]
export const filter${index}: Filter<S, '${collection}'> = {
  name: { _contains: 'x' },
  next: { far: { previous: { _some: { status: 'draft' } } }, 'year(at)': { _gt: 2000 } },
  linked: { next: { name: 'y' }, _none: { 'json(meta, a.b)': 3 } },
  _or: [{ views: { _in: [1, '2'] } }, { 'count(previous)': 4 }],
}
export const query${index}: Query<S, '${collection}'> = {
  fields: ['id', 'next.name'],
  filter: filter${index},
  sort: '-at',
  deep: { previous: { _filter: { name: 'x' }, next: { _limit: 3 } } },
}
`

/** A module with a schema of many collections, and three queries of each. */
export function queriesOfManyCollections(count: number): string {
  const queries = Array.from({ length: count }, (_, index) => threeQueries(`c${index}`, index))
  return `${schemaOfManyCollections(count)}
import type { Engine } from '../../src/engine/engine.ts'
import { listItems } from '../../src/items/list.ts'
declare const engine: Engine<S>
${queries.join('')}`
}

const threeQueries = (collection: string, index: number) => `
export const plain${index} = async () => {
  const { data } = await listItems(engine, '${collection}', {
    fields: ['id', 'name', 'next.name', 'previous.id'],
    sort: '-at',
    limit: 5,
  })
  return data[0]?.next.name
}
export const filtered${index} = async () => {
  const { data } = await listItems(engine, '${collection}', {
    fields: ['*', 'far.next.name'],
    filter: { status: 'draft', next: { far: { name: { _contains: 'x' } } }, _or: [{ views: { _gt: 3 } }, { 'count(previous)': 2 }] },
    sort: ['name', '-next.at'],
    meta: ['filter_count'],
  })
  return data[0]?.far?.next.name
}
export const deep${index} = async () => {
  const { data } = await listItems(engine, '${collection}', {
    fields: ['name', 'previous.name', 'previous.next.name', 'amount'],
    alias: { amount: 'count(linked)' },
    deep: { previous: { _filter: { status: 'draft' }, _sort: ['-at'], _limit: 3 } },
  })
  return data[0]?.previous[0]?.next.name
}
`
