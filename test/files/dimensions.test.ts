// Pictures as a library of pictures writes them, and what is read of them without it.
import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { typeOf } from '../../src/files/content-type.ts'
import { type ReadAt, readerOf } from '../../src/files/dimensions/bytes.ts'
import { dimensionsOf } from '../../src/files/dimensions/dimensions.ts'

const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#369' } })

/** Reads what is in memory as if only the first bytes of it were. */
function reading(bytes: Uint8Array, held: number): { readonly read: ReadAt; readonly asked: number[] } {
  const asked: number[] = []
  const read = readerOf(bytes.subarray(0, held), bytes.length, async (start, end) => {
    asked.push(start)
    return bytes.subarray(start, end + 1)
  })
  return { read, asked }
}

const formats: Readonly<Record<string, (of: Sharp) => Sharp>> = {
  jpeg: (of) => of.jpeg(),
  'progressive jpeg': (of) => of.jpeg({ progressive: true }),
  png: (of) => of.png(),
  gif: (of) => of.gif(),
  'lossy webp': (of) => of.webp(),
  'lossless webp': (of) => of.webp({ lossless: true }),
  'webp with transparency': (of) => of.ensureAlpha(0.5).webp(),
  tiff: (of) => of.tiff(),
  'tiff with a directory at its end': (of) => of.tiff({ compression: 'deflate', tile: true }),
  avif: (of) => of.avif({ effort: 0 }),
}

describe('the dimensions of a picture', () => {
  describe.each(Object.entries(formats))('as %s', (_, made) => {
    it.each([
      [1, 1],
      [300, 200],
      [17, 1_000],
    ])('of %i by %i are read from its bytes', async (width, height) => {
      const bytes = await made(picture(width, height)).toBuffer()
      const type = typeOf(bytes, undefined, 'x')
      expect(type).toMatch(/^image\//)
      for (const held of [bytes.length, 16, 0])
        expect(await dimensionsOf(type, reading(bytes, held).read)).toEqual({ width, height })
    })

    it('of a broken file are unknown or small numbers, and never an error', async () => {
      const bytes = await made(picture(40, 30)).toBuffer()
      const type = typeOf(bytes, undefined, 'x')
      for (let at = 0; at < Math.min(bytes.length, 700); at++) {
        const short = bytes.subarray(0, at)
        const wrong = Uint8Array.from(bytes)
        wrong[at] = 255 - (wrong[at] ?? 0)
        for (const one of [short, wrong]) {
          const found = await dimensionsOf(type, reading(one, 32).read)
          if (found) expect(found.width > 0 && found.height > 0).toBe(true)
        }
      }
    })
  })

  it.each([
    [1, 60, 40],
    [3, 60, 40],
    [6, 40, 60],
    [8, 40, 60],
  ])(
    'that is stored turned (%i) are those of the picture as it is shown',
    async (orientation, width, height) => {
      for (const format of ['jpeg', 'png', 'webp', 'tiff'] as const) {
        const bytes = await picture(60, 40).toFormat(format).withMetadata({ orientation }).toBuffer()
        const type = typeOf(bytes, undefined, 'x')
        expect(await dimensionsOf(type, reading(bytes, 64).read)).toEqual({ width, height })
      }
    },
  )

  it('are found behind a long description, in a few steps', async () => {
    const jpeg = await picture(60, 40).jpeg().toBuffer()
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), Buffer.alloc(0xfffd)])
    const long = Buffer.concat([jpeg.subarray(0, 2), comment, comment, comment, jpeg.subarray(2)])
    const { read, asked } = reading(long, 65_536)
    expect(await dimensionsOf('image/jpeg', read)).toEqual({ width: 60, height: 40 })
    expect(asked.length).toBeLessThan(6)
  })

  it('are given up where a file leads on for ever', async () => {
    const bytes = Buffer.alloc(1_000_000, 0xff)
    bytes.set([0xff, 0xd8])
    const { read, asked } = reading(bytes, 0)
    expect(await dimensionsOf('image/jpeg', read)).toBeUndefined()
    expect(asked.length).toBeLessThan(10)
  })

  it('of what is no picture are unknown', async () => {
    expect(await dimensionsOf('text/plain', reading(Buffer.from('hello'), 5).read)).toBeUndefined()
    expect(await dimensionsOf('constructor', reading(Buffer.from('hello'), 5).read)).toBeUndefined()
  })
})
