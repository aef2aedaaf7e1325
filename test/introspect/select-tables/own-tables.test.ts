// The tables that an engine has made for itself, when a later start reads them from the database.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  compareVersion,
  createEngine,
  createItem,
  createVersion,
  deleteFile,
  deleteItem,
  type Engine,
  filesDefinition,
  getFile,
  getItem,
  listItems,
  listVersions,
  promoteVersion,
  uploadFile,
} from '../../../src/index.ts'
import { introspectSchema } from '../../../src/introspect.ts'
import { memoryStorage } from '../../../src/storage.ts'
import { databases, insert, type OpenDatabase } from '../../support/databases.ts'
import { run } from '../samples/sample.ts'

describe.each(databases)('a second start on $name', ({ name, open }) => {
  let database: OpenDatabase
  const storage = memoryStorage()
  const start = async (): Promise<Engine> => {
    const schema = await introspectSchema(database.db, { override: { articles: { versioned: true } } })
    expect(schema.report).toEqual([])
    const engine: Engine = createEngine({ db: database.db, schema, storage, flows: {} })
    await engine.install()
    return engine
  }
  beforeEach(async () => {
    database = await open()
    await run(database.db, 'create table articles (id integer primary key, title varchar(20))')
  })

  it('describes files as the first one did', async () => {
    await start()
    const { definition } = await introspectSchema(database.db)
    expect(definition.files).toEqual(filesDefinition)
  })

  // SQLite has one width.
  if (name === 'postgres')
    it('describes files whose numbers have other widths as its own', async () => {
      await start()
      for (const type of ['integer', 'bigint']) {
        const columns = ['filesize', 'width', 'height', 'focal_point_x', 'focal_point_y']
        for (const column of columns) await run(database.db, `alter table files alter ${column} type ${type}`)
        const { definition } = await introspectSchema(database.db)
        expect(definition.files).toEqual(filesDefinition)
      }
    })

  it('goes on with versions and files', async () => {
    const first = await start()
    await createItem(first, 'articles', { id: 1, title: 'Tea' })
    await createVersion(first, 'articles', 1, { key: 'draft', delta: { title: 'Green tea' } })
    const { id } = await uploadFile(first, new Blob(['Tea']).stream(), { filename: 'tea.txt' })
    for (const key of ['second', 'third']) {
      const engine = await start()
      const [draft] = await listVersions(engine, 'articles', 1)
      expect(draft).toMatchObject({ key: 'draft', delta: { title: 'Green tea' } })
      await createVersion(engine, 'articles', 1, { key })
      expect(await getFile(engine, String(id))).toMatchObject({ filename_download: 'tea.txt', filesize: 3 })
      const more = await uploadFile(engine, new Blob(['Bread']).stream(), { filename: 'bread.txt' })
      await deleteFile(engine, String(more.id))
    }
    const last = await start()
    const [draft] = await listVersions(last, 'articles', 1)
    expect(draft?.date_created).toMatch(/^\d{4}-.*Z$/)
    const { mainHash } = await compareVersion(last, 'articles', 1, 'draft')
    await promoteVersion(last, 'articles', 1, 'draft', { mainHash })
    expect(await getItem(last, 'articles', 1)).toEqual({ id: 1, title: 'Green tea' })
  })

  it('goes on with runs of flows, which nobody else writes', async () => {
    await start()
    const id = '00000000-0000-4000-8000-000000000001'
    const text = { flow: 'welcome', definition: 'a', state: 'ready', trigger: '{}', access: 'full' }
    const numbers = { due: 1_700_000_000_123, token: 0, deaths: 0, attempt: 1, depth: 0, created: 0 }
    await insert(database.db, 'quernel_runs', { id, ...text, ...numbers })
    const engine = await start()
    const query = { fields: ['id', 'number', 'due', 'tick'] }
    expect(await getItem(engine, 'quernel_runs', id, query)).toEqual({
      id,
      number: 1,
      due: '2023-11-14T22:13:20.123Z',
      tick: null,
    })
    await expect(deleteItem(engine, 'quernel_runs', id)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await listItems(engine, 'quernel_steps')).toEqual({ data: [] })
    expect(await listItems(engine, 'quernel_flows')).toEqual({ data: [] })
  })

  it('lets relations lead to files, and keeps columns that were added', async () => {
    await start()
    await run(
      database.db,
      'alter table files add column licence varchar(9)',
      'create table people (id integer primary key, photo uuid references files)',
    )
    const engine = await start()
    const { id } = await uploadFile(engine, new Blob(['x']).stream(), { filename: 'x.txt' })
    await createItem(engine, 'people', { id: 1, photo: id })
    const { data } = await listItems(engine, 'people', {
      fields: ['photo.filename_download', 'photo.licence'],
    })
    expect(data).toEqual([{ photo: { filename_download: 'x.txt', licence: null } }])
  })

  it('takes a table of the host for what it is, though it is called so', async () => {
    await database.run('create table versions (id integer primary key, name varchar(9))')
    const { definition } = await introspectSchema(database.db)
    expect(definition.versions?.fields).toEqual({
      id: { type: 'integer', key: true },
      name: { type: 'string', length: 9, nullable: true },
    })
  })
})
