import { expectTypeOf } from 'vitest'
import { createEngine, type EngineOptions } from '../../src/create-engine.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { getItem } from '../../src/items/get.ts'
import { listItems } from '../../src/items/list.ts'
import { getSingleton } from '../../src/items/singleton.ts'
import type { CheckedQuery } from '../../src/items/types/checked-query.ts'
import type { ItemAnswer, ListAnswer, Meta } from '../../src/items/types/result.ts'
import type { ParsedQuery, Query } from '../../src/query/types.ts'
import { defineSchema } from '../../src/schema/define-schema.ts'
import type { CollectionName, Item } from '../../src/schema/infer.ts'
import type { Schema } from '../../src/schema/model.ts'
import type { Shop } from './schema.ts'

declare const engine: Engine<Shop>

type Article<Q> = ItemAnswer<Shop, 'articles', Q>

// The example of the guide: paths, functions, a scope and aliases at once.
const listed = await listItems(engine, 'articles', {
  fields: ['id', 'author.name', 'count(comments)', 'blocks.item:block_hero.headline', 'hi.text', 'y'],
  alias: { hi: 'comments', y: 'year(published_at)' },
  filter: { status: 'published', author: { name: { _starts_with: 'A' } } },
  sort: ['-published_at'],
  limit: 5,
})
expectTypeOf(listed).toEqualTypeOf<{
  data: {
    id: number
    author: { name: string } | null
    comments_count: number
    blocks: { item: { headline: string } | string | null }[]
    hi: { text: string }[]
    y: number | null
  }[]
}>()

// Without fields it is the item itself, and so it is with a star.
expectTypeOf(await listItems(engine, 'articles')).toEqualTypeOf<{ data: Item<Shop, 'articles'>[] }>()
expectTypeOf(await listItems(engine, 'tags', {}, {})).toEqualTypeOf<{ data: Item<Shop, 'tags'>[] }>()
expectTypeOf(await getItem(engine, 'articles', 1)).toEqualTypeOf<Item<Shop, 'articles'>>()
expectTypeOf(await getItem(engine, 'countries', 'nl', { fields: [] })).toEqualTypeOf<
  Item<Shop, 'countries'>
>()
expectTypeOf<Article<{ fields: '*' }>>().toEqualTypeOf<Item<Shop, 'articles'>>()
expectTypeOf<Article<{ fields: ''; filter: { id: 1 } }>>().toEqualTypeOf<Item<Shop, 'articles'>>()

// Comma text says what an array says.
expectTypeOf(await getItem(engine, 'articles', 1, { fields: 'id, title,author.name' })).toEqualTypeOf<{
  id: number
  title: string
  author: { name: string } | null
}>()
expectTypeOf<Article<{ fields: readonly ['id,status', ' views '] }>>().toEqualTypeOf<{
  id: number
  status: 'draft' | 'published'
  views: number
}>()
expectTypeOf<Article<{ fields: 'json(meta, a),year(written) ,json(meta,b.c)' }>>().toEqualTypeOf<{
  meta_a_json: unknown
  written_year: number
  meta_b_c_json: unknown
}>()

// Many to one: the key, or an object. The target may be missing where the field is nullable, or a deep filter hides it.
expectTypeOf<Article<{ fields: ['author', 'badge'] }>>().toEqualTypeOf<{
  author: number | null
  badge: number
}>()
expectTypeOf<Article<{ fields: ['author', 'author.country.name', 'author.id'] }>>().toEqualTypeOf<{
  author: { country: { name: string } | null; id: number } | null
}>()
expectTypeOf<Article<{ fields: ['badge.profile.author.email'] }>>().toEqualTypeOf<{
  badge: { profile: { author: { email: string | null } } }
}>()
expectTypeOf<
  Article<{ fields: ['badge.profile.bio']; deep: { badge: { profile: { _filter: { bio: 'x' } } } } }>
>().toEqualTypeOf<{ badge: { profile: { bio: string } | null } }>()

