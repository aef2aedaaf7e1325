// Booleans on SQLite, whose columns hold any number.
import { sql } from 'kysely'
import { beforeEach, expect, it, vi } from 'vitest'
import { answerGraphQL } from '../../../src/graphql.ts'
import {
  compileFilter,
  createEngine,
  defineSchema,
  type Engine,
  getItem,
  listItems,
  listItemsJson,
  type Schema,
  updateByQuery,
  updateItem,
} from '../../../src/index.ts'
import { type OpenDatabase, openSqlite } from '../../support/databases.ts'
import { key, many, maybeOne } from '../../support/fields.ts'

const schema: Schema = defineSchema({
  lamps: { fields: { id: key, isOn: { type: 'boolean', nullable: true }, room: maybeOne('rooms') } },
  rooms: { fields: { id: key, lamps: many('lamps.room') } },
})
const promised: Schema = defineSchema({
  lamps: { fields: { id: key, isOn: { type: 'boolean', storage: 'canonical', nullable: true } } },
})

const heard = vi.fn()
let database: OpenDatabase
let engine: Engine
beforeEach(async () => {
  heard.mockClear()
  database = await openSqlite()
  const { db, run } = database
  engine = createEngine({ db, schema, onError: heard })
  await run('create table rooms (id integer primary key)')
  await run('create table lamps (id integer primary key, isOn boolean, room integer)')
  await run('insert into rooms values (1)')
  await run(
    'insert into lamps (id, isOn, room) values (1, 1, 1), (2, 0, 1), (3, 1000, 1), (4, -1, 1), (5, 0.5, 1), (6, null, 1)',
  )
})

const shown = [true, false, true, true, true, null]
const ids = async (filter: Readonly<Record<string, unknown>>) =>
  (await listItems(engine, 'lamps', { fields: ['id'], filter })).data.map(({ id }) => id)
const stored = async () =>
  (await sql<{ isOn: number }>`select isOn from lamps order by id`.execute(database.db)).rows.map(
    ({ isOn }) => isOn,
  )

it('any number but 0 reads as true, through every door', async () => {
  const lists = [
    (await listItems(engine, 'lamps', { fields: ['isOn'] })).data,
    JSON.parse(await listItemsJson(engine, 'lamps', { fields: ['isOn'] })).data,
    (await listItems(engine, 'rooms', { fields: ['lamps.isOn'] })).data[0]?.lamps,
    JSON.parse(await answerGraphQL(engine, { query: '{ lamps { isOn } }' })).data.lamps,
  ]
  for (const list of lists) expect(list).toEqual(shown.map((isOn) => ({ isOn })))
})

it.each([
  ['_eq true', { isOn: true }, [1, 3, 4, 5]],
  ['_eq false', { isOn: { _eq: false } }, [2]],
  ['_neq true', { isOn: { _neq: true } }, [2]],
  ['_neq false', { isOn: { _neq: false } }, [1, 3, 4, 5]],
  ['_in', { isOn: { _in: [true] } }, [1, 3, 4, 5]],
  ['_in both', { isOn: { _in: [true, false] } }, [1, 2, 3, 4, 5]],
  ['_in none', { isOn: { _in: [] } }, []],
  ['_nin true', { isOn: { _nin: [true] } }, [2]],
  ['_nin false', { isOn: { _nin: [false] } }, [1, 3, 4, 5]],
  ['_empty', { isOn: { _empty: true } }, [2, 6]],
  ['_null', { isOn: { _null: true } }, [6]],
] as const)('%s finds numbers by what they read as', async (_, filter, found) => {
  expect(await ids(filter)).toEqual(found)
})

it('columns of text hold 0 and 1 as digits', async () => {
  const { run } = database
  await run('drop table lamps')
  await run('create table lamps (id integer primary key, isOn text, room integer)')
  await run('insert into lamps (id, isOn) values (1, 1), (2, 0), (3, 7), (4, null)')
  expect(await ids({ isOn: true })).toEqual([1, 3])
  expect(await ids({ isOn: false })).toEqual([2])
  expect(await ids({ isOn: { _in: [true] } })).toEqual([1, 3])
})

it('numbers that are true are one group', async () => {
  const { data } = await listItems(engine, 'lamps', { aggregate: { count: '*' }, groupBy: ['isOn'] })
  expect(data).toEqual([
    { isOn: false, count: 1 },
    { isOn: true, count: 4 },
    { isOn: null, count: 1 },
  ])
})

it('the host hears of it once', async () => {
  for (let time = 0; time < 2; time++) {
    await listItemsJson(engine, 'lamps', { fields: ['isOn'] })
    await listItems(engine, 'rooms', { fields: ['lamps.isOn'] })
    await getItem(engine, 'lamps', 3)
  }
  expect(heard).toHaveBeenCalledTimes(1)
  expect(heard.mock.calls[0]?.[0]).toMatchObject({
    code: 'INVALID_SCHEMA',
    message: 'The column of the field "isOn" of "lamps" holds numbers other than 0 and 1, which are true.',
  })
})

it('the host hears nothing of 0 and 1', async () => {
  await listItems(engine, 'lamps', { filter: { id: { _in: [1, 2, 6] } } })
  expect(heard).not.toHaveBeenCalled()
})

it('writing true back leaves the number alone, and false does not', async () => {
  await updateItem(engine, 'lamps', 3, { isOn: true, room: null })
  await updateByQuery(engine, 'lamps', { filter: { id: { _in: [2, 4, 5, 6] } } }, { isOn: true })
  expect(await stored()).toEqual([1, 1, 1000, -1, 0.5, 1])
  await updateItem(engine, 'lamps', 3, { isOn: false })
  await updateItem(engine, 'lamps', 4, { isOn: null })
  expect(await stored()).toEqual([1, 1, 0, null, 0.5, 1])
})

it('an index is used, and a promise of 0 and 1 makes the comparison plain', async () => {
  const { db, run } = database
  await run('create index by_on on lamps (isOn)')
  const { expression } = compileFilter(engine, 'lamps', { isOn: true })
  const { rows } = await sql<{
    detail: string
  }>`explain query plan select id from lamps where ${expression}`.execute(db)
  expect(rows.map(({ detail }) => detail).join('\n')).toContain('by_on (isOn=?)')
  expect(rows.map(({ detail }) => detail).join('\n')).not.toContain('SCAN')
  expect(compileFilter({ schema: promised, dialect: 'sqlite' }, 'lamps', { isOn: true }).sql).toBe(
    '"lamps"."isOn" = ?',
  )
})
