// Two who write at the same time: whatever moment the second one chooses, it is as if one had come after the other. So no rule lets a row be
// written that has ceased to be one of its own, and what is answered is what was stored.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createEngine,
  createItem,
  deleteByQuery,
  deleteItem,
  deleteItems,
  isEngineError,
  listItems,
  updateByQuery,
  updateItem,
  updateItems,
} from '../../src/index.ts'
import { titled } from '../support/titled.ts'
import { type Lists, schema } from './random-writes.ts'
import { type Stepped, steppedDatabases } from './stepped-databases.ts'

/** Sees the tasks of the first tenant, and changes their drafts. */
const access: Access<typeof schema> = {
  rules: {
    lists: { read: true, update: true },
    tasks: {
      read: { filter: { tenant: 1 } },
      create: true,
      update: { filter: { status: 'draft' } },
      delete: { filter: { status: 'draft' } },
    },
    notes: { read: { filter: { tenant: 1 } }, update: { filter: { status: 'draft' } } },
  },
}

interface Call {
  readonly title: string
  readonly run: (engine: Lists) => Promise<unknown>
}

const change = { text: 'changed' } as const
const calls: readonly Call[] = titled({
  updateItem: { run: (engine) => updateItem(engine, 'tasks', 1, change) },
  'updateItems by keys': { run: (engine) => updateItems(engine, 'tasks', [2, 1], change) },
  'updateItems of partials': {
    run: (engine) =>
      updateItems(engine, 'tasks', [
        { id: 2, text: 'b' },
        { id: 1, text: 'a' },
      ]),
  },
  updateByQuery: { run: (engine) => updateByQuery(engine, 'tasks', { filter: { id: 1 } }, change) },
  deleteItem: { run: (engine) => deleteItem(engine, 'tasks', 1) },
  'deleteItems by keys': { run: (engine) => deleteItems(engine, 'tasks', [2, 1]) },
  deleteByQuery: { run: (engine) => deleteByQuery(engine, 'tasks', { filter: { id: 1 } }) },
  'updateItem of a child': {
    run: (engine) => updateItem(engine, 'lists', 1, { tasks: { update: [{ id: 1, text: 'changed' }] } }),
  },
  'updateItem that deletes a child': {
    run: (engine) => updateItem(engine, 'lists', 1, { tasks: { delete: [1] } }),
  },
  'updateItem to a set without children': { run: (engine) => updateItem(engine, 'lists', 1, { notes: [] }) },
  'updateItem that hangs a child in': {
    run: (engine) => updateItem(engine, 'lists', 2, { tasks: { update: [{ id: 1 }] } }),
  },
})

const others: Readonly<Record<string, string>> = {
  'is published': `status = 'published'`,
  'moves to another tenant': 'tenant = 2',
}

