// Whatever driver opens a database: values go in, come out and are found. What it refuses, `drivers/smoke` has of all.

import { beforeAll, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItems,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  type Schema,
  streamItems,
} from '../../src/index.ts'
import { type ValueCase, valueCases } from '../conformance/writes/values.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { absentDrivers, drivers, isThere } from '../support/drivers.ts'
import { string } from '../support/fields.ts'
import { inZone } from '../support/in-zone.ts'

inZone('Asia/Kathmandu')

const lanes = [
  ...databases.map(({ name, open }) => ({ name, open, title: name === 'sqlite' ? 'better-sqlite3' : 'pg' })),
  ...drivers,
]

describe('drivers that are not here', () => {
  it(`are ${absentDrivers.map(({ title, needs }) => `${title} (no ${needs} in Node ${process.version})`).join(', ') || 'none'}`, () => {
    for (const { needs } of absentDrivers) expect(isThere(needs)).toBe(false)
    expect(drivers.length + absentDrivers.length).toBe(6)
  })
})

describe.each(lanes)('by $title', ({ name, title, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    if (name === 'postgres') await opened.run(`create type switch as enum ('on', 'off')`)
    await opened.run('create table holders (id integer primary key)', 'insert into holders values (1)')
    for (const [at, { column }] of valueCases.entries())
      await opened.run(
        `create table things_${at} (id integer primary key, value ${column[name]}, holder integer)`,
      )
  })

  const engineFor = (one: ValueCase): Engine => {
    const fields = { id: { type: 'integer', key: true }, value: one.field }
    const holder = { type: 'm2o', to: 'holders', nullable: true }
    const things = { table: `things_${valueCases.indexOf(one)}`, fields: { ...fields, holder } }
    const list = { type: 'o2m', from: 'things.holder' }
    const holders = { fields: { id: { type: 'integer', key: true }, things: list } }
    const schema: Schema = defineSchema({ things, holders } as never)
    return createEngine({ db: opened.db, schema })
  }

  it.each(valueCases.map((one) => [one.title, one] as const))(
    '%s is kept, read and found',
    async (_, one) => {
      const engine = engineFor(one)
      const kept = one.kept.map(([given, shown = given], id) => ({ id, given, shown }))
      const items = kept.map(({ id, given }) => ({ id, value: given, holder: 1 }))
      const shown = kept.map(({ id, shown: value }) => ({ id, value }))
      const some = { fields: ['id', 'value'] } as const
      expect(await createItems(engine, 'things', items as never, some)).toEqual(shown)
      for (const { id, shown: value } of kept)
        expect(await getItem(engine, 'things', id, { fields: ['value'] })).toEqual({ value })
      const within = { fields: ['things.id', 'things.value'], deep: { things: { _sort: ['id'] } } } as const
      expect(await getItem(engine, 'holders', 1, within)).toEqual({ things: shown })
      for (const { id, shown: value } of kept.filter((item) => isFindable(one, item.shown)))
        for (const filter of [{ value: { _eq: value } }, { value: { _in: [value, value] } }]) {
          const { data } = await listItems(engine, 'things', { fields: ['id'], filter } as never)
          expect(data, JSON.stringify(filter)).toContainEqual({ id })
        }
    },
  )

  // Not every driver can bind an infinity, though it is the first timestamp after these.
  describe.each(['clock', 'moment', 'canonical'])('operands after the last timestamp of %s', (field) => {
    let engine: Engine

    beforeAll(async () => {
      const ends = await open()
      const [clock, moment] = name === 'sqlite' ? ['text', 'text'] : ['timestamp', 'timestamptz']
      await ends.run(
        `create table ends (id integer primary key, clock ${clock}, moment ${moment}, canonical ${moment})`,
      )
      const last = '9999-12-31T23:59:59'
      const rows = [
        `(1, '2024-02-29T08:30:15', '2024-02-29T08:30:15.123Z', '2024-02-29T08:30:15.123Z')`,
        `(2, '${last}', '${last}.999Z', '${last}.999Z')`,
        ...(name === 'sqlite' ? [] : [`(3, 'infinity', 'infinity', null)`]),
      ]
      await ends.run(`insert into ends values ${rows.join()}`)
      const schema = defineSchema({
        ends: {
          fields: {
            id: { type: 'integer', key: true },
            clock: { type: 'dateTime', nullable: true },
            moment: { type: 'timestamp', nullable: true },
            canonical: { type: 'timestamp', storage: 'canonical', nullable: true },
          },
        },
      })
      engine = createEngine({ db: ends.db, schema })
    })

    const after = '9999-12-31T23:59:59.9999Z'
    it.each([
      [{ _eq: after }, []],
      [{ _neq: after }, [1, 2]],
      [{ _in: [after] }, []],
      [{ _lt: after }, [1, 2]],
      // It is of the same shape, and another statement.
      [{ _lt: '2025-01-01T00:00:00Z' }, [1]],
      [{ _lt: after }, [1, 2]],
      [{ _lte: after }, [1, 2]],
      [{ _gt: after }, []],
      [{ _gte: after }, []],
      [{ _between: ['2025-01-01T00:00:00Z', after] }, [2]],
    ])('%j finds %j', async (condition, found) => {
      const { data } = await listItems(engine, 'ends', { filter: { [field]: condition }, fields: ['id'] })
      expect(data.map((item) => item.id)).toEqual(found)
    })
  })

  const limited = async () => {
    await opened.run('create view naps as select 1 as id, pg_sleep(2)::text as dream')
    const naps = defineSchema({ naps: { fields: { id: { type: 'integer', key: true }, dream: string } } })
    const engine = createEngine({ db: opened.db, schema: naps })
    const refused =
      title === 'PGlite' ? { code: 'INVALID_OPTIONS', path: ['timeoutMs'] } : { code: 'OUT_OF_TIME' }
    await expect(listItems(engine, 'naps', {}, { timeoutMs: 20 })).rejects.toMatchObject(refused)
    await expect(
      engine.transaction((own) => listItems(own, 'naps', {}, { timeoutMs: 20 })),
    ).rejects.toMatchObject(refused)
    const signal = AbortSignal.abort(new RangeError('gone'))
    await expect(listItems(engine, 'naps', {}, { signal })).rejects.toThrow('gone')
  }
  if (name === 'postgres') it('a limit of time is kept, or refused where nobody ends a statement', limited)

  it('a stream hands out every row, and its connection back', async () => {
    await opened.run('create table rows (id integer primary key, text text)')
    const engine = createEngine({ db: opened.db, schema: rows })
    const texts = Array.from({ length: 1_200 }, (_, at) => ({ id: at + 1, text: `text ${at + 1}` }))
    await createItems(engine, 'rows', texts)
    const found: unknown[] = []
    for await (const item of streamItems(engine, 'rows', {})) found.push(item)
    expect(found).toEqual(texts)
    for await (const _ of streamItems(engine, 'rows', {})) break
    expect(await getItem(engine, 'rows', 7)).toEqual(texts[6])
  })
})

/** What `_eq` and `_in` take. */
const isFindable = ({ field }: ValueCase, value: unknown) =>
  value !== null && !('array' in field) && !['json', 'csv', 'hash', 'opaque'].includes(field.type)

const rows = defineSchema({ rows: { fields: { id: { type: 'integer', key: true }, text: string } } })