// To many: keys, or objects.
expectTypeOf<Article<{ fields: ['comments', 'tags', 'blocks'] }>>().toEqualTypeOf<{
  comments: string[]
  tags: string[]
  blocks: number[]
}>()
expectTypeOf<
  Article<{ fields: ['comments.text', 'comments.article.title', 'tags.tags_id.name'] }>
>().toEqualTypeOf<{
  comments: { text: string; article: { title: string } }[]
  tags: { tags_id: { name: string } }[]
}>()

// Many to any: objects of the collections that paths lead into, keys of the others.
expectTypeOf<Article<{ fields: ['blocks.item'] }>>().toEqualTypeOf<{ blocks: { item: string | null }[] }>()
expectTypeOf<
  Article<{
    fields: ['blocks.collection', 'blocks.item:block_hero.headline', 'blocks.item:block_text.content']
  }>
>().toEqualTypeOf<{
  blocks: { collection: string; item: { headline: string } | { content: string } | null }[]
}>()
expectTypeOf<Article<{ fields: 'blocks.item:block_text.content' }>>().toEqualTypeOf<{
  blocks: { item: number | { content: string } | null }[]
}>()
expectTypeOf<Article<{ fields: ['blocks.item.id', 'blocks.item:block_hero.headline'] }>>().toEqualTypeOf<{
  blocks: { item: { id: number; headline: string } | { id: string } | null }[]
}>()
expectTypeOf<Article<{ fields: 'blocks.item.*' }>>().toEqualTypeOf<{
  blocks: { item: Item<Shop, 'block_hero'> | Item<Shop, 'block_text'> | null }[]
}>()
expectTypeOf<Article<{ fields: 'blocks.item:block_hero' }>>().toEqualTypeOf<{
  blocks: { item: number | string | null }[]
}>()

// Wildcards, at any depth.
expectTypeOf<Article<{ fields: ['id', 'author.*'] }>>().toEqualTypeOf<{
  id: number
  author: Item<Shop, 'authors'> | null
}>()
expectTypeOf<ItemAnswer<Shop, 'comments', { fields: ['*', 'article.title'] }>>().toEqualTypeOf<{
  id: string
  text: string
  article: { title: string }
}>()
expectTypeOf<ItemAnswer<Shop, 'authors', { fields: '*.*' }>>().toEqualTypeOf<{
  id: number
  name: string
  email: string | null
  born: string | null
  country: Item<Shop, 'countries'> | null
  articles: Item<Shop, 'articles'>[]
}>()
type Widest = ItemAnswer<Shop, 'authors', { fields: ['*.*.*.*'] }>
expectTypeOf<Widest['articles'][number]['comments'][number]['article']>().toEqualTypeOf<
  Item<Shop, 'articles'>
>()
expectTypeOf<Widest['articles'][number]['blocks'][number]['item']>().toEqualTypeOf<
  Item<Shop, 'block_hero'> | Item<Shop, 'block_text'> | null
>()
// A name behind a star is asked of the relations that have it.
expectTypeOf<Pick<Article<{ fields: '*.name' }>, 'author' | 'badge'>>().toEqualTypeOf<{
  author: { name: string } | null
  badge: number
}>()

// A relation to the own collection ends where the stars do.
type Pages = Schema<{
  pages: {
    fields: {
      id: { type: 'integer'; key: true }
      parent: { type: 'm2o'; to: 'pages'; nullable: true }
      children: { type: 'o2m'; from: 'pages.parent' }
    }
  }
}>
interface Page {
  id: number
  parent: number | null
  children: number[]
}
expectTypeOf<ItemAnswer<Pages, 'pages', { fields: '*.*' }>>().toEqualTypeOf<{
  id: number
  parent: { [Name in keyof Page]: Page[Name] } | null
  children: { [Name in keyof Page]: Page[Name] }[]
}>()
type Deepest = ItemAnswer<Pages, 'pages', { fields: '*.*.*.*.*.*.*.*.*.*' }>
expectTypeOf<NonNullable<NonNullable<Deepest['parent']>['parent']>['id']>().toEqualTypeOf<number>()

