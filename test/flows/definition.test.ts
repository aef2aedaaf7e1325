// Bad definitions: each is refused with a code, a place, words and mostly a hint, and all of its mistakes together.
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFlows,
  defineFlow,
  defineOperation,
  type FlowsOptions,
  operationTypes,
} from '../../src/flows.ts'
import { createEngine, defineSchema, type Engine, type EngineError, isEngineError } from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'
import { rowsOf } from '../support/titled.ts'

let engine: Engine
beforeAll(async () => {
  const opened = await openSqlite()
  const schema = defineSchema({ articles: { fields: { id: { type: 'integer', key: true } } } })
  engine = createEngine({ db: opened.db, schema }) as unknown as Engine
})

const send = defineOperation({
  kind: 'outside',
  doc: 'Sends a text.',
  options: {
    token: { schema: z.string(), doc: 'The token.', isSecret: true },
    from: { schema: z.string().optional(), doc: 'The one or the other.' },
  },
  problemsOf: ({ token, from }) =>
    token === from ? [{ path: ['from'], message: 'Nobody sends to oneself.', hint: 'Leave it out.' }] : [],
  run: () => null,
})
const types = { ...operationTypes, send }
const secrets = { STRIPE: 'sk_live_1234' }

interface Problem {
  readonly path: readonly (string | number)[]
  readonly message: string | RegExp
  readonly hint?: string | RegExp
}

/** Definition of a flow with one operation that is fine, but for what is said. */
const flow = (members: object) => ({
  name: 'f',
  trigger: { on: 'flow' },
  first: 'o',
  operations: { o: log() },
  ...members,
})
const log = (members: object = {}) => ({ type: 'log', options: { message: 'x' }, ...members })
const one = (type: string, options: object, members: object = {}) =>
  flow({ operations: { o: { type, options } }, ...members })
const before = { trigger: { on: 'items.create', collections: ['articles'], when: 'before' } }
const beforeCommit = { trigger: { on: 'items.create', collections: ['articles'], when: 'beforeCommit' } }

function problemsOf(act: () => unknown): readonly EngineError[] {
  try {
    act()
  } catch (error) {
    if (!isEngineError(error)) throw error
    return error.errors ?? [error]
  }
  return []
}

function expectProblems(found: readonly EngineError[], expected: readonly Problem[], below: Problem['path']) {
  expect(found.map(({ path }) => path)).toEqual(expected.map(({ path }) => [...below, ...path]))
  for (const [at, { message, hint }] of expected.entries()) {
    const problem = found[at]
    expect(problem?.code).toBe('INVALID_OPTIONS')
    expect(problem?.message).toMatch(message)
    if (hint === undefined) expect(problem?.hint).toBeUndefined()
    else expect(problem?.hint).toMatch(hint)
  }
}

const circle = flow({
  first: 'a',
  operations: { z: log(), a: log({ resolve: 'b' }), b: log({ reject: 'c' }), c: log({ resolve: 'a' }) },
})
const many = (count: number) =>
  flow({
    first: 'o0',
    operations: Object.fromEntries(Array.from({ length: count }, (_, at) => [`o${at}`, log()])),
  })
const nested = (depth: number): Record<string, object> =>
  depth === 0
    ? { o0: log() }
    : {
        [`o${depth}`]: {
          type: 'for-each',
          options: { list: [1], first: `o${depth - 1}`, operations: nested(depth - 1) },
        },
      }
const message = ['operations', 'o', 'options', 'message']
const option = (name: string) => ['operations', 'o', 'options', name]
const standsForValues = /^A template stands for a value here, not for a name, a filter or a query/
const whoseRights = 'Write the name, or give the operation the access "caller" or "nobody".'
const hasNotRun = (place: string, root: string): Problem => ({
  path: message,
  message: `The place {{ ${place} }} names "${root}", which has not run when this operation does.`,
  hint: 'Known here: $trigger, $last, $accountability, $env.',
})
const later = (path: Problem['path'], message: string): Problem => ({ path, message })
const badName: Problem = {
  path: ['name'],
  message: /^The name of a flow is a text of 1 to 255 characters, none of them for control/,
}

