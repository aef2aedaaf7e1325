// A connection of libSQL (0.3) that was asked for a plan keeps the lock of its next transaction, and nobody can write any more.
import type { CompiledQuery, DatabaseConnection, Dialect } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createEngine, createItem, defineSchema, streamItems } from '../../../src/index.ts'
import { type Around, drivers } from '../../support/drivers.ts'

const schema = defineSchema({
  numbers: { fields: { id: { type: 'integer', key: true }, word: { type: 'string' } } },
})

/** Hears the statements that a driver gets. */
const heard =
  (statements: string[]): Around =>
  (dialect: Dialect) => ({
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => {
      const driver = dialect.createDriver()
      const acquireConnection = async (): Promise<DatabaseConnection> => {
        const connection = await driver.acquireConnection()
        const executeQuery = connection.executeQuery.bind(connection)
        connection.executeQuery = <Row>(query: CompiledQuery) => {
          statements.push(query.sql)
          return executeQuery<Row>(query)
        }
        return connection
      }
      return Object.assign(Object.create(driver), { acquireConnection })
    },
  })

const lane = drivers.find(({ title }) => title === 'libSQL')

describe.runIf(lane)('a sorted stream over libSQL', () => {
  it.each(['word', '-word', 'id', '-id'])(
    'by %s asks for no plan, and whoever comes next can write',
    async (sort) => {
      const statements: string[] = []
      if (!lane) throw new Error('libSQL is there.')
      const { db, run } = await lane.open(heard(statements))

      await run('create table numbers (id integer primary key, word text not null)')
      await run(`insert into numbers with recursive n(i) as (select 1 union all select i + 1 from n where i < 2600)
        select i, 'word ' || (i % 7) from n`)
      const engine = createEngine({ db, schema })
      const items: { readonly id: number; readonly word: string }[] = []
      for await (const item of streamItems(engine, 'numbers', { sort: [sort, 'id'] })) items.push(item)
      expect(items).toHaveLength(2_600)
      const sign = sort.startsWith('-') ? -1 : 1
      const isByWord = sort.endsWith('word')
      const inOrder = items.toSorted(
        (one, other) =>
          (isByWord ? sign * one.word.localeCompare(other.word) : 0) ||
          (isByWord ? 1 : sign) * (one.id - other.id),
      )
      expect(items).toEqual(inOrder)
      expect(statements.filter((text) => /^explain/i.test(text))).toEqual([])
      // Sorted once, or read by the key.
      expect(statements.filter((text) => text.includes('json_group_array')).length).toBe(isByWord ? 1 : 0)
      await engine.transaction((own) => createItem(own, 'numbers', { word: 'in a transaction' }))
      expect(await createItem(engine, 'numbers', { word: 'alone' })).toMatchObject({ word: 'alone' })
    },
  )
})