// Without backlinks, wildcards do not go back the way they came.
type Forward = ItemAnswer<Shop, 'authors', { fields: '*.*.*'; backlink: false }>
expectTypeOf<Forward['articles'][number]['author']>().toEqualTypeOf<number | null>()
expectTypeOf<Forward['articles'][number]['badge']>().toEqualTypeOf<Item<Shop, 'badges'>>()
expectTypeOf<NonNullable<Forward['country']>>().toEqualTypeOf<Item<Shop, 'countries'>>()
type Chosen = ItemAnswer<
  Shop,
  'authors',
  { fields: ['articles.*.*']; deep: { articles: { _backlink: false; author: { _backlink: true } } } }
>
expectTypeOf<Chosen['articles'][number]['author']>().toEqualTypeOf<number | null>()
expectTypeOf<
  ItemAnswer<Shop, 'comments', { fields: ['article.comments.id']; backlink: false }>
>().toEqualTypeOf<{ article: { comments: { id: string }[] } }>()

// Functions. A count is a number, a part of a date there only where the date is.
expectTypeOf<
  Article<{ fields: ['year(published_at)', 'month(written)', 'count(comments)', 'count(meta)'] }>
>().toEqualTypeOf<{
  published_at_year: number | null
  written_month: number
  comments_count: number
  meta_count: number | null
}>()
expectTypeOf<
  Article<{ fields: ['author.year(born)', 'count(author.articles)', 'comments.article.week(written)'] }>
>().toEqualTypeOf<{
  author: { born_year: number | null; articles_count: number } | null
  comments: { article: { written_week: number } }[]
}>()
expectTypeOf<
  Article<{ fields: ['json(meta, items[0].name)', 'json( meta ,[0])', 'json(meta, ["a b"].c)'] }>
>().toEqualTypeOf<{ meta_items_0_name_json: unknown; meta_0_json: unknown; meta_a_b_c_json: unknown }>()
expectTypeOf<
  ItemAnswer<Shop, 'comments', { fields: ['json(article.meta, size.w)', 'article.json(meta, a)'] }>
>().toEqualTypeOf<{ article: { meta_size_w_json: unknown; meta_a_json: unknown } }>()
expectTypeOf<
  ItemAnswer<Shop, 'values', { fields: ['hour(clock)', 'count(numbers)', 'count(sizes)'] }>
>().toEqualTypeOf<{ clock_hour: number; numbers_count: number; sizes_count: number | null }>()

// Aggregates of related items: of a relation, behind one, and of an alias.
expectTypeOf<
  ItemAnswer<
    Shop,
    'authors',
    {
      fields: ['sum(articles.views)', 'max(articles.title)', 'avg(few.views)', 'count(few)', 'm']
      alias: { few: 'articles'; m: 'min(few.published_at)' }
    }
  >
>().toEqualTypeOf<{
  articles_views_sum: number | null
  articles_title_max: string | null
  few_views_avg: number | null
  few_count: number
  m: string | null
}>()
expectTypeOf<
  Article<{ fields: ['author.sum(articles.views)', 'max(author.articles.views)', 'sum(tags.id)'] }>
>().toEqualTypeOf<{
  author: { articles_views_sum: number | null; articles_views_max: number | null } | null
  tags_id_sum: string | null
}>()

// Aliases: of fields, functions and relations, several of one, in place of a field, and below.
expectTypeOf<
  Article<{
    fields: ['t', 'p.name', 'hi.text', 'lo', 'w', 'm']
    alias: { t: 'title'; p: 'author'; hi: 'comments'; lo: 'comments'; w: 'count(tags)'; m: 'json(meta, a.b)' }
  }>
