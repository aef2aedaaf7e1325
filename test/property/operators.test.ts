// Every operator on every type of field means the same in SQL and in memory.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { columns } from './columns.ts'
import { exhaustive } from './conditions.ts'
import { disagreements } from './disagreements.ts'
import { makeTable, type Table } from './table.ts'

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let table: Table
  beforeAll(async () => {
    opened = await open()
    table = await makeTable(name, opened.db)
  })
  afterAll(() => opened.close())

  it.each(columns.filter(({ homes }) => homes[name]))(
    'every operator on $name selects what it selects in memory',
    async (column) => {
      const filters = exhaustive(column)
      const upTo = table.lastOf(column)
      const outcomes = await table.inSql(filters, upTo)
      expect(disagreements(filters, outcomes, (filter) => table.inMemory(filter, upTo))).toEqual([])
    },
  )
})
