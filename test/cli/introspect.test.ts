// `quernel introspect` and what it prints.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { printSchema } from '../../src/cli/print-schema.ts'
import type { Schema, SchemaDefinition } from '../../src/index.ts'
import { introspectSchema } from '../../src/introspect.ts'
import { openPostgresUrl } from '../examples/postgres-url.ts'
import { chinook } from '../introspect/samples/chinook.ts'
import { northwind } from '../introspect/samples/northwind.ts'
import { build } from '../introspect/samples/sample.ts'
import { tenants } from '../introspect/samples/tenants.ts'
import { diagnosticsOf, openCompiler, wordsOf } from '../support/compiler.ts'
import { databases } from '../support/databases.ts'
import { integer } from '../support/fields.ts'
import { builtCommand, openShop, runHere, runToEnd, type Shop } from './command.ts'

const root = join(import.meta.dirname, '../..')
const programOf = builtCommand()
const compiler = openCompiler()
const generated = join(import.meta.dirname, 'generated')

let shop: Shop
beforeEach(() => {
  shop = openShop()
})
afterEach(() => shop.remove())
afterAll(() => rmSync(generated, { recursive: true, force: true }))

/** The schema that a printed module exports, once the compiler had nothing to say about it. */
async function evaluated(text: string, name: string): Promise<Schema<SchemaDefinition>> {
  mkdirSync(generated, { recursive: true })
  const file = join(generated, `${name}.ts`)
  writeFileSync(file, text)
  expect(diagnosticsOf(compiler.programOf([file]), file).map(wordsOf)).toEqual([])
  const { schema } = await import(/* @vite-ignore */ file)
  return schema
}

