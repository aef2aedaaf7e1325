// What is done to runs that nobody meant: transactions that are left, errors that are no JSON, loops that are taken up again.
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFlow, defineOperation, type FlowDefinition, operationTypes } from '../../../src/flows.ts'
import { createItem, EngineError, listItems } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { note, openWorld, type World } from './world.ts'

describe.each(databases)('on $name', (database) => {
  let world: World
  let calls = 0
  let act: (call: number, text: string | undefined) => unknown = () => null
  beforeEach(async () => {
    world = await openWorld(database)
    calls = 0
    act = () => null
  })

  const options = { text: { schema: z.string().optional(), doc: 'A text.' } }
  const run = ({ text }: { readonly text?: string | undefined }) => act(++calls, text)
  const types = {
    ...operationTypes,
    ask: defineOperation({ kind: 'outside', doc: 'Asks outside.', options, run }),
    work: defineOperation({ kind: 'database', doc: 'Works in the database.', options, run }),
  }
  const started = (...flows: readonly FlowDefinition[]) => world.start({ operationTypes: types, flows })
  const flow = (definition: Omit<FlowDefinition, 'trigger' | 'access'> & Partial<FlowDefinition>) =>
    defineFlow({ trigger: { on: 'flow' }, access: 'full', ...definition } as never, { operationTypes: types })

  it('has no worker once it is stopped, though it was about to start', async () => {
    const flow = defineFlow({
      name: 'late',
      trigger: { on: 'flow' },
      access: 'full',
      first: 'note',
      operations: { note: note('late') },
    })
    for (const turns of [0, 1, 2, 3, 5, 8]) {
      const flows = await world.flows({ flows: [flow] })
      const started = flows.start()
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
      await flows.stop()
      await started
    }
    const other = await world.flows({ flows: [flow] })
    await other.run('late', {}, { waitMs: 0 })
    await pause(500)
    expect((await world.runs()).map(({ state }) => state)).toEqual(['ready'])
    expect(world.errors).toEqual([])
  })

  it('leaves no transaction open when a worker leaves in the middle of an operation', async () => {
    const flows = await started(
      flow({
        name: 'works',
        first: 'a',
        operations: { a: { ...note('a'), resolve: 'work' }, work: { type: 'work', options: {} } },
      }),
    )
    let end = () => {}
    const work = new Promise<void>((resolve) => {
      end = resolve
    })
    act = () => work
    await flows.run('works', {}, { waitMs: 0 })
    while (calls === 0) await pause(5)
    await flows.stop({ drainMs: 0 })
    // The host's own write waits on SQLite for a transaction that was left open; the operation is still at work.
    await createItem(world.engine, 'articles', { title: 'of the host' })
    if (database.name !== 'sqlite') {
      const left = sql`select pid from pg_stat_activity
        where application_name = current_schema() and state like 'idle in transaction%'`
      while ((await left.execute(world.db)).rows.length > 0) await pause(5)
    }
    expect(await world.notes()).toEqual([])
    end()
  })

  it('takes a loop in a loop up with the $last that it began with', async () => {
    const definition = (type: 'ask' | 'transform') =>
      flow({
        name: type === 'ask' ? 'asks' : 'transforms',
        trigger: { on: 'flow', returns: 'outer' },
        first: 'outer',
        operations: {
          outer: {
            type: 'for-each',
            options: {
              list: [1, 2],
              first: 'list',
              operations: {
                list: {
                  type: 'transform',
                  options: { json: ['a{{ $item }}', 'b{{ $item }}'] },
                  resolve: 'inner',
                },
                inner: {
                  type: 'for-each',
                  options: {
                    list: '{{ $last }}',
                    first: 'one',
                    operations: {
                      one:
                        type === 'ask'
                          ? { type: 'ask', options: { text: '{{ $item }}' }, resolve: 'two' }
                          : { type: 'transform', options: { json: '{{ $item }}' }, resolve: 'two' },
                      two: { type: 'sleep', options: { milliseconds: 1 }, resolve: 'three' },
                      three: {
                        type: 'transform',
                        options: {
                          json: ['{{ one }}', '{{ $item }}', '{{ $index }}', '{{ list }}', '{{ $last }}'],
                        },
                      },
                    },
                  },
                  resolve: 'after',
                },
                after: {
                  type: 'transform',
                  options: { json: ['{{ $item }}', '{{ $index }}', '{{ $last }}'] },
                },
              },
            },
          },
        },
      } as never)
    const flows = await started(definition('ask'), definition('transform'))
    act = (_, text) => text
    const asked = await flows.run('asks')
    const transformed = await flows.run('transforms')
    const three = (item: string, index: number, list: string[]) => [item, item, index, list, null]
    const outer = (number: number, index: number) => {
      const list = [`a${number}`, `b${number}`]
      return [number, index, list.map((item, at) => three(item, at, list))]
    }
    expect(asked.error).toBeUndefined()
    expect(asked.result).toEqual([outer(1, 0), outer(2, 1)])
    expect(transformed.result).toEqual(asked.result)
  })

  it('keeps what an error carries as JSON, without secrets and without asking it again', async () => {
    const secret = 'a-secret-of-the-host'
    const flows = await world.start({
      operationTypes: types,
      secrets: { KEY: secret },
      flows: [
        flow({
          name: 'asks',
          retry: { times: 0 },
          first: 'ask',
          operations: { ask: { type: 'ask', options: {} } },
        }),
      ],
    })
    class Request {
      readonly headers = { authorization: secret }
    }
    act = () => {
      throw new EngineError('FORBIDDEN', 'No.', {
        extensions: { big: 10n, url: new URL(`http://a/?key=${secret}`), request: new Request(), kept: [1] },
      })
    }
    const answer = await flows.run('asks')
    expect(answer).toMatchObject({ state: 'failed', error: { code: 'FORBIDDEN', extensions: { kept: [1] } } })
    expect(calls).toBe(1)
    const loop: { self?: unknown } = {}
    loop.self = loop
    act = () => {
      throw new EngineError('FORBIDDEN', 'No.', { extensions: { loop } })
    }
    expect(await flows.run('asks')).toMatchObject({ state: 'failed', error: { code: 'FORBIDDEN' } })
    expect(calls).toBe(2)
    expect(JSON.stringify(await world.runs())).not.toContain(secret)
  })

  it('keeps texts that no database likes, in lanes, too', async () => {
    const flows = await world.start({
      flows: [
        flow({
          name: 'lane',
          trigger: { on: 'flow', returns: '$trigger' },
          lane: '{{ $trigger.lane }}',
          first: 'a',
          operations: {
            a: { type: 'transform', options: { json: '{{ $trigger }}' }, resolve: 'nap' },
            nap: { type: 'sleep', options: { milliseconds: 1 } },
          },
        } as never),
      ],
    })
    const odd = JSON.parse(
      '{"__proto__":{"b":1},"nul":"a\\u0000b","lone":"\\ud800","2":1,"1":2,"date":"2020-01-01"}',
    ) as object
    for (const lane of [null, 'a\u0000b', '\ud800', { a: '\u0000' }, 'x'.repeat(10_000)]) {
      const answer = await flows.run('lane', { ...odd, lane })
      expect(answer.state).toBe('succeeded')
      expect(JSON.stringify(answer.result)).toBe(JSON.stringify({ ...odd, lane }))
    }
  })

  it('does not begin what was cancelled before its turn', async () => {
    const flows = await world.flows({
      operationTypes: types,
      flows: [
        flow({
          name: 'asks',
          first: 'ask',
          operations: { ask: { type: 'ask', options: { text: '{{ $trigger.n }}' } } },
        }),
      ],
    })
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const told: unknown[] = []
    act = (_, text) => {
      told.push(text)
      return text === 'n1' ? gate.then(() => null) : null
    }
    const runs: { readonly id: string }[] = []
    for (const n of ['n1', 'n2', 'n3']) runs.push(await flows.run('asks', { n }, { waitMs: 0 }))
    await flows.start({ concurrency: 1 })
    while (calls === 0) await pause(5)
    expect(await flows.cancel(runs[1]?.id ?? '')).toBe(true)
    release()
    await world.settle()
    expect(told).toEqual(['n1', 'n3'])
  })

  it('asks for the rights of a caller before each operation, so that the host may ask the database', async () => {
    const asked: unknown[] = []
    const flows = await world.start({
      access: async (_name, { user }) => {
        asked.push(user)
        await listItems(world.engine, 'articles')
        return { user, rules: { notes: { read: true, create: true } } }
      },
      flows: [
        flow({
          name: 'caller',
          access: 'caller',
          first: 'a',
          operations: { a: { ...note('a'), resolve: 'b' }, b: note('b') },
        }),
      ],
    })
    const answer = await flows.run('caller', {}, { access: { user: 7, rules: {} } })
    expect(answer).toMatchObject({ error: undefined, state: 'succeeded' })
    expect(await world.notes()).toEqual(['a', 'b'])
    expect(asked).toEqual([7, 7])
  })

  it('rejects the operation in a loop whose rows the database refuses at the commit, and no other', async () => {
    if (database.name === 'sqlite') return
    await sql`alter table notes add constraint one unique (text) deferrable initially deferred`.execute(
      world.db,
    )
    const flows = await world.start({
      flows: [
        flow({
          name: 'commits',
          first: 'x',
          operations: {
            x: { ...note('x'), resolve: 'each' },
            each: {
              type: 'for-each',
              options: {
                list: ['y', 'x', 'z'],
                first: 'text',
                operations: {
                  text: { type: 'transform', options: { json: '{{ $item }}' }, resolve: 'row' },
                  row: { ...note('{{ text }}'), reject: 'sorry' },
                  sorry: note('sorry {{ $item }}'),
                },
              },
            },
          },
        } as never),
      ],
    })
    expect(await flows.run('commits')).toMatchObject({ error: undefined, state: 'succeeded' })
    expect(await world.notes()).toEqual(['x', 'y', 'sorry x', 'z'])
  })

  it('keeps what it waits for when it stops, however short the lease', async () => {
    let now = Date.now()
    const both = {
      operationTypes: types,
      leaseMs: 300,
      clock: () => now,
      flows: [flow({ name: 'asks', first: 'ask', operations: { ask: { type: 'ask', options: {} } } })],
    }
    const flows = await world.flows(both)
    const others = await world.flows(both)
    await flows.start()
    let end = () => {}
    const asking = new Promise<void>((resolve) => {
      end = resolve
    })
    act = () => asking
    const { id } = await flows.run('asks', {}, { waitMs: 0 })
    while (calls === 0) await pause(5)
    await others.start()
    const stopped = flows.stop({ drainMs: 600_000 })
    const leases = sql<{ lease: string | null }>`select cast(lease as text) as lease from quernel_runs`
    const leaseOf = async () => (await leases.execute(world.db)).rows[0]?.lease
    // Time goes on by twice the lease in all, each time that the lease was extended from there.
    for (let step = 0; step < 6; step++) {
      const before = await leaseOf()
      now += 100
      while ((await leaseOf()) === before) await pause(5)
    }
    end()
    await stopped
    await world.settle()
    expect(calls).toBe(1)
    expect(await world.runs()).toMatchObject([{ id, state: 'succeeded' }])
  })
})
