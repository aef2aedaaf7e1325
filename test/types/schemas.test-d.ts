import { expectTypeOf } from 'vitest'
import { defineSchema } from '../../src/schema/define-schema.ts'
import type { SchemaDefinition } from '../../src/schema/definition.ts'
import type { Schema } from '../../src/schema/model.ts'

const id = { type: 'integer', key: true } as const

// The literal survives.
expectTypeOf(
  defineSchema({ tags: { fields: { id, name: { type: 'string', values: ['a', 'b'] } } } }),
).toEqualTypeOf<
  Schema<
    {
      readonly tags: {
        readonly fields: {
          readonly id: { readonly type: 'integer'; readonly key: true }
          readonly name: { readonly type: 'string'; readonly values: readonly ['a', 'b'] }
        }
      }
    },
    'all'
  >
>()

// What the compiler has not seen, it does not judge.
declare const introspected: SchemaDefinition
expectTypeOf(defineSchema(introspected)).toEqualTypeOf<Schema<SchemaDefinition, 'all'>>()
declare const partly: {
  tags: { fields: { id: { type: 'integer'; key: true }; other: { type: 'm2o'; to: string } } }
}
defineSchema(partly)

defineSchema({
  tags: {
    fields: {
      id,
      // collection 'tagz' is not defined
      // @ts-expect-error
      parent: { type: 'm2o', to: 'tagz' },
    },
  },
})

defineSchema({
  tags: {
    fields: {
      id,
      parent: { type: 'm2o', to: 'tags' },
      // field 'tags.id' is not an m2o to 'tags'
      // @ts-expect-error
      children: { type: 'o2m', from: 'tags.id' },
      // there is no option 'nulable'
      // @ts-expect-error
      name: { type: 'string', nulable: true },
    },
  },
})
