// Answers that are lost: whoever is not told whether something was stored is told that.
import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../../src/engine/engine.ts'
import {
  createEngine,
  createItem,
  deleteItem,
  type Engine,
  getItem,
  isEngineError,
  listItems,
  upsertItem,
} from '../../../src/index.ts'
import { type Injected, injectedDatabases } from '../../writes/injector.ts'
import { createLibrary, type Library, schema } from '../../writes/library.ts'

const doubtful = {
  code: 'SERVICE_UNAVAILABLE',
  message: 'The outcome of the transaction is unknown: what was written may be stored.',
  extensions: { mayBeStored: true },
}

describe.each(injectedDatabases.filter(({ name }) => name === 'postgres'))('with $title', ({ open }) => {
  let opened: Injected
  let engine: Library
  let told: number
  beforeEach(async () => {
    opened = await open()
    await createLibrary('postgres', opened.db)
    engine = createEngine({ db: opened.db, schema })
    await listItems(engine, 'books')
    told = 0
  })
  const names = async () =>
    (await listItems(engine, 'subjects', { fields: ['name'] })).data.map((subject) => subject.name)
  /** Which call it is that has a text, of those that some work takes. */
  const callOf = async (text: string, work: () => Promise<unknown>) => {
    opened.arm(0)
    await work()
    return opened.calls.findIndex((call) => call.includes(text)) + 1
  }

  it.each([
    ['lost before', 1],
    ['lost after', 0],
  ] as const)('a single statement whose answer is %s may have been run', async (fault, left) => {
    opened.arm(1, fault)
    const heard: unknown[] = []
    internalsOf(engine).hooks.listeners.add((changes) => void heard.push(...changes))
    await expect(deleteItem(engine, 'chapters', 1)).rejects.toMatchObject(doubtful)
    opened.arm(0)
    // Whoever listens looks again.
    expect(heard).toMatchObject([
      { event: 'items.delete', collection: 'chapters', keys: [1], isDoubtful: true },
    ])
    const { data } = await listItems(engine, 'chapters', { filter: { id: 1 } })
    expect(data).toHaveLength(left)
  })

  it('an upsert whose answer is lost may have created an item or updated it, and listeners look again at both', async () => {
    const call = () => upsertItem(engine, 'authors', { id: 1, name: 'Ada' }, { fields: ['id'] })
    // What is asked once of the table is known from here on.
    await call()
    const at = await callOf('insert', call)
    const heard: string[] = []
    internalsOf(engine).hooks.listeners.add((changes) => {
      for (const { event, keys, isDoubtful } of changes) heard.push(`${event} ${keys} ${isDoubtful}`)
    })
    opened.arm(at, 'lost after')
    await expect(call()).rejects.toMatchObject(doubtful)
    opened.arm(0)
    expect(heard.toSorted()).toEqual(['items.create undefined true', 'items.update undefined true'])
  })

  it.each([
    ['lost before', ['tea', 'a']],
    ['lost after', ['tea', 'a', 'b']],
  ] as const)(
    'a commit whose answer is %s may have been made, and no handler is told',
    async (fault, wanted) => {
      const both = (name: string) =>
        engine.transaction(async (inside: Engine<typeof schema>) => {
          await createItem(inside, 'authors', { name })
          await createItem(inside, 'subjects', { name })
        })
      // Our driver sends it behind the end of the last part.
      const at = (await callOf('commit', () => both('a'))) || opened.calls.length
      engine.on('items.create', () => told++, { when: 'after' })
      opened.arm(at, fault)
      await expect(both('b')).rejects.toMatchObject(doubtful)
      opened.arm(0)
      expect([await names(), told]).toEqual([wanted, 0])
    },
  )

  it('what breaks before the end, or is only read, leaves no doubt', async () => {
    const both = (name: string) =>
      engine.transaction(async (inside) => {
        await createItem(inside, 'subjects', { name })
        await createItem(inside, 'authors', { name })
      })
    // Our driver sends it behind the beginning.
    const at = (await callOf('insert', () => both('a'))) || 1
    opened.arm(at, 'lost after')
    const failed = await both('b').catch((error: unknown) => error)
    opened.arm(1, 'lost after')
    const unread = await getItem(engine, 'subjects', 1).catch((error: unknown) => error)
    opened.arm(0)
    for (const error of [failed, unread]) {
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
      expect(isEngineError(error) && error.extensions).toEqual({})
    }
    expect(await names()).toEqual(['tea', 'a'])
  })
})
