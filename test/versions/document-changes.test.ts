// Changes of parts of documents in versions.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  compareVersion,
  createEngine,
  createVersion,
  defineSchema,
  type Engine,
  getItem,
  listVersions,
  promoteVersion,
  type Schema,
  type SchemaDefinition,
  saveVersion,
  updateItem,
} from '../../src/index.ts'
import { databases } from '../support/databases.ts'
import { json, key, many, maybeOne, number, text } from '../support/fields.ts'

const schema: Schema = defineSchema<SchemaDefinition>({
  pages: {
    versioned: true,
    fields: { id: key, title: text, views: number, meta: json, parts: many('parts.page') },
  },
  parts: { fields: { id: key, meta: json, page: maybeOne('pages') } },
})

describe.each(databases)('documents in versions on $name', ({ name, open }) => {
  let engine: Engine
  beforeEach(async () => {
    const database = await open()
    const type = name === 'sqlite' ? 'text' : 'jsonb'
    await database.run(
      `create table pages (id integer primary key, title text, views integer, meta ${type})`,
      `create table parts (id integer primary key, meta ${type}, page integer)`,
      `insert into pages values (1, 'One', 1, '{"a":1,"b":{"c":2,"d":3}}'), (2, 'Two', 2, '[1]'), (3, 'Three', 3, null)`,
      `insert into parts values (1, '{"x":1}', 1)`,
    )
    engine = createEngine({ db: database.db, schema })
    await engine.install()
    for (const id of [1, 2, 3]) await createVersion(engine, 'pages', id, { key: 'draft' })
  })

  const save = (delta: Record<string, unknown>, id = 1, of = engine) =>
    saveVersion(of, 'pages', id, 'draft', delta)
  const read = async (id = 1, of = engine) =>
    (await getItem(of, 'pages', id, { version: 'draft', fields: ['meta'] })).meta

  it('change what the version holds, or else what its item has', async () => {
    const { delta } = await save({ meta: { _merge: { a: null, b: { c: 5 } } } })
    expect(delta).toEqual({ meta: { b: { c: 5, d: 3 } } })
    await save({ title: 'New', meta: { _set: { 'b.e': [1], f: null } } })
    expect(await read()).toEqual({ b: { c: 5, d: 3, e: [1] }, f: null })
    await save({ meta: null })
    await save({ meta: { _merge: { g: 1 } } })
    expect(await read()).toEqual({ g: 1 })
    expect((await getItem(engine, 'pages', 1, { fields: ['meta'] })).meta).toEqual({
      a: 1,
      b: { c: 2, d: 3 },
    })
    const { mainHash } = await compareVersion(engine, 'pages', 1, 'draft')
    await promoteVersion(engine, 'pages', 1, 'draft', { mainHash })
    expect(await getItem(engine, 'pages', 1, { fields: ['title', 'meta'] })).toEqual({
      title: 'New',
      meta: { g: 1 },
    })
  })

  it('are made of null, and with a new version', async () => {
    await save({ meta: { _set: { 'a.b': 1 } } }, 3)
    expect(await read(3)).toEqual({ a: { b: 1 } })
    await createVersion(engine, 'pages', 1, { key: 'other', delta: { meta: { _merge: { b: null } } } })
    const [, other] = await listVersions(engine, 'pages', 1)
    expect(other?.delta).toEqual({ meta: { a: 1 } })
  })

  it('stay documents where they look like operators', async () => {
    await save({ meta: { $value: { _merge: { a: 1 } } } })
    expect(await read()).toEqual({ _merge: { a: 1 } })
    await save({ meta: { _merge: { _merge: null, _set: 2 } } })
    expect(await read()).toEqual({ _set: 2 })
    const { mainHash } = await compareVersion(engine, 'pages', 1, 'draft')
    await promoteVersion(engine, 'pages', 1, 'draft', { mainHash })
    expect((await getItem(engine, 'pages', 1, { fields: ['meta'] })).meta).toEqual({ _set: 2 })
  })

  it('are refused where there is no object, and below the item', async () => {
    await expect(save({ meta: { _merge: { a: 1 } } }, 2)).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' })
    await save({ meta: {} }, 2)
    await save({ meta: { _merge: { a: 1 } } }, 2)
    expect(await read(2)).toEqual({ a: 1 })
    await expect(save({ meta: { _merge: 1 } })).rejects.toThrow('"_merge" of "meta" takes an object')
    await expect(save({ views: { _inc: 1 } })).rejects.toThrow('"views" takes a value here, and no { _inc }')
    await expect(save({ parts: { update: [{ id: 1, meta: { _merge: { x: 2 } } }] } })).rejects.toThrow(
      '"meta" takes a value here, and no { _merge }',
    )
  })

  it('need reading the field on that row', async () => {
    const all = { read: true, create: true, update: true, delete: true }
    const rules = (read: object) => ({ versions: all, pages: { read, update: true } })
    const open = engine.as({
      rules: rules([{ fields: ['id'] }, { fields: ['*'], filter: { id: 1 } }] as never),
    })
    await save({ meta: { _merge: { h: 1 } } }, 1, open)
    expect(await read(1, open)).toEqual({ a: 1, b: { c: 2, d: 3 }, h: 1 })
    await expect(save({ meta: { _merge: { h: 1 } } }, 3, open)).rejects.toThrow(
      'There is no field "meta" in "pages"',
    )
    await updateItem(engine, 'pages', 3, { title: 'x' })
    const closed = engine.as({ rules: rules({ fields: ['id', 'title'] }) })
    await expect(save({ meta: { _merge: { h: 1 } } }, 1, closed)).rejects.toThrow(
      'There is no field "meta" in "pages"',
    )
  })
})
