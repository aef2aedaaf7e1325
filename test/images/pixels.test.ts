// What is seen in the pictures that are made, told by the colours of their corners.
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { corners, cornersOf, gradient, make, nameOf, painted, quarters, unpacked } from './sample-images.ts'

const upright = ['red', 'green', 'blue', 'yellow']

describe('a source that a camera has turned', () => {
  /** What each number of Exif has to be undone with, to make a source that shows the same when it is upright. */
  const undone = {
    1: (image: ReturnType<typeof quarters>) => image,
    2: (image: ReturnType<typeof quarters>) => image.flop(),
    3: (image: ReturnType<typeof quarters>) => image.rotate(180),
    4: (image: ReturnType<typeof quarters>) => image.flip(),
    5: (image: ReturnType<typeof quarters>) => image.flip().rotate(90),
    6: (image: ReturnType<typeof quarters>) => image.rotate(270),
    7: (image: ReturnType<typeof quarters>) => image.flop().rotate(90),
    8: (image: ReturnType<typeof quarters>) => image.rotate(90),
  }
  const orientations = Object.entries(undone).map(([number, undo]) => ({ number: Number(number), undo }))

  async function source(
    number: number,
    undo: (image: ReturnType<typeof quarters>) => ReturnType<typeof quarters>,
  ) {
    const turned = await undo(quarters(320, 160)).png().toBuffer()
    return await sharp(turned)
      .withMetadata({ orientation: number })
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer()
  }

  it.each(orientations)('by $number is upright in all that is made of it', async ({ number, undo }) => {
    const bytes = await source(number, undo)
    const shapes = [
      [{ format: 'png' }, 320, 160],
      [{ width: 100, format: 'png' }, 100, 50],
      [{ width: 80, height: 40, fit: 'inside', format: 'png' }, 80, 40],
      [{ width: 100, height: 100, fit: 'contain', format: 'png' }, 100, 100],
      [{ transforms: [['blur', 0.5]], format: 'png' }, 320, 160],
      [{ transforms: [['extract', 10, 10, 300, 140]], format: 'png' }, 300, 140],
      [{ transforms: [['trim']], format: 'png' }, 320, 160],
    ] as const
    for (const [parameters, width, height] of shapes) {
      const made = await make(bytes, parameters)
      expect({ parameters, width: made.width, height: made.height }).toEqual({ parameters, width, height })
      const shown = await unpacked(made.data)
      if (!('fit' in parameters) || parameters.fit !== 'contain')
        expect({ parameters, corners: cornersOf(shown) }).toEqual({ parameters, corners: upright })
      else expect(nameOf(shown.at(10, 40))).toBe('red')
    }
  })

  it.each(orientations)(
    'by $number is cropped where the upright picture has its focal point',
    async ({ number, undo }) => {
      const bytes = await source(number, undo)
      const parts = [
        [0, 0, ['red', 'red', 'blue', 'blue']],
        [319, 159, ['green', 'green', 'yellow', 'yellow']],
        [160, 80, upright],
      ] as const
      for (const [x, y, colours] of parts) {
        const asked = { width: 80, height: 80, focal_point_x: x, focal_point_y: y, format: 'png' }
        const made = await make(bytes, asked)
        expect({ x, y, corners: cornersOf(await unpacked(made.data)) }).toEqual({ x, y, corners: colours })
      }
    },
  )
})

