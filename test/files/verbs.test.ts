import { createHash, randomUUID } from 'node:crypto'
import { PostgresAdapter, sql } from 'kysely'
import sharp from 'sharp'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createEngine,
  createItem,
  defineSchema,
  deleteByQuery,
  deleteFile,
  deleteItem,
  deleteItems,
  filesDefinition,
  getFile,
  getItem,
  listFiles,
  listItems,
  purgeVariants,
  transformAsset,
  updateFile,
  updateItem,
  uploadFile,
} from '../../src/index.ts'
import type { Storage } from '../../src/storage.ts'

import { fuzzSeed } from '../property/seeded-random.ts'
import { folders } from '../storage/folder.ts'
import { databases, insert, type OpenDatabase, sqlite } from '../support/databases.ts'
import { oneIn } from '../support/long-runs.ts'
import { refusal } from '../versions/case.ts'
import { keysIn, openGallery, placesIn, plain, storages, streamOf } from './gallery-fixture.ts'

const newFolder = folders()
/** Every storage with the first database, and another one each run with the other. */
const worlds = databases.flatMap((database, at) =>
  (at === 0 ? storages : oneIn(storages.length, storages, fuzzSeed)).map((storage) => ({
    ...database,
    ...storage,
  })),
)
const hello = new TextEncoder().encode('Hello')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

