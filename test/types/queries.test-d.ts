import { expectTypeOf } from 'vitest'
import type { ParameterName } from '../../src/query/parameters.ts'
import type { ParsedQuery, Query } from '../../src/query/types.ts'
import type { SchemaDefinition } from '../../src/schema/definition.ts'
import type { CollectionName } from '../../src/schema/infer.ts'
import type { Schema } from '../../src/schema/model.ts'
import { type Shop, schema } from './schema.ts'

// A verb takes the collection's name, and knows from it what may be asked.
declare function list<S, C extends CollectionName<S>>(schema: S, collection: C, query?: Query<S, C>): void

list(schema, 'tags')
list(schema, 'articles', {
  fields: ['*', 'author.name', 'year(published_at)', 'blocks.item:block_hero.headline'],
  filter: { title: { _contains: 'x' } },
  search: 'word',
  sort: ['-published_at', 'author.name'],
  limit: -1,
  offset: 10,
  alias: { recent: 'comments' },
  deep: {
    comments: {
      _filter: { text: 'x' },
      _sort: '-id',
      _limit: 3,
      _backlink: false,
      article: { author: { _filter: { name: 'x' } } },
    },
    blocks: { 'item:block_hero': { _filter: { headline: 'x' } } },
    recent: { _limit: 1 },
  },
  backlink: false,
  meta: '*',
})
list(schema, 'articles', {
  fields: 'id,title',
  sort: 'title',
  page: 2,
  meta: ['total_count', 'page_count'],
  export: 'csv',
})
list(schema, 'articles', {
  aggregate: { count: '*', sum: ['views', 'sort'] },
  groupBy: ['status', 'year(published_at)'],
})
list(schema, 'articles', {
  groupBy: 'status',
  having: {
    count: { _gt: 1, title: { _lt: 3 }, '*': 2 },
    sum: { views: { _gte: 100 } },
    max: { published_at: { _gt: '$NOW(-1 day)' }, 'year(published_at)': 2024, published_at_year: { _lt: 9 } },
    avg: { views: { _between: [0.5, 1.5] } },
    countDistinct: { author: 1 },
    _or: [{ count: 1 }, { min: { title: { _starts_with: 'A' } } }],
  },
})
list(schema, 'authors', { deep: { articles: { _groupBy: 'status', _having: { count: { _eq: 2 } } } } })
list(schema, 'articles', { version: 'draft', versionRaw: true })

expectTypeOf<keyof Query<Shop, 'tags'>>().toEqualTypeOf<ParameterName>()

declare const parsed: ParsedQuery
list(schema, 'articles', parsed)
list(schema, 'tags', { ...parsed, limit: 1 })

declare const introspected: Schema<SchemaDefinition>
declare const unseen: Schema
list(introspected, 'x', { filter: { y: { _eq: 1 } }, sort: 'z', deep: { y: { _limit: 1 } } })
list(unseen, 'x', parsed)

// Argument of type '"article"' is not assignable to parameter of type '"articles" | …'.
// @ts-expect-error
list(schema, 'article')

// 'lmit' does not exist in type 'Query<…>'. Did you mean to write 'limit'?
// @ts-expect-error
list(schema, 'articles', { lmit: 5 })

// 'txt' does not exist in type 'CollectionFilter<"comments", …>'. Did you mean to write 'text'?
// @ts-expect-error
list(schema, 'articles', { deep: { comments: { _filter: { txt: 'x' } } } })

// A schema of which the compiler knows a part: what is known is checked, and the rest left to the engine.
declare const partly: Schema<{
  notes: {
    fields: {
      id: { type: 'integer'; key: true }
      other: { type: 'm2o'; to: string }
      many: { type: 'o2m'; from: string }
    }
  }
}>
list(partly, 'notes', { filter: { other: { x: 1 }, many: { _none: {} } }, deep: { other: { _limit: 1 } } })
// 'idd' does not exist in type 'CollectionFilter<"notes", …>'. Did you mean to write 'id'?
// @ts-expect-error
list(partly, 'notes', { filter: { idd: 1 } })
