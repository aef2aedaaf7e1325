import { expectTypeOf } from 'vitest'
import {
  compareVersion,
  createVersion,
  type Engine,
  getItem,
  getSingleton,
  type Item,
  type ItemInput,
  listVersions,
  type ParsedQuery,
  promoteVersion,
  saveVersion,
  type Version,
} from '../../src/index.ts'
import type { Shop } from './schema.ts'

declare const engine: Engine<Shop>
type Delta = ItemInput<Shop, 'articles'>

// What is saved is what updates take.
expectTypeOf(
  await createVersion(engine, 'articles', 1, { key: 'draft', delta: { title: 'Tea' } }),
).toEqualTypeOf<Version<Delta>>()
expectTypeOf(await listVersions(engine, 'articles', 1)).toEqualTypeOf<Version<Delta>[]>()
expectTypeOf(await saveVersion(engine, 'articles', 1, 'draft', { author: { name: 'Ada' } })).toEqualTypeOf<
  Version<Delta>
>()
expectTypeOf((await compareVersion(engine, 'articles', 1, 'draft')).main).toEqualTypeOf<
  Item<Shop, 'articles'>
>()
expectTypeOf(
  await promoteVersion(engine, 'articles', 1, 'draft', { mainHash: '', fields: ['title'] }),
).toEqualTypeOf<Item<Shop, 'articles'>>()

// A query says what is answered of them.
expectTypeOf(
  await listVersions(engine, 'articles', 1, { fields: ['key', 'name'], sort: '-key' }),
).toEqualTypeOf<Pick<Version<Delta>, 'key' | 'name'>[]>()
expectTypeOf(
  await promoteVersion(engine, 'articles', 1, 'draft', { mainHash: '' }, { fields: ['title'] }),
).toEqualTypeOf<{ title: string }>()
// @ts-expect-error: there is no such word
await saveVersion(engine, 'articles', 1, 'draft', {}, { field: ['key'] })

// @ts-expect-error: there is no such field
await saveVersion(engine, 'articles', 1, 'draft', { titel: 'Tea' })
// @ts-expect-error: there is no such field
await promoteVersion(engine, 'articles', 1, 'draft', { mainHash: '', fields: ['titel'] })
// @ts-expect-error: the hash is needed
await promoteVersion(engine, 'articles', 1, 'draft', {})

// Of a draft anything may be missing; lists are there.
expectTypeOf(
  await getItem(engine, 'articles', 1, {
    version: 'draft',
    fields: ['title', 'author.name', 'comments.id', 'tags'],
  }),
).toEqualTypeOf<{
  title: string | null
  author: { name: string | null } | null
  comments: ({ id: string | null } | null)[]
  tags: (string | null)[]
}>()

// The item itself is complete.
expectTypeOf(await getItem(engine, 'articles', 1, { version: 'main', fields: ['title'] })).toEqualTypeOf<{
  title: string
}>()

// Raw, it is whatever was saved.
expectTypeOf(
  await getItem(engine, 'articles', 1, { version: 'draft', versionRaw: true, fields: ['title'] }),
).toEqualTypeOf<Record<string, unknown>>()

// What a request asks for, nobody knows before.
declare const parsed: ParsedQuery
expectTypeOf(await getItem(engine, 'articles', 1, parsed)).toEqualTypeOf<Record<string, unknown>>()
expectTypeOf(
  getSingleton<Shop, 'articles', { version: 'draft'; fields: ['title'] }>,
).returns.resolves.toEqualTypeOf<{
  title: string | null
}>()
