// Flows that are rows: a changed set takes effect as a whole, here at its commit and elsewhere soon.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collectionFlows, createFlows, defineFlow, type Flows } from '../../src/flows.ts'
import {
  type Access,
  createEngine,
  createItem,
  createItems,
  defineSchema,
  deleteItem,
  type Engine,
  listItems,
  updateItem,
} from '../../src/index.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { json, key, number, string, text } from '../support/fields.ts'

const schema = defineSchema({
  articles: { fields: { id: key, title: string, slug: text } },
  flows: {
    fields: {
      id: key,
      name: string,
      trigger: { type: 'json' },
      first: text,
      operations: json,
      active: { type: 'boolean', default: true },
      saved_by: number,
    },
  },
})
type World = Engine<typeof schema>

const editor: Access<typeof schema> = {
  user: 7,
  rules: { flows: { create: true, read: true, update: true } },
}
const author: Access = { user: 7, rules: { articles: { read: true } } }

const limits = {
  access: ['author'],
  author: 'saved_by',
  collections: ['articles'],
  operations: ['condition', 'transform', 'item-read', 'throw-error'],
} as const

/** A row that refuses titles with a letter. */
const without = (letter: string, name = `without ${letter}`) => ({
  name,
  trigger: { on: 'items.create', collections: ['articles'], when: 'before' },
  first: 'c',
  operations: {
    c: {
      type: 'condition',
      options: { filter: { $trigger: { payload: { title: { _ncontains: letter } } } } },
    },
  },
})

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: World
  const started: Flows[] = []
  const openFlows = (on: World, options: object = {}): Flows => {
    const flows = createFlows(on, {
      flows: [collectionFlows('flows', limits)],
      access: (word, { user }) => (word === 'author' && user === 7 ? author : null),
      ...options,
    })
    started.push(flows)
    return flows
  }
  beforeEach(async () => {
    opened = await open()
    const key = name === 'sqlite' ? 'integer primary key' : 'serial primary key'
    const [json, flag] = name === 'sqlite' ? ['text', 'integer'] : ['jsonb', 'boolean']
    await opened.run(
      `create table articles (id ${key}, title text not null, slug text)`,
      `create table flows (id ${key}, name text not null, "trigger" ${json} not null, first text, operations ${json}, active ${flag} not null, saved_by integer)`,
    )
    engine = createEngine({ db: opened.db, schema })
  })
  afterEach(async () => {
    for (const flows of started.splice(0)) await flows.stop()
  })

  const write = (title: string) => createItem(engine, 'articles', { title })
  const refused = (title: string) => expect(write(title)).rejects.toMatchObject({ code: 'FAILED_VALIDATION' })

  it('before they are known, writes of which they might hear are refused', async () => {
    const flows = openFlows(engine)
    await expect(write('tea')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', hint: /flows\.start/ })
    expect(flows.status().isStarted).toBe(false)
    await flows.start()
    await write('tea')
    expect(flows.status()).toEqual({ isStarted: true, flows: [], unrunnable: 0 })
  })

  it('a row takes effect before the call that writes it ends, and ends with it', async () => {
    await openFlows(engine).start()
    const mine = engine.as(editor)
    const row = await createItem(mine, 'flows', without('x'), { fields: ['id'] })
    await refused('xyz')
    await write('tea')
    await updateItem(mine, 'flows', Number(row?.id), without('y'))
    await write('x')
    await refused('y')
    await updateItem(mine, 'flows', Number(row?.id), { active: false })
    await write('y')
    await updateItem(mine, 'flows', Number(row?.id), { active: true })
    await deleteItem(engine, 'flows', Number(row?.id))
    await write('y')
  })

  it('a set that is changed in a transaction takes effect as a whole, at its commit', async () => {
    await openFlows(engine).start()
    await createItem(engine.as(editor), 'flows', without('x'))
    await engine.transaction(async (inside) => {
      await createItems(inside.as(editor), 'flows', [without('y'), without('z')])
      await createItem(inside, 'articles', { title: 'y' })
    })
    await refused('y')
    await refused('z')
    const undone = engine.transaction(async (inside) => {
      await createItem(inside.as(editor), 'flows', without('w'))
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await write('w')
  })

  it('another engine follows within "pollMs"', async () => {
    await openFlows(engine).start()
    const other = createEngine({ db: opened.db, schema })
    await createItem(other, 'flows', { ...without('x'), saved_by: 7 })
    const flows = openFlows(other, { pollMs: 20 })
    await flows.start()
    await createItem(engine.as(editor), 'flows', without('y'))
    const seen = async () => flows.status().flows.length
    await expect.poll(seen, { timeout: 60_000 }).toBe(2)
    await expect(createItem(other, 'articles', { title: 'y' })).rejects.toMatchObject({
      code: 'FAILED_VALIDATION',
    })
  })

  it('a bad row disables itself, says why, and keeps no other from running', async () => {
    const flows = openFlows(engine)
    await flows.start()
    const cyclic = {
      ...without('q', 'cyclic'),
      operations: { c: { type: 'transform', options: { json: 1 }, resolve: 'c' } },
    }
    await createItems(engine.as(editor), 'flows', [
      cyclic,
      {
        ...without('q', 'writes'),
        operations: { c: { type: 'item-create', options: { collection: 'articles', payload: {} } } },
      },
      without('x'),
      without('z', 'without x'),
    ])
    await refused('x')
    await write('q')
    await write('z')
    const states = flows
      .status()
      .flows.map(({ name: one, state, problems }) => [one, state, problems[0]?.message])
    expect(states).toEqual([
      ['cyclic', 'disabled', 'The operations run in a circle: c → c.'],
      ['writes', 'disabled', 'Flows of this collection may not use "item-create".'],
      ['without x', 'active', undefined],
      ['without x', 'disabled', 'There is another flow "without x".'],
    ])
  })

  it('a row of nobody is disabled, and one whose author has no rights any more starts nothing', async () => {
    let rights: Access | null = author
    const flows = openFlows(engine, { access: () => rights })
    await flows.start()
    await createItem(engine, 'flows', without('x'))
    expect(flows.status().flows).toMatchObject([{ state: 'disabled' }])
    await write('x')
    rights = null
    await createItem(engine.as(editor), 'flows', without('y'))
    await write('y')
  })

  it('nobody but the engine writes who has saved a row', async () => {
    await openFlows(engine).start()
    const mine = engine.as(editor)
    await expect(createItem(mine, 'flows', { ...without('x'), saved_by: 1 })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    await createItem(engine, 'flows', { ...without('x'), id: 5, saved_by: 1 })
    await expect(updateItem(mine, 'flows', 5, { saved_by: 2 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await updateItem(mine, 'flows', 5, { name: 'mine' })
    expect((await listItems(engine, 'flows', { fields: ['saved_by'] })).data).toEqual([{ saved_by: 7 }])
  })

  it('a row may start those of its collection, and the named ones of the host', async () => {
    const hosts = ['listed', 'unlisted'].map((one) =>
      defineFlow({
        name: one,
        trigger: { on: 'flow' },
        first: 'who',
        operations: { who: { type: 'transform', options: { json: '{{ $accountability.user }}' } } },
      }),
    )
    const flows = openFlows(engine, {
      flows: [
        ...hosts,
        collectionFlows('flows', { ...limits, operations: ['trigger', 'throw-error'], flows: ['listed'] }),
      ],
    })
    await flows.start()
    const starting = (target: string) => ({
      ...without('x', `starts ${target}`),
      operations: {
        c: { type: 'trigger', options: { flow: target }, resolve: 'told' },
        told: { type: 'throw-error', options: { message: 'by {{ $last }}' } },
      },
    })
    await createItem(engine.as(editor), 'flows', starting('unlisted'))
    expect(flows.status().flows.at(-1)).toMatchObject({ state: 'disabled' })
    await createItem(engine.as(editor), 'flows', starting('listed'))
    // What a row starts is started by its author, and not by whoever happens to cause it.
    await expect(
      createItem(engine.as({ admin: true, user: 1 }), 'articles', { title: 'tea' }),
    ).rejects.toThrow('by 7')
  })
})