describe.each(steppedDatabases)('on $name', ({ name, open, create }) => {
  let opened: Stepped
  let engine: Lists
  beforeAll(async () => {
    opened = await open()
    for (const table of create) await sql.raw(table).execute(opened.other)
  })
  beforeEach(() => {
    engine = createEngine({ db: opened.db, schema })
    opened.stepping.before = undefined
  })
  afterAll(() => opened.close())

  const fill = async () => {
    for (const table of ['notes', 'tasks', 'lists'])
      await sql.raw(`delete from ${table}`).execute(opened.other)
    await sql.raw(`insert into lists values (1, 'one'), (2, 'two')`).execute(opened.other)
    await sql
      .raw(`insert into tasks values (1, 1, 'draft', 'x', 1), (2, 1, 'draft', 'y', 1)`)
      .execute(opened.other)
    await sql.raw(`insert into notes values (1, 1, 'draft', 1)`).execute(opened.other)
  }
  const contents = async () => {
    const all: unknown[] = []
    for (const table of ['lists', 'tasks', 'notes'])
      all.push((await sql.raw(`select * from ${table} order by id`).execute(opened.other)).rows)
    return JSON.stringify(all)
  }
  const outcomeOf = (run: Promise<unknown>) =>
    run.then(
      (answer) => JSON.stringify(answer ?? null),
      (error: unknown) => (isEngineError(error) ? error.code : String(error)),
    )

  describe.each(Object.entries(others))('a row that %s', (_title, setting) => {
    const writes = () =>
      opened.other.transaction().execute(async (trx) => {
        for (const table of ['tasks', 'notes'])
          await sql.raw(`update ${table} set ${setting} where id = 1`).execute(trx)
      })

    it.each(calls)('$title comes before or after the other write, whenever that is', async ({ run }) => {
      const narrowed = engine.as(access) as Lists
      const ours = () => run(narrowed)
      const first = async () => {
        const outcome = await outcomeOf(ours())
        await writes()
        return outcome
      }
      await fill()
      const before = (await first()) + (await contents())
      await fill()
      await writes()
      const after = (await outcomeOf(ours())) + (await contents())
      expect(before).not.toBe(after)
      for (let stop = 1, isReached = true; isReached; stop++) {
        await fill()
        isReached = false
        let isLate = false
        opened.stepping.steps = 0
        opened.stepping.before = async (step) => {
          if (step !== stop) return
          isReached = true
          // Whoever finds the rows held comes later.
          isLate = !(await writes().then(() => true, opened.isHeld))
        }
        const outcome = await outcomeOf(ours())
        opened.stepping.before = undefined
        if (isLate || !isReached) await writes()
        expect([before, after], `stopped before statement ${stop}`).toContain(outcome + (await contents()))
      }
    })
  })

  it('createItem answers what it has created, whoever deletes it at once', async () => {
    for (let stop = 1, isReached = true; isReached; stop++) {
      await fill()
      isReached = false
      opened.stepping.steps = 0
      opened.stepping.before = async (step) => {
        if (step !== stop) return
        isReached = true
        await sql.raw(`delete from tasks where text = 'new'`).execute(opened.other).catch(opened.isHeld)
      }
      const task = { tenant: 1, status: 'draft', text: 'new' }
      const made = await createItem(engine, 'tasks', task)
      expect(made).toMatchObject(task)
      const changed = await updateItem(engine, 'tasks', 1, { text: 'new' })
      expect(changed).toMatchObject({ text: 'new' })
      opened.stepping.before = undefined
    }
  })

  it('hooks are called before rows are held, and what a query finds no more is not changed', async () => {
    await fill()
    const asked: unknown[] = []
    const isWritten: unknown[] = []
    const write = (change: string) =>
      sql
        .raw(`update ${change}`)
        .execute(opened.other)
        .then(() => isWritten.push(true), opened.isHeld)
    engine.on(
      'items.update',
      'tasks',
      ({ keys }) => asked.push(keys) && write(`tasks set status = 'done' where id = 1`),
      { when: 'before' },
    )
    const drafts = { filter: { status: 'draft' } } as const
    const isFree = name === 'postgres'
    expect(await updateByQuery(engine, 'tasks', drafts, change)).toEqual(
      isFree ? { updated: 1, keys: [2] } : { updated: 2, keys: [1, 2] },
    )
    expect(asked).toEqual(isFree ? [[1], [2], [2]] : [[1], [2]])
    engine.on('items.create', 'notes', () => write(`lists set name = 'first' where id = 1`), {
      when: 'before',
    })
    const note = { tenant: 1, status: 'draft' }
    await updateByQuery(engine, 'lists', { filter: { id: 1 } }, { notes: { create: [note] } })
    expect(isWritten.length).toBe(isFree ? 3 : 0)
    expect(await listItems(engine, 'lists', { fields: ['name', 'notes.status'], limit: 1 })).toEqual({
      data: [{ name: isFree ? 'first' : 'one', notes: [{ status: 'draft' }, { status: 'draft' }] }],
    })
  })

  it('updateItems of partials in another order wait for each other and for nobody else', async () => {
    await fill()
    const turns = Array.from({ length: 10 }, (_, index) => {
      const partials = [
        { id: 1, text: `a${index}` },
        { id: 2, text: `b${index}` },
      ]
      return updateItems(engine, 'tasks', index % 2 === 0 ? partials : partials.toReversed())
    })
    await Promise.all(turns)
    const { data } = await listItems(engine, 'tasks', { fields: ['text'] })
    expect(data[0]?.text.slice(1)).toBe(data[1]?.text.slice(1))
    expect(await opened.deadlocks()).toBe(0)
  })
})
