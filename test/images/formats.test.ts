import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { formatNames, formats } from '../../src/images/image-formats.ts'
import { imageLibrary } from '../../src/images/load-sharp.ts'
import { rejectionOf } from '../support/outcome.ts'
import { corners, make, moving, nameOf, painted, plain, quarters, unpacked } from './sample-images.ts'

const loaders = { jpg: 'jpeg', png: 'png', webp: 'webp', avif: 'heif', tiff: 'tiff', gif: 'gif' } as const

describe('every format', () => {
  it('is made of every other, and shows the same', async () => {
    for (const from of formatNames) {
      const { data: source } = await make(await quarters(60, 40).png().toBuffer(), { format: from })
      for (const to of formatNames) {
        const made = await make(source, { format: to, width: 30 })
        const metadata = await sharp(made.data).metadata()
        const shown = await unpacked(made.data)
        expect({
          from,
          to,
          format: metadata.format,
          size: [made.width, made.height],
          at: nameOf(shown.at(4, 4)),
        }).toEqual({ from, to, format: loaders[to], size: [30, 20], at: 'red' })
      }
    }
  })

  it('is kept where none is asked for', async () => {
    for (const from of formatNames) {
      const { data: source } = await make(await quarters(60, 40).png().toBuffer(), { format: from })
      expect((await make(source, { width: 10 })).format).toBe(from)
      expect((await make(source, { quality: 50 })).format).toBe(from)
    }
  })

  it('becomes smaller with less quality', async () => {
    const noise = await sharp({
      create: {
        width: 200,
        height: 200,
        channels: 3,
        background: 'grey',
        noise: { type: 'gaussian', mean: 128, sigma: 40 },
      },
    })
      .png()
      .toBuffer()
    for (const format of formatNames) {
      const sizes = await Promise.all(
        [5, 100].map(async (quality) => (await make(noise, { format, quality })).data.length),
      )
      expect({
        format,
        isFalling: sizes.every((size, index) => index === 0 || size > (sizes[index - 1] ?? 0)),
      }).toEqual({ format, isFalling: true })
    }
  })

  it('that loses nothing does so, unless a lesser quality is asked for', async () => {
    const source = await quarters(33, 21)
      .composite([{ input: await plain(5, 5, [1, 2, 3]).png().toBuffer() }])
      .png()
      .toBuffer()
    const before = await sharp(source).raw().toBuffer()
    for (const format of formatNames.filter((name) => formats[name].quality === undefined))
      for (const asked of [{ format }, { format, quality: 100 }])
        expect(
          Buffer.compare(
            await sharp((await make(source, asked)).data)
              .raw()
              .toBuffer(),
            before,
          ),
        ).toBe(0)
  })
})

it('what shows through a jpg is white', async () => {
  const source = await painted(20, 20, (x) => (x < 10 ? [0, 0, 255, 255] : [0, 0, 0, 0]))
    .png()
    .toBuffer()
  for (const asked of [{ format: 'jpg' }, { format: 'auto' }]) {
    const shown = await unpacked((await make(source, asked)).data)
    expect(nameOf(shown.at(2, 10))).toBe('blue')
    expect(Math.min(...shown.at(17, 10))).toBeGreaterThan(250)
  }
  for (const format of ['png', 'webp', 'avif', 'tiff', 'gif']) {
    const shown = await unpacked((await make(source, { format, width: 10 })).data)
    const [, , , alpha = 255] = shown.at(8, 5)
    expect({ format, showsThrough: alpha <= 2 }).toEqual({ format, showsThrough: true })
  }
})

