// What is wrong only while a flow runs is a reject of its operation: with a code, words, and the place and the template where there is one.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createFlows,
  defineFlow,
  defineOperation,
  type FlowDefinition,
  type Flows,
  operationTypes,
} from '../../src/flows.ts'
import {
  createEngine,
  createItem,
  createItems,
  defineSchema,
  type Engine,
  listItems,
} from '../../src/index.ts'
import { openSqlite } from '../support/databases.ts'

const schema = defineSchema({
  articles: { fields: { id: { type: 'integer', key: true }, title: { type: 'string', nullable: true } } },
})
let engine: Engine<typeof schema>
let flows: Flows | undefined
beforeAll(async () => {
  const opened = await openSqlite()
  await opened.run('create table articles (id integer primary key, title text)')
  engine = createEngine({ db: opened.db, schema })
  await createItems(engine, 'articles', [{ id: 1 }, { id: 2 }])
})
afterEach(() => flows?.stop())

let answer: () => unknown = () => null
const own = defineOperation({
  kind: 'pure',
  doc: 'Answers what a test wants.',
  options: { any: { schema: z.unknown().optional(), doc: 'Anything.' } },
  timeoutMs: 20,
  run: () => answer(),
})
const types = { ...operationTypes, own }

async function run(type: string, options: object, payload: unknown = {}, others: FlowDefinition[] = []) {
  const flow = { name: 'f', trigger: { on: 'flow' }, access: 'full', first: 'o' }
  const tried = { ...flow, operations: { o: { type, options } } }
  flows = createFlows(engine, { flows: [tried as never, ...others], operationTypes: types })
  const answered = await flows.run('f', payload, { inline: true })
  const last = answered.steps.at(-1)
  if (answered.state === 'failed') expect(last).toMatchObject({ operation: 'o', error: answered.error })
  return answered.state === 'failed' ? answered.error : answered.result
}

const rejection = (code: string, status: number, message: string, path?: readonly (string | number)[]) => ({
  code,
  status,
  message,
  extensions: path ? { path } : {},
})
const bad = (message: string, ...path: (string | number)[]) =>
  rejection('INVALID_PAYLOAD', 400, message, ['operations', 'o', 'options', ...path])

describe('a key or an operand is one value', () => {
  const key = '{{ $trigger.x }}'
  const by = { query: { filter: { id: { _eq: key } } } }
  const at = ['query', 'filter', 'id', '_eq'] as const
  const place = 'The place {{ $trigger.x }} holds'
  const one = 'where one value is expected.'
  const cases = [
    ['a missing key', { key }, {}, bad(`${place} nothing.`, 'key')],
    ['a null key', { key }, { x: null }, bad(`${place} null, ${one}`, 'key')],
    ['a list in place of a key', { key }, { x: [1] }, bad(`${place} a list, ${one}`, 'key')],
    [
      'an object in place of a key',
      { key },
      { x: { _nnull: true } },
      bad(`${place} an object, ${one}`, 'key'),
    ],
    ['missing keys', { keys: key }, {}, bad(`${place} nothing.`, 'keys')],
    ['one key in place of keys', { keys: key }, { x: 1 }, bad(`${place} no list.`, 'keys')],
    ['null among keys', { keys: key }, { x: [1, null] }, bad(`${place} null, ${one}`, 'keys')],
    ['a list among keys', { keys: [1, key] }, { x: [2] }, bad(`${place} a list, ${one}`, 'keys', 1)],
    ['a missing operand', by, {}, bad(`${place} nothing.`, ...at)],
    ['a null operand', by, { x: null }, bad(`${place} null, ${one}`, ...at)],
    ['a list as operand', by, { x: [1] }, bad(`${place} a list, ${one}`, ...at)],
    [
      'an object in place of an operator',
      { query: { filter: { id: key } } },
      { x: { _nnull: true } },
      bad(`${place} an object, ${one}`, 'query', 'filter', 'id'),
    ],
    [
      'the name of a variable',
      by,
      { x: '$CURRENT_USER' },
      bad(`${place} the name of a variable, ${one}`, ...at),
    ],
    [
      'parts that make the name of a variable together',
      { query: { filter: { title: { _eq: '{{ $trigger.x }}{{ $trigger.y }}' } } } },
      { x: '$CURRENT', y: '_USER' },
      bad('The rendered text is the name of a variable.', 'query', 'filter', 'title', '_eq'),
    ],
  ] as const
  it.each(cases)('%s', async (_title, chosen, payload, error) => {
    const options = { collection: 'articles', ...chosen }
    expect(await run('item-delete', options, payload)).toEqual(error)
    await flows?.stop()
    expect(await run('item-update', { ...options, payload: { title: 'x' } }, payload)).toEqual(error)
    await flows?.stop()
    expect(await run('item-read', options, payload)).toEqual(error)
    expect(await listItems(engine, 'articles')).toMatchObject({
      data: [
        { id: 1, title: null },
        { id: 2, title: null },
      ],
    })
  })

  it('a text with commas is one value', async () => {
    const filter = { title: { _in: ['x{{ $trigger.x }}'] } }
    await createItem(engine, 'articles', { id: 9, title: 'x1,2' })
    const options = { collection: 'articles', query: { filter, fields: ['id'] } }
    expect(await run('item-read', options, { x: '1,2' })).toEqual([{ id: 9 }])
    await flows?.stop()
    expect(await run('item-delete', { collection: 'articles', key: 9 })).toBe(9)
  })
})

