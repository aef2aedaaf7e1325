// Several items that are one row each are updated by statements that judge them, all or none.
import { beforeEach, describe, expect, it } from 'vitest'
import { createEngine, defineSchema, type Engine, listItems, updateItems } from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'
import { key, number, string } from '../../support/fields.ts'

const schema = defineSchema({ tasks: { fields: { id: key, title: string, points: number, owner: number } } })
const own = { filter: { owner: '$CURRENT_USER' } }
const mine = { user: 1, rules: { tasks: { read: own, update: own } } }
const shape = { fields: ['id', 'title', 'points'] } as const

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let engine: Engine<typeof schema>
  let caller: Engine<typeof schema>
  let updates: string[]
  beforeEach(async () => {
    opened = await open()
    updates = []
    await opened.run(
      'create table tasks (id integer primary key, title text not null, points integer, owner integer, check (points < 100))',
    )
    await opened.run(
      "insert into tasks values (1, 'a', 1, 1), (2, 'b', 2, 1), (3, 'c', 3, 1), (4, 'd', 4, 2)",
    )
    engine = createEngine({
      db: opened.db,
      schema,
      onQuery: ({ sql: text }) => {
        if (/\bupdate "/.test(text)) updates.push(text)
      },
    })
    caller = engine.as(mine as never) as Engine<typeof schema>
  })
  const stored = async () => await opened.run('select title, points from tasks order by id')

  it('keys with data for all of them are one statement, with rules and without', async () => {
    const given = { title: 'x', points: null }
    const made = [3, 1].map((id) => ({ id, ...given }))
    expect(await updateItems(engine, 'tasks', [3, 1], given, shape)).toEqual(made)
    expect(await updateItems(caller, 'tasks', [3, 1], given, shape)).toEqual(made)
    expect(updates).toHaveLength(2)
    expect(await stored()).toMatchObject([given, { title: 'b' }, given, { title: 'd' }])
  })

  it('items of a list are a statement each, and returned in their order', async () => {
    const items = [
      { id: 3, title: 'x' },
      { id: 1, points: 9 },
    ]
    expect(await updateItems(caller, 'tasks', items, shape)).toEqual([
      { id: 3, title: 'x', points: 3 },
      { id: 1, title: 'a', points: 9 },
    ])
    expect(updates).toHaveLength(2)
  })

  it.each([
    ['that is hidden', 4, 'NOT_FOUND'],
    ['that does not exist', 9, 'NOT_FOUND'],
  ] as const)('a key %s refuses all of them, and says which', async (_title, id, code) => {
    const before = await stored()
    const refusal = { code, path: [1] }
    await expect(updateItems(caller, 'tasks', [1, id, 2], { title: 'x' })).rejects.toMatchObject(refusal)
    const items = [1, id, 2].map((key) => ({ id: key, title: 'x' }))
    await expect(updateItems(caller, 'tasks', items)).rejects.toMatchObject(refusal)
    expect(await stored()).toEqual(before)
  })

  it('a value that the database refuses undoes all of them', async () => {
    const before = await stored()
    const items = [
      { id: 1, points: 5 },
      { id: 2, points: 100 },
    ]
    await expect(updateItems(caller, 'tasks', items)).rejects.toMatchObject({ code: 'FAILED_VALIDATION' })
    await expect(updateItems(caller, 'tasks', [1, 2], { points: 100 })).rejects.toMatchObject({
      code: 'FAILED_VALIDATION',
    })
    expect(await stored()).toEqual(before)
  })

  it('in a transaction of the host what is refused leaves the rest of it', async () => {
    await caller.transaction(async (inside) => {
      await updateItems(inside, 'tasks', [1, 2], { title: 'x' })
      await expect(updateItems(inside, 'tasks', [3, 4], { title: 'y' })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      })
      await updateItems(inside, 'tasks', [
        { id: 3, title: 'z' },
        { id: 1, points: 7 },
      ])
    })
    expect(await stored()).toEqual([
      { title: 'x', points: 7 },
      { title: 'x', points: 2 },
      { title: 'z', points: 3 },
      { title: 'd', points: 4 },
    ])
  })

  it('listeners hear of each item after all are stored, in the order of the call', async () => {
    const heard: unknown[] = []
    engine.on(
      'items.update',
      'tasks',
      async ({ keys, payload, engine: after }) => {
        heard.push({ keys, payload, seen: (await listItems(after, 'tasks', { sort: 'id' })).data.length })
      },
      { when: 'after' },
    )
    await updateItems(caller, 'tasks', [3, 1], { title: 'x' })
    await updateItems(caller, 'tasks', [
      { id: 2, title: 'y' },
      { id: 1, points: 7 },
    ])
    expect(heard).toEqual([
      { keys: [3], payload: { title: 'x' }, seen: 3 },
      { keys: [1], payload: { title: 'x' }, seen: 3 },
      { keys: [2], payload: { id: 2, title: 'y' }, seen: 3 },
      { keys: [1], payload: { id: 1, points: 7 }, seen: 3 },
    ])
  })

  it('a key that several rows share is the key of none', async () => {
    await opened.run('drop table tasks')
    await opened.run('create table tasks (id integer, title text, points integer, owner integer)')
    await opened.run("insert into tasks values (1, 'a', 1, 1), (1, 'z', 1, 1), (2, 'b', 2, 1)")
    const before = await stored()
    for (const one of [engine, caller]) {
      await expect(updateItems(one, 'tasks', [1, 9], { points: 7 })).rejects.toMatchObject({ path: [1] })
      await expect(updateItems(one, 'tasks', [1, 2], { points: 7 })).rejects.toMatchObject({
        code: 'RECORD_NOT_UNIQUE',
      })
    }
    expect(await stored()).toEqual(before)
  })

  it('an answer that is too long refuses all of them', async () => {
    const short = createEngine({ db: opened.db, schema, limits: { answerBytes: 1_000 } })
    const before = await stored()
    const long = 'x'.repeat(600)
    await expect(
      updateItems(
        short,
        'tasks',
        [
          { id: 1, title: long },
          { id: 2, title: `${long}y` },
        ],
        shape,
      ),
    ).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    await expect(updateItems(short, 'tasks', [1, 2], { title: long }, shape)).rejects.toMatchObject({
      code: 'INVALID_QUERY',
    })
    expect(await stored()).toEqual(before)
  })

  it('an item that a new value hides is null', async () => {
    const open = engine.as({
      user: 1,
      rules: { tasks: { read: { filter: { title: { _neq: 'gone' } } }, update: true } },
    } as never) as Engine<typeof schema>
    expect(await updateItems(open, 'tasks', [1, 2], { title: 'gone' }, shape)).toEqual([null, null])
    expect(
      await updateItems(
        open,
        'tasks',
        [
          { id: 3, title: 'gone' },
          { id: 4, title: 'x' },
        ],
        shape,
      ),
    ).toEqual([null, { id: 4, title: 'x', points: 4 }])
  })
})
