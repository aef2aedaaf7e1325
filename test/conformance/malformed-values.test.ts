// Values that SQLite holds in columns of another type: what rows, JSON text and GraphQL show of them is the same.
import { beforeAll, describe, expect, it } from 'vitest'
import { answerGraphQL } from '../../src/graphql.ts'
import { createEngine, defineSchema, type Engine, listItems, listItemsJson } from '../../src/index.ts'
import { key, maybeOne } from '../support/fields.ts'
import { lanes } from '../support/lanes.ts'

const kinds = {
  whole: { type: 'integer', nullable: true },
  great: { type: 'bigInteger', nullable: true },
  real: { type: 'float', nullable: true },
  flag: { type: 'boolean', nullable: true },
  date: { type: 'date', nullable: true },
  time: { type: 'time', nullable: true },
  local: { type: 'dateTime', nullable: true },
  moment: { type: 'timestamp', nullable: true },
  blank: { type: 'timestamp', storage: 'sql', nullable: true },
  seconds: { type: 'timestamp', storage: 'seconds', nullable: true },
  thousandths: { type: 'timestamp', storage: 'milliseconds', nullable: true },
  notes: { type: 'json', nullable: true },
  list: { type: 'csv', nullable: true },
  id2: { type: 'uuid', nullable: true },
  text: { type: 'string', nullable: true },
} as const
const names = Object.keys(kinds)

const schema = defineSchema({ things: { fields: { id: key, ...kinds, parent: maybeOne('things') } } })

const values = [
  ...["'abc'", "''", '1', '1.5', '-1', "'1'", "' 1 '", "'1.0'", "'0x1'", "'NaN'", "'true'", "'now'", '2'],
  ...[
    "'2024-13-45'",
    "'2024-01-05'",
    "'2024-01-05 10:00:00'",
    "' 2024-01-05'",
    "'10:00'",
    "'24:00'",
    "'10:61'",
  ],
  ...[
    "'2023-02-30 10:00:00'",
    "'2024-02-29 10:00'",
    "'2024-01-01 24:00:00'",
    "'0000-01-01 00:00'",
    "'2024-01-05T10:00:00.123456Z'",
  ],
  ...['1700000000', '1700000000000', "'1700000000'", "'-5'", "'2024-01-05 now'", "'start of month'"],
  ...[`'{"a":1'`, "'{a:1}'", "'[1,]'", "'nan'", "',,'", "'a,b'", "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"],
]

describe.each(lanes.filter(({ name }) => name === 'sqlite'))('on $title', ({ open }) => {
  let engine: Engine<typeof schema>

  beforeAll(async () => {
    const opened = await open()
    const columns = names.map((name) => `"${name}"`).join(', ')
    await opened.run(`create table things (id integer primary key, ${columns}, parent integer)`)
    for (const [index, value] of values.entries())
      await opened.run(
        `insert into things (id, ${columns}, parent) values (${index + 1}, ${names.map(() => value).join(', ')}, ${index + 1})`,
      )
    engine = createEngine({ db: opened.db, schema, onError: () => undefined })
  })

  it.each(names)('%s', async (name) => {
    const query = { fields: [name, `parent.${name}`] as never, sort: ['id'], limit: -1 } as const
    const rows: readonly Record<string, unknown>[] = (await listItems(engine, 'things', query)).data
    const expected = rows.map((row, index) => [values[index], row[name]])
    const shown = (items: readonly Record<string, unknown>[]) =>
      items.map((item, index) => [values[index], item[name]])
    const below = (items: readonly Record<string, unknown>[]) =>
      items.map((item, index) => [values[index], Object(item.parent)[name]])
    expect(below(rows)).toEqual(expected)
    const text = JSON.parse(await listItemsJson(engine, 'things', query)).data
    expect([shown(text), below(text)]).toEqual([expected, expected])
    const document = `{ things(sort: ["id"], limit: -1) { ${name} parent { ${name} } } }`
    const items = JSON.parse(await answerGraphQL(engine, { query: document })).data.things
    expect([shown(items), below(items)]).toEqual([expected, expected])
  })
})