>().toEqualTypeOf<{
  t: string
  p: { name: string } | null
  hi: { text: string }[]
  lo: string[]
  w: number
  m: unknown
}>()
expectTypeOf<
  ItemAnswer<Shop, 'tags', { alias: { label: 'name'; name: 'id' }; fields: '*' }>
>().toEqualTypeOf<{ id: number; name: number; label: string }>()
expectTypeOf<ItemAnswer<Shop, 'tags', { alias: { label: 'name' } }>>().toEqualTypeOf<{
  id: number
  name: string
  label: string
}>()
expectTypeOf<ItemAnswer<Shop, 'comments', { alias: { on: 'article' }; fields: '*.*' }>>().toEqualTypeOf<{
  id: string
  text: string
  article: Item<Shop, 'articles'>
  on: Item<Shop, 'articles'>
}>()
expectTypeOf<
  Article<{
    fields: ['c.words', 'c.a.title', 'blocks.item:block_hero.h', 'badge.*']
    alias: { c: 'comments' }
    deep: {
      c: { _limit: 3; _alias: { words: 'text'; a: 'article' }; a: { _filter: { id: 1 } } }
      blocks: { 'item:block_hero': { _alias: { h: 'headline' } } }
      badge: { _alias: { text: 'label' } }
    }
  }>
>().toEqualTypeOf<{
  c: { words: string; a: { title: string } | null }[]
  blocks: { item: { h: string } | string | null }[]
  badge: { profile: number; label: string; text: string }
}>()

const grouped = await listItems(engine, 'articles', {
  groupBy: ['status', 'year(published_at)', 'author.country', 'author.id', 'badge'],
  aggregate: { count: '*', max: ['published_at', 'title', 'year(written)'], min: 'author' },
})
expectTypeOf(grouped.data).toEqualTypeOf<
  {
    status: 'draft' | 'published'
    published_at_year: number | null
    author: { country: string | null; id: number | null }
    badge: number
    count: number
    max: { published_at: string | null; title: string | null; written_year: number | null }
    min: { author: number | null }
  }[]
>()
expectTypeOf<
  ItemAnswer<
    Shop,
    'values',
    {
      aggregate: {
        count: ['*', 'id', 'secret']
        countDistinct: 'word'
        sum: 'id,ratio,price,big'
        avg: ['price', 'big']
        min: ['price', 'day', 'ratio']
      }
    }
  >
>().toEqualTypeOf<{
  count: { '*': number; id: number; secret: number }
  countDistinct: { word: number }
  sum: { id: number | null; ratio: number | null; price: `${number}` | null; big: string | null }
  avg: { price: number | null; big: number | null }
  min: { price: `${number}` | null; day: string | null; ratio: number | null }
}>()
expectTypeOf<
  Article<{
    alias: { count_of: 'status'; when: 'year(published_at)' }
    groupBy: ['count_of', 'when']
    aggregate: { count: '*' }
  }>
>().toEqualTypeOf<{ count_of: 'draft' | 'published'; when: number | null; count: number }>()
expectTypeOf<Article<{ alias: { a: 'meta' }; groupBy: 'a' }>>().toEqualTypeOf<{
  a: { readonly mistake: "'articles.meta' makes no groups" }
}>()
expectTypeOf<Article<{ groupBy: 'status'; fields: ['title'] }>>().toEqualTypeOf<{
  status: 'draft' | 'published'
}>()
expectTypeOf<Article<{ groupBy: []; aggregate: Record<never, never>; fields: ['id'] }>>().toEqualTypeOf<{
  id: number
}>()
expectTypeOf<
  Article<{ aggregate: { sum: 'title'; count: 'comments'; total: '*' }; groupBy: 'meta' }>
>().toEqualTypeOf<{
  sum: { title: { readonly mistake: "sum does not work on 'articles.title'" } }
  count: { comments: { readonly mistake: "count does not work on 'articles.comments'" } }
  total: { readonly mistake: "there is no aggregate 'total'" }
  meta: { readonly mistake: "'articles.meta' makes no groups" }
}>()

