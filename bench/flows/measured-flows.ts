// The flows that are measured, and their tables.
import { defineSchema } from 'quernel'
import { defineFlow, defineOperation, operationTypes } from 'quernel/flows'

export const schema = defineSchema({
  tasks: {
    fields: { id: { type: 'integer', key: true }, title: { type: 'string' }, points: { type: 'integer' } },
  },
  others: { fields: { id: { type: 'integer', key: true }, title: { type: 'string' } } },
})

export const types = {
  ...operationTypes,
  out: defineOperation({ kind: 'outside', doc: 'Does nothing.', options: {}, run: () => null }),
}

const create = {
  type: 'item-create',
  options: { collection: 'others', payload: { title: '{{ $trigger.title }}' } },
} as const
const update = {
  type: 'item-update',
  options: { collection: 'others', key: '{{ a[0] }}', payload: { title: 'b' } },
  resolve: 'c',
} as const
export const three = defineFlow({
  name: 'three',
  trigger: { on: 'flow' },
  access: 'full',
  first: 'a',
  operations: { a: { ...create, resolve: 'b' }, b: update, c: create },
})
export const between = defineFlow(
  {
    name: 'between',
    trigger: { on: 'flow' },
    access: 'full',
    first: 'a',
    operations: {
      a: { ...create, resolve: 'o' },
      o: { type: 'out', options: {}, resolve: 'b' },
      b: update,
      c: create,
    },
  },
  { operationTypes: types },
)
const logged = { first: 'l', operations: { l: { type: 'log', options: { message: 'x' } } } } as const
export const after = defineFlow({
  name: 'after',
  trigger: { on: 'items.create', collections: ['tasks'], when: 'after' },
  access: 'full',
  ...logged,
})

const logging = (name: string, lane?: string) =>
  defineFlow({
    name,
    trigger: { on: 'flow' },
    access: 'full',
    ...logged,
    ...(lane !== undefined && { lane }),
  })
export const lane = logging('lane', 'one')
/** Its run says when it has begun. */
export const prompt = logging('prompt')

export const flowsOf = [three, between, lane, prompt]
