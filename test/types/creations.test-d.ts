// What is required of a new item, and what is not.
import { expectTypeOf } from 'vitest'
import type { CallerScope } from '../../src/access/caller-scope.ts'
import type { CreateInput, ItemInput, NewItem } from '../../src/index.ts'
import { defineSchema } from '../../src/index.ts'
import type { Shop } from './schema.ts'

type Required<Input> = {
  [Name in keyof Input]-?: Record<never, never> extends Pick<Input, Name> ? never : Name
}[keyof Input]

expectTypeOf<Required<NewItem<Shop, 'articles'>>>().toEqualTypeOf<'title' | 'views' | 'written' | 'badge'>()
expectTypeOf<Required<NewItem<Shop, 'countries'>>>().toEqualTypeOf<'code' | 'name'>()
// A key that is a relation is given.
expectTypeOf<Required<NewItem<Shop, 'profiles'>>>().toEqualTypeOf<'author' | 'bio'>()
expectTypeOf<Required<NewItem<Shop, 'tags'>>>().toEqualTypeOf<'name'>()

const schema = defineSchema({
  lines: {
    key: ['bill', 'place'],
    fields: {
      bill: { type: 'm2o', to: 'bills' },
      place: { type: 'integer' },
      text: { type: 'string' },
      made: { type: 'timestamp', special: ['date-created'] },
      slug: { type: 'string', defaulted: true },
      upper: { type: 'string', generated: true },
      state: { type: 'string', default: 'open' },
      note: { type: 'string', nullable: true },
      owner: { type: 'string', readonly: true },
    },
  },
  bills: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'string' },
      lines: { type: 'o2m', from: 'lines.bill' },
    },
  },
})
type Bills = typeof schema
expectTypeOf<Required<NewItem<Bills, 'lines'>>>().toEqualTypeOf<'bill' | 'place' | 'text'>()

// Inside another item, the way back is known; with its key, an item may exist already.
expectTypeOf<{ name: 'a'; lines: [{ place: 1; text: 'x' }] }>().toExtend<NewItem<Bills, 'bills'>>()
expectTypeOf<{ name: 'a'; lines: [{ bill: 1; place: 1 }, [1, 2]] }>().toExtend<NewItem<Bills, 'bills'>>()
expectTypeOf<{ name: 'a'; lines: { create: [{ place: 1; text: 'x' }]; update: [{ place: 1 }] } }>().toExtend<
  NewItem<Bills, 'bills'>
>()
expectTypeOf<{ name: 'a'; lines: [{ place: 1 }] }>().not.toExtend<NewItem<Bills, 'bills'>>()
expectTypeOf<{ bill: { name: 'a' }; place: 1; text: 'x' }>().toExtend<NewItem<Bills, 'lines'>>()
expectTypeOf<{ bill: { id: 1 }; place: 1; text: 'x' }>().toExtend<NewItem<Bills, 'lines'>>()
expectTypeOf<{ bill: { lines: [] }; place: 1; text: 'x' }>().not.toExtend<NewItem<Bills, 'lines'>>()

// Rules may fill in anything, and what the compiler does not know it does not ask for.
expectTypeOf<CreateInput<Bills, 'bills', CallerScope>>().toEqualTypeOf<ItemInput<Bills, 'bills'>>()
expectTypeOf<CreateInput<Bills, 'bills', undefined>>().toEqualTypeOf<NewItem<Bills, 'bills'>>()
