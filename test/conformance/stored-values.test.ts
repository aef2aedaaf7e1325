import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  getItem,
  isEngineError,
  type Schema,
  updateItem,
} from '../../src/index.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { readLanes } from './reads/lanes.ts'
import { outcome } from './writes/call.ts'
import { type ValueCase, valueCases } from './writes/values.ts'

describe.each(readLanes)('a value on $title', ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    if (name === 'postgres') await sql`create type switch as enum ('on', 'off')`.execute(plain())
    for (const [at, { column }] of valueCases.entries())
      await sql
        .raw(`create table things_${at} (id integer primary key, value ${column[name]})`)
        .execute(plain())
  })
  afterAll(() => opened.close())
  const plain = () => opened.db.withoutPlugins()

  const engineFor = (one: ValueCase): Engine => {
    const table = `things_${valueCases.indexOf(one)}`
    const schema: Schema = defineSchema({
      things: { table, fields: { id: { type: 'integer', key: true }, value: one.field } },
    } as const)
    return createEngine({ db: opened.db, schema })
  }

  it.each(valueCases.map((one) => [one.title, one] as const))('%s', async (_, one) => {
    const engine = engineFor(one)
    for (const [id, [given, shown = given]] of one.kept.entries()) {
      expect(await createItem(engine, 'things', { id, value: given })).toEqual({ id, value: shown })
      expect(await getItem(engine, 'things', id)).toEqual({ id, value: shown })
      // What is shown may be sent back.
      expect(await updateItem(engine, 'things', id, { value: shown })).toEqual({ id, value: shown })
    }
    for (const [given, code] of one.refused ?? [])
      expect([
        given,
        await outcome(() => createItem(engine, 'things', { id: -1, value: given })),
      ]).toMatchObject([given, { problems: [{ code, path: ['value'], field: 'value' }] }])
    if (!one.holds) return
    const table = `things_${valueCases.indexOf(one)}`
    const { rows } = await sql<{ held: string }>`
      select coalesce(cast(value as text), 'null') as held from ${sql.id(table)} order by id desc limit 1`.execute(
      plain(),
    )
    expect(rows).toEqual([{ held: one.holds[name] }])
  })
})

describe('geometry', () => {
  const point = { type: 'Point', coordinates: [10.75, 59.91] } as const
  const line = {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [1, 1],
    ],
  } as const
  const schema = defineSchema({
    places: {
      fields: {
        id: { type: 'integer', key: true },
        point: { type: 'geometry.Point', nullable: true },
        any: { type: 'geometry', nullable: true },
      },
    },
  })

  const textLanes = readLanes.filter(({ has }) => has.includes('textGeometry'))
  it.each(textLanes)('is kept as it is given on $title', async ({ open }) => {
    const { db, close } = await open()
    await sql`create table places (id integer primary key, point text, "any" text)`.execute(
      db.withoutPlugins(),
    )
    const engine = createEngine({ db, schema })
    expect(await createItem(engine, 'places', { id: 1, point, any: line })).toEqual({
      id: 1,
      point,
      any: line,
    })
    expect(await updateItem(engine, 'places', 1, { point: null, any: point })).toEqual({
      id: 1,
      point: null,
      any: point,
    })
    const wrong = createItem(engine, 'places', { id: 2, any: { type: 'Point' } as never })
    await expect(wrong).rejects.toMatchObject({ code: 'FAILED_VALIDATION', path: ['any'] })
    const other = createItem(engine, 'places', { id: 2, point: line as never })
    await expect(other).rejects.toMatchObject({ code: 'FAILED_VALIDATION', path: ['point'] })
    await close()
  })
})

describe.each(readLanes.slice(0, 2))('a hash on $title', ({ open }) => {
  const schema = defineSchema({
    users: {
      fields: {
        id: { type: 'integer', key: true },
        password: { type: 'hash', nullable: true },
      },
    },
  })
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    await sql`create table users (id integer primary key, password text)`.execute(opened.db)
  })
  afterAll(() => opened.close())
  const stored = async (id: number) => {
    const row = await opened.db.selectFrom('users').select('password').where('id', '=', id).executeTakeFirst()
    return String(row?.password)
  }

  it('is a salted scrypt hash of what is given, in the usual form', async () => {
    const { scryptSync } = await import('node:crypto')
    const engine = createEngine({ db: opened.db, schema })
    await createItem(engine, 'users', { id: 1, password: 'fish' })
    await createItem(engine, 'users', { id: 2, password: 'fish' })
    const [one, other] = [await stored(1), await stored(2)]
    expect(one).not.toBe(other)
    const [, name, parameters, salt = '', hash = ''] = one.split('$')
    expect([name, parameters]).toEqual(['scrypt', 'ln=14,r=8,p=1'])
    const expected = scryptSync('fish', Buffer.from(salt, 'base64'), 32, { N: 2 ** 14, r: 8, p: 1 })
    expect(Buffer.from(hash, 'base64').equals(expected)).toBe(true)
  })

  it('stays what it was when its mask is sent back', async () => {
    const engine = createEngine({ db: opened.db, schema })
    await createItem(engine, 'users', { id: 3, password: 'fish' })
    const before = await stored(3)
    await updateItem(engine, 'users', 3, { password: '**********' })
    expect(await stored(3)).toBe(before)
  })

  it('is made of a text that looks like a hash, too', async () => {
    const engine = createEngine({ db: opened.db, schema })
    await createItem(engine, 'users', { id: 4, password: 'fish' })
    const stolen = await stored(4)
    await updateItem(engine, 'users', 4, { password: stolen })
    expect(await stored(4)).not.toBe(stolen)
    expect(await stored(4)).toMatch(/^\$scrypt\$/)
  })

  it('is nowhere in the error of a failed write', async () => {
    const engine = createEngine({ db: opened.db, schema })
    await createItem(engine, 'users', { id: 5, password: 'first' })
    const error = await createItem(engine, 'users', { id: 5, password: 'swordfish' }).catch(
      (caught: unknown) => caught,
    )
    expect(isEngineError(error) && error.code).toBe('RECORD_NOT_UNIQUE')
    expect(JSON.stringify(error)).not.toContain('swordfish')
  })
})