describe('a crop', () => {
  it.each(['jpg', 'png', 'webp', 'avif', 'tiff', 'gif'] as const)(
    'of %s shows what lies around the focal point, to the pixel',
    async (format) => {
      const encode = {
        jpg: 'jpeg',
        png: 'png',
        webp: 'webp',
        avif: 'avif',
        tiff: 'tiff',
        gif: 'gif',
      } as const
      const bytes = await quarters(400, 200).toFormat(encode[format], { quality: 100 }).toBuffer()
      const made = await make(bytes, {
        width: '100',
        height: '100',
        focal_point_x: '300',
        focal_point_y: '100',
        format: 'png',
      })
      expect([made.width, made.height]).toEqual([100, 100])
      expect(cornersOf(await unpacked(made.data))).toEqual(['green', 'green', 'yellow', 'yellow'])
    },
  )

  it('takes the columns and lines that the arithmetic says, for many sizes and points', async () => {
    const [width, height] = [509, 251]
    const bytes = await gradient(width, height).png().toBuffer()
    let tried = 0
    for (const [w, h] of [
      [100, 100],
      [50, 200],
      [31, 7],
      [509, 100],
      [600, 600],
    ] as const)
      for (const [x, y] of [
        [0, 0],
        [508, 250],
        [254, 125],
        [100, 200],
        [430, 20],
      ] as const) {
        const asked = { width: w, height: h, focal_point_x: x, focal_point_y: y, format: 'png' }
        const shown = await unpacked((await make(bytes, asked)).data)
        const scale = Math.min(width / w, height / h)
        const first = (at: number, of: number, side: number) =>
          Math.min(Math.max(at / scale - side / 2, 0), of / scale - side)
        const column = (first(x, width, w) + 0.5 + Math.floor(w / 2)) * scale
        const line = (first(y, height, h) + 0.5 + Math.floor(h / 2)) * scale
        const [red = 0, green = 0] = shown.at(Math.floor(w / 2), Math.floor(h / 2))
        expect(Math.abs(red - (column / width) * 255)).toBeLessThanOrEqual(3)
        expect(Math.abs(green - (line / height) * 255)).toBeLessThanOrEqual(3)
        tried += 1
      }
    expect(tried).toBe(25)
  })

  it('keeps the focal point in sight after operations that move it', async () => {
    const isSpot = (x: number, y: number) => Math.abs(x - 380) < 16 && Math.abs(y - 180) < 16
    const spotted = painted(400, 200, (x, y) => (isSpot(x, y) ? corners.yellow : corners.blue))
    const bytes = await spotted.png().toBuffer()
    const moves = [
      [['extract', 150, 50, 250, 150]],
      [['rotate', 90]],
      [['rotate', 180]],
      [['rotate', -90]],
      [['extend', { left: 400, top: 300 }]],
      [['flip'], ['rotate', 180]],
      [['flop'], ['extend', { right: 500 }]],
      [['resize', 200]],
      [
        ['resize', 100, 200],
        ['extend', 10],
      ],
      [['extend', { left: 30 }], ['trim']],
    ]
    for (const transforms of moves) {
      const shows = async (point: object) => {
        const made = await make(bytes, { width: 60, height: 60, format: 'png', transforms, ...point })
        const { at } = await unpacked(made.data)
        const places = Array.from({ length: 60 * 60 }, (_, index) => at(index % 60, Math.floor(index / 60)))
        return places.some((pixel) => nameOf(pixel) === 'yellow')
      }
      const seen = { around: await shows({ focal_point_x: 380, focal_point_y: 180 }), else: await shows({}) }
      expect({ transforms, seen }).toEqual({ transforms, seen: { around: true, else: false } })
    }
  })

  it('of a strip is made without scaling all of it', async () => {
    const strip = await gradient(2, 40_000).png().toBuffer()
    const made = await make(strip, { width: 100, height: 100, focal_point_y: 0, focal_point_x: 1 })
    const [, green = 255] = (await unpacked(made.data)).at(50, 50)
    expect([made.width, made.height]).toEqual([100, 100])
    expect(green).toBeLessThanOrEqual(3)
  })
})

describe('fit', () => {
  const source = () => quarters(400, 200).png().toBuffer()

  it('cover fills all of it', async () => {
    const shown = await unpacked((await make(await source(), { width: 90, height: 90 })).data)
    expect(cornersOf(shown)).toEqual(upright)
  })

  it('contain lays black around the picture', async () => {
    const shown = await unpacked(
      (await make(await source(), { width: 100, height: 100, fit: 'contain' })).data,
    )
    expect([shown.at(50, 10), shown.at(50, 90)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ])
    expect([nameOf(shown.at(5, 30)), nameOf(shown.at(95, 70))]).toEqual(['red', 'yellow'])
  })

  it.each([
    ['cover', 800, 800, 400, 200],
    ['cover', 300, 800, 300, 200],
    ['contain', 800, 800, 400, 200],
    ['inside', 800, 800, 400, 200],
    ['outside', 800, 800, 400, 200],
    ['outside', 100, 100, 200, 100],
  ] as const)('%s to %d by %d without enlargement makes %d by %d', async (fit, width, height, w, h) => {
    const made = await make(await source(), { width, height, fit, withoutEnlargement: 'true' })
    expect([made.width, made.height]).toEqual([w, h])
    const { data } = await make(await source(), {
      width,
      height,
      fit,
      withoutEnlargement: true,
      focal_point_x: 399,
      focal_point_y: 0,
    })
    expect((await unpacked(data)).width).toBe(w)
  })
})
