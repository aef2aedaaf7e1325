// Versions go with their items, whichever way these go, and no new item finds those of one before it.
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  createItems,
  createVersion,
  defineSchema,
  deleteByQuery,
  deleteFile,
  deleteItem,
  deleteItems,
  type Engine,
  filesDefinition,
  getItem,
  listVersions,
  type Schema,
  updateItem,
  updateSingleton,
  uploadFile,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { maybeOne, text } from '../support/fields.ts'
import { refusal } from './case.ts'

const id = { type: 'integer', key: true } as const

const definition = {
  shelves: { fields: { id, books: { type: 'o2m', from: 'books.shelf', deselect: 'delete' } } },
  books: { versioned: true, fields: { id, title: text, shelf: maybeOne('shelves') } },
  words: { versioned: true, fields: { word: { type: 'string', key: true }, meaning: text } },
  plain: { fields: { id, title: text } },
  site: { singleton: true, versioned: true, fields: { id, title: text } },
  files: { ...filesDefinition, versioned: true },
} as const

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  let engine: Engine<Schema>
  let statements: string[]

  beforeEach(async () => {
    opened = await open()
    statements = []
    engine = createEngine({
      db: opened.db,
      schema: defineSchema(definition) as unknown as Schema,
      storage: memoryStorage(),
      onQuery: ({ sql }) => void statements.push(sql),
    })
    for (const [table, columns] of Object.entries({
      shelves: [],
      books: [
        ['title', 'varchar(99)'],
        ['shelf', 'integer'],
      ],
      plain: [['title', 'varchar(99)']],
      site: [['title', 'varchar(99)']],
    } as const)) {
      let made = opened.db.schema
        .createTable(table)
        // As SQLite numbers rows, the key of the last one is given out again.
        .addColumn('id', name === 'sqlite' ? 'integer' : 'serial', (column) => column.primaryKey())
      for (const [column, type] of columns) made = made.addColumn(column, type)
      await made.execute()
    }
    await sql`create table words (word varchar(99) primary key, meaning varchar(99))`.execute(opened.db)
    await engine.install()
    await createItems(engine, 'shelves', [{}, {}])
    await createItems(
      engine,
      'books',
      [1, 1, 2, 2, 2].map((shelf, at) => ({ title: `book ${at + 1}`, shelf })),
    )
    await createItem(engine, 'words', { word: '1' })
    for (const key of [1, 2, 3, 4, 5]) {
      await createVersion(engine, 'books', key, { key: 'draft', delta: { title: `draft ${key}` } })
      await createVersion(engine, 'books', key, { key: 'other' })
    }
    await createVersion(engine, 'words', '1', { key: 'draft' })
    statements = []
  })

  const left = async () => {
    const rows = await opened.db.selectFrom('versions').select(['collection', 'item', 'key']).execute()
    return rows
      .filter(({ key }) => key === 'draft')
      .map(({ collection, item }) => `${String(collection)} ${String(item)}`)
      .sort()
  }
  const others = ['books 2', 'books 3', 'books 4', 'books 5', 'words 1']

  it('a deleted item left its versions behind', async () => {
    await deleteItem(engine, 'books', 1)
    expect(await left()).toEqual(others)
  })

  it('deleted by their keys, items leave no versions', async () => {
    await deleteItems(engine, 'books', [1, 3])
    expect(await left()).toEqual(['books 2', 'books 4', 'books 5', 'words 1'])
    await deleteItems(engine, 'words', ['1'])
    expect(await left()).toEqual(['books 2', 'books 4', 'books 5'])
  })

  it('deleted by a query, items leave no versions', async () => {
    expect(await deleteByQuery(engine, 'books', { filter: { id: { _lt: 3 } } })).toEqual({
      deleted: 2,
      keys: [1, 2],
    })
    expect(await left()).toEqual(['books 3', 'books 4', 'books 5', 'words 1'])
    await deleteByQuery(engine, 'books', { limit: 1, sort: ['-title'] })
    expect(await left()).toEqual(['books 3', 'books 4', 'words 1'])
    await deleteByQuery(engine, 'books', { limit: -1 })
    expect(await left()).toEqual(['words 1'])
  })

  it('whatever is only counted or refused keeps its versions', async () => {
    await deleteByQuery(engine, 'books', { limit: -1 }, { dryRun: true })
    expect(
      await refusal(() => deleteByQuery(engine, 'books', { limit: -1 }, { maxAffected: 2 })),
    ).toMatchObject({ code: 'INVALID_PAYLOAD' })
    expect(await refusal(() => deleteItems(engine, 'books', [1, 99]))).toMatchObject({ code: 'NOT_FOUND' })
    const undone = engine.transaction(async (inside) => {
      await deleteItem(inside, 'books', 1)
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    expect(await left()).toHaveLength(6)
  })

  it('children that a relation deletes leave no versions', async () => {
    await updateItem(engine, 'shelves', 2, { books: [3] })
    expect(await left()).toEqual(['books 1', 'books 2', 'books 3', 'words 1'])
    await updateItem(engine, 'shelves', 1, { books: { delete: [2] } })
    expect(await left()).toEqual(['books 1', 'books 3', 'words 1'])
  })

  it('a deleted file leaves no versions', async () => {
    const file = await uploadFile(engine, new TextEncoder().encode('Tea'), { filename: 'tea.txt' })
    const key = String(Reflect.get(Object(file), 'id'))
    await createVersion(engine, 'files', key, { key: 'draft', delta: { title: 'Tea' } })
    await deleteFile(engine, key)
    expect(await left()).toEqual(['books 1', ...others])
  })

  it('no rule is asked about versions that go with their item', async () => {
    const mine = engine.as({ rules: { books: { read: true, delete: { filter: { id: { _lt: 3 } } } } } })
    await deleteItem(mine, 'books', 1)
    await deleteByQuery(mine, 'books', { filter: { id: 2 } })
    expect(await refusal(() => deleteItem(mine, 'books', 3))).toMatchObject({ code: 'FORBIDDEN' })
    expect(await left()).toEqual(['books 3', 'books 4', 'books 5', 'words 1'])
  })

  it('a new item found the draft of one before it that had its key', async () => {
    // The host's own statements leave versions behind, as cascades do.
    await opened.db.deleteFrom('books').execute()
    if (name === 'sqlite') {
      const made = await createItem(engine, 'books', { title: 'new' }, { fields: ['id'] })
      expect(made).toEqual({ id: 1 })
      expect(await listVersions(engine, 'books', 1)).toEqual([])
    }
    await createItems(engine, 'books', [{ id: 2, title: 'new' }])
    expect(await listVersions(engine, 'books', 2)).toEqual([])
    await createItems(engine, 'shelves', [{ books: { create: [{ id: 3 }] } }])
    const mine = engine.as({ rules: { books: { read: true, create: true, update: true } } })
    await createItem(mine, 'books', { id: 4 })
    expect(await listVersions(engine, 'books', 4)).toEqual([])
    expect(await left()).toEqual(
      name === 'sqlite' ? ['books 5', 'words 1'] : ['books 1', 'books 5', 'words 1'],
    )
  })

  it('many new items, and the only one of a singleton, find no draft either', async () => {
    await updateSingleton(engine, 'site', { title: 'x' })
    await createVersion(engine, 'site', 1, { key: 'draft', delta: { title: 'y' } })
    await opened.db.deleteFrom('books').execute()
    await opened.db.deleteFrom('site').execute()
    if (name === 'postgres') await opened.run('alter sequence books_id_seq restart')
    await createItems(
      engine,
      'books',
      Array.from({ length: 4 }, (_, at) => ({ title: `${at}` })),
    )
    await createItem(engine, 'site', { id: 1, title: 'new' })
    expect(await left()).toEqual(['books 5', 'words 1'])
  })

  it('items of other collections, and those without versions, cost nothing more', async () => {
    await createItem(engine, 'plain', { id: 1 })
    await createItems(
      engine,
      'plain',
      [{ title: 'a' }, { title: 'b' }].map((one, at) => ({ ...one, id: at + 2 })),
    )
    await deleteItem(engine, 'plain', 1)
    await deleteByQuery(engine, 'plain', { limit: -1 })
    expect(statements.filter((sql) => /versions/i.test(sql))).toEqual([])
    expect(await left()).toHaveLength(6)
  })

  it('handlers of versions hear of those that go', async () => {
    const heard: unknown[] = []
    engine.on('items.delete', 'versions', ({ keys }) => void heard.push(keys.length), { when: 'after' })
    await deleteItems(engine, 'books', [1, 2])
    expect(heard).toEqual([4])
    const keep = () => {
      throw new Error('keep them')
    }
    engine.on('items.delete', 'versions', keep, { when: 'before' })
    await expect(deleteItem(engine, 'books', 3)).rejects.toThrow('keep them')
    expect(await getItem(engine, 'books', 3, { fields: ['id'] })).toEqual({ id: 3 })
    await deleteItem(engine, 'words', '1').catch(() => undefined)
    expect(await left()).toEqual(['books 3', 'books 4', 'books 5', 'words 1'])
  })

  it('before there is a table of versions, items come and go', async () => {
    await opened.db.schema.dropTable('versions').execute()
    const fresh = createEngine({ db: opened.db, schema: defineSchema(definition) as unknown as Schema })
    await createItem(fresh, 'books', { id: 77, title: 'x' })
    await fresh.transaction(async (inside) => {
      await deleteItem(inside, 'books', 77)
      await createItem(inside, 'books', { id: 78 })
    })
    await deleteByQuery(fresh, 'books', { limit: -1 })
    expect(await opened.db.selectFrom('books').selectAll().execute()).toEqual([])
  })
})
