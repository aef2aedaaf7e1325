// What is no key whatever, such as arguments in another order, is a mistake and no item that is missing. Defaults are judged with their schema.
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  compareVersion,
  createEngine,
  createVersion,
  defineSchema,
  deleteItem,
  deleteItems,
  type Engine,
  getItem,
  type Schema,
  updateItem,
} from '../../src/index.ts'
import { databases } from '../support/databases.ts'

const id = { type: 'integer', key: true } as const
const schema: Schema = defineSchema({
  notes: { versioned: true, fields: { id, text: { type: 'string' } } },
  lines: { key: ['o', 'p'], fields: { o: { type: 'integer' }, p: { type: 'integer' } } },
})

describe.each(databases)('on $name', ({ open }) => {
  let engine: Engine
  beforeAll(async () => {
    const opened = await open()
    await opened.run('create table notes (id integer primary key, text text not null)')
    await opened.run('create table lines (o integer not null, p integer not null, primary key (o, p))')
    await opened.run("insert into notes values (1, 'a')")
    engine = createEngine({ db: opened.db, schema })
    await engine.install()
  })

  const noKeys: readonly unknown[] = [{ id: 1 }, undefined, null, Number.NaN, true, [{}], () => 1]
  const verbs: readonly ((collection: never, key: never) => Promise<unknown>)[] = [
    (collection, key) => getItem(engine, collection, key),
    (collection, key) => getItem(engine, collection, key, { fields: ['*'] }),
    (collection, key) => engine.transaction((inside) => getItem(inside, collection, key, {}, { lock: true })),
    (collection, key) => updateItem(engine, collection, key, {}),
    (collection, key) => deleteItem(engine, collection, key),
  ]

  it.each(noKeys)('%j is no key, and says so', async (key) => {
    for (const verb of verbs) {
      const call = verb('notes' as never, key as never)
      await expect(call).rejects.toMatchObject({
        code: 'INVALID_PAYLOAD',
        hint: expect.stringContaining('engine, collection, key'),
      })
    }
    await expect(createVersion(engine, 'notes', key as never, { key: 'v' })).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
    })
    await expect(compareVersion(engine, 'notes', key as never, 'v')).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
    })
    await expect(deleteItems(engine, 'notes', [key] as never)).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
    })
  })

  it.each([{ o: 1, p: 2 }, [1, undefined], [1, {}]])('%j is no key of two parts', async (key) => {
    for (const verb of verbs)
      await expect(verb('lines' as never, key as never)).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' })
  })

  it('a key that no item has is missing', async () => {
    for (const verb of verbs) {
      for (const key of [9, 'x', '01', 1.5])
        await expect(verb('notes' as never, key as never)).rejects.toMatchObject({ code: 'NOT_FOUND' })
      await expect(verb('lines' as never, [1, 2] as never)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
  })

  it('swapped arguments say so', async () => {
    for (const verb of verbs)
      await expect(verb(1 as never, 'notes' as never)).rejects.toMatchObject({
        code: 'INVALID_PAYLOAD',
        hint: expect.stringContaining('engine, collection, key'),
      })
  })
})

describe('a default that its type cannot hold', () => {
  const size = z.object({ width: z.number() })
  const later = size.refine(() => Promise.resolve(true))
  const nothing = z.any().transform(() => undefined)
  const cases: readonly (readonly [string, object])[] = [
    ['integer', { type: 'integer', default: 'many' }],
    ['integer', { type: 'integer', default: 3_000_000_000 }],
    ['boolean', { type: 'boolean', default: 'perhaps' }],
    ['date', { type: 'date', default: 'tomorrow' }],
    ['string of a length', { type: 'string', length: 2, default: 'long' }],
    ['uuid', { type: 'uuid', default: 'none' }],
    ['list', { type: 'integer', array: true, default: [1, 'x'] }],
    ['list', { type: 'integer', array: true, default: 1 }],
    ['json that its validator refuses', { type: 'json', schema: size, default: { width: 'x' } }],
    ['list that its validator refuses', { type: 'json', array: true, schema: z.array(size), default: [1] }],
    ['json of a validator that answers later', { type: 'json', schema: later, default: { width: 1 } }],
    ['json that its validator makes none', { type: 'json', schema: nothing, default: 1 }],
  ]
  it.each(cases)('is found as the schema is defined: %s', (_title, field) => {
    expect(() => defineSchema({ notes: { fields: { id, at: field } } } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_SCHEMA', path: ['notes', 'fields', 'at', 'default'] }),
    )
  })

  it('and its hint says what would hold it', () => {
    expect(() =>
      defineSchema({ notes: { fields: { id, at: { type: 'integer', default: 2 ** 40 } } } }),
    ).toThrow(expect.objectContaining({ hint: expect.stringContaining('wide: true') }))
  })

  it('is one that a write could store, as its validator reads it', () => {
    const fields = {
      id,
      size: { type: 'json', schema: size, default: { width: 1 } },
      sizes: { type: 'json', array: true, schema: z.array(size), default: [{ width: 1 }] },
      none: { type: 'json', nullable: true, schema: size, default: null },
      day: { type: 'json', schema: z.string(), default: new Date(0) },
    } as const
    expect(() => defineSchema({ notes: { fields } })).not.toThrow()
  })

  it('and a reference, by the type of its target', () => {
    const parent = { type: 'm2o', to: 'notes', default: 'x' }
    expect(() => defineSchema({ notes: { fields: { id, parent } } } as never)).toThrow(
      /cannot hold its option/,
    )
    expect(() =>
      defineSchema({ notes: { fields: { id, parent: { type: 'm2o', to: 'notes', default: 1 } } } }),
    ).not.toThrow()
  })
})