describe.each(worlds)(`on $name, in $kind (QUERNEL_SEED=${fuzzSeed})`, ({ open, make }) => {
  let opened: OpenDatabase
  let storage: Storage
  let engine: ReturnType<typeof openGallery>
  beforeEach(async () => {
    opened = await open()
    storage = make(await newFolder())
    engine = openGallery(opened.db, storage)
    await engine.install()
    await sql
      .raw(
        `create table articles (id integer primary key, title text, image ${opened.db.getExecutor().adapter.supportsReturning && isUuid(opened) ? 'uuid' : 'text'})`,
      )
      .execute(opened.db)
  })

  const upload = async (body: Parameters<typeof uploadFile>[1], filename = 'hello.txt') =>
    uploadFile(engine, body, { filename })
  const bodyOf = async (id: string) => new Response((await transformAsset(engine, id)).body).text()
  const told = async (id: string) => {
    const { body, ...known } = await transformAsset(engine, id)
    await body.cancel()
    return known
  }

  describe('an upload', () => {
    it('answers what is known of the file', async () => {
      const file = await uploadFile(engine, hello, { filename: 'hello_there.txt', tags: ['a', 'b'] })
      const [place] = await keysIn(storage)
      expect(place).toMatch(new RegExp(`^files/${file.id}/[0-9a-f]{18}\\.txt$`))
      expect(file).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        filename_disk: place,
        filename_download: 'hello_there.txt',
        title: 'Hello there',
        type: 'text/plain',
        folder: null,
        uploaded_by: null,
        created_on: '2024-03-01T12:00:00.000Z',
        modified_by: null,
        modified_on: null,
        uploaded_on: '2024-03-01T12:00:00.000Z',
        filesize: 5,
        width: null,
        height: null,
        checksum: sha256('Hello'),
        description: null,
        location: null,
        tags: ['a', 'b'],
        metadata: null,
        focal_point_x: null,
        focal_point_y: null,
      })
    })

    it.each([
      ['bytes', () => hello],
      ['a Blob', () => new Blob(['Hello'])],
      ['a stream', () => streamOf('He', '', 'llo')],
      ['the body of a response', () => new Response('Hello').body ?? hello],
    ])('takes %s', async (_, body) => {
      const { id } = await upload(body())
      expect(await bodyOf(id)).toBe('Hello')
    })

    it('may be empty', async () => {
      const file = await upload(new Uint8Array())
      expect(file).toMatchObject({ filesize: 0, checksum: sha256('') })
      expect(await bodyOf(file.id)).toBe('')
    })

    it('of a picture tells its dimensions, whatever it is called', async () => {
      const bytes = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'red' } })
        .withMetadata({ orientation: 6 })
        .jpeg()
        .toBuffer()
      const file = await uploadFile(engine, bytes, { filename: 'a.txt', type: 'text/html' })
      expect(file).toMatchObject({ type: 'image/jpeg', width: 40, height: 60, filename_download: 'a.txt' })
      expect(file.filename_disk).toMatch(/\.jpg$/)
    })

    it('is counted and hashed over all of its chunks', async () => {
      const chunk = new Uint8Array(100_000).fill(7)
      const all = new Uint8Array(1_000_000).fill(7)
      const file = await upload(streamOf(...Array.from({ length: 10 }, () => chunk)))
      expect(file).toMatchObject({ filesize: 1_000_000, checksum: sha256(all) })
    })

    it.each([
      ['an array', new Uint8Array(1_000)],
      ['a Buffer', Buffer.alloc(1_000)],
    ])('may come in chunks that all use %s', async (_, chunk) => {
      let round = 0
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            if (round === 100) controller.close()
            else controller.enqueue(chunk.fill(round++))
          },
        },
        { highWaterMark: 0 },
      )
      const all = Uint8Array.from({ length: 100_000 }, (_, index) => Math.floor(index / 1_000))
      const { id, checksum } = await upload(body)
      expect(checksum).toBe(sha256(all))
      const kept = await transformAsset(engine, id)
      expect(sha256(new Uint8Array(await new Response(kept.body).arrayBuffer()))).toBe(checksum)
    })

    it('shapes its answer as it is asked to', async () => {
      expect(await uploadFile(engine, hello, { filename: 'a' }, { fields: ['title'] })).toEqual({
        title: 'A',
      })
    })

    it('may bring the key, which no other file may have', async () => {
      const id = randomUUID()
      expect(await uploadFile(engine, hello, { filename: 'a', id })).toMatchObject({ id })
      expect(await refusal(() => uploadFile(engine, hello, { filename: 'a', id }))).toMatchObject({
        code: 'RECORD_NOT_UNIQUE',
      })
      expect(await keysIn(storage)).toEqual(await placesIn(opened.db))
      expect(await bodyOf(id)).toBe('Hello')
    })

    it('is kept under the key that its row gets, though null was given for it', async () => {
      const { id, filename_disk } = await uploadFile(engine, hello, { filename: 'a', id: null as never })
      expect(filename_disk.startsWith(`files/${id}/`)).toBe(true)
    })

    it.each([
      ['no name', {}, { code: 'INVALID_PAYLOAD', path: ['filename'] }],
      ['a type that is none', { filename: 'a', type: 7 }, { code: 'INVALID_PAYLOAD', path: ['type'] }],
      ['an unknown field', { filename: 'a', titel: 'x' }, { code: 'FORBIDDEN', path: ['titel'] }],
      [
        'a place',
        { filename: 'a', filename_disk: 'files/x' },
        { code: 'INVALID_PAYLOAD', path: ['filename_disk'] },
      ],
      ['a size', { filename: 'a', filesize: 1 }, { code: 'INVALID_PAYLOAD', path: ['filesize'] }],
      ['a key that is none', { filename: 'a', id: '../../x' }, { code: 'FAILED_VALIDATION', path: ['id'] }],
      [
        'a wrong value',
        { filename: 'a', focal_point_x: 'x' },
        { code: 'FAILED_VALIDATION', path: ['focal_point_x'] },
      ],
      ['nothing at all', null, { code: 'INVALID_PAYLOAD' }],
    ])('with %s is refused before its body is read', async (_, given, expected) => {
      let isRead = false
      const body = new ReadableStream<Uint8Array>(
        {
          pull() {
            isRead = true
          },
        },
        { highWaterMark: 0 },
      )
      expect(await refusal(() => uploadFile(engine, body, given as never))).toEqual(expected)
      expect(isRead).toBe(false)
    })

    it('of too many bytes is broken off and leaves nothing', async () => {
      const small = openGallery(opened.db, storage, { files: { maxBytes: 100_000 } })
      let pulled = 0
      const endless = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            pulled += 1
            controller.enqueue(new Uint8Array(10_000))
          },
        },
        { highWaterMark: 0 },
      )
      expect(await refusal(() => uploadFile(small, endless, { filename: 'a' }))).toEqual({
        code: 'CONTENT_TOO_LARGE',
        path: ['body'],
      })
      expect(pulled).toBe(11)
      expect(await keysIn(storage)).toEqual([])
      expect(await uploadFile(small, new Uint8Array(100_000), { filename: 'a' })).toMatchObject({
        filesize: 100_000,
      })
    })
  })

  describe('reading', () => {
    it('files is reading items', async () => {
      const one = await upload(hello, 'b.txt')
      const other = await upload(hello, 'a.txt')
      expect(
        await listFiles(engine, { fields: ['id'], sort: ['filename_download'], meta: ['total_count'] }),
      ).toEqual({ data: [{ id: other.id }, { id: one.id }], meta: { total_count: 2 } })
      expect(await getFile(engine, one.id, { fields: ['title'] })).toEqual({ title: 'B' })
      expect(
        (await listItems(engine, 'files', { fields: ['id'], filter: { title: { _eq: 'A' } } })).data,
      ).toEqual([{ id: other.id }])
    })

    it('follows relations to files', async () => {
      const { id } = await upload(hello)
      await createItem(engine, 'articles', { id: 1, title: 'Tea', image: id })
      expect(await getItem(engine, 'articles', 1, { fields: ['title', 'image.type'] })).toEqual({
        title: 'Tea',
        image: { type: 'text/plain' },
      })
    })

    it.each(['00000000-0000-4000-8000-000000000000', 'nonsense', '', '../../etc/passwd'])(
      'an unknown file (%s) fails like any unknown item',
      async (id) => {
        for (const call of [
          () => getFile(engine, id),
          () => transformAsset(engine, id),
          () => updateFile(engine, id, { title: 'x' }),
          () => updateFile(engine, id, {}, hello),
          () => deleteFile(engine, id),
          () => purgeVariants(engine, id),
        ])
          expect(await refusal(async () => (await call()) ?? 'nothing')).toBeOneOf([
            { code: 'NOT_FOUND' },
            { code: 'NOT_FOUND', path: [] },
            ...(call.toString().includes('purge') ? ['it worked'] : []),
          ])
        expect(await keysIn(storage)).toEqual([])
      },
    )

    it('a file whose bytes are lost is not found', async () => {
      const { id } = await upload(hello)
      for (const key of await keysIn(storage)) await storage.delete(key)
      expect(await refusal(() => transformAsset(engine, id))).toEqual({ code: 'NOT_FOUND' })
    })
  })

  describe('a change', () => {
    it('of what is known of a file leaves its bytes', async () => {
      const { id, filename_disk } = await upload(hello)
      expect(
        await updateFile(engine, id, { title: 'New', focal_point_x: 3 }, undefined, {
          fields: ['title', 'focal_point_x', 'filename_disk'],
        }),
      ).toEqual({ title: 'New', focal_point_x: 3, filename_disk })
      expect(await bodyOf(id)).toBe('Hello')
    })

    it.each(['filename_disk', 'type', 'filesize', 'width', 'height', 'checksum', 'uploaded_on'])(
      'of %s is refused, also as an item',
      async (name) => {
        const { id } = await upload(hello)
        const expected = { code: 'INVALID_PAYLOAD', path: [name] }
        const data = { [name]: 1 }
        expect(await refusal(() => updateFile(engine, id, data as never))).toEqual(expected)
        expect(await refusal(() => updateItem(engine, 'files', id, data as never))).toEqual(expected)
      },
    )

    it('of its bytes keeps the key, replaces what they say, and deletes the old ones and their variants', async () => {
      const { id } = await upload(hello, 'hello.txt')
      await storage.write(`variants/${id}/small.webp`, hello)
      await storage.write(`variants/${randomUUID()}/small.webp`, hello)
      const png = await sharp({ create: { width: 3, height: 2, channels: 3, background: 'red' } })
        .png()
        .toBuffer()
      const file = await updateFile(engine, id, { title: 'Seen' }, png, {
        fields: ['id', 'title', 'type', 'width', 'height', 'filesize', 'checksum', 'filename_download'],
      })
      expect(file).toEqual({
        id,
        title: 'Seen',
        type: 'image/png',
        width: 3,
        height: 2,
        filesize: png.length,
        checksum: sha256(png),
        filename_download: 'hello.txt',
      })
      const keys = await keysIn(storage)
      expect(keys).toHaveLength(2)
      expect(keys).toEqual([...(await placesIn(opened.db)), expect.stringMatching(/^variants\//)])
      expect(keys.some((key) => key.includes(`variants/${id}`))).toBe(false)
      expect((await told(id)).size).toBe(png.length)
    })

    it('of its bytes may bring another name', async () => {
      const { id } = await upload(hello)
      expect(
        await updateFile(engine, id, { filename: '/x/new.md' }, hello, {
          fields: ['filename_download', 'type'],
        }),
      ).toEqual({ filename_download: 'new.md', type: 'text/markdown' })
    })

    it('of its bytes changes what they are known by', async () => {
      const { id } = await upload(hello)
      const etagOf = async () => (await told(id)).etag
      const before = await etagOf()
      expect(await etagOf()).toBe(before)
      await updateFile(engine, id, { title: 'x' })
      expect(await etagOf()).toBe(before)
      await updateFile(engine, id, {}, hello)
      expect(await etagOf()).not.toBe(before)
    })

    it('by many at a time leaves one of them, and no bytes besides', async () => {
      const { id } = await upload(hello)
      await Promise.all(
        Array.from({ length: 8 }, (_, at) => updateFile(engine, id, {}, streamOf('number ', `${at}`))),
      )
      expect(await keysIn(storage)).toEqual(await placesIn(opened.db))
      expect(await bodyOf(id)).toMatch(/^number \d$/)
    })
  })

  describe('a deletion', () => {
    const roads: readonly (readonly [string, (id: string) => Promise<unknown>])[] = [
      ['deleteFile', (id) => deleteFile(engine, id)],
      ['deleteItem', (id) => deleteItem(engine, 'files', id)],
      ['deleteItems', (id) => deleteItems(engine, 'files', [id])],
      ['deleteByQuery', (id) => deleteByQuery(engine, 'files', { filter: { id: { _eq: id } } })],
      [
        'deleteByQuery of a part',
        (id) => deleteByQuery(engine, 'files', { filter: { id: { _eq: id } }, limit: 1 }),
      ],
      ['rules', (id) => deleteFile(engine.as({ rules: { files: { read: true, delete: true } } }), id)],
    ]
    it.each(roads)('by %s takes bytes and variants with it', async (_, remove) => {
      const { id } = await upload(hello)
      const other = await upload(hello)
      await storage.write(`variants/${id}/small.webp`, hello)
      await remove(id)
      expect(await keysIn(storage)).toEqual([other.filename_disk])
      expect(await placesIn(opened.db)).toEqual([other.filename_disk])
    })

    it('that is only tried takes nothing', async () => {
      const { id } = await upload(hello)
      await deleteByQuery(engine, 'files', { filter: { id: { _eq: id } } }, { dryRun: true })
      expect(await bodyOf(id)).toBe('Hello')
    })
  })

  it('variants are purged, and those of others stay', async () => {
    const { id, filename_disk } = await upload(hello)
    const other = `variants/${randomUUID()}/a.webp`
    for (const key of [`variants/${id}/a.webp`, `variants/${id}/b/c.webp`, other])
      await storage.write(key, hello)
    await purgeVariants(engine, id)
    expect(await keysIn(storage)).toEqual([filename_disk, other])
  })

  it('an item that is created as a file has no bytes, and is refused', async () => {
    expect(await refusal(() => createItem(engine, 'files', { filename_download: 'a' }))).toEqual({
      code: 'FAILED_VALIDATION',
      path: ['filename_disk'],
    })
    expect(
      await refusal(() => createItem(engine, 'articles', { image: { filename_download: 'a' } })),
    ).toEqual({ code: 'FAILED_VALIDATION', path: ['image', 'filename_disk'] })
  })

  it('handlers are asked and told like those of any item', async () => {
    const heard: unknown[] = []
    engine.on('items.create', 'files', ({ payload }) => ({ ...payload, title: 'Asked', type: 'x/y' }), {
      when: 'before',
    })
    for (const event of ['items.create', 'items.update', 'items.delete'] as const)
      engine.on(event, 'files', ({ keys, payload }) => void heard.push([event, keys, payload?.filesize]), {
        when: 'after',
      })
    const { id, title, type } = await upload(hello)
    expect([title, type]).toEqual(['Asked', 'text/plain'])
    await updateFile(engine, id, {}, new Blob(['Bye']))
    await deleteFile(engine, id)
    expect(heard).toEqual([
      ['items.create', [id], 5],
      ['items.update', [id], 3],
      ['items.delete', [id], undefined],
    ])
  })

  it('a handler that refuses leaves no bytes', async () => {
    engine.on(
      'items.create',
      'files',
      () => {
        throw new RangeError('not today')
      },
      { when: 'before' },
    )
    await expect(upload(hello)).rejects.toThrow('not today')
    expect(await keysIn(storage)).toEqual([])
  })

  it('files need not be in the schema', async () => {
    const bare = createEngine({ db: opened.db, schema: plain, storage })
    bare.on('items.create', 'files', ({ payload }) => ({ ...payload, title: 'Asked' }), { when: 'before' })
    const { id } = await uploadFile(bare, hello, { filename: 'a.txt' })
    expect(await getFile(bare, id, { fields: ['title'] })).toEqual({ title: 'Asked' })
    expect((await listFiles(bare, { fields: ['title'] })).data).toEqual([{ title: 'Asked' }])
    await updateFile(bare, id, { title: 'x' })
    await deleteFile(bare, id)
    expect(await keysIn(storage)).toEqual([])
    await expect(listItems(bare, 'files' as never)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('files may be called otherwise, and have fields of their own', async () => {
    const { filename_disk, filename_download, type, id } = filesDefinition.fields
    const named = defineSchema({
      media: {
        table: 'media_files',
        fields: {
          id,
          filename_disk: { ...filename_disk, column: 'place' },
          filename_download,
          type,
          alt: { type: 'string', nullable: true },
        },
      },
    })
    const other = createEngine({ db: opened.db, schema: named, storage, files: { collection: 'media' } })
    await other.install()
    const file = await uploadFile(other, hello, { filename: 'a.txt' })
    expect(file).toEqual({
      id: file.id,
      filename_disk: expect.any(String),
      filename_download: 'a.txt',
      type: 'text/plain',
      alt: null,
    })
    expect(await opened.db.selectFrom('media_files').select('place').execute()).toEqual([
      { place: file.filename_disk },
    ])
    await deleteItem(other, 'media', file.id)
    expect(await keysIn(storage)).toEqual([])
  })

  it('the files of another service are served from where they are, and deleted there', async () => {
    const id = randomUUID()
    await storage.write(`${id}.txt`, hello)
    await insert(opened.db, 'files', {
      id,
      filename_disk: `${id}.txt`,
      filename_download: 'a.txt',
      type: 'text/plain',
      created_on: '2024-01-01T00:00:00.000Z',
    })
    expect(await bodyOf(id)).toBe('Hello')
    await deleteFile(engine, id)
    expect(await keysIn(storage)).toEqual([])
  })

  it.each(['../secret', '/etc/passwd', '', 'a\0b'])(
    'a row that says its bytes are at %j has none',
    async (place) => {
      if (place.includes('\0') && isUuid(opened)) return
      const { id } = await upload(hello)
      await opened.db.updateTable('files').set({ filename_disk: place }).execute()
      expect(await refusal(() => transformAsset(engine, id))).toEqual({ code: 'NOT_FOUND' })
      await deleteFile(engine, id)
    },
  )
})

/** Whether the database has a type for keys of files, and takes no zero bytes in text. */
const isUuid = ({ db }: OpenDatabase) => db.getExecutor().adapter instanceof PostgresAdapter

describe('an engine', () => {
  it('without a storage has no files', async () => {
    for (const { open } of databases) {
      const { db } = await open()
      const engine = createEngine({ db, schema: plain })
      for (const call of [
        () => uploadFile(engine, hello, { filename: 'a' }),
        () => listFiles(engine),
        () => transformAsset(engine, 'x'),
      ])
        expect(await refusal(call)).toEqual({ code: 'INVALID_OPTIONS', path: ['storage'] })
      await engine.install()
      await expect(db.selectFrom('files').selectAll().execute()).rejects.toThrow(/files/)
    }
  })

  const { fields } = filesDefinition
  it.each([
    ['files without a storage', { files: { maxBytes: 1 } }, ['files']],
    ['a limit that is none', { storage: true, files: { maxBytes: 0 } }, ['files', 'maxBytes']],
    [
      'a collection without places',
      { storage: true, files: { collection: 'tags' } },
      ['files', 'collection'],
    ],
    [
      'a table of a described collection',
      { storage: true, files: { collection: 'tags', table: 'x' } },
      ['files', 'table'],
    ],
    ['places that may be written', { storage: true, files: { collection: 'open' } }, ['files', 'collection']],
    ['keys of another type', { storage: true, files: { collection: 'counted' } }, ['files', 'collection']],
    [
      'a name that no collection can have',
      { storage: true, files: { collection: '' } },
      ['files', 'collection'],
    ],
  ])('refuses %s', async (_, options, path) => {
    const odd = defineSchema({
      tags: { fields: { id: { type: 'integer', key: true } } },
      open: { fields: { ...fields, filename_disk: { type: 'string' } } },
      counted: { fields: { ...fields, id: { type: 'integer', key: true } } },
    })
    const { db } = await sqlite.open()
    const storage = storages[0]?.make('')
    const given = { ...options, ...('storage' in options && storage && { storage }) } as object
    expect(await refusal(async () => createEngine({ db, schema: odd, ...given }))).toEqual({
      code: 'INVALID_OPTIONS',
      path,
    })
  })
})
