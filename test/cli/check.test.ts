// `quernel check` says what a database lacks of a schema file, and `quernel diff` prints the SQL that adds it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { openPostgres } from '../support/databases.ts'
import { openShop, runHere, type Shop } from './command.ts'

const library = JSON.stringify(join(import.meta.dirname, '../../src/index.ts'))

let shop: Shop
beforeEach(() => {
  shop = openShop()
})
afterEach(() => shop.remove())

const written = (name: string, text: string): string => {
  const file = join(shop.folder, name)
  writeFileSync(file, text)
  return file
}

const schemaFile = (fields = '', name = 'schema.mjs') =>
  written(
    name,
    `import { defineSchema } from ${library}
export const schema = defineSchema({ authors: { fields: { id: { type: 'integer', key: true }, name: { type: 'text' }, ${fields} } } })`,
  )

describe('quernel check', () => {
  it('is done where nothing differs', async () => {
    const found = await runHere(['check', shop.file, schemaFile()])
    expect(found).toEqual({ code: 0, out: `${shop.file} has what the schema says.\n`, told: '' })
    const environment = { DATABASE_URL: shop.file }
    expect(await runHere(['check', schemaFile()], { environment })).toMatchObject({ code: 0 })
  })

  it('prints what differs, and exits 1', async () => {
    const file = schemaFile("mail: { type: 'text' }", 'other.mjs')
    expect(await runHere(['check', shop.file, file])).toEqual({
      code: 1,
      out: 'column: The table "authors" has no column "mail" for "mail" of "authors".\n',
      told: '',
    })
    const own = await runHere(['check', shop.file, schemaFile(), '--files', '--flows'])
    expect(own.code).toBe(1)
    expect(own.out.match(/^own table: /gm)).toHaveLength(5)
  })

  it('exits 2 where it cannot be known', async () => {
    const file = written('broken.mjs', "throw new Error('no such secret')")
    expect(await runHere(['check', shop.file, file])).toEqual({
      code: 2,
      out: '',
      told: `quernel: ${JSON.stringify(file)} cannot be loaded: no such secret.\n`,
    })
    const none = await runHere(['check', shop.file, written('none.mjs', 'export const a = 1')])
    expect(none).toMatchObject({ code: 2, told: expect.stringContaining('exports no schema') })
    const away = await runHere(['check', join(shop.folder, 'away.db'), schemaFile()])
    expect(away).toMatchObject({ code: 2, told: expect.stringContaining('There is no file') })
    for (const words of [[], [shop.file, 'a.mjs', 'b.mjs'], [shop.file, 'a.mjs', '--flow']])
      expect(await runHere(['check', ...words])).toMatchObject({ code: 2 })
  })

  it('writes nothing', async () => {
    const before = new BetterSqlite(shop.file).serialize()
    await runHere(['check', shop.file, schemaFile(), '--files', '--flows'])
    expect(new BetterSqlite(shop.file).serialize()).toEqual(before)
  })

  it('checks PostgreSQL, too', async () => {
    const { db, run } = await openPostgres()
    await run('create table authors (id integer primary key, name text not null)')
    const [row] = (await sql<{ home: string }>`select current_schema() as home`.execute(db)).rows
    const url = new URL(inject('postgres').c)
    url.searchParams.set('options', `-c search_path=${row?.home}`)
    expect(await runHere(['check', String(url), schemaFile()])).toMatchObject({ code: 0 })
    await run('alter table authors drop column name')
    expect(await runHere(['check', String(url), schemaFile()])).toMatchObject({ code: 1 })
  })

  it('has a diff that runs, and says in comments what it does not write', async () => {
    const file = schemaFile("mail: { type: 'text', unique: true, nullable: true }, age: { type: 'integer' }")
    const { code, out, told } = await runHere(['diff', shop.file, file])
    expect({ code, told }).toEqual({ code: 0, told: '' })
    expect(out).toBe(`alter table "authors" add column "mail" text;
create unique index "quernel_authors_mail_unique" on "authors" ("mail");
-- Not written, as rows that are there would have no value: The table "authors" has no column "age" for "age" of "authors".
`)
    expect(await runHere(['check', shop.file, file])).toMatchObject({ code: 1 })
    const database = new BetterSqlite(shop.file)
    database.exec(out)
    database.close()
    const left = await runHere(['check', shop.file, file])
    expect(left.out).toBe('column: The table "authors" has no column "age" for "age" of "authors".\n')
    const done = await runHere(['diff', shop.file, schemaFile('', 'same.mjs')])
    expect(done).toEqual({ code: 0, out: `-- ${shop.file} has what the schema says.\n`, told: '' })
    expect(await runHere(['diff', shop.file, written('no.mjs', 'throw 1')])).toMatchObject({ code: 2 })
  })

  it('is told of in the help', async () => {
    const { out } = await runHere(['--help'])
    expect(out.split('\n').length).toBeGreaterThan(40)
    expect(out).toContain('\n  check [database] <schema file>\n')
    expect(out).toContain('\n  diff [database] <schema file>\n')
  })
})
