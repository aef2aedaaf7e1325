// The filters of the recorded requests select what was recorded, but for the deviations named here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileFilter, createEngine, isEngineError, parseQuery, type Schema } from '../../src/index.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { lanes } from '../support/lanes.ts'
import recorded from './fixture/recorded-filters.json' with { type: 'json' }
import rows from './fixture/rows.json' with { type: 'json' }
import { schema as typed } from './fixture/schema.ts'
import { createTables } from './tables.ts'

const schema: Schema = typed

/** Which line of the decisions is behind each deviation. */
const deviations: Readonly<Record<string, string>> = {
  'q1.in_with_null': 'A null inside `_in`, `_nin`, `_between` is INVALID_QUERY.',
  'q3b.in_nested_null_str': 'A null inside `_in`, `_nin`, `_between` is INVALID_QUERY.',
  'q1.between_null': 'A null inside `_in`, `_nin`, `_between` is INVALID_QUERY.',
  'q1.between_one': '`_between` takes exactly two values, inclusive; anything else is an error.',
  'q3.s._icontains.20': 'Text matching is literal (`%`, `_`, `\\` mean themselves).',
  'q3.s._starts_with.21': 'Text matching is literal (`%`, `_`, `\\` mean themselves).',
  'q3.o2m_null_id': 'To-many: one EXISTS per condition object.',
  'q3b.some_two_and': 'Conditions in one object hold for the **same** related item.',
  'q3b.some_two_ops_one_field': 'Conditions in one object hold for the **same** related item.',
  'q1b.proto': '`__proto__`, `constructor`, `prototype` as keys are errors.',
}

describe.each(lanes)('on $title', ({ name, open }) => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await open()
    await createTables(name, opened.db, schema, rows)
  })
  afterAll(() => opened.close())

  it.each(recorded)('$name', async ({ name: title, collection, query, expect: expected }) => {
    const found = await outcome(opened.db, collection, query)
    const counted =
      typeof expected === 'object' && 'count' in expected && Array.isArray(found)
        ? { count: found.length }
        : found
    if (title in deviations) expect(counted).not.toEqual(expected)
    else expect(counted).toEqual(expected)
  })
})

it('every deviation names a recorded request', () => {
  const names = recorded.map(({ name }) => name)
  expect(Object.keys(deviations).filter((title) => !names.includes(title))).toEqual([])
})

async function outcome(db: OpenDatabase['db'], collection: string, query: string): Promise<unknown> {
  try {
    const { filter } = parseQuery(query)
    const engine = createEngine({ db, schema })
    const { expression } = compileFilter(engine, collection, filter ?? {})
    const found = await engine.db
      .selectFrom(collection)
      .select('id')
      .where(expression)
      .orderBy('id')
      .execute()
    return found.map(({ id }) => id)
  } catch (error) {
    if (isEngineError(error)) return error.code
    throw error
  }
}
