// Files of an engine as pictures: from the row to the bytes.

import sharp from 'sharp'
import { beforeEach, describe, expect, it } from 'vitest'
import { internalsOf } from '../../src/engine/engine.ts'
import {
  createEngine,
  deleteFile,
  getFile,
  purgeVariants,
  transformAsset,
  updateFile,
  updateItem,
  uploadFile,
} from '../../src/index.ts'
import { memoryStorage, type Storage } from '../../src/storage.ts'
import { quarters } from '../images/sample-images.ts'
import { databases, type OpenDatabase } from '../support/databases.ts'
import { rejectionOf } from '../support/outcome.ts'
import { keysBelow } from '../variants/render-fixture.ts'
import { openGallery, plain, storageWith } from './gallery-fixture.ts'

describe.each(databases)('on $name', ({ open }) => {
  let opened: OpenDatabase
  let storage: Storage
  let engine: ReturnType<typeof openGallery>
  beforeEach(async () => {
    opened = await open()
    storage = memoryStorage()
    engine = openGallery(opened.db, storage, {
      assets: {
        presets: [{ key: 'thumb', width: 40, height: 40, format: 'webp' }],
        defaultFolder: '0b9f2d1e-0000-4000-8000-00000000000f',
      },
    })
    await engine.install()
  })

  const upload = async () =>
    uploadFile(engine, await quarters(400, 200).png().toBuffer(), { filename: 'four.png' })
  const variants = () => keysBelow(storage, 'variants/')

  it('a file is answered as the picture that is asked for', async () => {
    const { id } = await upload()
    const { body, ...known } = await transformAsset(engine, id, { width: 100, format: 'jpg' })
    const bytes = Buffer.from(await new Response(body).arrayBuffer())
    expect(known).toMatchObject({
      type: 'image/jpeg',
      width: 100,
      height: 50,
      variant: true,
      size: bytes.length,
    })
    expect((await sharp(bytes).metadata()).format).toBe('jpeg')
    const original = await transformAsset(engine, id)
    expect(original).toMatchObject({ type: 'image/png', variant: false, width: 400, height: 200 })
    await original.body.cancel()
  })

  it('its focal point is that of the row, as it is now', async () => {
    const { id } = await upload()
    const middle = async () => {
      const { body } = await transformAsset(engine, id, { key: 'thumb' })
      const { channels } = await sharp(Buffer.from(await new Response(body).arrayBuffer())).stats()
      return channels.map(({ mean }) => Math.round(mean / 127.5))
    }
    expect(await middle()).toEqual([1, 1, 1])
    await updateItem(internalsOf(engine).withOwn().asEngine(), 'files', id, {
      focal_point_x: 0,
      focal_point_y: 0,
    })
    expect(await middle()).toEqual([1, 0, 1])
  })

  it('its variants go when it is replaced, purged or deleted', async () => {
    const { id } = await upload()
    const ask = async (width: number) => (await transformAsset(engine, id, { width })).body.cancel()
    await ask(10)
    await ask(20)
    expect(await variants()).toHaveLength(2)
    await purgeVariants(engine, id)
    expect(await variants()).toEqual([])
    await ask(10)
    await updateFile(engine, id, {}, await quarters(100, 200).png().toBuffer())
    expect(await variants()).toEqual([])
    const { body, height } = await transformAsset(engine, id, { width: 10 })
    await body.cancel()
    expect(height).toBe(20)
    await deleteFile(engine, id)
    expect(await variants()).toEqual([])
  })

  it.each([
    ['while a picture is made of it', 'write', 'variants/', { width: 100, format: 'png' }],
    ['before its bytes are looked at', 'stat', 'files/', {}],
    ['before a picture is made of it', 'read', 'files/', { width: 100, format: 'png' }],
  ] as const)('it is the new one that is answered if it is replaced %s', async (_, call, begin, asked) => {
    const { id } = await upload()
    const other = await quarters(200, 400).png().toBuffer()
    let isReplaced = false
    const watched = openGallery(
      opened.db,
      storageWith(storage, async (made, key) => {
        if (isReplaced || made !== call || !key.startsWith(begin)) return
        isReplaced = true
        await updateFile(engine, id, {}, other)
      }),
    )
    const { body } = await transformAsset(watched, id, asked)
    const { width = 0, height } = await sharp(Buffer.from(await new Response(body).arrayBuffer())).metadata()
    expect([isReplaced, height]).toEqual([true, width * 2])
    const { filename_disk } = await getFile(engine, id)
    expect(await keysBelow(storage, 'files/')).toEqual([filename_disk])
    expect(await variants()).toHaveLength('width' in asked ? 1 : 0)
  })

  it('it is put into the folder of the settings, unless it is given another', async () => {
    const own = '0b9f2d1e-0000-4000-8000-00000000000a'
    expect((await upload()).folder).toBe('0b9f2d1e-0000-4000-8000-00000000000f')
    expect((await uploadFile(engine, new Blob(['x']), { filename: 'x.txt', folder: own })).folder).toBe(own)
  })

  it('a caller who may not see a file learns nothing of it, whatever is asked', async () => {
    const { id } = await upload()
    const nobody = engine.as({ rules: { articles: { read: true } } })
    for (const parameters of [{}, { width: 10 }, { key: 'thumb' }])
      expect((await rejectionOf(() => transformAsset(nobody, id, parameters))).code).toBe('NOT_FOUND')
    expect(await variants()).toEqual([])
  })

  it('what is wrong with the settings is told when the engine is made', async () => {
    const make = () =>
      createEngine({ db: opened.db, schema: plain, storage, assets: { limits: { queue: -1 } } })
    expect(await rejectionOf(make)).toMatchObject({
      code: 'INVALID_OPTIONS',
      path: ['assets', 'limits', 'queue'],
    })
  })
})
