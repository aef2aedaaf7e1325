// `quernel graphql` prints the schema as GraphQL clients see it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { buildSchema } from 'graphql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadLanguage } from '../../src/cli/run-command.ts'
import { builtCommand, openShop, runHere, runToEnd, type Shop } from './command.ts'

const programOf = builtCommand()

let shop: Shop
beforeEach(() => {
  shop = openShop()
})
afterEach(() => shop.remove())

describe('quernel graphql', () => {
  it('prints the schema of a database, and tells beside it what was guessed', async () => {
    const { code, out, told } = await runToEnd(programOf('cli'), ['graphql', shop.file])
    expect({ code, told }).toEqual({
      code: 0,
      told: expect.stringMatching(/^guessed: The column "seen" .*\n.*\n$/),
    })
    const schema = buildSchema(out)
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toContain('articles_by_id')
    expect(Object.keys(schema.getMutationType()?.getFields() ?? {})).toContain('delete_pairs_item')
  })

  it('takes the tables that it is told to take', async () => {
    const { out } = await runHere(['graphql', shop.file, '--include', 'authors'])
    expect(out).toContain('type authors {\n  id: ID!\n  name: String\n  _cursor: String\n}')
    expect(out).not.toContain('articles')
  })

  it('tells what has another name in GraphQL, or none', async () => {
    const database = new BetterSqlite(shop.file)
    database.exec('create table "two words" (id integer primary key, "2nd" text)')
    database.close()
    expect(await runHere(['graphql', shop.file, '--include', 'two words'])).toMatchObject({
      code: 0,
      told: `renamed: "two words" is "two_words" in GraphQL.
skipped: "two words.2nd" is left out of GraphQL: "2nd" is no name in GraphQL, which has letters, digits and "_".
`,
    })
  })

  it('takes the schema of a file', async () => {
    const file = join(shop.folder, 'schema.mjs')
    writeFileSync(
      file,
      "export const schema = { collections: new Map(), definition: {}, defaultFields: 'columns' }",
    )
    expect((await runHere(['graphql', shop.file, '--schema-file', file])).out).toContain('_empty: Void')
    expect(await runHere(['graphql', shop.file, '--schema-file', file, '--include', 'a'])).toMatchObject({
      code: 2,
    })
  })

  it('says which package is missing', async () => {
    const absent = () => Promise.reject(new Error('Cannot find package'))
    await expect(loadLanguage(absent)).rejects.toMatchObject({
      message: 'The package "graphql" cannot be loaded.',
      hint: 'Install it beside the command: npm install quernel graphql',
    })
  })
})
