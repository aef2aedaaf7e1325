import { expectTypeOf } from 'vitest'
import type { Access, AnyRule, Grant, Rule, Rules } from '../../src/access/access.ts'
import type { Engine, NarrowedEngine } from '../../src/engine/engine.ts'
import type { Schema } from '../../src/schema/model.ts'
import type { Shop } from './schema.ts'

// Rules name the fields of their collection, and filter it like any query.
export const access: Access<Shop> = {
  user: 1,
  roles: ['editor'],
  variables: { '$CURRENT_ROLE.country': 'no' },
  rules: {
    articles: {
      read: [
        {
          fields: ['id', 'title', 'comments'],
          filter: { author: { country: { code: '$CURRENT_ROLE.country' } } },
        },
        { fields: ['*'], filter: { author: '$CURRENT_USER', 'year(written)': { _gt: 2020 } } },
      ],
      create: { validation: { status: 'draft' }, presets: { author: '$CURRENT_USER' } },
      update: { filter: { comments: { _none: { text: { _contains: 'x' } } } } },
      delete: false,
    },
    authors: { read: true },
    versions: { read: { filter: { key: 'draft' } } },
  },
}

expectTypeOf<Grant<Shop, 'tags'>>().toEqualTypeOf<
  boolean | Rule<Shop, 'tags'> | readonly Rule<Shop, 'tags'>[]
>()
expectTypeOf<NonNullable<Rule<Shop, 'tags'>['fields']>>().toEqualTypeOf<readonly ('id' | 'name' | '*')[]>()

// Where the schema is not known, any names will do.
expectTypeOf<{ anything: { read: AnyRule } }>().toExtend<Rules<Schema>>()

// The engine of a caller has the types of the whole.
declare const engine: Engine<Shop>
expectTypeOf(engine.as(access)).toEqualTypeOf<NarrowedEngine<Shop>>()
