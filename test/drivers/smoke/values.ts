// Every type of value: stored, read, nested and found.
import { sql } from 'kysely'
import {
  createEngine,
  createItem,
  defineSchema,
  type Engine,
  getItem,
  listItems,
} from '../../../src/index.ts'
import { type ValueCase, valueCases } from '../../conformance/writes/values.ts'
import { check, type Group, keyColumns, type Place } from './check.ts'

export const valueGroups: readonly Group[] = [
  {
    title: 'types of values',
    checks: valueCases.map((one) => check(one.title, (place) => throughTable(one, place))),
  },
]

async function throughTable(one: ValueCase, place: Place): Promise<unknown> {
  const engine = await engineFor(one, place)
  const items: unknown[] = []
  for (const [given] of one.kept)
    items.push(await createItem(engine, 'values', { value: given, holder: 1 }, { fields: ['id', 'value'] }))
  for (const [at, [given, shown = given]] of one.kept.entries()) {
    items.push(await getItem(engine, 'values', at + 1, { fields: ['value'] }))
    if (isFindable(one, shown)) items.push(await found(engine, shown))
  }
  const nested = { fields: ['values.id', 'values.value'], deep: { values: { _sort: ['id'] } } }
  return { items, nested: await getItem(engine, 'holders', 1, nested) }
}

async function engineFor(one: ValueCase, { db, database }: Place): Promise<Engine> {
  const table = `values_${valueCases.indexOf(one)}`
  const columns = `id ${keyColumns[database]}, value ${one.column[database]}, holder integer`
  await sql.raw(`create table ${table} (${columns})`).execute(db)
  const id = { type: 'integer', key: true }
  const holder = { type: 'm2o', to: 'holders', nullable: true }
  const definition = {
    values: { table, fields: { id, value: one.field, holder } },
    holders: { fields: { id, values: { type: 'o2m', from: 'values.holder' } } },
  }
  // The field is one of many, so the compiler knows no more of the schema than that it is one.
  return createEngine({ db, schema: defineSchema(definition as never) }) as unknown as Engine
}

const found = (engine: Engine, value: unknown) =>
  Promise.all(
    [{ _eq: value }, { _in: [value, value] }].map((condition) =>
      listItems(engine, 'values', { fields: ['id'], filter: { value: condition } }),
    ),
  )

/** What `_eq` and `_in` take. */
const isFindable = ({ field }: ValueCase, value: unknown) =>
  value !== null && !('array' in field) && !['json', 'csv', 'hash', 'opaque'].includes(field.type)
