// Lists in a column: arrays on PostgreSQL, JSON on SQLite. Their elements are answered like single values.
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  getItem,
  listItemsJson,
  updateItem,
} from '../../../src/index.ts'
import { databases, type OpenDatabase } from '../../support/databases.ts'

const list = { array: true, nullable: true } as const
const fields = {
  integers: { type: 'integer', ...list },
  bigs: { type: 'bigInteger', ...list },
  decimals: { type: 'decimal', scale: 2, ...list },
  floats: { type: 'float', ...list },
  flags: { type: 'boolean', ...list },
  ids: { type: 'uuid', ...list },
  days: { type: 'date', ...list },
  times: { type: 'time', ...list },
  clocks: { type: 'dateTime', ...list },
  moments: { type: 'timestamp', ...list },
  texts: { type: 'string', ...list },
  documents: { type: 'json', ...list },
  bytes: { type: 'binary', ...list },
} as const
const schema = defineSchema({ things: { fields: { id: { type: 'integer', key: true }, ...fields } } })

const columns: Record<keyof typeof fields, string> = {
  integers: 'int[]',
  bigs: 'bigint[]',
  decimals: 'numeric(20, 2)[]',
  floats: 'float8[]',
  flags: 'boolean[]',
  ids: 'uuid[]',
  days: 'date[]',
  times: 'time[]',
  clocks: 'timestamp[]',
  moments: 'timestamptz[]',
  texts: 'text[]',
  documents: 'jsonb[]',
  bytes: 'bytea[]',
}

const item = {
  id: 1,
  integers: [3, 1],
  bigs: ['9007199254740993', '-1'],
  decimals: ['1.50', '123456789012345678.90'],
  floats: [1.5],
  flags: [true, false],
  ids: ['00000000-0000-4000-8000-00000000000a'],
  days: ['2020-02-29'],
  times: ['10:11:12'],
  clocks: ['2020-02-29T10:11:12'],
  moments: ['2020-02-29T10:11:12.345Z'],
  texts: ['a "b", {c}', ''],
  documents: [{ a: [1] }, 'x'],
  bytes: ['aGk=', ''],
}

let opened: OpenDatabase | undefined

describe.each(databases)('on $name', ({ name, open }) => {
  it('elements are answered like single values, and come back as they were', async () => {
    opened = await open()
    const declared = Object.entries(columns).map(
      ([column, type]) => `${column} ${name === 'sqlite' ? 'text' : type}`,
    )
    await opened.run(`create table things (id int primary key, ${declared.join()})`)
    const engine = createEngine({ db: opened.db, schema })
    expect(await createItem(engine, 'things', item)).toEqual(item)
    expect(await updateItem(engine, 'things', 1, await getItem(engine, 'things', 1))).toEqual(item)
    expect(JSON.parse(await listItemsJson(engine, 'things'))).toEqual({ data: [item] })
    const none = Object.fromEntries(Object.keys(fields).map((field) => [field, []]))
    expect(await updateItem(engine, 'things', 1, none)).toEqual({ id: 1, ...none })
    const nulls = Object.fromEntries(Object.keys(fields).map((field) => [field, null]))
    expect(await updateItem(engine, 'things', 1, nulls)).toEqual({ id: 1, ...nulls })
  })
})