// Below a relation to many, groups stand in the place of the list.
expectTypeOf<
  ItemAnswer<
    Shop,
    'authors',
    {
      fields: ['name', 'articles', 'w.title']
      alias: { w: 'articles' }
      deep: {
        articles: { _groupBy: ['status']; _aggregate: { count: '*'; sum: ['views'] } }
        w: { _aggregate: { max: 'views' } }
      }
    }
  >
>().toEqualTypeOf<{
  name: string
  articles: { status: 'draft' | 'published'; count: number; sum: { views: number | null } }[]
  w: { max: { views: number | null } }[]
}>()

// What a list says about itself.
expectTypeOf(await listItems(engine, 'tags', { fields: ['id'], meta: '*' })).toEqualTypeOf<{
  data: { id: number }[]
  meta: { [Name in Exclude<keyof Meta, 'cursors'>]: Meta[Name] }
}>()
expectTypeOf(
  await listItems(engine, 'tags', { fields: ['$cursor'], meta: 'cursors', after: 'x' }),
).toEqualTypeOf<{
  data: { $cursor: string }[]
  meta: { cursors: { first: string | null; last: string | null; has_more: boolean } }
}>()
expectTypeOf((await listItems(engine, 'tags', { meta: ['total_count', 'truncated'] })).meta).toEqualTypeOf<{
  total_count: number
  truncated: string[]
}>()
expectTypeOf(
  (await listItems(engine, 'tags', { meta: 'page_count,filter_count' })).meta.page_count,
).toBeNumber()
expectTypeOf<keyof ListAnswer<Shop, 'tags', { meta: '' }>>().toEqualTypeOf<'data'>()
declare const someMeta: string[]
expectTypeOf((await listItems(engine, 'tags', { meta: someMeta })).meta).toEqualTypeOf<
  Partial<Meta> | undefined
>()
expectTypeOf<
  ListAnswer<Shop, 'tags', { meta: 'total' }>['meta']['total']['mistake']
>().toEqualTypeOf<"meta has no 'total'">()
// @ts-expect-error: nobody asked for it
listed.meta

// An empty singleton has no key, and of the other values only those that have a default.
const settings = defineSchema({
  themes: { fields: { id: { type: 'integer', key: true }, colour: { type: 'string' } } },
  site: {
    singleton: true,
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'string' },
      motto: { type: 'string', default: 'hello' },
      open: { type: 'boolean', nullable: true, default: true },
      theme: { type: 'm2o', to: 'themes', default: 1 },
      pages: { type: 'o2m', from: 'pages.site' },
    },
  },
  pages: { fields: { id: { type: 'integer', key: true }, site: { type: 'm2o', to: 'site' } } },
})
declare const host: Engine<typeof settings>
expectTypeOf(await getSingleton(host, 'site')).toEqualTypeOf<{
  id: number | null
  title: string | null
  motto: string
  open: boolean | null
  theme: number | null
  pages: number[]
}>()
expectTypeOf(
  await getSingleton(host, 'site', { fields: ['motto', 'theme.colour', 'pages.id'] }),
).toEqualTypeOf<{
  motto: string
  theme: { colour: string } | null
  pages: { id: number }[]
}>()
expectTypeOf(await getItem(host, 'site', 1, { fields: ['id', 'title'] })).toEqualTypeOf<{
  id: number
  title: string
}>()

// Of what the compiler has not seen, nothing is claimed.
interface Loose {
  data: Record<string, unknown>[]
}
declare const unseen: Engine
declare const parsed: ParsedQuery
declare const dynamic: Query<Shop, 'articles'>
declare const names: string[]
declare const text: string
expectTypeOf(await listItems(unseen, 'anything', { fields: ['a.b'], limit: 1 })).toEqualTypeOf<{
  data: Record<string, unknown>[]
}>()
expectTypeOf((await listItems(engine, 'articles', parsed)).data).toEqualTypeOf<Loose['data']>()
expectTypeOf((await listItems(engine, 'articles', parsed)).meta).toEqualTypeOf<Partial<Meta> | undefined>()
expectTypeOf((await listItems(engine, 'articles', dynamic)).data).toEqualTypeOf<Loose['data']>()
expectTypeOf((await listItems(engine, 'articles', { ...parsed, fields: ['id'] })).data).toEqualTypeOf<
  Loose['data']
