// Files that were made to hurt: each is refused in words of ours, or a right picture is made of it.
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { isEngineError } from '../../src/errors/errors.ts'
import { formatNames } from '../../src/images/image-formats.ts'
import { formatOfContent } from '../../src/images/signature.ts'
import { rejectionOf } from '../support/outcome.ts'
import { pngChunk } from './png-chunk.ts'
import { corners, make, moving, plain, quarters, type Rgb } from './sample-images.ts'

/** A file of png whose head says anything. */
function png(width: number, height: number, pixels = deflateSync(Buffer.alloc(100))): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', head),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

const codeOf = async (bytes: Uint8Array, parameters: object = { width: 10 }) =>
  (await rejectionOf(() => make(bytes, { ...parameters }))).code

describe('a head that', () => {
  it.each([
    ['says more pixels than there may be', 30_000, 30_000, 'ILLEGAL_ASSET_TRANSFORMATION'],
    ['says more pixels than any memory holds', 2 ** 30, 2 ** 30, 'UNPROCESSABLE_CONTENT'],
    ['says no width', 0, 100, 'UNPROCESSABLE_CONTENT'],
    ['promises more than there is', 5_000, 5_000, 'UNPROCESSABLE_CONTENT'],
  ])('%s is refused', async (_, width, height, code) => {
    expect(await codeOf(png(width, height))).toBe(code)
  })
})

