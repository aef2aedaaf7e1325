// Messages: what the sender of the host gets; and operations that there are only with an option.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  createFlows,
  defineFlow,
  type FlowDefinition,
  type FlowMessage,
  type Flows,
  type FlowsOptions,
  operationTypes,
} from '../../../src/flows.ts'
import { createEngine, defineSchema, type Engine, EngineError, isEngineError } from '../../../src/index.ts'
import { openSqlite } from '../../support/databases.ts'

let engine: Engine
let flows: Flows | undefined
beforeAll(async () => {
  const opened = await openSqlite()
  const schema = defineSchema({ notes: { fields: { id: { type: 'integer', key: true } } } })
  engine = createEngine({ db: opened.db, schema }) as unknown as Engine
})
afterEach(() => flows?.stop())

const sending = (options: object, type = 'send'): FlowDefinition =>
  ({
    name: 'notify',
    trigger: { on: 'flow' },
    access: 'nobody',
    first: 'sent',
    operations: { sent: { type, options } },
  }) as FlowDefinition // options are tried that are none

async function run(options: object, send: FlowsOptions['send'], payload: unknown = {}) {
  flows = createFlows(engine, {
    ...(send && { send }),
    flows: [sending(options)],
    secrets: { KEY: 'a-secret-of-the-host' },
  })
  const end = await flows.run('notify', payload, { inline: true })
  return end.state === 'succeeded' ? end.result : end.error
}

const fine = { to: 'ada@example.com', subject: 'Tea', body: 'Is ready.' }

describe('a message', () => {
  it.each([
    [fine, { kind: 'mail', to: ['ada@example.com'], subject: 'Tea', body: 'Is ready.' }],
    [
      { kind: 'notification', to: [7, 'b'], subject: 'Tea', type: 'markdown' },
      { kind: 'notification', to: ['7', 'b'], subject: 'Tea', body: '', type: 'markdown' },
    ],
    [
      { to: '{{ $trigger.to }}', subject: '{{ $trigger.to[0] }}: {{ $trigger.n }}' },
      { kind: 'mail', to: ['a', 'b'], subject: 'a: 1', body: '' },
    ],
  ])('is handed to the sender of the host: %j', async (options, message) => {
    const seen: FlowMessage[] = []
    const send: FlowsOptions['send'] = (one, { flow, operation, idempotencyKey }) => {
      seen.push(one)
      return { flow, operation, key: idempotencyKey ?? null }
    }
    const result = await run(options, send, { to: ['a', 'b'], n: 1 })
    expect([seen, result]).toEqual([[message], { flow: 'notify', operation: 'sent', key: null }])
  })

  it('answers null where the sender answers nothing', async () => {
    expect(await run(fine, () => undefined)).toBeNull()
  })

  it('fails where the sender throws an error whose message is no text, or cannot be read', async () => {
    const failed = {
      code: 'INTERNAL_SERVER_ERROR',
      message: 'An operation has failed.',
      status: 500,
      extensions: {},
    }
    const throwing = (message: PropertyDescriptor) => () => {
      throw Object.defineProperty(new Error('none'), 'message', message)
    }
    const unread = () => {
      throw new Error('It is made when it is read.')
    }
    expect(await run(fine, throwing({ value: { from: 'a server' } }))).toEqual(failed)
    expect(await run(fine, throwing({ get: unread }))).toEqual(failed)
  })

  it('fails as the sender fails, without the secrets of the host', async () => {
    expect(
      await run(fine, () => {
        throw new EngineError('INVALID_FOREIGN_KEY', 'Nobody is called a-secret-of-the-host.')
      }),
    ).toMatchObject({ code: 'INVALID_FOREIGN_KEY', status: 400, message: 'Nobody is called --redacted--.' })
    expect(await run(fine, async () => ({ answer: 'a-secret-of-the-host' }))).toEqual({
      answer: '--redacted--',
    })
  })

  it.each([
    ['subject', 'Tea\r\nBcc: all@example.com'],
    ['subject', 'Tea\u2028'],
    ['subject', ''],
    ['to', 'ada@example.com\nbcc: all@example.com'],
    ['to', ['a', 'b\r\n']],
    ['to', []],
    ['to', Array(1_001).fill('a')],
    ['to', { a: 1 }],
    ['kind', 'letter'],
    ['type', ''],
  ])('is refused with a bad %s: %j', async (name, value) => {
    expect(await run({ ...fine, [name]: '{{ $trigger.value }}' }, () => null, { value })).toMatchObject({
      code: 'INVALID_PAYLOAD',
    })
    expect(() => defineFlow(sending({ ...fine, [name]: value }) as never)).toThrow(`"${name}":`)
  })
})

describe('an operation is there with its option alone', () => {
  it.each([
    ['send', fine, 'Give createFlows "send": a function that sends a message.'],
    [
      'json-web-token',
      { operation: 'decode' },
      'Install the package "jose", and give createFlows "jwt": jose.',
    ],
    [
      'script',
      { code: '1' },
      'Install the package "quickjs-emscripten", and give createFlows "script": quickScript().',
    ],
  ])('%s', (type, options, hint) => {
    const definition = sending(options, type)
    expect(defineFlow(definition as never)).toBe(definition)
    try {
      createFlows(engine, { flows: [definition] })
      expect.fail('was not refused')
    } catch (error) {
      if (!isEngineError(error)) throw error
      expect([error.code, error.message, error.hint, error.path]).toEqual([
        'INVALID_OPTIONS',
        `There is no operation "${type}".`,
        hint,
        ['flows', 0, 'operations', 'sent', 'type'],
      ])
    }
  })

  it('and one of the same name of the host without it', async () => {
    const send = { ...operationTypes.log, run: () => 'own', options: {} }
    flows = createFlows(engine, { operationTypes: { ...operationTypes, send }, flows: [sending({})] })
    expect(await flows.run('notify', {}, { inline: true })).toMatchObject({ result: 'own' })
  })

  it.each([
    ['send', 1],
    ['fetch', {}],
    ['jwt', {}],
    ['script', {}],
    ['hosts', 'example.com'],
  ])('which is checked: %s', (name, value) => {
    expect(() => createFlows(engine, { flows: [], [name]: value } as never)).toThrow(`"${name}" is `)
  })
})