describe('a definition is refused by itself', () => {
  const cases: readonly (readonly [string, unknown, ...Problem[]])[] = [
    ...rowsOf<readonly [unknown, ...Problem[]]>({
      'a circle, with its names in order': [
        circle,
        {
          path: ['operations'],
          message: 'The operations run in a circle: a → b → c → a.',
          hint: 'To do something for each value of a list take "for-each".',
        },
      ],
      'options of a type of the host that does not take them together': [
        one('send', { token: 'one', from: 'one' }),
        { path: option('from'), message: 'Nobody sends to oneself.', hint: 'Leave it out.' },
      ],
      'an operation that follows itself': [
        flow({ operations: { o: log({ reject: 'o' }) } }),
        { path: ['operations'], message: 'The operations run in a circle: o → o.', hint: /for-each/ },
      ],
      'an unknown operation': [
        one('lgo', {}),
        {
          path: ['operations', 'o', 'type'],
          message: 'There is no operation "lgo".',
          hint: 'Did you mean "log"?',
        },
      ],
      'an operation named like a member of every object': [
        one('constructor', {}),
        {
          path: ['operations', 'o', 'type'],
          message: 'There is no operation "constructor".',
          hint: /^Known: /,
        },
      ],
      'an unknown option': [
        one('log', { mesage: 'x' }),
        { path: option('mesage'), message: '"log" has no option "mesage".', hint: 'Did you mean "message"?' },
      ],
      'an option that is missing': [
        one('item-create', { collection: 'articles' }),
        { path: option('payload'), message: 'The option "payload" is missing.' },
      ],
      'an option of a wrong type': [
        one('throw-error', { status: 200, code: 'low' }),
        { path: option('code'), message: /^"code": / },
        { path: option('status'), message: /^"status": / },
      ],
      'an unknown trigger': [
        flow({ trigger: { on: 'items.crate', collections: ['articles'], when: 'before' } }),
        {
          path: ['trigger', 'on'],
          message: 'There is no trigger "items.crate".',
          hint: 'Did you mean "items.create"?',
        },
      ],
      'a read that commits nothing': [
        flow({ trigger: { on: 'items.read', collections: ['articles'], when: 'beforeCommit' } }),
        { path: ['trigger', 'when'], message: 'A read commits nothing: its flows run "before" it.' },
      ],
      'a template of an unknown root': [one('log', { message: '{{ nope.x }}' }), hasNotRun('nope.x', 'nope')],
      'a template of an operation that runs later': [
        flow({ operations: { o: { type: 'log', options: { message: '{{ p }}' }, resolve: 'p' }, p: log() } }),
        hasNotRun('p', 'p'),
      ],
      'a template of an operation on another way': [
        flow({
          operations: {
            o: log({ resolve: 'good', reject: 'bad' }),
            good: log(),
            bad: { type: 'log', options: { message: '{{ good }}' } },
          },
        }),
        {
          path: ['operations', 'bad', 'options', 'message'],
          message: 'The place {{ good }} names "good", which has not run when this operation does.',
          hint: 'Known here: $trigger, $last, $accountability, $env, o.',
        },
      ],
      'a template of itself': [one('log', { message: '{{ o }}' }), hasNotRun('o', 'o')],
      '"$item" outside of a list': [one('log', { message: '{{ $item }}' }), hasNotRun('$item', '$item')],
      '"__proto__" as a root': [
        one('log', { message: '{{ __proto__ }}' }),
        hasNotRun('__proto__', '__proto__'),
      ],
      'an operation of a list, seen from outside': [
        flow({
          first: 'o1',
          operations: {
            o1: { ...nested(1).o1, resolve: 'o' },
            o: { type: 'log', options: { message: '{{ o0 }}' } },
          },
        }),
        { path: message, message: /names "o0", which has not run/, hint: 'Did you mean "o1"?' },
      ],
      'a condition of an unknown root': [
        one('condition', { filter: { nope: { a: { _eq: 1 } } } }),
        {
          path: [...option('filter'), 'nope'],
          message: 'A condition looks at the data chain, and "nope" has not run when this operation does.',
          hint: 'Known here: $trigger, $last, $accountability.',
        },
      ],
      'a condition with an unknown operator': [
        one('condition', { filter: { $trigger: { a: { _eqq: 1 } } } }),
        {
          path: [...option('filter'), '$trigger', 'a', '_eqq'],
          message: 'There is no operator "_eqq" here.',
        },
      ],
      'a condition that says nothing': [
        one('condition', { filter: {} }),
        { path: option('filter'), message: 'A condition is a filter that says something.' },
      ],
      'a template that is not closed': [
        one('log', { message: '{{ $trigger' }),
        { path: message, message: /^The template cannot be read: the braces of a place are not closed/ },
      ],
      'a template that is no place': [
        one('log', { message: '{{ $trigger..b }}' }),
        { path: message, message: /^The template cannot be read: "\$trigger\.\.b" is no place/ },
      ],
      'a secret outside of the options that are for secrets': [
        one('transform', { json: { a: ['{{ $env.STRIPE }}'] } }),
        {
          path: [...option('json'), 'a', 0],
          message: 'A secret stands in the options that are made for secrets alone.',
        },
      ],
      'a condition on secrets': [
        one('condition', { filter: { $env: { STRIPE: { _starts_with: 's' } } } }),
        { path: [...option('filter'), '$env'], message: 'A condition looks at no secrets.' },
      ],
      'all secrets at once': [
        one('send', { token: '{{ $env }}' }),
        { path: option('token'), message: 'A secret is named by {{ $env.NAME }}, one at a time.' },
      ],
    }),
    ...(['full', 'nightly'] as const).flatMap((access) =>
      Object.entries({
        'a whole filter': [{ query: { filter: '{{ $trigger }}' } }, 'query', 'filter'],
        'a whole query': [{ query: '{{ $trigger }}' }, 'query'],
        'a field': [{ query: { fields: ['{{ $trigger }}'] } }, 'query', 'fields', 0],
        'a part of a filter': [{ query: { filter: { _and: '{{ $trigger }}' } } }, 'query', 'filter', '_and'],
        'a collection': [{ collection: '{{ $trigger.c }}' }, 'collection'],
      } as const).map(([what, [options, ...at]]): [string, unknown, Problem] => [
        `${what} by template with the access "${access}"`,
        one('item-read', { collection: 'articles', ...options }, { access }),
        { path: ['operations', 'o', 'options', ...at], message: standsForValues, hint: whoseRights },
      ]),
    ),
    ...rowsOf<readonly [unknown, ...Problem[]]>({
      'a collection by template of an operation with the access "full"': [
        flow({
          operations: {
            o: { type: 'item-read', access: 'full', options: { collection: '{{ $trigger.c }}' } },
          },
        }),
        { path: option('collection'), message: standsForValues, hint: whoseRights },
      ],
      'a flow by template, of an operation whatever its name': [
        flow({
          first: 'collection',
          operations: { collection: { type: 'trigger', options: { flow: '{{ $trigger }}' } } },
        }),
        {
          path: ['operations', 'collection', 'options', 'flow'],
          message: 'This name is written out, and comes from no template.',
        },
      ],
      '201 operations': [
        many(201),
        { path: ['operations'], message: 'A flow has 200 operations at most, and this one has 201.' },
      ],
      'nesting 11': [
        flow({ first: 'o11', operations: nested(11) }),
        {
          path: Array.from({ length: 11 }, (_, at) => ['operations', `o${11 - at}`, 'options'])
            .flat()
            .concat('operations'),
          message: 'Operations are nested 10 times at most.',
        },
      ],
      'the member "limits"': [
        flow({ limits: {} }),
        later(['limits'], '"limits" of a flow is not in this version.'),
      ],
      'a lane that is no text': [
        flow({ lane: {} }),
        { path: ['lane'], message: 'A lane is a text such as "{{ $trigger.key }}", not an object.' },
      ],
      'a lane of what has not run': [
        flow({ lane: '{{ o.key }}' }),
        { path: ['lane'], message: 'A lane is known before anything has run', hint: '$trigger' },
      ],
      'a lane inside of a write': [
        flow({ lane: 'x', trigger: { on: 'items.create', collections: ['articles'], when: 'before' } }),
        { path: ['lane'], message: 'A flow that runs inside of a write has no "lane".', hint: 'after' },
      ],
      'too many repeats': [
        flow({ retry: { times: 21 } }),
        { path: ['retry', 'times'], message: '"times" is a whole number from 0 to 20, not 21.' },
      ],
      'a repeat that is none': [
        flow({ retry: 3 }),
        { path: ['retry'], message: '"retry" is an object such as { "times": 3, "delayMs": 1000 }, not 3.' },
      ],
      'a repeat with a misspelt member': [
        flow({ retry: { delay: 1 } }),
        { path: ['retry', 'delay'], message: '"retry" has no "delay".', hint: 'Did you mean "delayMs"?' },
      ],
      'an unknown member': [
        flow({ nmae: 'x' }),
        { path: ['nmae'], message: 'A flow has no "nmae".', hint: 'Did you mean "name"?' },
      ],
      'an unknown member of an operation': [
        flow({ operations: { o: log({ resolves: 'o' }) } }),
        {
          path: ['operations', 'o', 'resolves'],
          message: 'An operation has no "resolves".',
          hint: 'Did you mean "resolve"?',
        },
      ],
      'no first operation': [
        flow({ first: undefined }),
        { path: ['first'], message: '"first" names the operation that runs first.' },
      ],
      'a first operation that is none': [
        flow({ first: 'oo' }),
        { path: ['first'], message: 'There is no operation "oo".', hint: 'Did you mean "o"?' },
      ],
      'an operation that leads nowhere': [
        flow({ operations: { o: log({ resolve: 'oo' }) } }),
        {
          path: ['operations', 'o', 'resolve'],
          message: 'There is no operation "oo" beside this one.',
          hint: 'Did you mean "o"?',
        },
      ],
      'an operation of a list that leads out of it': [
        flow({
          first: 'o1',
          operations: {
            o1: {
              type: 'for-each',
              options: { list: [1], first: 'x', operations: { x: log({ resolve: 'o' }) } },
            },
            o: log(),
          },
        }),
        {
          path: ['operations', 'o1', 'options', 'operations', 'x', 'resolve'],
          message: 'There is no operation "o" beside this one.',
          hint: /./,
        },
      ],
      'the same name inside of a list': [
        one('for-each', { list: [1], first: 'o', operations: { o: log() } }),
        { path: [...option('operations'), 'o'], message: 'There is another operation "o" around this one.' },
      ],
    }),
    ...['$q', '', 'a b', '__proto__', 'constructor', 'prototype'].map((name): [string, unknown, Problem] => [
      `an operation named "${name}"`,
      flow({ operations: { o: log(), ...JSON.parse(`{${JSON.stringify(name)}:{"type":"log"}}`) } }),
      {
        path: ['operations', name],
        message: `"${name}" is no name of an operation: letters, digits, "_" and "-", and no "$".`,
      },
    ]),
    ...rowsOf<readonly [unknown, ...Problem[]]>({
      '"returns" of an unknown place': [
        flow({ trigger: { on: 'flow', returns: 'zzz' } }),
        { path: ['trigger', 'returns'], message: 'There is no operation "zzz".' },
      ],
      '"returns" of an operation inside of a list': [
        flow({ trigger: { on: 'flow', returns: 'o0' }, first: 'o1', operations: nested(1) }),
        { path: ['trigger', 'returns'], message: 'There is no operation "o0".', hint: 'Did you mean "o1"?' },
      ],
      'what is no data': [
        one('transform', { json: { a: [1, () => 1] } }),
        {
          path: [...option('json'), 'a', 1],
          message: 'A flow is data, and what stands here is a function, which is no JSON.',
        },
      ],
      'an access that is no word': [
        flow({ access: 5 }),
        { path: ['access'], message: /^"access" is one of "caller", "author", "full", "nobody" or a name/ },
      ],
      'the author of a flow of the host': [
        flow({ access: 'author' }),
        {
          path: ['access'],
          message: 'A flow of the host has no author.',
          hint: 'Only the rows of a collection have one.',
        },
      ],
      'operations that are a list': [
        flow({ operations: [1] }),
        { path: ['operations'], message: /^Operations are an object/ },
      ],
      'an operation that is none': [
        flow({ operations: { o: 1 } }),
        { path: ['operations', 'o'], message: /is an object/ },
      ],
      'no trigger': [flow({ trigger: null }), { path: ['trigger'], message: /^A trigger is an object/ }],
      'no name': [flow({ name: '' }), { path: ['name'], message: /^The name of a flow is a text/ }],
      'a name that not every database stores': [flow({ name: 'a\u0000' }), badName],
      'a name that is cut in a character': [flow({ name: 'a\ud83d' }), badName],
      'all of them together': [
        flow({
          first: 'x',
          nope: 1,
          trigger: { on: 'flow', returns: 'zzz' },
          operations: {
            o: { type: 'lgo', options: {} },
            p: { type: 'log', options: { mesage: '{{ nope }}' } },
            q: { type: 'log', options: { message: ['{{ nope }}', '{{', '{{ $env.STRIPE }}'] } },
          },
        }),
        { path: ['nope'], message: 'A flow has no "nope".', hint: /./ },
        { path: ['first'], message: 'There is no operation "x".', hint: /./ },
        { path: ['operations', 'o', 'type'], message: /no operation "lgo"/, hint: /log/ },
        { path: ['operations', 'p', 'options', 'mesage'], message: /no option "mesage"/, hint: /message/ },
        { path: ['operations', 'q', 'options', 'message', 0], message: /names "nope"/, hint: /^Known here/ },
        { path: ['operations', 'q', 'options', 'message', 1], message: /not closed/ },
        { path: ['operations', 'q', 'options', 'message', 2], message: /^A secret stands/ },
        { path: ['trigger', 'returns'], message: 'There is no operation "zzz".' },
      ],
    }),
  ]

  it.each(cases.map((one) => [one[0], one] as const))('%s', (_title, [, definition, ...expected]) => {
    const found = problemsOf(() => defineFlow(definition as never, { operationTypes: types }))
    expectProblems(found, expected, [])
    if (expected.length > 1)
      expect(() => defineFlow(definition as never, { operationTypes: types })).toThrow(
        new RegExp(`\\(and ${expected.length - 1} more problems?\\)$`),
      )
    const together = problemsOf(() =>
      createFlows(engine, { flows: [definition as never], operationTypes: types, access: () => null }),
    )
    expectProblems(together, expected, ['flows', 0])
  })
})

