import { expectTypeOf } from 'vitest'
import type { ItemInput, OnNames, UpdateInput } from '../../src/items/types/item-input.ts'
import type { UpsertOptions } from '../../src/items/upsert.ts'
import type { Filter } from '../../src/query/filter-types.ts'
import type { SchemaDefinition } from '../../src/schema/definition.ts'
import type { CollectionName, Item, KeyOf } from '../../src/schema/infer.ts'
import type { Schema } from '../../src/schema/model.ts'
import type { Geometry, Shape } from '../../src/values/geometry.ts'
import type { Shop, schema } from './schema.ts'

expectTypeOf<Item<Shop, 'values'>>().toEqualTypeOf<{
  id: number
  big: string
  ratio: number
  price: `${number}`
  word: string
  body: string
  token: string
  active: boolean
  day: string
  clock: string
  local: string
  moment: string
  words: string[]
  secret: string
  bytes: string
  anything: unknown
  colour: { red: number } | null
  checked: { width: number }
  place: Geometry
  point: Shape<'Point'> | null
  outline: Shape<'MultiPolygon'>
  numbers: number[]
  sizes: ('s' | 'm' | 'l')[] | null
}>()

expectTypeOf<Item<Shop, 'articles'>>().toEqualTypeOf<{
  id: number
  title: string
  status: 'draft' | 'published'
  sort: number | null
  views: number
  published_at: string | null
  written: string
  meta: unknown
  author: number | null
  badge: number
  comments: string[]
  tags: string[]
  blocks: number[]
}>()

expectTypeOf<Item<Shop, 'articles_blocks'>>().toEqualTypeOf<{
  id: number
  articles_id: number
  collection: string
  item: string | null
  sort: number | null
}>()

expectTypeOf<Item<(typeof schema)['definition'], 'tags'>>().toEqualTypeOf<Item<Shop, 'tags'>>()

expectTypeOf<KeyOf<Shop, 'countries'>>().toEqualTypeOf<string>()
expectTypeOf<KeyOf<Shop, 'badges'>>().toEqualTypeOf<number>()
expectTypeOf<CollectionName<Shop>>().toEqualTypeOf<keyof Shop['definition']>()

// An item is an ordinary object, so it can be changed.
declare const tag: Item<Shop, 'tags'>
tag.name = 'new'

// Property 'nam' does not exist on type '{ id: number; name: string; }'. Did you mean 'name'?
// @ts-expect-error
tag.nam

// Type '"tag"' does not satisfy the constraint '"values" | "countries" | …'.
// @ts-expect-error
expectTypeOf<Item<Shop, 'tag'>>()

// Of a schema that the compiler has not seen, nothing is claimed: a key may have several parts.
type AnyKey = string | number | readonly (string | number)[]
expectTypeOf<Item<Schema, string>>().toEqualTypeOf<Record<string, unknown>>()
expectTypeOf<Item<SchemaDefinition, 'any'>>().toEqualTypeOf<Record<string, unknown>>()
expectTypeOf<KeyOf<Schema, string>>().toEqualTypeOf<AnyKey>()

// Of one that it knows in part, the rest is unknown.
declare const notes: {
  notes: {
    fields: {
      id: { type: 'uuid'; key: true }
      other: { type: 'm2o'; to: string }
      many: { type: 'o2m'; from: string }
    }
  }
}
expectTypeOf<Item<typeof notes, 'notes'>>().toEqualTypeOf<{
  id: string
  other: AnyKey
  many: AnyKey[]
}>()

// An upsert finds items by fields whose types can be in a key.
expectTypeOf<OnNames<Shop, 'countries'>>().toExtend<string | readonly string[]>()
expectTypeOf<'id' | readonly ['id', 'title']>().toExtend<OnNames<Shop, 'articles'>>()
expectTypeOf<'comments'>().not.toExtend<OnNames<Shop, 'articles'>>()
expectTypeOf<'titel'>().not.toExtend<OnNames<Shop, 'articles'>>()
expectTypeOf<'active'>().not.toExtend<OnNames<Shop, 'values'>>()
expectTypeOf<OnNames<Schema, string>>().toEqualTypeOf<string | readonly string[]>()
type ArticleUpsert = UpsertOptions<OnNames<Shop, 'articles'>, Filter<Shop, 'articles'>>
expectTypeOf<{ on: 'id'; where: { views: { _lt: 5 } } }>().toExtend<ArticleUpsert>()
expectTypeOf<{ on: 'id'; where: { views: { _lt: [] } } }>().not.toExtend<ArticleUpsert>()

// Updates add to numbers that are no key; exact ones may be text.
type Added<Name extends keyof UpdateInput<Shop, 'values'>> = Extract<
  UpdateInput<Shop, 'values'>[Name],
  { readonly _inc: unknown }
>
expectTypeOf<Added<'ratio'>>().toEqualTypeOf<{ readonly _inc: number }>()
expectTypeOf<Added<'big'>>().toEqualTypeOf<{ readonly _inc: number | string }>()
expectTypeOf<Added<'price'>>().toEqualTypeOf<{ readonly _inc: number | string }>()
expectTypeOf<Added<'id' | 'word' | 'active' | 'numbers'>>().toEqualTypeOf<never>()
expectTypeOf<{ views: { _inc: 1 }; comments: [{ article: { views: { _inc: 2 } } }] }>().toExtend<
  UpdateInput<Shop, 'articles'>
>()
expectTypeOf<{ views: { _inc: 1 } }>().not.toExtend<ItemInput<Shop, 'articles'>>()

// Updates change a part of a document, and every payload holds one as it is.
type Changed = UpdateInput<Shop, 'values'>
expectTypeOf<{ colour: { _merge: { red: 1 } }; checked: { _set: { width: 2 } } }>().toExtend<Changed>()
expectTypeOf<{ colour: { $value: { red: 1 } }; anything: { _merge: 1 } }>().toExtend<
  ItemInput<Shop, 'values'>
>()
expectTypeOf<{ colour: { $value: { red: 'x' } } }>().not.toExtend<Changed>()
expectTypeOf<{ colour: { _merge: { red: 1 } } }>().not.toExtend<ItemInput<Shop, 'values'>>()
expectTypeOf<{ words: { _merge: { red: 1 } } }>().not.toExtend<Changed>()
expectTypeOf<ItemInput<Shop, 'articles'>>().toExtend<UpdateInput<Shop, 'articles'>>()
