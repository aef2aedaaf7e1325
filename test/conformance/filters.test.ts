import { beforeAll, describe, expect, it } from 'vitest'
import { compileFilter, createEngine, type Engine, matchesFilter, type Schema } from '../../src/index.ts'
import { soleKeyOf } from '../../src/schema/model.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { lanes } from '../support/lanes.ts'
import { outcomeOf } from '../support/outcome.ts'
import { type FilterCase, filterCases } from './filters.ts'
import { itemsOf, rows } from './rows.ts'
import { schema as typed } from './schema.ts'
import { createTables } from './tables.ts'

// The cases name collections by text, so the compiler is to see no names.
const schema: Schema = typed
const clock = () => new Date('2024-03-01T12:00:00Z')
const collectionOf = ({ of = 'articles' }: FilterCase) => of
const keyOf = (collection: string) => {
  const found = schema.collections.get(collection)
  return found ? soleKeyOf(found).name : ''
}

describe.each(lanes)('on $title', ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    await createTables(name, opened.db, schema, rows)
  })

  it.each(filterCases.filter(({ needs }) => needs !== 'memory'))('$title', async (one) => {
    const engine = engineFor(one, opened.db)
    expect(await outcome(() => selected(engine, one))).toEqual(one.expect)
  })
})

describe('in memory', () => {
  it.each(filterCases.filter(({ needs }) => needs !== 'sql' && needs !== 'rawKeys'))(
    '$title',
    async (one) => {
      const setting = { schema, negationMatchesNull: one.negationMatchesNull ?? false, clock }
      const collection = collectionOf(one)
      const matches = (item: Readonly<Record<string, unknown>>) =>
        matchesFilter(setting, collection, one.filter, item, usesOf(one))
      expect(
        await outcome(async () =>
          itemsOf(collection)
            .filter(matches)
            .map((item) => item[keyOf(collection)]),
        ),
      ).toEqual(one.expect)
    },
  )
})

function engineFor({ negationMatchesNull = false }: FilterCase, db: OpenDatabase['db']): Engine {
  return createEngine({ db, schema, clock, negationMatchesNull })
}

async function selected(engine: Engine, one: FilterCase): Promise<unknown[]> {
  const collection = collectionOf(one)
  const { expression } = compileFilter(engine, collection, one.filter, usesOf(one))
  const found = await engine.db
    .selectFrom(collection)
    .select([keyOf(collection), 'row_number'])
    .where(expression)
    .orderBy('row_number')
    .execute()
  return found.map((row) => row[keyOf(collection)])
}

const usesOf = ({ access, variables }: FilterCase) => ({
  ...(access && { access }),
  ...(variables && { variables }),
})

const outcome = (work: () => Promise<unknown>) => outcomeOf(work, ({ code }) => code)
