import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { plainFault } from '../../src/errors/code-texts.ts'
import type { ImageLibrary } from '../../src/images/load-sharp.ts'
import { deleteBelow } from '../../src/storage/delete-prefix.ts'
import { streamOf } from '../../src/storage/outgoing-bytes.ts'
import { memoryStorage, type Storage } from '../../src/storage.ts'
import { quarters } from '../images/sample-images.ts'
import { rejectionOf } from '../support/outcome.ts'
import { bytesOf, fileId, keysBelow, newWorld } from './render-fixture.ts'

/** The image library, which begins when it is told to. */
function heldLibrary() {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const loadLibrary = async (): Promise<ImageLibrary> => {
    await gate
    return sharp
  }
  return { loadLibrary, open: () => open() }
}

describe('a variant', () => {
  it('is made when it is asked for first, and found then', async () => {
    const world = await newWorld()
    const made = await world.ask({ width: 100, format: 'webp' })
    expect(made).toMatchObject({ type: 'image/webp', width: 100, height: 50, variant: true, vary: false })
    const bytes = await bytesOf(made)
    expect(bytes.length).toBe(made.size)
    expect((await sharp(bytes).metadata()).format).toBe('webp')

    world.calls.length = 0
    const found = await world.ask({ format: 'webp', width: '100' })
    expect(await bytesOf(found)).toEqual(bytes)
    expect({ ...found, open: undefined }).toEqual({ ...made, open: undefined })
    expect(world.calls).toEqual(['read variant'])
    expect(world.begun()).toBe(1)
  })

  it('that another process has made is found with one look, and nothing is unpacked', async () => {
    const storage = memoryStorage()
    const first = await newWorld({ storage })
    const made = await first.ask({ width: 100 })
    const second = await newWorld({ storage })
    second.calls.length = 0
    const { width, height, type, etag } = await second.ask({ width: 100 })
    expect({ width, height, type, etag }).toEqual({
      width: made.width,
      height: made.height,
      type: made.type,
      etag: made.etag,
    })
    expect(second.calls).toEqual(['list variant'])
    expect(second.begun()).toBe(0)
  })

  it('is the same in other words, and another one for other words', async () => {
    const world = await newWorld({ settings: { presets: [{ key: 'thumb', width: 50, height: 50 }] } })
    await world.ask({ key: 'thumb' })
    await world.ask({ width: '50', height: '50', fit: 'cover', quality: '80', format: 'jpeg' })
    expect((await world.variants()).length).toBe(1)
    await world.ask({ key: 'thumb', quality: 50 })
    expect((await world.variants()).length).toBe(2)
  })

  it('can be read in part', async () => {
    const world = await newWorld()
    const variant = await world.ask({ width: 100 })
    const bytes = await bytesOf(variant)
    const part = await new Response(streamOf(await variant.open({ start: 5, end: 14 }))).arrayBuffer()
    expect(Buffer.from(part)).toEqual(bytes.subarray(5, 15))
  })

  it('opens nothing before it is asked for its bytes', async () => {
    const world = await newWorld()
    await world.ask({ width: 100 })
    world.calls.length = 0
    await world.ask({ width: 100 })
    expect(world.calls).toEqual([])
  })

  it('of format=auto says that others could get another one', async () => {
    const world = await newWorld()
    expect(await world.ask({ format: 'auto' }, { accept: 'image/webp' })).toMatchObject({
      vary: true,
      type: 'image/webp',
    })
    expect(await world.ask({ format: 'auto' })).toMatchObject({ vary: true, type: 'image/jpeg' })
    expect(await world.ask({ format: 'webp' })).toMatchObject({ vary: false, type: 'image/webp' })
    expect((await world.variants()).length).toBe(2)
  })

  it('is made of the content, whatever the row says that it is', async () => {
    const world = await newWorld({ bytes: await quarters(40, 20).png().toBuffer() })
    expect(await world.ask({ width: 10 }, { file: { ...world.file, type: 'text/plain' } })).toMatchObject({
      type: 'image/png',
    })
    expect(await world.ask({ width: 10 }, { file: { ...world.file, type: null } })).toMatchObject({
      type: 'image/png',
    })
  })

  it('is another one when the file has other bytes, also where no checksum is known', async () => {
    const world = await newWorld()
    const file = { ...world.file, checksum: null }
    const before = await world.ask({ width: 10, format: 'png' }, { file })
    await world.storage.write(world.file.filename_disk, await quarters(400, 100).jpeg().toBuffer())
    const after = await world.ask({ width: 10, format: 'png' }, { file })
    expect([before.height, after.height]).toEqual([5, 3])
    expect(after.etag).not.toBe(before.etag)
  })

  it('crops around the focal point of its file, or around that of the request', async () => {
    const world = await newWorld()
    const file = { ...world.file, focal_point_x: 399, focal_point_y: 0 }
    const asked = { width: 40, height: 40, format: 'png' }
    const right = await bytesOf(await world.ask(asked, { file }))
    const left = await bytesOf(await world.ask({ ...asked, focal_point_x: 0 }, { file }))
    expect((await sharp(right).stats()).channels.map(({ mean }) => Math.round(mean / 64))).toEqual([2, 4, 0])
    expect((await sharp(left).stats()).channels.map(({ mean }) => Math.round(mean / 64))).toEqual([2, 0, 2])
  })

  it('that was deleted after it was found is made again', async () => {
    const world = await newWorld()
    const bytes = await bytesOf(await world.ask({ width: 100 }))
    const found = await world.ask({ width: 100 })
    await deleteBelow(world.storage, 'variants/')
    expect(await bytesOf(found)).toEqual(bytes)
    expect((await world.variants()).length).toBe(1)
  })

  it('that was just made is handed out without the storage, in part, too, and nobody can spoil it', async () => {
    const world = await newWorld()
    const [one, other] = await Promise.all([world.ask({ width: 100 }), world.ask({ width: 100 })])
    world.calls.length = 0
    const bytes = await bytesOf(one)
    const reader = streamOf(await one.open()).getReader()
    ;(await reader.read()).value?.fill(0)
    expect(await bytesOf(other)).toEqual(bytes)
    const part = await new Response(streamOf(await other.open({ start: 5, end: 14 }))).arrayBuffer()
    expect(Buffer.from(part)).toEqual(bytes.subarray(5, 15))
    expect(await rejectionOf(() => other.open({ start: bytes.length }))).toMatchObject({
      code: 'RANGE_NOT_SATISFIABLE',
    })
    expect(world.calls).toEqual([])
    const stored = await world.ask({ width: 100 })
    expect([await bytesOf(stored), world.calls]).toEqual([bytes, ['read variant']])
  })

  it('that became other bytes since it was found is not handed out as what it was', async () => {
    const world = await newWorld()
    await world.ask({ width: 100 })
    const variant = await world.ask({ width: 100 })
    const [key = ''] = await world.variants()
    await deleteBelow(world.storage, 'variants/')
    const other = Buffer.from('as another version makes it')
    await world.storage.write(key.replace(/-\d+\.jpg$/, `-${other.length}.jpg`), other)
    const error = await rejectionOf(() => variant.open())
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extensions: { retryAfter: 1 } })
    const again = await world.ask({ width: 100 })
    expect([again.size, await bytesOf(again)]).toEqual([other.length, other])
    expect(again.etag).not.toBe(variant.etag)
  })

  it('that was cut off is made again by whoever finds it', async () => {
    const storage = memoryStorage()
    const whole = await bytesOf(await (await newWorld({ storage })).ask({ width: 100 }))
    for await (const { key } of storage.list('variants/')) await storage.write(key, whole.subarray(0, 99))
    const world = await newWorld({ storage })
    expect(await bytesOf(await world.ask({ width: 100 }))).toEqual(whole)
    expect(world.begun()).toBe(1)
    expect((await world.variants()).length).toBe(1)
  })
})

