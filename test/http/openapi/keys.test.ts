// Keys of several parts, and collections without a key, as they are described and answered.
import BetterSqlite from 'better-sqlite3'
import { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from '../../../src/http.ts'
import { createEngine, type Schema } from '../../../src/index.ts'
import { sqliteDialect } from '../../../src/sqlite.ts'
import { rows, schema as typed } from '../../conformance/reads/collections.ts'
import { keyCases } from '../../conformance/reads/keys.ts'
import { createTables } from '../../conformance/tables.ts'
import type { AnyTables } from '../../support/databases.ts'
import { at, Checker, mistakes } from '../openapi-checking.ts'
import { type Ask, askerOf } from '../openapi-collections.ts'

const schema: Schema = typed
const db = new Kysely<AnyTables>({ dialect: sqliteDialect({ database: new BetterSqlite(':memory:') }) })
let checker: Checker
let ask: Ask

beforeAll(async () => {
  await createTables('sqlite', db, schema, rows)
  const engine = createEngine({ db, schema })
  checker = new Checker(describeApi(engine))
  ask = checker.checking(askerOf(engine, { authenticate: () => ({ admin: true }) }))
})
afterAll(() => db.destroy())

const lists = keyCases.filter(
  ({ call, expect: wanted }) => call.verb === 'list' && !('problems' in Object(wanted)),
)

describe('the document', () => {
  it('is valid', async () => {
    expect(await mistakes(checker.document)).toBe(undefined)
  })

  it('offers nothing but lists of items without a key', () => {
    const paths = Object.keys(checker.document.paths).filter((path) => path.startsWith('/items/visits'))
    expect(paths).toEqual(['/items/visits', '/items/visits/search'])
    expect(Object.keys(at(checker.document, ['paths', '/items/visits']))).toEqual(['get'])
  })

  it('says that a key of several parts is the list of them', () => {
    const key = at(checker.document, ['components', 'parameters', 'lines.key'])
    expect(key.schema).toMatchObject({
      type: 'array',
      prefixItems: [{ type: 'integer' }, { format: 'uuid' }],
    })
  })

  it.each(lists.map((one) => [one.title, one] as const))(
    'describes: %s',
    async (_, { call, engine: setting }) => {
      if (setting) return
      const { filter, deep, aggregate, alias, ...plain } = call.query
      const objects = { filter, deep, aggregate, alias }
      const pairs: [string, string][] = [
        ...Object.entries(plain).map(([name, value]): [string, string] => [name, String(value)]),
        ...Object.entries(objects).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, JSON.stringify(value)] satisfies [string, string]],
        ),
      ]
      const response = await ask('GET', `/items/${call.of}?${new URLSearchParams(pairs)}`)
      expect(response.status).toBe(200)
      if (filter !== undefined) expect(checker.problemBy(`${call.of}.filter`, filter)).toBe(undefined)
    },
  )

  it.each([{ line: { _in: [1, 2] } }, { line: { _eq: 1 } }, { line: { _gt: [1, 2] } }, { line: [1, 2] }])(
    'does not allow the filter %j',
    (filter) => {
      expect(checker.problemBy('parcels.filter', filter)).toBeDefined()
    },
  )
})
