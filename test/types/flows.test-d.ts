import { Cron } from 'croner'
import type * as joseModule from 'jose'
import { expectTypeOf } from 'vitest'
import { z } from 'zod'
import {
  type CronClass,
  defineFlow,
  defineOperation,
  type FlowDefinition,
  type JoseModule,
  operationTypes,
} from '../../src/flows.ts'

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

// What reaches the world outside is typed like the rest.
defineFlow({
  name: 'outside',
  trigger: on,
  first: 'called',
  operations: {
    called: {
      type: 'request',
      options: {
        url: 'https://example.com/{{ $last }}',
        method: 'post',
        headers: [{ header: 'x', value: '{{ $last }}' }],
        body: { a: '{{ $last }}' },
      },
    },
    sent: { type: 'send', options: { to: ['a'], subject: 'b' } },
    made: { type: 'json-web-token', options: { operation: 'verify', options: { algorithms: ['HS256'] } } },
    ran: { type: 'script', options: { code: 'module.exports = () => 1' } },
  },
})
defineFlow({
  name: 'none',
  trigger: on,
  first: 'made',
  operations: {
    // @ts-expect-error There is no algorithm "none".
    made: { type: 'json-web-token', options: { operation: 'verify', options: { algorithms: ['none'] } } },
  },
})
expectTypeOf<typeof joseModule>().toExtend<JoseModule>()

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

// What starts from outside says who may start it.
const outside = { access: 'nobody' } as const
defineFlow({
  ...outside,
  name: 'signed',
  trigger: { on: 'webhook', allow: 'signed', hmac: { scheme: 'github', secret: ['A'] }, headers: ['X-Kind'] },
})
defineFlow({
  ...outside,
  name: 'of editors',
  trigger: { on: 'webhook', allow: { role: { _eq: 'editor' } }, waitMs: 0, returns: '$all' },
})
defineFlow({ name: 'chosen', trigger: { on: 'manual', allow: 'authenticated', collections: ['a'] } })
defineFlow({
  ...outside,
  name: 'daily',
  trigger: { on: 'schedule', cron: '0 6 * * *', timeZone: 'UTC', overlap: 'skip', missed: 'none' },
})
// @ts-expect-error: nobody is said who may start it.
defineFlow({ ...outside, name: 'a', trigger: { on: 'webhook' } })
// @ts-expect-error: items are chosen by somebody who is known.
defineFlow({ ...outside, name: 'b', trigger: { on: 'manual', allow: 'public' } })
// @ts-expect-error: a schedule has no such word.
defineFlow({ ...outside, name: 'c', trigger: { on: 'schedule', cron: '0 6 * * *', missed: 'all' } })
const unlisted = { scheme: 'github', secret: 'A' } as const
// @ts-expect-error: names of secrets are a list.
defineFlow({ ...outside, name: 'd', trigger: { on: 'webhook', allow: 'signed', hmac: unlisted } })

// Croner's class reads schedules.
expectTypeOf(Cron).toExtend<CronClass>()