>()
expectTypeOf((await listItems(engine, 'articles', { fields: names })).data).toEqualTypeOf<Loose['data']>()
expectTypeOf((await listItems(engine, 'articles', { fields: ['id', text] })).data).toEqualTypeOf<
  Loose['data']
>()
expectTypeOf((await listItems(engine, 'articles', { groupBy: names })).data).toEqualTypeOf<Loose['data']>()
declare const alias: Record<string, string>
expectTypeOf((await listItems(engine, 'articles', { fields: ['id'], alias })).data).toEqualTypeOf<
  Loose['data']
>()
// Where a part is seen, that part is known.
expectTypeOf(
  await getItem(engine, 'articles', 1, { fields: ['id', 'x'], alias: { x: text } }),
).toEqualTypeOf<{
  id: number
  x: unknown
}>()
declare const deep: NonNullable<Query<Shop, 'articles'>['deep']>
expectTypeOf(await getItem(engine, 'articles', 1, { fields: ['id', 'comments.text'], deep })).toEqualTypeOf<{
  id: number
  comments: unknown[]
}>()
type Partly = Schema<{
  notes: {
    fields: {
      id: { type: 'integer'; key: true }
      other: { type: 'm2o'; to: string }
      many: { type: 'o2m'; from: string }
    }
  }
}>
expectTypeOf<ItemAnswer<Partly, 'notes', { fields: ['id', 'other.x', 'many.y.z'] }>>().toEqualTypeOf<{
  id: number
  other: Record<string, unknown>
  many: Record<string, unknown>[]
}>()

// A literal is one also when it was written before; of two, the item is of one or the other.
const before = { fields: ['id', 'title'], filter: { views: { _gt: 5 } } } as const
expectTypeOf(await getItem(engine, 'articles', 1, before)).toEqualTypeOf<{ id: number; title: string }>()
declare const isShort: boolean
const choice = isShort ? ({ fields: ['id'] } as const) : ({ fields: ['title', 'views'] } as const)
expectTypeOf(await getItem(engine, 'articles', 1, choice)).toEqualTypeOf<
  { id: number } | { title: string; views: number }
>()

// A function of the host's own passes the query on.
const newest = async <const Q>(query: CheckedQuery<Shop, 'articles', Q>) =>
  (await listItems(engine, 'articles', query)).data[0]
expectTypeOf(await newest({ fields: ['title'], sort: '-id' })).toEqualTypeOf<{ title: string } | undefined>()
const any = async <C extends CollectionName<Shop>, const Q>(collection: C, query: CheckedQuery<Shop, C, Q>) =>
  (await listItems(engine, collection, query)).data[0]
expectTypeOf(await any('tags', { fields: 'name' })).toEqualTypeOf<{ name: string } | undefined>()

