// A version is read while others hold everything that it looks at, and whoever promotes holds the item.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { expect, it } from 'vitest'
import {
  compareVersion,
  createEngine,
  createVersion,
  deleteItem,
  deleteVersion,
  getItem,
  promoteVersion,
  saveVersion,
  updateItem,
  updateVersion,
} from '../../src/index.ts'
import { type AnyTables, databases, type OpenDatabase, openedOn } from '../support/databases.ts'
import { waiting } from '../support/wait-until.ts'
import { refusal } from './case.ts'
import { openWorld, schema } from './collections.ts'

const manyConnections = databases.filter(({ name }) => name === 'postgres')

it.each(manyConnections)('on $name a version is read past all locks', async (database) => {
  const { engine, opened } = await openWorld(database)
  const delta = {
    title: 'Green',
    comments: { create: [{ text: 'new' }], delete: [1] },
    author: { id: 1, name: 'A' },
  }
  await createVersion(engine, 'articles', 1, { key: 'draft', delta })
  const read = await opened.db.transaction().execute(async (transaction) => {
    for (const table of ['articles', 'comments', 'authors', 'versions'] as const) {
      await transaction
        .updateTable(table)
        .set((eb) => ({ id: eb.ref('id') }))
        .execute()
      await transaction.selectFrom(table).selectAll().forUpdate().execute()
    }
    return getItem(
      engine,
      'articles',
      1,
      { version: 'draft', fields: ['title', 'comments.text', 'author.name'] },
      { timeoutMs: 5_000 },
    )
  })
  expect(read).toEqual({
    title: 'Green',
    comments: [{ text: 'bad' }, { text: 'fine' }, { text: 'new' }],
    author: { name: 'A' },
  })
})

it.each(manyConnections)(
  'on $name a promotion waits for whoever is changing the item, and sees it',
  async (database) => {
    const { engine } = await openWorld(database)
    await createVersion(engine, 'articles', 1, { key: 'draft', delta: { title: 'Green' } })
    const { mainHash } = await compareVersion(engine, 'articles', 1, 'draft')
    let promoted: Promise<unknown> = Promise.resolve()
    await engine.transaction(async (inside) => {
      await updateItem(inside, 'articles', 1, { views: 11 })
      promoted = promoteVersion(engine, 'articles', 1, 'draft', { mainHash }).catch(({ code }) => code)
      // Long enough for it to read the item, if it did not wait.
      await new Promise((resolve) => setTimeout(resolve, 300))
    })
    expect(await promoted).toBe('VERSION_HASH_MISMATCH')
    expect(await getItem(engine, 'articles', 1, { fields: ['title', 'views'] })).toEqual({
      title: 'Tea',
      views: 11,
    })
  },
)

it.each(manyConnections)(
  'on $name a version that is created while its item goes away stayed behind',
  async (database) => {
    const { engine, opened } = await openWorld(database)
    let deleting: Promise<unknown> = Promise.resolve()
    await engine.transaction(async (inside) => {
      await createVersion(inside, 'articles', 3, { key: 'late' })
      deleting = deleteItem(engine, 'articles', 3)
      await waiting(opened, [deleting], 'articles')
    })
    await deleting
    expect(await opened.db.selectFrom('versions').select('key').execute()).toEqual([])
  },
)

it.each(manyConnections)(
  'on $name whoever writes a version waits for who deletes its item',
  async (database) => {
    const { engine, opened } = await openWorld(database)
    await createVersion(engine, 'articles', 3, { key: 'draft' })
    const verbs = [
      () => createVersion(engine, 'articles', 3, { key: 'new' }),
      () => saveVersion(engine, 'articles', 3, 'draft', { title: 'x' }),
      () => updateVersion(engine, 'articles', 3, 'draft', { name: 'x' }),
      () => deleteVersion(engine, 'articles', 3, 'draft'),
    ]
    let told: Promise<unknown[]> = Promise.resolve([])
    await engine.transaction(async (inside) => {
      await deleteItem(inside, 'articles', 3)
      const works = verbs.map(refusal)
      told = Promise.all(works)
      await waiting(opened, works, 'articles')
    })
    expect(await told).toEqual(verbs.map(() => ({ code: 'NOT_FOUND' })))
    expect(await opened.db.selectFrom('versions').select('key').execute()).toEqual([])
  },
)

it('two processes on one file of SQLite do not both promote', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'versions-'))
  const open = async (): Promise<OpenDatabase> => {
    const database = new BetterSqlite(join(folder, 'shared.db'), { timeout: 20 })
    database.pragma('journal_mode = wal')
    const db = new Kysely<AnyTables>({ dialect: new SqliteDialect({ database }) })
    return openedOn(db)
  }
  const { engine, opened } = await openWorld({ name: 'sqlite', open })
  const other = await open()
  const engines = [engine, createEngine({ db: other.db, schema })]
  await createVersion(engine, 'articles', 1, {
    key: 'draft',
    delta: { comments: { create: [{ text: 'new' }] } },
  })
  const { mainHash } = await compareVersion(engine, 'articles', 1, 'draft')
  const outcomes = await Promise.all(
    engines.map((one) =>
      promoteVersion(one, 'articles', 1, 'draft', { mainHash }).then(
        () => 'promoted',
        ({ code }) => code,
      ),
    ),
  )
  expect(outcomes.sort()).toEqual(['VERSION_HASH_MISMATCH', 'promoted'])
  await Promise.all([opened.close(), other.close()])
  rmSync(folder, { recursive: true })
})