describe('what an operation of the host answers', () => {
  class Thing {}
  const cycle: Record<string, unknown> = {}
  cycle.me = cycle
  const mebibyte = 1_048_576
  const noJson = (what: string) =>
    rejection('INVALID_PAYLOAD', 400, `What "own" answers at "a.1" is ${what}, which is no JSON.`, ['a', 1])
  const whole = (says: string) => rejection('INVALID_PAYLOAD', 400, `What "own" answers ${says}.`, [])
  const inside = (value: unknown) => () => ({ a: [1, value] })
  const cases: readonly (readonly [string, () => unknown, unknown])[] = [
    ['a function', inside(() => 1), noJson('a function')],
    ['an instance of a class', inside(new Thing()), noJson('an instance of a class')],
    ['a map', inside(new Map()), noJson('an instance of a class')],
    ['NaN', inside(Number.NaN), noJson('NaN')],
    ['infinity', inside(Number.POSITIVE_INFINITY), noJson('Infinity')],
    ['a bigint', inside(1n), noJson('a bigint')],
    ['a symbol', inside(Symbol('x')), noJson('a symbol')],
    ['a function alone', () => () => 1, whole('is a function, which is no JSON')],
    [
      'a cycle',
      inside(cycle),
      rejection('INVALID_PAYLOAD', 400, 'What "own" answers at "a.1.me" nests deeper than 64 levels.', [
        'a',
        1,
        'me',
      ]),
    ],
    ['1 MiB', () => 'x'.repeat(mebibyte - 2), 'x'.repeat(mebibyte - 2)],
    ['1 MiB and a byte', () => 'x'.repeat(mebibyte - 1), whole('has more than 1,048,576 bytes as JSON')],
    ['nothing', () => undefined, null],
    ['a promise', async () => ({ a: 1 }), { a: 1 }],
    [
      'an error',
      () => {
        throw new Error('out of tea')
      },
      rejection('INTERNAL_SERVER_ERROR', 500, 'out of tea'),
    ],
    [
      'a rejected promise',
      () => Promise.reject(new Error('out of tea')),
      rejection('INTERNAL_SERVER_ERROR', 500, 'out of tea'),
    ],
    [
      'never',
      () => new Promise(() => undefined),
      rejection('OUT_OF_TIME', 408, '"own" has not ended within 20 ms.'),
    ],
  ]
  it.each(cases)('%s', async (_title, given, expected) => {
    answer = given
    expect(await run('own', {})).toEqual(expected)
  })

  it('is FAILED_VALIDATION of the write where it is thrown before one, and no error of the server', async () => {
    answer = () => {
      throw new Error('out of tea')
    }
    for (const when of ['before', 'beforeCommit'] as const) {
      const flow = defineFlow(
        {
          name: when,
          trigger: { on: 'items.create', collections: ['articles'], when },
          first: 'o',
          operations: { o: { type: 'own', options: {} } },
        },
        { operationTypes: types },
      )
      flows = createFlows(engine, { flows: [flow], operationTypes: types, onError: () => undefined })
      await expect(createItem(engine, 'articles', { id: 3 })).rejects.toMatchObject({
        code: 'FAILED_VALIDATION',
        status: 400,
      })
      await flows.stop()
    }
  })
})

describe('bounds', () => {
  const each = { list: '{{ $trigger }}', first: 'i', operations: { i: { type: 'log', options: {} } } }
  const tooMany = rejection('INVALID_PAYLOAD', 400, 'A run has 50,000 operations inside of lists at most.')

  it('50,000 operations inside of lists, and one more', { timeout: 60_000 }, async () => {
    expect(await run('for-each', each, Array(50_000).fill(1))).toHaveLength(50_000)
    await flows?.stop()
    expect(await run('for-each', each, Array(50_001).fill(1))).toEqual(tooMany)
  })

  it('operations of started flows count', { timeout: 60_000 }, async () => {
    const g = defineFlow({
      name: 'g',
      trigger: { on: 'flow', returns: '$trigger' },
      first: 'e',
      operations: { e: { type: 'for-each', options: each as never } },
    })
    const half = Array(24_999).fill(1)
    const options = { flow: 'g', payload: ['{{ $trigger }}', '{{ $trigger }}'] }
    expect(await run('trigger', options, half, [g])).toHaveLength(2)
    await flows?.stop()
    expect(await run('trigger', options, [...half, 1], [g])).toEqual(tooMany)
  })

  it('flows that start each other end at eight', async () => {
    expect(await run('trigger', { flow: 'f' })).toMatchObject({ code: 'UNPROCESSABLE_CONTENT', status: 422 })
  })

  it('a pause of a second', async () => {
    const error = 'A run inside of a call waits for 1000 ms at most, and not for 1001.'
    expect(await run('sleep', { milliseconds: 1_001 })).toEqual(
      rejection('INVALID_PAYLOAD', 400, error, ['milliseconds']),
    )
  })

  it('a collection that is not there is told by the operation', async () => {
    expect(await run('item-read', { collection: 'artcles' })).toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
    })
  })
})
