// Versions, files, pages, upserts and explanations over HTTP, beside the functions of the library.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as uploads from '../../src/client/upload.ts'
import * as client from '../../src/client.ts'
import * as local from '../../src/index.ts'
import { memoryStorage } from '../../src/storage.ts'
import { databases } from '../support/databases.ts'
import { outcomeOf } from '../support/outcome.ts'
import { type Served, served } from './served.ts'

const schema = local.defineSchema({
  notes: {
    versioned: true,
    fields: {
      id: { type: 'integer', key: true },
      text: { type: 'string' },
      code: { type: 'string', nullable: true, unique: true },
    },
  },
  pairs: {
    versioned: true,
    key: ['one', 'two'],
    fields: { one: { type: 'string' }, two: { type: 'integer' }, note: { type: 'string', nullable: true } },
  },
})
type Api = typeof schema

describe.each(databases)('on $name', ({ name, open }) => {
  let server: Served
  let engine: local.Engine<Api>
  let api: client.Client<Api, undefined>
  let narrow: client.Client<Api, 'narrowed'>
  beforeAll(async () => {
    const opened = await open()
    const { schema: tables } = opened.db.withoutPlugins()
    const key = name === 'sqlite' ? 'integer' : 'serial'
    await tables
      .createTable('notes')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('text', 'text')
      .addColumn('code', 'text', (column) => column.unique())
      .execute()
    await tables
      .createTable('pairs')
      .addColumn('one', 'text')
      .addColumn('two', 'integer')
      .addColumn('note', 'text')
      .addPrimaryKeyConstraint('both', ['one', 'two'] as never[])
      .execute()
    engine = local.createEngine({ db: opened.db, schema, storage: memoryStorage() })
    await engine.install()
    server = await served(engine, {
      explain: (access) => access.admin === true,
      authenticate: (token) =>
        token === 'writer'
          ? { rules: { notes: { create: true } } }
          : token === 'reader'
            ? { rules: { pairs: { read: true }, notes: { read: true }, versions: { read: true } } }
            : { admin: true, user: 1 },
    })
    api = client.connect<Api>(server.url)
    narrow = client.connect<Api, 'narrowed'>(server.url, { token: 'writer' })
  })
  beforeEach(async () => {
    await local.deleteItems(engine, 'notes', { query: { limit: -1 } })
    await local.deleteItems(engine, 'pairs', { query: { limit: -1 } })
  })

  it('what the caller may not read is null, or not in the list', async () => {
    expect(await client.createItem(narrow, 'notes', { text: 'a' })).toBe(null)
    expect(await client.createItems(narrow, 'notes', [{ text: 'b' }, { text: 'c' }])).toEqual([])
    expect(await client.createItems(narrow, 'notes', [])).toEqual([])
  })

  it('an upsert finds items by fields, on a condition', async () => {
    const fields = { fields: ['text', 'code'] } as const
    const made = await client.upsertItem(api, 'notes', { text: 'a', code: 'x' }, fields, { on: 'code' })
    expect(made).toEqual({ text: 'a', code: 'x' })
    const options = { on: ['code'], where: { text: { _eq: 'a' } } } as const
    expect(await client.upsertItem(api, 'notes', { text: 'b', code: 'x' }, fields, options)).toEqual({
      text: 'b',
      code: 'x',
    })
    expect(await client.upsertItem(api, 'notes', { text: 'c', code: 'x' }, fields, options)).toEqual({
      text: 'b',
      code: 'x',
    })
    const list = [
      { text: 'd', code: 'x' },
      { text: 'e', code: 'y' },
    ]
    expect(await client.upsertItems(api, 'notes', list, fields, { on: 'code' })).toEqual(list)
  })

  it('explanations are those beside the database, for those whom the host lets ask', async () => {
    const query = { fields: ['text'], filter: { id: { _gt: 3 } }, sort: '-id' } as const
    const plans = await client.explainItems(api, 'notes', query, { database: true })
    expect(plans.databasePlan?.length).toBeGreaterThan(0)
    const beside = await local.explainItems(engine, 'notes', query, { database: true })
    expect(plans).toEqual(JSON.parse(JSON.stringify(beside)))
    expect(await client.explainItems(api, 'pairs')).toEqual(
      JSON.parse(JSON.stringify(await local.explainItems(engine, 'pairs'))),
    )
    for (const action of ['read', 'delete'] as const)
      expect(await client.explainAccess(api, 'notes', action)).toEqual(
        local.explainAccess(engine, 'notes', action),
      )
    await expect(client.explainItems(narrow, 'notes')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(client.explainAccess(narrow, 'notes', 'read')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const unsaid = { filter: { id: undefined } } as never
    await expect(client.explainItems(api, 'notes', unsaid)).rejects.toMatchObject({ code: 'INVALID_QUERY' })
    await expect(client.explainItems(api, 'notes', {}, { databse: true } as never)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    })
  })

  it('pages hold every item once, whatever is written meanwhile', async () => {
    const items = Array.from({ length: 25 }, (_, index) => ({ text: `n${index % 3}` }))
    const created = await local.createItems(engine, 'notes', items, { fields: ['id'] })
    const seen: number[] = []
    const sizes: number[] = []
    for await (const page of client.pages(api, 'notes', {
      fields: ['id'],
      sort: ['-text', 'id'],
      limit: 10,
    })) {
      sizes.push(page.length)
      seen.push(...page.map(({ id }) => id))
      await local.createItem(engine, 'notes', { text: 'z' })
    }
    expect(sizes).toEqual([10, 10, 5])
    expect(seen.sort((a, b) => a - b)).toEqual(created.map(({ id }) => id))
    const back: number[][] = []
    const { meta } = await local.listItems(engine, 'notes', {
      sort: 'id',
      offset: 5,
      limit: 1,
      meta: 'cursors',
    })
    const before = String(meta.cursors.first)
    for await (const page of client.pages(api, 'notes', { fields: ['id'], sort: 'id', limit: 2, before }))
      back.push(page.map(({ id }) => id))
    const ids = created.map(({ id }) => id)
    expect(back).toEqual([ids.slice(3, 5), ids.slice(1, 3), ids.slice(0, 1)])
    const none = client.pages(api, 'notes', { filter: { text: 'none' } })
    expect(await none.next()).toEqual({ done: true, value: undefined })
  })

  it.each(['notes', 'pairs'] as const)('versions of %s are what they are beside the database', async (of) => {
    const key: never = (of === 'notes' ? 7 : ['a,b', 1]) as never
    const delta: never = (of === 'notes' ? { text: 'new' } : { note: 'new' }) as never
    await local.createItem(
      engine,
      of,
      (of === 'notes' ? { id: 7, text: 'old' } : { one: 'a,b', two: 1 }) as never,
    )
    const outcome = (work: () => Promise<unknown>) =>
      outcomeOf(work, ({ code, message, path }) => ({ code, message, path }))
    const both = async (work: (verbs: typeof local, side: local.Engine<Api>) => Promise<unknown>) => {
      // Both take the same arguments behind the first.
      const far = await outcome(() => work(client as never, api as never))
      expect(far).toEqual(await outcome(() => work(local, engine)))
      return far
    }
    expect(await both((verbs, side) => verbs.listVersions(side, of, key))).toEqual([])
    expect(
      await both((verbs, side) => verbs.listVersions(side, of, (of === 'notes' ? 9 : ['b', 2]) as never)),
    ).toMatchObject({ code: 'NOT_FOUND' })
    const made = await client.createVersion(api, of, key, { key: 'draft', delta })
    expect(made).toMatchObject({ key: 'draft', collection: of, delta })
    expect(await both((verbs, side) => verbs.listVersions(side, of, key))).toEqual([made])
    expect(
      await both((verbs, side) =>
        verbs.listVersions(side, of, key, { fields: ['key'], filter: { key: 'x' } }),
      ),
    ).toEqual([])
    const reader = client.connect<Api>(server.url, { token: 'reader' })
    expect(await client.listVersions(reader, of, key)).toEqual([made])
    const { mainHash } = await client.compareVersion(api, of, key, 'draft')
    expect(await both((verbs, side) => verbs.compareVersion(side, of, key, 'draft'))).toMatchObject({
      mainHash,
    })
    expect(await both((verbs, side) => verbs.compareVersion(side, of, key, 'none'))).toMatchObject({
      code: 'NOT_FOUND',
    })
    const saved = await client.saveVersion(api, of, key, 'draft', delta)
    expect(await both((verbs, side) => verbs.listVersions(side, of, key))).toEqual([saved])
    const renamed = await client.updateVersion(api, of, key, 'draft', { key: 'spring', name: 'Spring' })
    expect(await both((verbs, side) => verbs.listVersions(side, of, key))).toEqual([renamed])
    await both((verbs, side) => verbs.promoteVersion(side, of, key, 'spring', { mainHash: 'old' }))
    const promoted = await client.promoteVersion(api, of, key, 'spring', { mainHash })
    expect(promoted).toEqual(await local.getItem(engine, of, key))
    expect(promoted).toMatchObject(delta)
    await client.deleteVersion(api, of, key, 'spring')
    expect(await both((verbs, side) => verbs.listVersions(side, of, key))).toEqual([])
  })

  it('files are read, changed and deleted', async () => {
    const { id } = await local.uploadFile(engine, new Blob(['Hello']), { filename: 'hello.txt' })
    expect(await client.getFile(api, id)).toEqual(await local.getFile(engine, id))
    expect(await client.listFiles(api, { fields: ['title'] })).toEqual({ data: [{ title: 'Hello' }] })
    expect(await client.updateFile(api, id, { title: 'null' }, { fields: ['title'] })).toEqual({
      title: 'null',
    })
    const address = client.assetUrl(api, id, { download: true })
    expect(address).toBe(`${server.url}/assets/${id}?download=true`)
    expect(await (await fetch(address)).text()).toBe('Hello')
    expect(client.assetUrl(api, id, { width: 20, transforms: [['rotate', 90]] })).toBe(
      `${server.url}/assets/${id}?width=20&transforms=%5B%5B%22rotate%22%2C90%5D%5D`,
    )
    await client.deleteFile(api, id)
    await expect(client.getFile(api, id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('files are uploaded, alone, together and in the place of others', async () => {
    const fields = { fields: ['title', 'type', 'filesize'] } as const
    const text = (content: string) => new Blob([content], { type: 'text/plain' })
    const one = { filename: 'one "ä".txt', description: 'first', type: 'text/plain' }
    expect(
      await uploads.uploadFile(api, text('One'), one, { fields: ['filename_download', 'description'] }),
    ).toEqual({
      filename_download: 'one "ä".txt',
      description: 'first',
    })
    const files = [
      [text('Two'), { filename: 'two.txt', title: 'Second', description: null }],
      [text('Three'), { filename: 'three.txt' }],
    ] as const
    const stored = [
      { title: 'Second', type: 'text/plain', filesize: 3 },
      { title: 'Three', type: 'text/plain', filesize: 5 },
    ]
    expect(await uploads.uploadFiles(api, files, fields)).toEqual(stored)
    expect(await uploads.uploadFiles(api, files.slice(0, 1), fields)).toEqual(stored.slice(0, 1))
    expect(await uploads.uploadFiles(api, [])).toEqual([])
    const seen: uploads.UploadProgress[] = []
    const onProgress = (progress: uploads.UploadProgress) => seen.push(progress)
    const { id } = await uploads.uploadFile(
      api,
      text('Old'),
      { filename: 'a.txt' },
      { fields: ['id'] },
      { onProgress },
    )
    expect(seen).toEqual([{ sent: expect.any(Number), total: seen[0]?.sent }])
    expect(await uploads.replaceFile(api, id, text('Newer'), { filename: 'b.txt' }, fields)).toMatchObject({
      filesize: 5,
    })
    await expect(
      uploads.uploadFile(api, text('x'), { filename: 'x.txt', title: 'null' }),
    ).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
      path: ['title'],
    })
    const left = { signal: AbortSignal.abort('left') }
    await expect(uploads.uploadFile(api, text('x'), { filename: 'x.txt' }, {}, left)).rejects.toBe('left')
  })
})