describe('an engine refuses what only it knows', () => {
  const sub = (members: object) => ({ name: 'g', trigger: { on: 'flow' }, ...members })
  const starts = one('trigger', { flow: 'g' })
  const write = { type: 'item-create', options: { collection: 'articles', payload: {} } }
  const writing = (...path: Problem['path']): Problem => ({
    path,
    message: '"item-create" writes, and a flow that runs "before" may run more than once for one write.',
    hint: 'Take "beforeCommit".',
  })
  const cases: readonly (readonly [string, readonly object[], ...Problem[]])[] = [
    ...rowsOf<readonly [readonly object[], ...Problem[]]>({
      'an unknown collection': [
        [flow({ trigger: { on: 'items.create', collections: ['articles', 'artcles'], when: 'before' } })],
        {
          path: [0, 'trigger', 'collections', 1],
          message: 'There is no collection "artcles".',
          hint: 'Did you mean "articles"?',
        },
      ],
      'an unknown secret': [
        [one('send', { token: '{{ $env.STRIP }}' })],
        {
          path: [0, ...option('token')],
          message: 'There is no secret "STRIP".',
          hint: 'Did you mean "STRIPE"?',
        },
      ],
      'rights that nobody knows': [
        [flow({ access: 'nightly' })],
        {
          path: [0, 'access'],
          message: 'The rights "nightly" are not known.',
          hint: 'Give createFlows "access", which says what they are.',
        },
      ],
      'what writes before a write': [
        [flow({ ...before, operations: { o: write } })],
        writing(0, 'operations', 'o'),
      ],
      'what writes inside of a list before a write': [
        [one('for-each', { list: [1], first: 'x', operations: { x: write } }, before)],
        writing(0, ...option('operations'), 'x'),
      ],
      'what writes in a flow that is started before a write': [
        [
          one(
            'for-each',
            { list: [1], first: 'x', operations: { x: { type: 'trigger', options: { flow: 'g' } } } },
            before,
          ),
          sub({ first: 'w', operations: { w: write } }),
        ],
        writing(0, ...option('operations'), 'x'),
      ],
    }),
    ...([before, beforeCommit] as const).flatMap((members): [string, object[], Problem][] => [
      [
        `a pause ${members.trigger.when}`,
        [one('sleep', { milliseconds: 1 }, members)],
        {
          path: [0, 'operations', 'o'],
          message: `"sleep" holds up the transaction, so a flow does not sleep "${members.trigger.when}".`,
        },
      ],
      [
        `what reaches out ${members.trigger.when}`,
        [one('send', { token: '{{ $env.STRIPE }}' }, members)],
        {
          path: [0, 'operations', 'o'],
          message: `"send" reaches out of the database, so it is in no flow that runs "${members.trigger.when}".`,
        },
      ],
    ]),
    ...rowsOf<readonly [readonly object[], ...Problem[]]>({
      'a name twice': [[sub({}), sub({})], { path: [1, 'name'], message: 'There is another flow "g".' }],
      'a flow that is not there': [
        [starts],
        {
          path: [0, ...option('flow')],
          message: 'There is no flow "g" that this one may start.',
          hint: 'Did you mean "f"?',
        },
      ],
      'a flow that others do not start': [
        [starts, sub({ trigger: before.trigger })],
        {
          path: [0, ...option('flow')],
          message: 'The flow "g" is not started by others.',
          hint: 'Its trigger would be { "on": "flow" }.',
        },
      ],
      'mistakes of two flows together': [
        [flow({ name: 'bad', first: 'p' }), sub({}), flow({ ...before, operations: { o: write } })],
        { path: [0, 'first'], message: 'There is no operation "p".', hint: /./ },
        writing(2, 'operations', 'o'),
      ],
    }),
  ]

  it.each(cases.map((one) => [one[0], one] as const))('%s', (_title, [, flows, ...expected]) => {
    const options = { flows, operationTypes: types, secrets } as unknown as FlowsOptions
    expectProblems(
      problemsOf(() => createFlows(engine, options)),
      expected,
      ['flows'],
    )
  })
})