describe('what cannot be made', () => {
  it.each([
    ['a file that is gone', { filename_disk: 'gone.jpg' }, 'NOT_FOUND'],
    ['a file that can be nowhere', { filename_disk: '../../etc/passwd' }, 'NOT_FOUND'],
  ])('%s: %o is %s', async (_, change, code) => {
    const world = await newWorld()
    const error = await rejectionOf(() => world.ask({ width: 10 }, { file: { ...world.file, ...change } }))
    expect(error.code).toBe(code)
    expect(await world.variants()).toEqual([])
  })

  it.each([
    ['ILLEGAL_ASSET_TRANSFORMATION', Buffer.from('only text')],
    ['UNPROCESSABLE_CONTENT', Buffer.from('\xff\xd8\xff and no more', 'latin1')],
  ])('is %s and leaves nothing', async (code, bytes) => {
    const world = await newWorld({ bytes })
    expect((await rejectionOf(() => world.ask({ width: 10 }))).code).toBe(code)
    expect(await world.variants()).toEqual([])
  })

  it('a large file that is no picture, which is not read to its end', async () => {
    const world = await newWorld({ bytes: Buffer.alloc(1_000_000) })
    let pulled = 0
    const storage: Storage = {
      ...world.storage,
      read: async () =>
        new ReadableStream({
          pull: (controller) => {
            pulled += 1
            controller.enqueue(new Uint8Array(1_000))
          },
        }),
    }
    const endless = await newWorld({ storage })
    expect((await rejectionOf(() => endless.ask({ width: 10 }))).code).toBe('ILLEGAL_ASSET_TRANSFORMATION')
    expect(pulled).toBeLessThanOrEqual(2)
  })

  it('a file of more bytes than the limit, which is not read', async () => {
    const world = await newWorld({ settings: { limits: { inputBytes: 500 } } })
    const error = await rejectionOf(() => world.ask({ width: 10 }))
    expect([error.code, error.message]).toEqual([
      'ILLEGAL_ASSET_TRANSFORMATION',
      'Files of more than 500 bytes are not transformed.',
    ])
    expect(world.calls).not.toContain('read source')
  })

  it('when the storage is full, and nothing is left', async () => {
    const home = memoryStorage()
    const world = await newWorld({ storage: { ...home, write: fullFor(home, 'variants/') } })
    expect((await rejectionOf(() => world.ask({ width: 10 }))).code).toBe('SERVICE_UNAVAILABLE')
    expect(await world.variants()).toEqual([])
    const again = await newWorld({ storage: home })
    expect(await again.ask({ width: 10 })).toMatchObject({ width: 10 })
  })
})