describe('quernel introspect', () => {
  it('prints a module, and tells beside it what is not in it as it is there', async () => {
    expect(await runToEnd(programOf('cli'), ['introspect', shop.file])).toEqual({
      code: 0,
      out: `// Read from ${shop.file} by quernel introspect.
import { defineSchema } from 'quernel'

export const schema = defineSchema({
  articles: {
    fields: {
      id: { type: 'integer', key: true },
      title: { type: 'text' },
      author: { type: 'm2o', to: 'authors', nullable: true },
      seen: { type: 'dateTime', nullable: true },
    },
  },
  authors: {
    fields: {
      id: { type: 'integer', key: true },
      name: { type: 'text' },
      articles: { type: 'o2m', from: 'articles.author' },
    },
  },
  pairs: {
    key: ['a', 'b'],
    fields: {
      a: { type: 'integer' },
      b: { type: 'integer' },
    },
  },
}, { defaultFields: 'columns' })
`,
      told: `guessed: The column "seen" of the table "articles" is declared "datetime" and taken for "dateTime": SQLite knows no such type; it is read as ISO text.
  Say what it is with --type "articles.seen=…".
`,
    })
  })

  it('takes what it is told to take, with the keys it is told', async () => {
    const { code, out } = await runHere(['introspect', shop.file, '--exclude', 'a*', '--key', 'pairs=rowid'])
    expect(code).toBe(0)
    const { definition, defaultFields } = await evaluated(out, 'chosen')
    expect(definition).toEqual({
      pairs: { fields: { rowid: { type: 'integer', key: true, rowNumber: true }, a: integer, b: integer } },
    })
    expect(defaultFields).toBe('columns')
  })

  it('takes no key that the database does not keep unique', async () => {
    expect(await runHere(['introspect', shop.file, '--key', 'pairs=a'])).toEqual({
      code: 1,
      out: '',
      told: `quernel: The column "a" of the table "pairs" cannot be its key: nothing in the database keeps its values unique.
  Name one of ["a", "b"], "rowid", or give the column a unique index.
`,
    })
  })

  it('takes several columns for a key, with commas between them', async () => {
    const { out } = await runHere(['introspect', shop.file, '--exclude', 'a*', '--key', 'pairs=b,a'])
    expect((await evaluated(out, 'turned')).definition.pairs?.key).toEqual(['b', 'a'])
  })

  it('takes relations that it is told, of one column and of several', async () => {
    const file = new BetterSqlite(shop.file)
    file.exec('create unique index one_name on authors (name)')
    file.close()
    const relations = [
      '--relation',
      'articles.title=authors.name',
      '--relation',
      'articles.id,author=pairs.a,b',
    ]
    const { out, told } = await runHere(['introspect', shop.file, ...relations])
    expect(told).not.toContain('skipped')
    const { definition } = await evaluated(out, 'related')
    expect(definition.articles?.fields).toMatchObject({
      title: { type: 'm2o', to: 'authors', references: 'name' },
      pairs: { type: 'm2o', to: 'pairs', by: ['id', 'author'] },
    })
    expect(definition.authors?.fields).toHaveProperty('articles_by_title')
    expect(await runHere(['introspect', shop.file, '--relation', 'articles.title=author.name'])).toEqual({
      code: 1,
      out: '',
      told: 'quernel: There is no collection "author" for the relation "author.name".\n  Did you mean "authors"?\n',
    })
  })

  it('takes types that it is told, by arguments and by a file', async () => {
    const file = join(shop.folder, 'overrides.json')
    writeFileSync(
      file,
      JSON.stringify({ articles: { fields: { title: { type: 'text' } } }, pairs: { key: ['b', 'a'] } }),
    )
    const words = [
      '--overrides',
      file,
      '--type',
      'articles.seen=timestamp',
      '--type',
      'articles.id=bigInteger',
    ]
    const { out, told } = await runHere(['introspect', shop.file, ...words])
    expect(told).toBe('')
    const { definition } = await evaluated(out, 'typed')
    expect(definition.articles?.fields).toMatchObject({
      id: { type: 'bigInteger', key: true },
      title: { type: 'text' },
      seen: { type: 'timestamp' },
    })
    expect(definition.pairs?.key).toEqual(['b', 'a'])
  })

  it.each([
    [['--type', 'articles.seen'], 2, '--type takes collection.field=type'],
    [
      ['--type', 'articles.seen=date-time'],
      2,
      'with a type of fields, not "articles.seen=date-time".\n  Did you mean "dateTime"?',
    ],
    [
      ['--type', 'articles.seen=date', '--type', 'articles.seen=timestamp'],
      2,
      '--type says twice what is "articles.seen".',
    ],
    [['--key', 'pairs=a', '--key', 'pairs=b'], 2, '--key says twice what identifies "pairs".'],
    [['--type', 'seen=date'], 2, '--type takes collection.field=type'],
    [['--type', 'none.seen=date'], 1, 'There is no collection "none" to override.'],
    [['--overrides', 'none.json'], 1, '"none.json" cannot be read as JSON: ENOENT'],
    [['--overrides', 'package.json'], 1, '"package.json" is no object of collections.'],
  ])('refuses %j', async (words, code, told) => {
    const refused = await runHere(['introspect', shop.file, ...words])
    expect(refused.code).toBe(code)
    expect(refused.told).toContain(told)
  })

  it('sums up a long report, and prints it on demand', async () => {
    const file = join(shop.folder, 'long.db')
    const database = new BetterSqlite(file)
    database.exec(`create table t (id integer primary key, a datetime, b datetime, c datetime, d datetime);
      create table u (x text)`)
    database.close()
    const brief = await runHere(['introspect', file])
    expect(brief.told.split('\n')).toEqual([
      '5 things are not as they are in the database: 1 limited, 4 guessed.',
      expect.stringMatching(/^The first: The table "u" has no key/),
      '--verbose prints all of them, and what to do about each.',
      '',
    ])
    const whole = await runHere(['introspect', file, '--verbose'])
    expect(whole.out).toBe(brief.out)
    expect(whole.told.match(/^(limited|guessed): /gm)).toHaveLength(5)
    expect(whole.told).toContain('take the number that each row has: --key "u=rowid".')
    expect((await runHere(['introspect', file, '--key', 'u=rowid', '--verbose'])).told).not.toContain(
      'limited',
    )
  })

  it('says that an empty database has no table', async () => {
    const { url, close } = await openPostgresUrl()
    expect(await runHere(['introspect', url]).finally(close)).toEqual({
      code: 1,
      out: '',
      told: 'quernel: There is no table in the database.\n',
    })
  })

  it('leaves no trace in the folder of the file', async () => {
    await runHere(['introspect', shop.file])
    expect(readdirSync(shop.folder)).toEqual(['shop.db'])
  })
})

describe.each(databases)('a printed schema of $name', ({ name, open }) => {
  it.each([
    ['chinook', chinook],
    ['northwind', northwind],
    ['tenants', tenants],
  ] as const)('compiles, and is what was read: %s', async (title, sample) => {
    const { db } = await open()
    await build(sample, name, db)
    const schema = await introspectSchema(db)
    const printed = await evaluated(printSchema(schema, title), `${title}-${name}`)
    expect(printed.definition).toEqual(schema.definition)
  })
})

