// Attempts that are repeated: what a flow wrote in the failed one is gone, and it has written once.
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFlows, defineFlow, defineOperation, type Flows, operationTypes } from '../../src/flows.ts'
import { createEngine, createItem, defineSchema, type Engine, listItems } from '../../src/index.ts'
import { databases } from '../support/databases.ts'

const schema = defineSchema({
  articles: { fields: { id: { type: 'integer', key: true }, title: { type: 'string' } } },
  counters: { fields: { id: { type: 'integer', key: true }, value: { type: 'integer' } } },
  notes: { fields: { id: { type: 'integer', key: true }, text: { type: 'string' } } },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let engine: Engine<typeof schema>
  let flows: Flows
  /** The notes of all attempts. */
  let runs: string[] = []
  beforeEach(async () => {
    const opened = await open()
    const key = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
    await opened.run(
      `create table articles (id ${key}, title text not null)`,
      `create table counters (id ${key}, value integer not null)`,
      `create table notes (id ${key}, text text not null)`,
      'insert into counters (id, value) values (1, 0), (2, 0)',
    )
    engine = createEngine({ db: opened.db, schema })
    runs = []
    const types = {
      ...operationTypes,
      wait: defineOperation({
        kind: 'pure',
        doc: 'Lets others go on.',
        options: {},
        run: async () => {
          await pause(150)
          return null
        },
      }),
    }
    // Each locks one counter, lets the other flow lock the other one, and then wants both.
    const counting = (title: string, first: number, second: number) =>
      defineFlow(
        {
          name: title,
          trigger: { on: 'items.create', collections: ['articles'], when: 'beforeCommit' },
          access: 'full',
          first: 'mine',
          operations: {
            mine: {
              type: 'condition',
              options: { filter: { $trigger: { payload: { title } } } },
              resolve: 'note',
              reject: 'other',
            },
            other: { type: 'log', options: { message: 'Of the other flow.' } },
            note: {
              type: 'item-create',
              options: { collection: 'notes', payload: { text: title } },
              resolve: 'one',
            },
            one: {
              type: 'item-update',
              options: { collection: 'counters', key: first, payload: { value: { _inc: 1 } } },
              resolve: 'wait',
            },
            wait: { type: 'wait', options: {}, resolve: 'two' },
            two: {
              type: 'item-update',
              options: { collection: 'counters', key: second, payload: { value: { _inc: 1 } } },
            },
          },
        },
        { operationTypes: types },
      )
    flows = createFlows(engine, {
      operationTypes: types,
      flows: [counting('up', 1, 2), counting('down', 2, 1)],
      onError: () => undefined,
    })
    engine.on('items.create', 'notes', ({ payload }) => void runs.push(String(payload?.text)), {
      when: 'before',
    })
  })
  afterEach(() => flows.stop())

  it('two flows that wait for each other are each stored once', async () => {
    await Promise.all(['up', 'down'].map((title) => createItem(engine, 'articles', { title })))
    expect((await listItems(engine, 'counters', { fields: ['value'] })).data).toEqual([
      { value: 2 },
      { value: 2 },
    ])
    expect((await listItems(engine, 'notes', { fields: ['text'], sort: 'text' })).data).toEqual([
      { text: 'down' },
      { text: 'up' },
    ])
    expect((await listItems(engine, 'articles')).data).toHaveLength(2)
    // Where one writer holds the whole database nobody waits for another.
    expect(runs).toHaveLength(name === 'sqlite' ? 2 : 3)
  })
})