describe('a file', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['a few bytes', Buffer.from('\xff\xd8', 'latin1')],
    ['text', Buffer.from('hello '.repeat(100))],
    ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>')],
    [
      'a drawing behind a declaration',
      Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'),
    ],
    ['a page for printing', Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\n')],
    ['a picture of bare numbers', Buffer.from('P6 2 2 255 abcdefghijkl')],
    ['a page of html', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ])('that is %s is no picture', async (_, bytes) => {
    expect(await codeOf(bytes)).toBe('ILLEGAL_ASSET_TRANSFORMATION')
  })

  it.each([
    'GIF89a',
    '\xff\xd8\xff\xe0',
    '\x89PNG\r\n\x1a\n',
    'RIFF\x10\0\0\0WEBPVP8 ',
    'II*\0',
    '\0\0\0\x1cftypavif\0\0\0\0avifmif1',
  ])('that begins as %j and goes on as a drawing is damaged', async (magic) => {
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="9" height="9"/></svg>'
    expect(await codeOf(Buffer.from(magic + drawing, 'latin1'))).toBe('UNPROCESSABLE_CONTENT')
  })

  it('that is cut off is damaged, wherever it is cut', async () => {
    for (const format of formatNames) {
      const { data } = await make(await quarters(200, 200).png().toBuffer(), { format })
      for (const share of [0.1, 0.3, 0.6]) {
        const part = data.subarray(0, Math.floor(data.length * share))
        const outcome = await make(part, { width: 50 }).then(
          ({ width }) => width,
          (error: unknown) => (isEngineError(error) ? error.code : error),
        )
        // The library completes some of the last lines of some formats, which is a picture of the right size.
        expect({ format, share, outcome: outcome === 50 ? 'UNPROCESSABLE_CONTENT' : outcome }).toEqual({
          format,
          share,
          outcome: 'UNPROCESSABLE_CONTENT',
        })
      }
    }
  })

  it('with flipped bits is refused in words of ours, or is a picture of the right size', async () => {
    let refused = 0
    for (const format of formatNames) {
      const { data } = await make(await quarters(64, 64).png().toBuffer(), { format })
      for (let round = 0; round < 25; round += 1) {
        const broken = Buffer.from(data)
        for (let flip = 0; flip < 4; flip += 1) {
          const place = ((round * 7919 + flip * 104_729) * 31) % broken.length
          broken[place] = (broken[place] ?? 0) ^ (1 << ((round + flip) % 8))
        }
        const outcome = await make(broken, { width: 16, height: 16, format: 'png' }).catch(
          (error: unknown) => error,
        )
        if (isEngineError(outcome)) {
          refused += 1
          expect(['UNPROCESSABLE_CONTENT', 'ILLEGAL_ASSET_TRANSFORMATION']).toContain(outcome.code)
          expect(outcome.message).not.toMatch(/vips|libspng|heif|\//i)
        } else expect(outcome).toMatchObject({ width: 16, height: 16 })
      }
    }
    expect(refused).toBeGreaterThan(20)
  })

  it('with a page behind the picture is only the picture', async () => {
    const jpg = await quarters(50, 50).jpeg().toBuffer()
    const both = Buffer.concat([jpg, Buffer.from('<script>alert(1)</script>')])
    expect((await make(both, { format: 'jpg' })).data.includes('script')).toBe(false)
  })

  it('is known by its content, whatever it is called', () => {
    expect(formatOfContent(Buffer.from('\0\0\0\x18ftypmif1\0\0\0\0mif1avif', 'latin1'))).toBe('avif')
    expect(formatOfContent(Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'))).toBeUndefined()
    expect(formatOfContent(Buffer.from('\0\0\0\x10ftypmif1\0\0\0\0avif', 'latin1'))).toBeUndefined()
    expect(formatOfContent(Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'))).toBeUndefined()
  })
})

describe('what would become too large', () => {
  const pixel = () => plain(1, 1).png().toBuffer()

  it.each([
    [{ width: 6_001 }],
    [{ height: 6_001 }],
    [{ width: 6_000, height: 6_001 }],
    [{ width: 100_000 }],
    [{ transforms: [['extend', 3_000]] }],
    [
      {
        transforms: [
          ['resize', 6_000],
          ['rotate', 45],
        ],
      },
    ],
    [
      {
        transforms: [
          ['resize', 6_001],
          ['resize', 10],
        ],
      },
    ],
    [
      {
        transforms: [
          ['extend', 100_000],
          ['extract', 0, 0, 1, 1],
        ],
      },
    ],
  ])('%o is refused before any work', async (parameters) => {
    expect(await codeOf(await pixel(), parameters)).toBe('ILLEGAL_ASSET_TRANSFORMATION')
  })

  it('is refused for the side that was not asked for, too', async () => {
    const strip = await plain(1, 5_000).png().toBuffer()
    expect(await codeOf(strip, { width: 2 })).toBe('ILLEGAL_ASSET_TRANSFORMATION')
    expect(await codeOf(strip, { width: 10, fit: 'outside', height: 10 })).toBe(
      'ILLEGAL_ASSET_TRANSFORMATION',
    )
    expect((await make(strip, { width: 10, height: 10 })).height).toBe(10)
  })

  it('is refused where it only shows after edges were cut off', async () => {
    const line = await sharp({ create: { width: 500, height: 500, channels: 3, background: 'white' } })
      .composite([{ input: await plain(4, 400, [0, 0, 0]).png().toBuffer() }])
      .png()
      .toBuffer()
    expect(await codeOf(line, { width: 300, transforms: [['trim', { background: 'white' }]] })).toBe(
      'ILLEGAL_ASSET_TRANSFORMATION',
    )
  })

  it('is allowed to be as large as the limit', async () => {
    const made = await make(await pixel(), { width: 6_000, height: 10, format: 'png' })
    expect([made.width, made.height]).toEqual([6_000, 10])
  })

  it('is refused for a source of more pixels than the limit, and for one of more than can be unpacked', async () => {
    const large = await plain(7_000, 6_000).png({ compressionLevel: 1 }).toBuffer()
    expect((await make(large, { width: 10 })).height).toBe(9)
    expect(await codeOf(large, { transforms: [['rotate', 90]], width: 10 })).toBe(
      'ILLEGAL_ASSET_TRANSFORMATION',
    )
    expect(await codeOf(large, { format: 'webp' })).toBe('ILLEGAL_ASSET_TRANSFORMATION')
    const error = await rejectionOf(() =>
      make(large, { width: 10 }, { settings: { limits: { inputPixels: 41_999_999 } } }),
    )
    expect([error.code, error.message]).toEqual([
      'ILLEGAL_ASSET_TRANSFORMATION',
      'This file has 7000 by 6000 pixels; 41999999 is the most.',
    ])
  })

  it('is refused for what its files cannot hold', async () => {
    const settings = { limits: { outputSide: 20_000 } }
    const error = await rejectionOf(async () =>
      make(await pixel(), { width: 17_000, height: 1, format: 'webp' }, { settings }),
    )
    expect(error.message).toBe('A file of webp holds no side of more than 16383 pixels.')
  })
})

describe('a picture of a thousand frames', () => {
  const colours = Array.from({ length: 1_000 }, (_, index): Rgb => (index % 2 ? corners.red : corners.blue))

  it('is refused as one that moves, and stands still as its first frame', async () => {
    const gif = await moving(colours, 4, 4)
    expect((await sharp(gif).metadata()).pages).toBe(1_000)
    expect(await codeOf(gif)).toBe('ILLEGAL_ASSET_TRANSFORMATION')
    expect((await make(gif, { width: 8, format: 'jpg' })).width).toBe(8)
    const settings = { limits: { frames: 1_000 } }
    expect((await sharp((await make(gif, { width: 8 }, { settings })).data).metadata()).pages).toBe(1_000)
  })

  it('is counted by all of its pixels', async () => {
    const settings = { limits: { frames: 1_000, outputPixels: 100_000 } }
    const gif = await moving(colours.slice(0, 100), 4, 4)
    expect((await make(gif, { width: 30 }, { settings })).width).toBe(30)
    expect((await rejectionOf(() => make(gif, { width: 40 }, { settings }))).message).toBe(
      'This would make a picture of 40 by 40 pixels in 100 frames; 100000 is the most.',
    )
  })
})

it('work that takes too long is ended, and says so', async () => {
  const noise = await sharp({
    create: {
      width: 3_000,
      height: 2_000,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .jpeg()
    .toBuffer()
  const transforms = Array.from({ length: 5 }, () => ['median', 25])
  const settings = { limits: { timeoutMs: 200 } }
  expect((await rejectionOf(() => make(noise, { transforms }, { settings }))).code).toBe('OUT_OF_TIME')
})