describe('a printed schema', () => {
  it('keeps any name and any default', async () => {
    const names = ["it's", 'say "hi"', 'a\\b', 'line\u2028end', 'class', '日本', 'a-b', '1', 'both \' and "']
    const columns = names.map(
      (name) => `"${name.replaceAll('"', '""')}" text default '${name.replaceAll("'", "''")}'`,
    )
    const database = new BetterSqlite(shop.file)
    database.exec(`create table "all 'names'" (id integer primary key, ${columns.join(', ')})`)
    const odd = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) })
    const schema = await introspectSchema(odd)
    const { definition } = schema
    await odd.destroy()
    const text = printSchema(schema, 'line\nend')
    expect((await evaluated(text, 'names')).definition).toEqual(definition)
    expect(printSchema(schema, 'line\nend')).toBe(text)
    expect(Object.values(definition["all 'names'"]?.fields ?? {})).toHaveLength(names.length + 1)
  })

  it('breaks what is too long for a line', () => {
    const values = Array.from({ length: 20 }, (_, at) => `a value of number ${at}`)
    const definition = { a: { fields: { id: { type: 'string', key: true, values } } } } as const
    const text = printSchema({ definition, defaultFields: 'all' }, 'x')
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110)
    expect(text).toContain("      id: {\n        type: 'string',\n        key: true,\n        values: [\n")
  })
})

const misuses: readonly {
  readonly words: readonly string[]
  readonly code: number
  readonly says: string
}[] = [
  { words: [], code: 2, says: 'No command is given.' },
  { words: ['read'], code: 2, says: 'There is no command "read".' },
  { words: ['introspect'], code: 2, says: 'Which database?' },
  { words: ['introspect', 'a', 'b'], code: 2, says: 'One database is enough; what is "b"?' },
  { words: ['introspect', 'a', '--port', '1'], code: 2, says: "Unknown option '--port'." },
  { words: ['introspect', 'a', '--key', 'x'], code: 2, says: '--key takes collection=column, not "x".' },
  {
    words: ['introspect', 'a', '--relation', 'price=product.sku'],
    code: 2,
    says: '--relation takes collection.column=collection.column, not "price=product.sku".',
  },
  {
    words: ['introspect', 'a', '--relation', 'a.x=b.id', '--relation', 'a.x=c.id'],
    code: 2,
    says: '--relation says twice where "a.x" leads.',
  },
  { words: ['introspect', 'missing.db'], code: 1, says: 'There is no file "missing.db".' },
  { words: ['introspect', 'src'], code: 1, says: '"src" is no file.' },
  {
    words: ['introspect', 'package.json'],
    code: 1,
    says: '"package.json" cannot be opened: file is not a database.',
  },
  { words: ['introspect', 'mysql://localhost/x'], code: 1, says: 'There is no driver for "mysql:".' },
  {
    words: ['introspect', 'postgres://me:secret@127.0.0.1:1/shop?x=secret'],
    code: 1,
    says: 'Cannot connect to postgres://me@127.0.0.1:1/shop: connect ECONNREFUSED 127.0.0.1:1.',
  },
  {
    words: ['serve', 'a', '--port', '70000'],
    code: 2,
    says: '--port takes a number up to 65535, not "70000".',
  },
  {
    words: ['serve', 'a', '--port', '-1'],
    code: 2,
    says: "Option '--port' argument is ambiguous.\n  See quernel --help.",
  },
  {
    words: ['serve', 'a', '--host', '0.0.0.0'],
    code: 2,
    says: 'On 0.0.0.0, others than you can reach the server',
  },
  { words: ['serve', 'a', '--token', 'two words'], code: 2, says: 'A token consists of' },
  {
    words: ['serve', 'a', '--schema-file', 'b', '--include', 'c'],
    code: 2,
    says: 'A schema file says it all',
  },
]

describe('the command', () => {
  it.each(misuses)('$words ends with $code and says why', async ({ words, code, says }) => {
    const outcome = await runHere(words)
    expect(outcome).toMatchObject({ code, out: '' })
    expect(outcome.told).toContain(`quernel: ${says}`)
    expect(outcome.told).not.toMatch(/secret|\n {4}at /)
  })

  it('ends a process with its code', async () => {
    expect(await runToEnd(programOf('cli'), ['introspect', 'missing.db'])).toEqual({
      code: 1,
      out: '',
      told: 'quernel: There is no file "missing.db".\n',
    })
  })

  it('makes no file where there is none', async () => {
    const file = join(shop.folder, 'new.db')
    await runHere(['serve', file])
    expect(readdirSync(shop.folder)).toEqual(['shop.db'])
  })

  it('says which version it is, and how it is used', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(await runToEnd(programOf('cli'), ['--version'])).toEqual({
      code: 0,
      out: `${version}\n`,
      told: '',
    })
    const { code, out } = await runHere(['serve', '--help'])
    expect(code).toBe(0)
    expect(out).toContain('Usage: quernel <command> [database] [options]')
  })
})
