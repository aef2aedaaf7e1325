// Dates in text of SQLite whose rows happen to have the form of results: introspection says by which CHECK that becomes a promise.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { introspectSchema } from '../../../src/introspect.ts'
import { openSqlite } from '../../support/databases.ts'

const moment = '2024-02-29T08:30:00.000Z'

/** The hint about a column of a table with these rows, and its storage after the table is made anew with the CHECK of the hint. */
async function hintOf(declared: string, rows: readonly (string | null)[], column = 'made') {
  const { db, close, run } = await openSqlite()
  const name = sql.ref(column)
  const fill = async (table: string) => {
    for (const row of rows) await sql`insert into ${sql.table(table)} (${name}) values (${row})`.execute(db)
  }
  await sql`create table plain (id integer primary key, ${name} ${sql.raw(declared)})`.execute(db)
  await fill('plain')
  await run('create view seen as select * from plain')
  const { report } = await introspectSchema(db)
  const hint = (table: string) =>
    report.find((remark) => remark.table === table && remark.column === column)?.hint ?? ''
  expect(hint('seen')).not.toContain('check (')
  const check = /with "(check \(.*\))" in its table/.exec(hint('plain'))?.[1]
  if (check === undefined) return { check, storage: undefined }
  await sql`create table promised (id integer primary key, ${name} ${sql.raw(`${declared} ${check}`)})`.execute(
    db,
  )
  await fill('promised')
  const { definition } = await introspectSchema(db)
  const field: object | undefined = definition.promised?.fields[column]
  await close()
  return { check, storage: Reflect.get(Object(field), 'storage') }
}

it.each([
  [
    'timestamp',
    [moment, null, '1999-12-31T23:59:59.999Z'],
    "check (strftime('%Y-%m-%dT%H:%M:%fZ', made) is made)",
  ],
  ['datetime', ['2024-02-29T08:30:00', null], "check (strftime('%Y-%m-%dT%H:%M:%S', made) is made)"],
  ['date', ['2024-02-29'], "check (strftime('%Y-%m-%d', made) is made)"],
  ['time', ['08:30:00'], "check (strftime('%H:%M:%S', made) is made)"],
])(
  'a %s whose rows are %j gets the hint, and the check makes it canonical',
  async (declared, rows, check) => {
    expect(await hintOf(declared, rows)).toEqual({ check, storage: 'canonical' })
  },
)

it('a name that is no plain word is quoted', async () => {
  expect(await hintOf('timestamp', [moment], 'Made at')).toEqual({
    check: `check (strftime('%Y-%m-%dT%H:%M:%fZ', "Made at") is "Made at")`,
    storage: 'canonical',
  })
})

it('a name with a quote gets none, because the check would not be recognized', async () => {
  expect(await hintOf('timestamp', [moment], 'made "at"')).toEqual({ check: undefined, storage: undefined })
})

it.each([
  ['no row', []],
  ['nulls alone', [null, null]],
  ['one value without milliseconds', [moment, '2024-02-29T08:30:00Z']],
  ['one value with an offset', [moment, '2024-02-29T08:30:00.000+01:00']],
  ['one value with a blank', [moment, '2024-02-29 08:30:00']],
  ['one day that is none', [moment, '2024-02-31T08:30:00.000Z']],
  ['an odd value far behind the sample', [...Array<string>(500).fill(moment), '2024-02-29T08:30:00Z']],
])('a timestamp with %s gets none', async (_, rows) => {
  expect(await hintOf('timestamp', rows)).toEqual({ check: undefined, storage: undefined })
})