/** A storage that takes half of a file below a prefix, and then no more. */
const fullFor =
  (home: Storage, prefix: string): Storage['write'] =>
  async (key, body, options) => {
    if (!key.startsWith(prefix)) return await home.write(key, body, options)
    const half = new ReadableStream<Uint8Array>({
      start(controller) {
        if (body instanceof Uint8Array) controller.enqueue(body.subarray(0, body.length / 2))
      },
      pull: (controller) => controller.error(plainFault('SERVICE_UNAVAILABLE')),
    })
    return await home.write(key, half, options)
  }

describe('many who ask at once', () => {
  it('for one variant wait for one picture', async () => {
    const world = await newWorld()
    const all = await Promise.all(Array.from({ length: 16 }, () => world.ask({ width: 120 })))
    expect(new Set(all.map(({ etag }) => etag)).size).toBe(1)
    expect(world.begun()).toBe(1)
    expect(world.calls.filter((call) => call === 'write variant').length).toBe(1)
  })

  it('are not disturbed by one who leaves', async () => {
    const { loadLibrary, open } = heldLibrary()
    const world = await newWorld({ loadLibrary })
    const leaving = new AbortController()
    const first = world.ask({ width: 120 }, { signal: leaving.signal })
    const others = [world.ask({ width: 120 }), world.ask({ width: 120 })]
    leaving.abort(new RangeError('I am gone'))
    await expect(first).rejects.toThrow('I am gone')
    open()
    expect((await Promise.all(others)).map(({ width }) => width)).toEqual([120, 120])
    expect(world.begun()).toBe(1)
  })

  it('who all leave leave nothing, and the next one begins anew', async () => {
    const { loadLibrary, open } = heldLibrary()
    const world = await newWorld({ loadLibrary })
    const leaving = new AbortController()
    const all = Array.from({ length: 3 }, () => world.ask({ width: 120 }, { signal: leaving.signal }))
    leaving.abort()
    for (const one of all) await expect(one).rejects.toThrow()
    const next = world.ask({ width: 120 })
    open()
    expect((await next).width).toBe(120)
    expect((await world.variants()).length).toBe(1)
  })

  it('with a signal that was aborted before ask for nothing', async () => {
    const world = await newWorld()
    world.calls.length = 0
    await expect(world.ask({ width: 120 }, { signal: AbortSignal.abort() })).rejects.toThrow()
    expect(world.calls).toEqual([])
  })

  it('for different ones wait for their turn, and are told when too many wait', async () => {
    const { loadLibrary, open } = heldLibrary()
    const world = await newWorld({ loadLibrary, settings: { limits: { concurrency: 2, queue: 3 } } })
    const outcomes = Array.from({ length: 8 }, (_, index) =>
      world.ask({ width: 10 + index }).then(
        ({ width }) => width,
        (error: unknown) => error,
      ),
    )
    await Promise.race(outcomes)
    open()
    const ended = await Promise.all(outcomes)
    expect(ended.slice(0, 5)).toEqual([10, 11, 12, 13, 14])
    for (const error of ended.slice(5))
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503, extensions: { retryAfter: 1 } })
    expect((await world.ask({ width: 30 })).width).toBe(30)
  })

  it('have their sources read ahead, and no more of them than are in work', async () => {
    const { loadLibrary, open } = heldLibrary()
    const world = await newWorld({ loadLibrary, settings: { limits: { concurrency: 2, queue: 5 } } })
    const files = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        await world.storage.write(`${index}.jpg`, await quarters(40, 20).jpeg().toBuffer())
        return { ...world.file, id: String(index), filename_disk: `${index}.jpg` }
      }),
    )
    const reads = () => world.calls.filter((call) => call === 'read source').length
    const asked = files.map((file, index) => world.ask({ width: 10 + index }, { file }))
    await expect.poll(reads).toBe(4)
    // The others have begun nothing, however long the first ones take.
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([reads(), world.begun()]).toEqual([4, 2])
    open()
    expect((await Promise.all(asked)).map(({ width }) => width)).toEqual([10, 11, 12, 13, 14, 15])
    expect(reads()).toBe(6)
  })

  it('share the source that they are made of, and keep it no longer than one of them needs it', async () => {
    const { loadLibrary, open } = heldLibrary()
    const world = await newWorld({ loadLibrary, settings: { limits: { concurrency: 2, queue: 5 } } })
    const reads = () => world.calls.filter((call) => call === 'read source').length
    const leaving = new AbortController()
    const left = rejectionOf(() => world.ask({ width: 10 }, { signal: leaving.signal }))
    const asked = [11, 12, 13].map((width) => world.ask({ width }))
    await expect.poll(world.begun).toBe(2)
    leaving.abort()
    await left.catch(() => undefined)
    open()
    expect((await Promise.all(asked)).map(({ width }) => width)).toEqual([11, 12, 13])
    expect(reads()).toBe(1)
    await world.ask({ width: 14 })
    expect(reads()).toBe(2)
  })

  it('do not share a source that was changed in between, nor one that could not be read', async () => {
    const { loadLibrary, open } = heldLibrary()
    const storage = memoryStorage()
    let failures = 1
    const failing: Storage = {
      ...storage,
      read: async (key, range) => {
        if (failures-- > 0) throw plainFault('SERVICE_UNAVAILABLE')
        return storage.read(key, range)
      },
    }
    const world = await newWorld({ storage: failing, loadLibrary })
    expect((await rejectionOf(() => world.ask({ width: 10 }))).code).toBe('SERVICE_UNAVAILABLE')
    const before = rejectionOf(() => world.ask({ width: 10 }))
    await expect.poll(world.begun).toBe(1)
    await storage.write(world.file.filename_disk, await quarters(300, 300).jpeg().toBuffer())
    const after = world.ask({ width: 11 }, { file: { ...world.file, checksum: 'another' } })
    await expect.poll(world.begun).toBe(2)
    open()
    expect((await after).height).toBe(11)
    expect((await before).code).toBe('SERVICE_UNAVAILABLE')
  })

  it('are not to blame for the time that others take', async () => {
    const slow = async (): Promise<ImageLibrary> => {
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      return sharp
    }
    const limits = { concurrency: 1, timeoutMs: 2_000 }
    const world = await newWorld({ loadLibrary: slow, settings: { limits } })
    const both = await Promise.all([world.ask({ width: 10 }), world.ask({ width: 11 })])
    expect(both.map(({ width }) => width)).toEqual([10, 11])
  })

  it('wait no longer than the time there is, and work takes no longer', async () => {
    const { loadLibrary, open } = heldLibrary()
    const world = await newWorld({ loadLibrary, settings: { limits: { concurrency: 1, timeoutMs: 150 } } })
    const [working, waiting] = await Promise.all([
      rejectionOf(() => world.ask({ width: 10 })),
      rejectionOf(() => world.ask({ width: 11 })),
    ])
    expect([working.code, waiting.code]).toEqual(['OUT_OF_TIME', 'SERVICE_UNAVAILABLE'])
    open()
    await expect
      .poll(() =>
        world.ask({ width: 12 }).then(
          ({ width }) => width,
          () => 0,
        ),
      )
      .toBe(12)
    expect((await world.variants()).every((key) => key.includes('-12x6-'))).toBe(true)
  })

  it('give their slot back when the storage hangs', async () => {
    const home = memoryStorage()
    let hangs = true
    const hanging: Storage = {
      ...home,
      read: async (key, range) =>
        hangs && !key.startsWith('variants/') ? new ReadableStream() : home.read(key, range),
    }
    const world = await newWorld({
      storage: hanging,
      settings: { limits: { concurrency: 1, timeoutMs: 100 } },
    })
    expect((await rejectionOf(() => world.ask({ width: 10 }))).code).toBe('OUT_OF_TIME')
    hangs = false
    const asked = () =>
      world.ask({ width: 12 }).then(
        ({ width }) => width,
        () => 0,
      )
    await expect.poll(asked).toBe(12)
  })

  it('and the file is deleted meanwhile: nothing is left of it', async () => {
    const { loadLibrary, open } = heldLibrary()
    const world = await newWorld({ loadLibrary })
    const asked = rejectionOf(() => world.ask({ width: 10 }))
    const replaced = rejectionOf(() => world.ask({ width: 11 }))
    const { write, delete: remove } = world.storage
    let isGone = false
    // After the source was read, and before the variant is there.
    const late = await newWorld({
      storage: {
        ...world.storage,
        write: async (key, body, options) => {
          if (key.startsWith('variants/') && !isGone) {
            isGone = true
            await remove(world.file.filename_disk)
          }
          return await write(key, body, options)
        },
      },
    })
    expect((await rejectionOf(() => late.ask({ width: 12 }))).code).toBe('NOT_FOUND')
    open()
    expect([(await asked).code, (await replaced).code]).toEqual(['NOT_FOUND', 'NOT_FOUND'])
    expect(await world.variants()).toEqual([])
  })
})

