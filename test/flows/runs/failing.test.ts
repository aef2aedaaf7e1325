// Steps that fail inside of a transaction that they share with others.
import { beforeEach, describe, expect, it } from 'vitest'
import { defineFlow, defineOperation, operationTypes } from '../../../src/flows.ts'
import { createItem, EngineError } from '../../../src/index.ts'
import { databases } from '../../support/databases.ts'
import { note, openWorld, type World } from './world.ts'

/** A note whose key is taken. */
const taken = {
  type: 'item-create' as const,
  options: { collection: 'notes', payload: { id: 1, text: 'again' } },
}
const stepsOf = async (world: World, flow: string) => {
  const run = (await world.runs()).find((one) => one.flow === flow)
  return {
    state: run?.state,
    code: run?.error?.code,
    steps: run?.steps.map(({ number, operation, status, attempt }) => [number, operation, status, attempt]),
  }
}

describe.each(databases)('on $name', (database) => {
  let world: World
  let created: string[]
  beforeEach(async () => {
    world = await openWorld(database)
    await createItem(world.engine, 'notes', { id: 1, text: 'first' })
    created = []
    world.engine.on(
      'items.create',
      'notes',
      ({ payload }) => {
        created.push(String(payload?.text))
      },
      { when: 'after' },
    )
  })

  it('leave what the steps before have written, once, where nobody handles the failure', async () => {
    const unhandled = defineFlow({
      name: 'unhandled',
      trigger: { on: 'flow' },
      access: 'full',
      first: 'a',
      operations: {
        a: { ...note('a'), resolve: 'b' },
        b: { ...note('b'), resolve: 'bad' },
        bad: { ...taken, resolve: 'c' },
        c: note('c'),
      },
    })
    const flows = await world.start({ flows: [unhandled] })
    expect(await flows.run('unhandled', {})).toMatchObject({ state: 'failed' })
    expect(await world.notes()).toEqual(['first', 'a', 'b'])
    expect(await stepsOf(world, 'unhandled')).toEqual({
      state: 'failed',
      code: 'RECORD_NOT_UNIQUE',
      steps: [
        [1, 'a', 'resolved', 1],
        [2, 'b', 'resolved', 1],
        [3, 'bad', 'rejected', 1],
      ],
    })
    expect(created).toEqual(['a', 'b'])
    expect(world.errors).toEqual([])
  })

  it('are handled in the transaction in which they have failed', async () => {
    const handled = defineFlow({
      name: 'handled',
      trigger: { on: 'flow' },
      access: 'full',
      first: 'a',
      operations: { a: { ...note('a'), resolve: 'bad' }, bad: { ...taken, reject: 'c' }, c: note('c') },
    })
    const flows = await world.start({ flows: [handled] })
    await flows.run('handled', {})
    expect(await world.notes()).toEqual(['first', 'a', 'c'])
    expect(await stepsOf(world, 'handled')).toMatchObject({
      state: 'succeeded',
      steps: [
        [1, 'a', 'resolved', 1],
        [2, 'bad', 'rejected', 1],
        [3, 'c', 'resolved', 1],
      ],
    })
    expect(created).toEqual(['a', 'c'])
  })

  it('may fail in a part, and go on', async () => {
    const types = {
      ...operationTypes,
      either: defineOperation({
        kind: 'database',
        doc: 'Writes a note, or another one where its key is taken.',
        options: {},
        run: async (_, { engine }) => {
          try {
            return await createItem(engine, 'notes', { id: 1, text: 'again' })
          } catch (error) {
            if (!(error instanceof EngineError) || error.code !== 'RECORD_NOT_UNIQUE') throw error
            return createItem(engine, 'notes', { text: 'instead' })
          }
        },
      }),
    }
    const parted = defineFlow(
      {
        name: 'parted',
        trigger: { on: 'flow' },
        access: 'full',
        first: 'a',
        operations: {
          a: { ...note('a'), resolve: 'either' },
          either: { type: 'either', options: {}, resolve: 'c' },
          c: note('c'),
        },
      },
      { operationTypes: types },
    )
    const flows = await world.start({ flows: [parted], operationTypes: types })
    await flows.run('parted', {})
    expect(await world.notes()).toEqual(['first', 'a', 'instead', 'c'])
    expect(created).toEqual(['a', 'instead', 'c'])
  })

  it('fail alone inside of a loop, whose iterations before stay', async () => {
    const looped = defineFlow({
      name: 'looped',
      trigger: { on: 'flow' },
      access: 'full',
      first: 'each',
      operations: {
        each: {
          type: 'for-each',
          options: {
            list: '{{ $trigger.list }}',
            first: 'write',
            operations: {
              write: {
                type: 'item-create',
                options: { collection: 'notes', payload: { id: '{{ $item }}', text: 'item {{ $item }}' } },
              },
            },
          },
        },
      },
    })
    const flows = await world.start({ flows: [looped] })
    expect(await flows.run('looped', { list: [5, 6, 1, 7] })).toMatchObject({
      error: { code: 'RECORD_NOT_UNIQUE' },
    })
    expect(await world.notes()).toEqual(['first', 'item 5', 'item 6'])
    expect(created).toEqual(['item 5', 'item 6'])
  })
})
