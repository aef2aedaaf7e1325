import { expectTypeOf } from 'vitest'
import type { Filter } from '../../src/query/filter-types.ts'
import type { ParsedFilter } from '../../src/query/types.ts'
import type { SchemaDefinition } from '../../src/schema/definition.ts'
import type { Item } from '../../src/schema/infer.ts'
import type { Schema } from '../../src/schema/model.ts'
import type { OperatorName } from '../../src/vocabulary/operators.ts'
import type { Shop } from './schema.ts'

declare function articles(filter: Filter<Shop, 'articles'>): void
declare function values(filter: Filter<Shop, 'values'>): void
declare const value: Item<Shop, 'values'>

// Bare values, null, and several conditions at once.
articles({})
articles({ title: 'Hello', views: 5, status: 'draft', published_at: new Date(), author: 1, sort: null })
articles({
  views: { _gte: 1, _lt: '10', _nin: [2, 3n, '4'], _nbetween: [5, 6] },
  title: { _icontains: 'x', _eq: null },
})
articles({ views: { _or: [{ _lt: 1 }, { _and: [{ _gt: 5 }, { _neq: 7 }] }] } })
articles({ _and: [{ title: 'x' }, { _or: [{ views: 1 }, { author: { name: 'Ada' } }] }] })

// What an item holds can be looked for.
values({
  id: value.id,
  big: value.big,
  ratio: value.ratio,
  price: value.price,
  word: value.word,
  body: value.body,
})
values({ token: value.token, active: value.active, day: value.day, clock: value.clock, local: value.local })
values({
  moment: value.moment,
  bytes: value.bytes,
  place: { _eq: value.place },
  point: { _intersects: value.outline },
})

// Numbers come as text too, and moments as dates.
values({
  id: '5',
  big: 9007199254740993n,
  price: { _in: ['1.50', 2] },
  ratio: { _gt: '0.5' },
  day: { _lt: new Date(0) },
})
values({
  bytes: new Uint8Array(1),
  words: { _contains: 'a' },
  secret: { _nnull: true },
  numbers: { _empty: true },
})

// Variables are texts.
values({
  id: '$CURRENT_USER',
  active: '$CURRENT_USER.active',
  token: { _in: '$CURRENT_ROLES' },
  moment: { _gt: '$NOW(-1 year)' },
})

// Relations.
articles({
  author: { name: { _starts_with: 'A' }, country: { code: 'nl' }, _or: [{ _null: true }, { email: null }] },
})
articles({ author: { _in: [1, 2] }, badge: { profile: { author: { name: 'Ada' } } } })
articles({
  comments: { text: { _contains: 'x' }, _some: { text: 'a' }, _none: { _or: [{ text: 'b' }, { _eq: 'c' }] } },
})
articles({ comments: { _or: [{ _some: { text: 'a' } }, { _empty: true }] } })
articles({ comments: null })
articles({ tags: { tags_id: { name: { _in: ['a', 'b'] } } } })
articles({
  blocks: {
    'item:block_hero': { headline: 'x' },
    'item:block_text': { _null: true },
    collection: 'block_hero',
    item: 5,
  },
})
articles({ '$FOLLOW(comments, article)': { text: { _eq: 'x' } } })

// Functions.
articles({
  'year(published_at)': 2024,
  'weekday(written)': { _in: [0, 6] },
  author: { 'year(born)': { _lt: 1980 } },
})
articles({
  'count(comments)': { _gt: 3 },
  'count(meta)': 2,
  'json(meta, size.w)': { _gt: 3 },
  'json(meta,tags[0])': 'x',
})
articles({ meta: { _json: { 'size.w': { _gt: 3, _lte: 9 }, colour: 'red', gone: null }, _nempty: true } })
values({ 'hour(clock)': 8, 'count(numbers)': 3 })
articles({ author: { 'sum(articles.views)': { _gt: 100 }, 'max(articles.title)': { _starts_with: 'x' } } })
articles({ 'count(hot)': { _gt: 3 }, 'avg(hot.views)': 2.5 })

// A parsed filter goes wherever a filter goes.
declare const parsed: ParsedFilter
articles(parsed)
articles({ _and: [parsed, { title: 'x' }], author: parsed })

// Of a schema that the compiler has not seen, any name may be asked for.
declare function anywhere(filter: Filter<Schema, string>): void
declare function defined(filter: Filter<SchemaDefinition, string>): void
anywhere({ name: { _eq: 3 }, _or: [{ 'year(x)': 1 }] })
anywhere(parsed)
defined({ name: null })

// Every operator of the table is there for some field.
type Words<Condition> = Condition extends object ? keyof Condition : never
type Offered =
  | Words<NonNullable<Filter<Shop, 'values'>['word']>>
  | Words<NonNullable<Filter<Shop, 'values'>['place']>>
expectTypeOf<Exclude<OperatorName, Offered>>().toEqualTypeOf<never>()

// 'titel' does not exist in type 'CollectionFilter<"articles", …>'. Did you mean to write 'title'?
// @ts-expect-error
articles({ titel: 'x' })

// '_contain' does not exist in type 'Operators<"string">'. Did you mean to write '_contains'?
// @ts-expect-error
articles({ title: { _contain: 'x' } })

// '_contains' does not exist in type 'Operators<"integer">'.
// @ts-expect-error
articles({ views: { _contains: 'x' } })

// 'name' does not exist in type 'RelatedListFilter<"articles_tags", …>'.
// @ts-expect-error
articles({ tags: { name: 'x' } })

// Type '"drafft"' is not assignable … Did you mean '"draft"'?
// @ts-expect-error
articles({ status: 'drafft' })