describe('room for variants', () => {
  it('is made per file by deleting what was not used for the longest time', async () => {
    const world = await newWorld({ settings: { limits: { variantsPerFile: 3 } } })
    for (const width of [10, 20, 30]) await world.ask({ width })
    await world.ask({ width: 10 })
    await world.ask({ width: 40 })
    const left = (await world.variants()).map((key) => /-(\d+)x/.exec(key)?.[1]).sort()
    expect(left).toEqual(['10', '30', '40'])
  })

  it('is made in total, and of other files too', async () => {
    const world = await newWorld({ settings: { limits: { variantBytes: 3_000 } } })
    const other = { ...world.file, id: '0b9f2d1e-0000-4000-8000-000000000002' }
    let largest = 0
    for (let width = 100; width < 130; width += 1) {
      largest = Math.max(largest, (await world.ask({ width }, { file: width % 2 ? other : world.file })).size)
    }
    const bytes = async () => {
      let sum = 0
      for await (const { size } of world.storage.list('variants/')) sum += size
      return sum
    }
    await expect.poll(bytes).toBeLessThanOrEqual(3_000)
    expect(largest).toBeLessThan(1_500)
    expect((await world.variants()).at(-1)).toContain('-129x')
  })

  it('is not sought among files that are no variants', async () => {
    const world = await newWorld({ settings: { limits: { variantsPerFile: 1, variantBytes: 1 } } })
    await world.ask({ width: 10 })
    await world.ask({ width: 20 })
    await expect.poll(() => world.variants()).toHaveLength(1)
    expect(await keysBelow(world.storage, '')).toContain(`${fileId}.jpg`)
  })
})
