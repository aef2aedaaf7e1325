// Files under rules: they are items, and their bytes are as visible as their rows.
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Access,
  createItem,
  deleteFile,
  getFile,
  listFiles,
  type Rules,
  transformAsset,
  updateFile,
  uploadFile,
} from '../../src/index.ts'
import { memoryStorage, type Storage } from '../../src/storage.ts'
import { databases } from '../support/databases.ts'
import { refusal } from '../versions/case.ts'
import { type Gallery, keysIn, openGallery } from './gallery-fixture.ts'

const hello = new TextEncoder().encode('Hello')
const notFound = { code: 'NOT_FOUND' }

describe.each(databases)('on $name', ({ open }) => {
  let storage: Storage
  let engine: ReturnType<typeof openGallery>
  beforeEach(async () => {
    const opened = await open()
    storage = memoryStorage()
    engine = openGallery(opened.db, storage)
    await engine.install()
  })

  const as = (files: Rules<Gallery>['files'], more: Access = {}) =>
    engine.as({ ...more, rules: files ? { files } : {} })
  const neverRead = () =>
    new ReadableStream<Uint8Array>(
      { pull: () => Promise.reject(new Error('it was read')) },
      { highWaterMark: 0 },
    )

  it('whoever sees nothing of files is told nothing, and uploads nothing', async () => {
    const { id } = await uploadFile(engine, hello, { filename: 'a' })
    for (const rules of [undefined, {}, { read: false }] as const) {
      const mine = as(rules)
      expect(await refusal(() => transformAsset(mine, id))).toMatchObject(notFound)
      expect(await refusal(() => getFile(mine, id))).toMatchObject(notFound)
      expect(await refusal(() => listFiles(mine))).toMatchObject(notFound)
      expect(await refusal(() => updateFile(mine, id, {}, neverRead()))).toMatchObject(notFound)
      expect(await refusal(() => deleteFile(mine, id))).toMatchObject(notFound)
      expect(await refusal(() => uploadFile(mine, neverRead(), { filename: 'a' }))).toMatchObject(notFound)
    }
  })

  it('whoever may only read uploads, replaces and deletes nothing', async () => {
    const { id } = await uploadFile(engine, hello, { filename: 'a' })
    const mine = as({ read: true })
    const before = await keysIn(storage)
    expect(await refusal(() => uploadFile(mine, neverRead(), { filename: 'a' }))).toEqual({
      code: 'FORBIDDEN',
    })
    expect(await refusal(() => updateFile(mine, id, {}, neverRead()))).toEqual({ code: 'FORBIDDEN' })
    expect(await refusal(() => deleteFile(mine, id))).toEqual({ code: 'FORBIDDEN' })
    expect(await keysIn(storage)).toEqual(before)
  })

  it('bytes are seen by whoever sees the row, whichever fields of it', async () => {
    const seen = await uploadFile(engine, hello, { filename: 'a', title: 'seen' })
    const hidden = await uploadFile(engine, hello, { filename: 'a', title: 'hidden' })
    const mine = as({ read: { filter: { title: { _eq: 'seen' } }, fields: ['id'] } })
    const { body } = await transformAsset(mine, seen.id)
    expect(await new Response(body).text()).toBe('Hello')
    expect(await refusal(() => transformAsset(mine, hidden.id))).toEqual(notFound)
    expect(await refusal(() => transformAsset(mine, '00000000-0000-4000-8000-000000000000'))).toEqual(
      notFound,
    )
  })

  it('a rule may look at who uploaded a file', async () => {
    const own = { read: { filter: { uploaded_by: { _eq: '$CURRENT_USER' } } }, create: true } as const
    const [ada, bo] = [as(own, { user: 'ada' }), as(own, { user: 'bo' })]
    const file = await uploadFile(ada, hello, { filename: 'a' })
    expect(file).toMatchObject({ uploaded_by: 'ada' })
    expect((await listFiles(ada)).data).toHaveLength(1)
    expect(await refusal(() => transformAsset(bo, file?.id ?? ''))).toEqual(notFound)
  })

  it('whoever may only upload gets no answer', async () => {
    const mine = as({ create: true })
    expect(await uploadFile(mine, hello, { filename: 'a' })).toBeNull()
    expect(await keysIn(storage)).toHaveLength(1)
  })

  it('an upload takes what its rule presets, and what nobody says comes last', async () => {
    const mine = as({
      read: true,
      create: { fields: ['description'], presets: { title: 'Preset', location: 'Here' } },
    })
    expect(
      await uploadFile(
        mine,
        hello,
        { filename: 'a', description: 'x' },
        { fields: ['title', 'location', 'description'] },
      ),
    ).toEqual({ title: 'Preset', location: 'Here', description: 'x' })
  })

  it.each([
    ['a size', { filesize: { _lt: 3 } }],
    ['a type', { type: { _starts_with: 'image/' } }],
    ['a name', { filename_download: { _ends_with: '.png' } }],
  ])('an upload of %s that its rule does not allow leaves no bytes', async (_, validation) => {
    const mine = as({ read: true, create: { validation } as never })
    expect(await refusal(() => uploadFile(mine, hello, { filename: 'a' }))).toMatchObject({
      code: 'FAILED_VALIDATION',
    })
    expect(await keysIn(storage)).toEqual([])
    expect((await listFiles(engine)).data).toEqual([])
  })

  it('an upload that is none of what its rule speaks of leaves no bytes', async () => {
    const mine = as({ read: true, create: { filter: { title: { _eq: 'x' } } } })
    expect(await refusal(() => uploadFile(mine, hello, { filename: 'a' }))).toMatchObject({
      code: 'FORBIDDEN',
    })
    expect(await keysIn(storage)).toEqual([])
  })

  it('fields that may not be written are refused before the body is read', async () => {
    const mine = as({ read: true, create: { fields: ['title'] }, update: { fields: ['title'] } })
    const { id } = await uploadFile(engine, hello, { filename: 'a' })
    expect(await refusal(() => uploadFile(mine, neverRead(), { filename: 'a', tags: ['x'] }))).toEqual({
      code: 'FORBIDDEN',
      path: ['tags'],
    })
    expect(await refusal(() => updateFile(mine, id, { tags: ['x'] }))).toEqual({
      code: 'FORBIDDEN',
      path: ['tags'],
    })
    // Whoever may change a title may not change the bytes.
    expect(await refusal(() => updateFile(mine, id, { title: 'x' }, neverRead()))).toEqual({
      code: 'FORBIDDEN',
      path: ['filename_disk'],
    })
    const bytes = as({ read: true, update: { fields: ['filename_disk'] } })
    expect(await updateFile(bytes, id, {}, new Blob(['Bye']), { fields: ['filesize'] })).toEqual({
      filesize: 3,
    })
  })

  it('rows that may be seen and not changed keep their bytes', async () => {
    const { id } = await uploadFile(engine, hello, { filename: 'a', title: 'kept' })
    const others = { filter: { title: { _neq: 'kept' } } } as const
    const mine = as({ read: true, update: others, delete: others })
    const before = await keysIn(storage)
    expect(await refusal(() => updateFile(mine, id, {}, neverRead()))).toEqual({ code: 'FORBIDDEN' })
    expect(await refusal(() => deleteFile(mine, id))).toEqual({ code: 'FORBIDDEN' })
    expect(await keysIn(storage)).toEqual(before)
  })

  it('no way of writing leads to the bytes of another file', async () => {
    const { id, filename_disk } = await uploadFile(engine, hello, { filename: 'secret' })
    const mine = engine.as({
      rules: {
        files: { read: { filter: { id: { _neq: id } } }, create: true, update: true },
        articles: { create: true, read: true },
      },
    })
    const own = await uploadFile(mine, new Blob(['mine']), { filename: 'a' })
    const place = { filename_disk, filename_download: 'x' }
    for (const call of [
      () => createItem(mine, 'files', place),
      () => updateFile(mine, own?.id ?? '', place as never),
      () => uploadFile(mine, hello, { filename: 'a', ...place } as never),
      () => createItem(mine, 'articles', { image: place }),
      () => createItem(mine, 'articles', { image: { id: own?.id ?? '', ...place } }),
    ])
      expect(await refusal(call)).toMatchObject({ code: 'INVALID_PAYLOAD' })
    // A key that is taken is taken, and nothing is written over.
    expect(await refusal(() => uploadFile(mine, hello, { filename: 'a', id }))).toMatchObject({
      code: 'RECORD_NOT_UNIQUE',
    })
    expect(await keysIn(storage)).toHaveLength(2)
  })
})