describe('a picture that moves', () => {
  const gif = () => moving([corners.red, corners.blue, corners.green])

  it.each([
    [{ width: 10 }, 'gif', 3],
    [{ format: 'webp' }, 'webp', 3],
    [{ width: 8, height: 8 }, 'gif', 3],
    [{ width: 8, height: 8, fit: 'contain', format: 'webp' }, 'webp', 3],
    [{ format: 'jpg' }, 'jpeg', undefined],
    [{ format: 'png', width: 10 }, 'png', undefined],
    [{ format: 'avif' }, 'heif', undefined],
  ] as const)('moves in %o as %s: %s frames', async (parameters, format, pages) => {
    const made = await make(await gif(), parameters)
    const metadata = await sharp(made.data).metadata()
    expect([metadata.format, metadata.pages === 1 ? undefined : metadata.pages]).toEqual([format, pages])
    if (pages) expect([metadata.delay, metadata.loop]).toEqual([[100, 110, 120], 3])
    expect([made.width, made.height]).toEqual([metadata.width, metadata.pageHeight ?? metadata.height])
    expect(nameOf((await unpacked(made.data)).at(4, 4))).toBe('red')
  })

  it.each([
    ['image/avif,image/webp', 'webp'],
    ['image/avif', 'gif'],
    [undefined, 'gif'],
  ])('goes on doing so with format=auto and Accept: %s, as %s', async (accept, format) => {
    const made = await make(await gif(), { format: 'auto' }, accept === undefined ? {} : { accept })
    expect(made.format).toBe(format)
    expect((await sharp(made.data).metadata()).pages).toBe(3)
  })
})

describe('colours', () => {
  it('of a picture for printing are those of the screen', async () => {
    const cmyk = await plain(16, 16, [200, 30, 40]).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk')
    const shown = await unpacked((await make(cmyk, { width: 8, format: 'png' })).data)
    const [r = 0, g = 255, b = 255] = shown.at(4, 4)
    expect([shown.channels, r > 170, g < 70, b < 80]).toEqual([3, true, true, true])
  })

  it('of sixteen bits become those of eight', async () => {
    const deep = await plain(16, 16, [200, 30, 40]).toColourspace('rgb16').png().toBuffer()
    expect((await sharp(deep).metadata()).depth).toBe('ushort')
    const made = await make(deep, { width: 8, transforms: [['linear', 1, 10]] })
    expect((await sharp(made.data).metadata()).depth).toBe('uchar')
    const near = (await unpacked(made.data))
      .at(4, 4)
      .map((value, index) => Math.abs(value - ([210, 40, 50][index] ?? 0)) <= 2)
    expect(near).toEqual([true, true, true])
  })

  it('of a profile are those it stands for, without the profile', async () => {
    const wide = await plain(16, 16, [255, 0, 0]).withIccProfile('p3').png().toBuffer()
    expect((await sharp(wide).metadata()).icc).toBeDefined()
    const made = await make(wide, { width: 8, format: 'png' })
    expect((await sharp(made.data).metadata()).icc).toBeUndefined()
    expect(nameOf((await unpacked(made.data)).at(4, 4))).toBe('red')
  })

  it('of shades of grey take operations as any others', async () => {
    const grey = await plain(16, 16, [90, 90, 90]).toColourspace('b-w').png().toBuffer()
    expect((await sharp(grey).metadata()).channels).toBe(1)
    const made = await make(grey, {
      transforms: [
        ['linear', [1, 2, 1], 0],
        ['tint', 'red'],
      ],
    })
    expect((await unpacked(made.data)).channels).toBe(3)
  })
})

it('what a camera wrote about the place and the time is not passed on', async () => {
  const source = await quarters(80, 80)
    .withExif({ IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret/></x:xmpmeta>')
    .jpeg()
    .toBuffer()
  expect((await sharp(source).metadata()).exif).toBeDefined()
  for (const asked of [{ format: 'jpg' }, { width: 40 }, { transforms: [['flip']] }, { format: 'webp' }]) {
    const { data } = await make(source, asked)
    const { exif, xmp, icc, iptc } = await sharp(data).metadata()
    expect({ exif, xmp, icc, iptc }).toEqual({})
    expect(data.includes('somebody')).toBe(false)
  }
})

it('without the image library there is an error that says what to install', async () => {
  const error = await rejectionOf(() =>
    imageLibrary(() => Promise.reject(new Error("Cannot find package 'sharp'"))),
  )
  expect([error.code, error.message, error.hint]).toEqual([
    'INVALID_OPTIONS',
    'Pictures are made by the package "sharp", which cannot be loaded.',
    'Install it: npm install sharp',
  ])
})
