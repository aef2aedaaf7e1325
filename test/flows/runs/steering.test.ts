// Runs on their way: lanes, repeats, cancels, sleep, and starts that are named.
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFlow, defineOperation, type FlowDefinition, operationTypes } from '../../../src/flows.ts'
import { createItem, EngineError } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { note, openWorld, type World } from './world.ts'

describe.each(databases)('on $name', (database) => {
  let world: World
  /** Answers of the operation that asks outside, in their order; at the end it answers. */
  let answers: unknown[] = []
  let asked: (string | undefined)[] = []
  beforeEach(async () => {
    world = await openWorld(database)
    answers = []
    asked = []
  })

  const types = {
    ...operationTypes,
    ask: defineOperation({
      kind: 'outside',
      doc: 'Asks outside.',
      options: {
        text: { schema: z.string().optional(), doc: 'A text.' },
        key: { schema: z.string().optional(), doc: 'A secret.', isSecret: true },
      },
      async run({ key }, { idempotencyKey, signal }) {
        asked.push(idempotencyKey)
        const answer = answers.shift()
        if (answer === 'hang') await pause(60_000, undefined, { signal })
        if (answer instanceof Error) throw answer
        return answer ?? { sent: key ?? null }
      },
    }),
  }
  const started = (...flows: readonly FlowDefinition[]) => world.start({ operationTypes: types, flows })
  const flow = (definition: Omit<FlowDefinition, 'trigger' | 'access'> & Partial<FlowDefinition>) =>
    defineFlow({ trigger: { on: 'flow' }, access: 'full', ...definition } as never, { operationTypes: types })

  /** A flow that asks outside, and one that starts it. */
  const parentAndChild = (options: object = {}) => [
    flow({ name: 'child', first: 'ask', operations: { ask: { type: 'ask', options: {} } } }),
    flow({
      name: 'parent',
      first: 't',
      operations: { t: { type: 'trigger', options: { flow: 'child', ...options } } },
    }),
  ]

  it('answers the end of a run, with its steps', async () => {
    const flows = await world.start({
      flows: [
        flow({
          name: 'one',
          first: 'a',
          operations: { a: { ...note('a'), resolve: 'b' }, b: { type: 'log', options: { message: 'x' } } },
        }),
      ],
    })
    const run = await flows.run('one', { n: 1 })
    expect(run).toMatchObject({ state: 'succeeded', flow: 'one', result: null })
    expect(run.steps?.map(({ operation, status, result }) => [operation, status, result])).toEqual([
      ['a', 'resolved', [1]],
      ['b', 'resolved', null],
    ])
  })

  it('starts one run by a key, and refuses the key with something else', async () => {
    const flows = await world.flows({
      flows: [flow({ name: 'one', first: 'a', operations: { a: note('a') } })],
    })
    const before = await flows.run('one', { n: 1 }, { key: 'k' })
    expect(before.state).toBe('ready')
    await flows.start()
    const [first, second] = await Promise.all([
      flows.run('one', { n: 1 }, { key: 'k' }),
      flows.run('one', { n: 1 }, { key: 'k' }),
    ])
    expect(first.id).toBe(before.id)
    expect(second.id).toBe(before.id)
    expect(first.state).toBe('succeeded')
    await expect(flows.run('one', { n: 2 }, { key: 'k' })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_CONTENT',
    })
    expect(await world.runs()).toHaveLength(1)
  })

  it('repeats what may pass, by the same key, and then takes its reject', async () => {
    const flows = await started(
      flow({
        name: 'asks',
        retry: { times: 2, delayMs: 1 },
        first: 'before',
        operations: {
          before: { ...note('before'), resolve: 'ask' },
          ask: { type: 'ask', options: {}, resolve: 'done', reject: 'sorry' },
          done: note('done'),
          sorry: note('sorry {{ ask.message }}'),
        },
      }),
    )
    answers = [new Error('Line 1.'), new EngineError('SERVICE_UNAVAILABLE', 'Line 2.')]
    expect(await flows.run('asks')).toMatchObject({ state: 'succeeded' })
    expect(new Set(asked).size).toBe(1)
    expect(asked).toHaveLength(3)
    answers = [new Error('Line 1.'), new Error('Line 2.'), new Error('Line 3.')]
    const failed = await flows.run('asks')
    expect(failed.state).toBe('succeeded')
    expect(asked).toHaveLength(6)
    answers = [new EngineError('FORBIDDEN', 'Never.')]
    await flows.run('asks')
    expect(asked).toHaveLength(7)
    expect(await world.notes()).toEqual([
      'before',
      'done',
      'before',
      'sorry Line 3.',
      'before',
      'sorry Never.',
    ])
  })

  it('keeps a run that failed, and takes it up where it failed, or from an operation on', async () => {
    const flows = await started(
      flow({
        name: 'asks',
        retry: { times: 0 },
        trigger: { on: 'flow', returns: '$last' },
        first: 'a',
        operations: {
          a: { ...note('a'), resolve: 'b' },
          b: { ...note('b {{ a }}'), resolve: 'ask' },
          ask: { type: 'ask', options: {}, resolve: 'c' },
          c: { ...note('c {{ b }} {{ ask.sent }}'), resolve: 'all' },
          all: { type: 'transform', options: { json: ['{{ a }}', '{{ b }}'] } },
        },
      }),
    )
    answers = [new EngineError('FORBIDDEN', 'Never.')]
    const run = await flows.run('asks')
    expect(run).toMatchObject({ state: 'failed', error: { code: 'FORBIDDEN', message: 'Never.' } })
    await flows.retry(run.id)
    await world.settle()
    expect(await world.notes()).toEqual(['a', 'b [1]', 'c [2] null'])
    expect((await world.runs())[0]).toMatchObject({ state: 'succeeded', result: [[1], [2]], error: null })
    await expect(flows.retry(run.id)).rejects.toMatchObject({ code: 'UNPROCESSABLE_CONTENT' })
    expect(await flows.cancel('none')).toBe(false)
    for (const id of ['none', '0f0e0d0c-0000-4000-8000-000000000000'])
      await expect(flows.retry(id)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
    answers = [new EngineError('FORBIDDEN', 'Never.')]
    const other = await flows.run('asks')
    await expect(flows.retry(other.id, { from: 'all' })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    await flows.retry(other.id, { from: 'b' })
    await world.settle()
    expect((await world.notes()).slice(3)).toEqual(['a', 'b [4]', 'b [4]', 'c [6] null'])
    const steps = (await world.runs())[1]?.steps ?? []
    expect(steps.map(({ number, operation }) => [number, operation])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'ask'],
      [4, 'b'],
      [5, 'ask'],
      [6, 'c'],
      [7, 'all'],
    ])
  })

  it('takes a loop up at the value at which it failed', async () => {
    const flows = await started(
      flow({
        name: 'loop',
        retry: { times: 0 },
        first: 'l',
        operations: {
          l: {
            type: 'for-each',
            options: {
              list: [1, 2, 3],
              first: 'n',
              operations: {
                n: { ...note('n {{ $item }}'), resolve: 'a' },
                a: { type: 'ask', options: {} },
              },
            },
          },
        },
      }),
    )
    answers = [1, new EngineError('FORBIDDEN', 'Not now.')]
    const run = await flows.run('loop')
    expect(run).toMatchObject({ state: 'failed', error: { message: 'Not now.' } })
    answers = [2, 3]
    await flows.retry(run.id)
    await world.settle()
    expect(await world.notes()).toEqual(['n 1', 'n 2', 'n 3'])
    expect((await world.runs())[0]).toMatchObject({ state: 'succeeded', result: [1, 2, 3] })
  })

  it('starts what a cancelled run has waited for again', async () => {
    const flows = await started(...parentAndChild({ payload: [1, 2] }))
    answers = ['first', 'hang']
    const parent = await flows.run('parent', {}, { waitMs: 0 })
    await expect.poll(() => asked.length).toBe(2)
    await flows.cancel(parent.id)
    answers = ['second']
    await flows.retry(parent.id)
    await world.settle()
    expect((await world.runs())[0]).toMatchObject({ state: 'succeeded', result: ['first', 'second'] })
  })

  it('lets the runs of a lane follow each other, in their order', async () => {
    const flows = await world.flows({
      operationTypes: types,
      flows: [
        defineFlow(
          {
            name: 'lane',
            trigger: { on: 'items.update', collections: ['articles'], when: 'after' },
            access: 'full',
            lane: '{{ $trigger.key }}',
            retry: { times: 0 },
            first: 'ask',
            operations: {
              ask: { type: 'ask', options: {}, resolve: 'note' },
              note: note('{{ $trigger.key }} {{ $trigger.payload.title }}'),
            },
          },
          { operationTypes: types },
        ),
      ],
    })
    for (const id of [1, 2]) await createItem(world.engine, 'articles', { id })
    const { updateItem } = await import('../../../src/index.ts')
    answers = [undefined, new EngineError('FORBIDDEN', 'One fails.')]
    for (const title of ['a', 'b', 'c', 'd'])
      for (const id of [1, 2]) await updateItem(world.engine, 'articles', id, { title })
    const states = (await world.runs()).map(({ state, waits, lane }) => [state, waits, lane])
    expect(states.slice(0, 4)).toEqual([
      ['ready', null, '1'],
      ['ready', null, '2'],
      ['waiting', 'lane', '1'],
      ['waiting', 'lane', '2'],
    ])
    await flows.start({ concurrency: 4 })
    await world.settle()
    const notes = await world.notes()
    const of = (key: string) => notes.filter((text) => text.startsWith(key))
    expect([...of('1'), ...of('2')].length).toBe(7)
    for (const key of ['1', '2'])
      expect(of(key)).toEqual([...of(key)].sort((one, other) => one.localeCompare(other)))
  })

  it('leaves a lane to the run that is asleep in it while an earlier one is taken up again', async () => {
    let now = Date.now()
    const flows = await world.start({
      operationTypes: types,
      clock: () => now,
      leaseMs: 24 * 3_600_000,
      flows: [
        flow({
          name: 'lane',
          lane: 'one',
          retry: { times: 0 },
          first: 'ask',
          operations: {
            ask: { type: 'ask', options: {}, resolve: 'begin' },
            begin: { ...note('{{ $trigger.run }} begins'), resolve: 'sleep' },
            sleep: { type: 'sleep', options: { milliseconds: 60_000 }, resolve: 'end' },
            end: note('{{ $trigger.run }} ends'),
          },
        }),
      ],
    })
    answers = [new EngineError('FORBIDDEN', 'One fails.')]
    const first = await flows.run('lane', { run: 1 }, { waitMs: 30_000 })
    expect(first.state).toBe('failed')
    await flows.run('lane', { run: 2 }, { waitMs: 0 })
    await expect.poll(() => world.notes(), { timeout: 60_000 }).toEqual(['2 begins'])
    await flows.retry(first.id)
    const states = async () => (await world.runs()).map(({ state, waits }) => [state, waits])
    expect((await states())[0]).toEqual(['waiting', 'lane'])
    // The sweep, which comes each five seconds, leaves it there.
    await pause(6_000)
    expect((await states())[0]).toEqual(['waiting', 'lane'])
    expect(await world.notes()).toEqual(['2 begins'])
    now += 60_000
    // The one that was taken up again sleeps, too, and later.
    const later = setInterval(() => {
      now += 60_000
    }, 500)
    await expect.poll(() => world.notes(), { timeout: 60_000 }).toHaveLength(4)
    clearInterval(later)
    expect(await world.notes()).toEqual(['2 begins', '2 ends', '1 begins', '1 ends'])
    expect(world.errors).toEqual([])
  })

  it('cancels what is asleep, waiting or running, with what it waits for', async () => {
    const flows = await started(
      ...parentAndChild(),
      flow({
        name: 'asleep',
        first: 's',
        operations: { s: { type: 'sleep', options: { milliseconds: 3_600_000 } } },
      }),
    )
    answers = ['hang']
    const parent = await flows.run('parent', {}, { waitMs: 0 })
    const asleep = await flows.run('asleep', {}, { waitMs: 0 })
    await expect
      .poll(async () => (await world.runs()).map(({ flow: name, state }) => `${name} ${state}`).sort())
      .toEqual(['asleep ready', 'child running', 'parent waiting'])
    expect(await flows.cancel(parent.id)).toBe(true)
    expect(await flows.cancel(asleep.id)).toBe(true)
    expect(await flows.cancel(asleep.id)).toBe(false)
    expect((await world.runs()).map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    answers = ['hang']
    const other = await flows.run('parent', {}, { waitMs: 0 })
    const hanging = async () =>
      (await world.runs()).find(({ flow: name, state }) => name === 'child' && state === 'running')?.id
    await expect.poll(hanging).toBeDefined()
    await flows.cancel((await hanging()) ?? '')
    await expect
      .poll(async () => (await world.runs()).find(({ id }) => id === other.id)?.state)
      .toBe('failed')
    expect(world.errors).toEqual([])
  })

  it('fails a run whose definition does not fit any more, and leaves one with operations of others', async () => {
    const first = await world.flows({
      operationTypes: types,
      flows: [
        flow({ name: 'mine', first: 's', operations: { s: { type: 'ask', options: {} } } }),
        flow({ name: 'gone', first: 's', operations: { s: note('x') } }),
      ],
    })
    await first.run('mine')
    await first.run('gone')
    await first.stop()
    await sql
      .raw(`update quernel_runs set definition = 'lost', origin = null where flow = 'gone'`)
      .execute(world.db)
    const second = await world.start({ flows: [] })
    await expect.poll(async () => (await world.runs()).map(({ state }) => state)).toEqual(['ready', 'failed'])
    expect((await world.runs())[1]?.error?.message).toContain('does not fit any more')
    await expect.poll(() => second.status().unrunnable, { timeout: 60_000 }).toBe(1)
    await second.stop()
    await started()
    // A run keeps the definition that it began with, though nobody has it any more.
    await expect
      .poll(async () => (await world.runs()).map(({ state }) => state))
      .toEqual(['succeeded', 'failed'])
  })

  it('keeps the texts of secrets out of all that it stores and tells', async () => {
    const secret = 'very-secret-text'
    const flows = await world.start({
      operationTypes: types,
      secrets: { KEY: secret },
      flows: [
        flow({
          name: 'tells',
          retry: { times: 0 },
          trigger: { on: 'flow', returns: '$all' },
          first: 'ask',
          operations: {
            ask: {
              type: 'ask',
              options: { text: 'x', key: '{{ $env.KEY }}' },
              resolve: 'twice',
              reject: 'twice',
            },
            twice: { type: 'ask', options: { key: 'Bearer {{ $env.KEY }}' } },
          },
        }),
      ],
    })
    answers = [{ headers: { [`x-${secret}`]: `Bearer ${secret}` } }]
    const run = await flows.run('tells')
    expect(run.state).toBe('succeeded')
    expect(run.steps?.[0]?.result).toEqual({ headers: { 'x---redacted--': 'Bearer --redacted--' } })
    answers = [
      new Error(`Refused ${secret}.`),
      new EngineError('FORBIDDEN', `No ${secret}`, { extensions: { sent: secret } }),
    ]
    const failed = await flows.run('tells')
    expect(failed).toMatchObject({ state: 'failed', error: { message: 'No --redacted--' } })
    for (const table of ['quernel_runs', 'quernel_steps', 'quernel_flows']) {
      const { rows } = await sql.raw(`select * from ${table}`).execute(world.db)
      expect(rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(rows)).not.toContain(secret)
    }
    expect(JSON.stringify([run, failed, world.errors.map(String)])).not.toContain(secret)
  })

  it('gives its runs back when it stops', async () => {
    const options = {
      operationTypes: types,
      flows: [
        flow({
          name: 'long',
          first: 'l',
          operations: {
            l: {
              type: 'for-each',
              options: {
                list: Array.from({ length: 40 }, (_, at) => at),
                first: 'n',
                operations: { n: { ...note('{{ $item }}'), resolve: 'a' }, a: { type: 'ask', options: {} } },
              },
            },
          },
        }),
      ],
    }
    const flows = await world.start(options)
    await flows.run('long', {}, { waitMs: 0 })
    await expect.poll(async () => (await world.notes()).length).toBeGreaterThan(2)
    await flows.stop()
    const count = (await world.notes()).length
    expect((await world.runs())[0]).toMatchObject({ state: count === 40 ? 'succeeded' : 'ready', attempt: 0 })
    await world.start(options)
    await world.settle()
    expect(await world.notes()).toEqual(Array.from({ length: 40 }, (_, at) => String(at)))
    expect(asked).toHaveLength(40)
    expect(new Set(asked).size).toBe(40)
  })

  it('keeps the place in its loops when it stops before it has come there again', async () => {
    const inner = {
      type: 'for-each',
      options: {
        list: [0, 1, 2],
        first: 'n',
        operations: { n: { ...note('{{ $item }}'), resolve: 'a' }, a: { type: 'ask', options: {} } },
      },
    }
    const outer = { type: 'for-each', options: { list: [0, 1], first: 'i', operations: { i: inner } } }
    const options = {
      operationTypes: types,
      flows: [flow({ name: 'long', first: 'o', operations: { o: outer } })],
    }
    answers = [null, null, null, null, 'hang']
    const first = await world.start(options)
    await first.run('long', {}, { waitMs: 0 })
    await expect.poll(() => asked.length, { timeout: 60_000 }).toBe(5)
    await first.stop({ drainMs: 0 })
    await sql`update quernel_runs set lease = due`.execute(world.db)
    const second = await world.flows(options)
    const stopped = new Promise<void>((resolve) => {
      world.onStatement = (text) => {
        if (!/from "quernel_steps"/.test(text)) return
        world.onStatement = undefined
        resolve(second.stop())
      }
    })
    await second.start()
    await stopped
    expect(asked).toHaveLength(5)
    await (await world.flows(options)).start()
    await world.settle()
    expect(await world.notes()).toEqual(['0', '1', '2', '0', '1', '2'])
    // The call that was broken off is made once more, by its key.
    expect(asked).toHaveLength(7)
    expect(new Set(asked).size).toBe(6)
  })

  it('takes a run up behind what it has recorded, if its end could not be stored', async () => {
    const list = { list: [0, 1], first: 'a', operations: { a: { type: 'ask', options: {} } } }
    const each = flow({ name: 'each', first: 'o', operations: { o: { type: 'for-each', options: list } } })
    const flows = await world.flows({ operationTypes: types, flows: [each] })
    const { id } = await flows.run('each', {}, { waitMs: 0 })
    // The last attempt that it has. Its state has room for no end that is well.
    await sql`update quernel_runs set attempt = 3`.execute(world.db)
    await world.refuseState('succeeded')
    await flows.start()
    await expect.poll(async () => (await world.runs())[0]?.state, { timeout: 60_000 }).toBe('failed')
    expect(asked).toHaveLength(2)
    await world.refuseState('none')
    await flows.retry(id)
    await world.settle()
    expect((await world.runs())[0]).toMatchObject({ state: 'succeeded' })
    expect(asked).toHaveLength(2)
  })
})