// What is wrong, is said where it stands; the other members are known all the same.
const wrong = await getItem(engine, 'articles', 1, {
  fields: [
    'id',
    // Type 'string' is not assignable to type 'Mistake<"collection 'articles' has no field 'titel'">'.
    // @ts-expect-error
    'titel',
    // @ts-expect-error
    'title.length',
    // @ts-expect-error
    'author.nam',
    // @ts-expect-error
    'year(title)',
    // @ts-expect-error
    'age(written)',
    // @ts-expect-error
    'blocks.item:tags.name',
    // @ts-expect-error
    'blocks.item:block_hero.content',
    // @ts-expect-error
    'c.txt',
    // @ts-expect-error
    'd',
  ],
  alias: { c: 'comments', d: 'nothing' },
})
expectTypeOf(wrong.id).toEqualTypeOf<number>()
expectTypeOf(wrong.titel.mistake).toEqualTypeOf<"collection 'articles' has no field 'titel'">()
expectTypeOf(wrong.title.mistake).toEqualTypeOf<"field 'articles.title' leads nowhere">()
expectTypeOf(wrong.author?.nam.mistake).toEqualTypeOf<"collection 'authors' has no field 'nam'" | undefined>()
expectTypeOf(wrong.title_year.mistake).toEqualTypeOf<"year does not work on 'articles.title'">()
expectTypeOf(wrong.written_age.mistake).toEqualTypeOf<"there is no function 'age'">()
expectTypeOf(wrong.d.mistake).toEqualTypeOf<"collection 'articles' has no field 'nothing'">()

// @ts-expect-error: collection 'articles' has no field 'titel'
await listItems(engine, 'articles', { fields: 'id,titel' })
// @ts-expect-error: 'lmit' … Did you mean to write 'limit'?
await listItems(engine, 'articles', { fields: ['id'], lmit: 5 })
// @ts-expect-error: 'titel' … Did you mean to write 'title'?
await listItems(engine, 'articles', { fields: ['id'], filter: { titel: 'x' } })
// @ts-expect-error: 'nam' … Did you mean to write 'name'?
await listItems(engine, 'articles', { filter: { author: { nam: 'x' } } })
// @ts-expect-error: 'txt' … Did you mean to write 'text'?
await listItems(engine, 'articles', { fields: ['id'], deep: { comments: { _filter: { txt: 'x' } } } })
// @ts-expect-error: '"drafft"' … Did you mean '"draft"'?
await listItems(engine, 'articles', { filter: { status: 'drafft' } })

// Where a star stands for columns, lists are not in it, and further stars lead on over many-to-one relations only.
const columnar = defineSchema(
  {
    authors: {
      fields: { id: { type: 'integer', key: true }, books: { type: 'o2m', from: 'books.author' } },
    },
    books: {
      fields: {
        id: { type: 'integer', key: true },
        title: { type: 'string' },
        author: { type: 'm2o', to: 'authors' },
        kind: { type: 'string' },
        about: { type: 'any', to: ['authors'], by: 'kind' },
      },
    },
  },
  { defaultFields: 'columns' },
)
type Books = typeof columnar
interface PlainBook {
  id: number
  title: string
  author: number
  kind: string
  about: string
}
expectTypeOf<Item<Books, 'authors'>>().toEqualTypeOf<{ id: number }>()
expectTypeOf<Item<Books, 'books'>>().toEqualTypeOf<{ [Name in keyof PlainBook]: PlainBook[Name] }>()
expectTypeOf<ItemAnswer<Books, 'authors', { fields: ['*.*', 'books'] }>>().toEqualTypeOf<{
  id: number
  books: number[]
}>()
expectTypeOf<ItemAnswer<Books, 'authors', { fields: ['books.*.*'] }>>().toEqualTypeOf<{
  books: { id: number; title: string; author: { id: number }; kind: string; about: string }[]
}>()
expectTypeOf<ItemAnswer<Books, 'authors', { alias: { on: 'books' } }>>().toEqualTypeOf<{
  id: number
  on: number[]
}>()

// An engine may say so, too.
declare const options: { db: EngineOptions<Books>['db'] }
const whole = createEngine({ ...options, schema: columnar, defaultFields: 'all' })
expectTypeOf(await getItem(whole, 'authors', 1)).toEqualTypeOf<{ id: number; books: number[] }>()
const few = createEngine({ ...options, schema: defineSchema(columnar.definition), defaultFields: 'columns' })
expectTypeOf(await getItem(few, 'authors', 1)).toEqualTypeOf<{ id: number }>()
expectTypeOf(await getItem(createEngine({ ...options, schema: columnar }), 'authors', 1)).toEqualTypeOf<{
  id: number
}>()
