// Schemas of zod are typed as the engine's own types.
import { expectTypeOf, it } from 'vitest'
import type * as z from 'zod'
import type { Item, ItemInput, Schema, UpdateInput } from '../../src/index.ts'
import { zodSchema } from '../../src/zod.ts'
import { schema } from './schema.ts'

type Shop = typeof schema

it('takes and gives what the functions take', () => {
  const create = zodSchema(schema, 'articles', 'create')
  expectTypeOf<z.output<typeof create>>().toEqualTypeOf<ItemInput<Shop, 'articles'>>()
  expectTypeOf<z.input<typeof create>>().toEqualTypeOf<ItemInput<Shop, 'articles'>>()
  const update = zodSchema(schema, 'articles', 'update')
  expectTypeOf<z.output<typeof update>>().toEqualTypeOf<UpdateInput<Shop, 'articles'>>()
  expectTypeOf<keyof typeof create.shape>().toEqualTypeOf<keyof ItemInput<Shop, 'articles'>>()
})

it('gives the items that lists return', () => {
  const item = zodSchema(schema, 'articles', 'item')
  expectTypeOf<z.output<typeof item>>().toEqualTypeOf<Item<Shop, 'articles'>>()
  const short = item.pick({ id: true, status: true })
  expectTypeOf<z.output<typeof short>>().toEqualTypeOf<{ id: number; status: 'draft' | 'published' }>()
})

it('refuses names that are not there', () => {
  // @ts-expect-error there is no such collection
  zodSchema(schema, 'article', 'create')
  // @ts-expect-error there is no such use
  zodSchema(schema, 'articles', 'creation')
  // @ts-expect-error there is no such field
  zodSchema(schema, 'articles', 'item').pick({ titel: true })
})

it('leaves a schema open whose names the compiler does not know', () => {
  const open = (known: Schema) => zodSchema(known, 'anything', 'create')
  expectTypeOf<z.output<ReturnType<typeof open>>>().toEqualTypeOf<Readonly<Record<string, unknown>>>()
})