it('what is at its bound is no mistake', async () => {
  const fine = [
    many(200),
    flow({ name: 'nested', first: 'o10', operations: nested(10) }),
    one('send', { token: '{{ $env.STRIPE }}' }, { name: 'secret' }),
    one('item-read', { collection: '{{ $trigger.c }}', query: '{{ $trigger.q }}' }, { name: 'own' }),
    { name: 'nothing', trigger: { on: 'flow' } },
  ]
  for (const one of fine) expect(defineFlow(one as never, { operationTypes: types })).toBe(one)
  await createFlows(engine, { flows: fine as never, operationTypes: types, secrets }).stop()
})

it('whatever a definition is, it is refused in words', () => {
  const cycle: Record<string, unknown> = {}
  cycle.cycle = cycle
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  const odd = [null, undefined, 1, 'x', [], () => 1, new Map(), Symbol('x'), 1n, Number.NaN, cycle, deep]
  for (const value of odd) {
    const definitions = [
      value,
      ...['name', 'trigger', 'access', 'first', 'operations'].map((name) => flow({ [name]: value })),
      ...['on', 'collections', 'when', 'returns'].map((name) =>
        flow({ trigger: { ...before.trigger, [name]: value } }),
      ),
      ...['type', 'options', 'resolve', 'reject', 'access'].map((name) =>
        flow({ operations: { o: log({ [name]: value }) } }),
      ),
      one('transform', { json: value }),
      one('condition', { filter: value }),
      one('condition', { filter: { $trigger: value } }),
      one('item-read', { collection: value, key: value, keys: value, query: value }),
      one('item-read', { collection: 'articles', query: { filter: value, fields: value } }),
      one('for-each', { list: value, first: value, operations: value }),
    ]
    for (const definition of definitions)
      for (const found of problemsOf(() => defineFlow(definition as never)))
        expect(found.code).toBe('INVALID_OPTIONS')
  }
})
