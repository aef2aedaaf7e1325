import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createVersion,
  defineSchema,
  type EngineOptions,
  getItem,
  type Schema,
  uploadFile,
} from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { refusal } from './case.ts'

const id = { type: 'uuid', key: true } as const
const schema: Schema = defineSchema({ tags: { fields: { id } } })
const row = {
  id: '00000000-0000-4000-8000-000000000001',
  key: 'draft',
  collection: 'tags',
  item: '1',
  hash: '',
  date_created: '2024-03-01T12:00:00.000Z',
}

describe.each(databases)('on $name', ({ name, open }) => {
  let opened: OpenDatabase
  beforeEach(async () => {
    opened = await open()
  })

  const install = (options: Partial<EngineOptions<Schema>> = {}) =>
    createEngine({ db: opened.db, schema, ...options }).install()
  const insert = (table: string, values: object) => opened.db.insertInto(table).values(values).execute()

  it('installing again changes nothing', async () => {
    await install()
    await insert('versions', row)
    await install()
    expect(await opened.db.selectFrom('versions').select('key').execute()).toEqual([{ key: 'draft' }])
  })

  it('where files are kept, they have a table, too', async () => {
    const engine = createEngine({ db: opened.db, schema, storage: memoryStorage() })
    await engine.install()
    for (let copy = 0; copy < 2; copy++)
      await uploadFile(engine, new TextEncoder().encode('Tea'), { filename: 'tea.txt' })
    expect(await opened.db.selectFrom('files').select('filename_download').execute()).toEqual([
      { filename_download: 'tea.txt' },
      { filename_download: 'tea.txt' },
    ])
  })

  it('many may install at once', async () => {
    await Promise.all([install(), install(), install(), install()])
    expect(await opened.db.selectFrom('versions').selectAll().execute()).toEqual([])
  })

  it('the table takes no version of an item twice', async () => {
    await install()
    await insert('versions', row)
    const again = { ...row, id: '00000000-0000-4000-8000-000000000002' }
    await expect(insert('versions', again)).rejects.toThrow(/unique/i)
    await insert('versions', { ...again, item: '2' })
  })

  it('the versions of an item are found by an index', async () => {
    await install()
    const column = name === 'sqlite' ? 'group_concat(c.name)' : 'indexdef'
    const from =
      name === 'sqlite'
        ? `pragma_index_list('versions') i, pragma_index_info(i.name) c group by i.name`
        : `pg_indexes where schemaname = current_schema() and tablename = 'versions'`
    const found = await sql<{ told: string }>`select ${sql.raw(`${column} as told from ${from}`)}`.execute(
      opened.db,
    )
    expect(found.rows.some(({ told }) => /collection, ?item, ?key/.test(told))).toBe(true)
  })

  it('installing goes along with a transaction around it', async () => {
    const engine = createEngine({ db: opened.db, schema })
    const undone = opened.db.transaction().execute(async (transaction) => {
      await engine.using(transaction).install()
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    await expect(insert('versions', row)).rejects.toThrow()
  })

  it('the table may be called otherwise', async () => {
    await install({ versions: { table: 'my "drafts"' } })
    await insert('my "drafts"', row)
  })

  it('a schema may describe the collection, and another of that name is no obstacle', async () => {
    const described = describing({ delta: { type: 'json', nullable: true } })
    await install({ schema: described, versions: { collection: 'history' } })
    const { key, ...others } = row
    await insert('history_rows', { ...others, version_key: key })
  })

  it('a canonical field that the schema describes gets a check where timestamps are text', async () => {
    const described = describing({
      date_created: { type: 'timestamp', storage: 'canonical' },
      delta: { type: 'json', nullable: true },
    })
    await install({ schema: described, versions: { collection: 'history' } })
    const { key, ...others } = row
    const version = { ...others, version_key: key }
    await insert('history_rows', version)
    const wrong = insert('history_rows', {
      ...version,
      id: '00000000-0000-4000-8000-000000000002',
      item: '2',
      date_created: '2024-03-01 12:00:00',
    })
    if (name === 'sqlite') await expect(wrong).rejects.toThrow(/check/i)
    else await wrong
  })

  it('before there is a table there are no versions, and none can be made', async () => {
    const notes: Schema = defineSchema({
      notes: { versioned: true, fields: { id: { type: 'integer', key: true } } },
    })
    const engine = createEngine({ db: opened.db, schema: notes })
    await opened.db.schema.createTable('notes').addColumn('id', 'integer').execute()
    await insert('notes', { id: 1 })
    expect(await refusal(() => getItem(engine, 'notes', 1, { version: 'draft' }))).toEqual({
      code: 'NOT_FOUND',
      path: ['version'],
    })
    expect(await refusal(() => createVersion(engine, 'notes', 1, { key: 'draft' }))).toEqual({
      code: 'INVALID_OPTIONS',
    })
  })

  const wrong: Readonly<Record<string, readonly [options: Partial<EngineOptions<Schema>>, path: string]>> = {
    'a collection that cannot hold versions': [
      { schema: describing({}), versions: { collection: 'history' } },
      'collection',
    ],
    'a table for a collection that the schema describes': [
      { versions: { collection: 'tags', table: 'drafts' } },
      'table',
    ],
    'a name that no collection may have': [{ versions: { collection: 'a.b' } }, 'collection'],
  }
  it.each(Object.entries(wrong))('%s is refused', async (_, [options, option]) => {
    expect(await refusal(async () => install(options))).toEqual({
      code: 'INVALID_OPTIONS',
      path: ['versions', option],
    })
  })
})

/** A schema that keeps versions in a collection of its own, and means something else by that name. */
function describing(delta: object): Schema {
  const text = { type: 'string' } as const
  const fields = {
    id,
    key: { ...text, column: 'version_key' },
    name: { ...text, nullable: true },
    collection: text,
    item: text,
    hash: text,
    date_created: { type: 'timestamp' },
    date_updated: { type: 'timestamp', nullable: true },
    user_created: { ...text, nullable: true },
    user_updated: { ...text, nullable: true },
    ...delta,
  } as const
  return defineSchema({ versions: { fields: { id } }, history: { table: 'history_rows', fields } })
}
