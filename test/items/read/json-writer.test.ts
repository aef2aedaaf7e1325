// Lists inside of JSON text are read again by SQLite only where it would take them for plain text otherwise.
import { beforeAll, describe, expect, it } from 'vitest'
import { sql as phrase } from '../../../src/dialects/sql.ts'
import { sqlite as plainPhrases } from '../../../src/dialects/sqlite.ts'
import { createEngine, defineSchema, listItems, listItemsJson, type QueryReport } from '../../../src/index.ts'
import { type OpenDatabase, openSqlite } from '../../support/databases.ts'
import { key, many, maybeOne, string } from '../../support/fields.ts'

const schema = defineSchema({
  nodes: { fields: { id: key, name: string, parent: maybeOne('nodes'), children: many('nodes.parent') } },
})
const query = {
  fields: ['name', 'children.name', 'children.children.name', 'children.children.children'],
} as const

// What is counted before is another matter.
const limits = { nestedRows: Number.POSITIVE_INFINITY }

describe('on sqlite', () => {
  let opened: OpenDatabase
  beforeAll(async () => {
    opened = await openSqlite()
    await opened.run('create table nodes (id integer primary key, name text, parent integer)')
    await opened.run(`insert into nodes values (1, '[1]', null), (2, '{"a":2}', 1), (3, 'c', 2), (4, 'd', 3)`)
  })

  const answering = (isIdle: 0 | 1 | undefined) => {
    const again = plainPhrases.jsonAgain
    if (!again) throw new Error('SQLite may have to read JSON again.')
    const jsonAgain =
      isIdle === undefined ? again : { ...again, isIdle: phrase`select ${phrase.lit(isIdle)} as "0"` }
    const reports: QueryReport[] = []
    const engine = createEngine({
      db: opened.db,
      schema,
      limits,
      dialect: { ...plainPhrases, jsonAgain },
      onQuery: (report) => reports.push(report),
    })
    return { engine, reports }
  }
  const readsAgain = ({ sql: text }: QueryReport) => text.includes('json((select')

  it.each([[0], [undefined]] as const)('the text is that of the items, asked %s', async (isIdle) => {
    const { engine } = answering(isIdle)
    const text = await listItemsJson(engine, 'nodes', query)
    expect(text).toBe(JSON.stringify(await listItems(engine, 'nodes', query)))
  })

  it('reads again where the database says that it has to, and nowhere else', async () => {
    for (const [isIdle, expected] of [
      [0, true],
      [1, false],
    ] as const) {
      const { engine, reports } = answering(isIdle)
      await listItemsJson(engine, 'nodes', query)
      await listItemsJson(engine, 'nodes', query)
      expect(reports.map(readsAgain)).toEqual([expected, expected])
    }
  })

  it('reads again beside a copy, which may be of another version', async () => {
    const copy = await openSqlite()
    const reports: QueryReport[] = []
    const onQuery = (report: QueryReport) => reports.push(report)
    const engine = createEngine({ db: opened.db, reads: copy.db, schema, limits, onQuery })
    await listItemsJson(engine.fresh(), 'nodes', query)
    expect(reports.map(readsAgain)).toEqual([true])
  })
})
