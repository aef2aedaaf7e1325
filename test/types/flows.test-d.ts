import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import { defineFlow, defineOperation, type FlowDefinition, operationTypes } from '../../src/flows.ts'

const on = { on: 'flow' } as const

// A template stands in place of a number, a list, an object, or a member of one.
const templates = defineFlow({
  name: 'templates',
  trigger: on,
  first: 'slow',
  operations: {
    slow: { type: 'sleep', options: { milliseconds: '{{ $trigger.ms }}' }, resolve: 'each' },
    each: {
      type: 'for-each',
      options: {
        list: '{{ $trigger.list }}',
        first: 'fail',
        operations: {
          fail: { type: 'throw-error', options: { status: '{{ $item }}', extensions: '{{ $item }}' } },
        },
      },
    },
    read: {
      type: 'item-read',
      options: { collection: 'a', keys: ['{{ $last }}', 1], query: { limit: '{{ $last }}' } },
    },
    write: { type: 'item-create', options: { collection: 'a', payload: '{{ $last }}', emitEvents: true } },
    many: { type: 'item-create', options: { collection: 'a', payload: [{ a: '{{ $last }}' }] } },
  },
})
expectTypeOf(templates).toEqualTypeOf<FlowDefinition>()

// Types of the host's own are known beside those of the package.
const types = {
  ...operationTypes,
  round: defineOperation({
    kind: 'pure',
    doc: 'Rounds.',
    options: {
      value: { schema: z.number(), doc: 'What.' },
      up: { schema: z.boolean().optional(), doc: 'Up.' },
    },
    run: ({ value, up }) => {
      expectTypeOf(value).toEqualTypeOf<number>()
      expectTypeOf(up).toEqualTypeOf<boolean | undefined>()
      return Math.round(value)
    },
  }),
}
export const own = defineFlow(
  {
    name: 'own',
    trigger: on,
    first: 'o',
    operations: { o: { type: 'round', options: { value: '{{ $last }}', up: true } } },
  },
  { operationTypes: types },
)
