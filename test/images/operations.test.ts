import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/images/operations/operations.ts'
import { rejectionOf } from '../support/outcome.ts'
import {
  corners,
  gradient,
  make,
  moving,
  nameOf,
  painted,
  plain,
  quarters,
  unpacked,
} from './sample-images.ts'

/** The pixels of what operations make of a picture, in a format that loses nothing. */
async function shownOf(bytes: Uint8Array, ...transforms: readonly (readonly unknown[])[]) {
  return await unpacked((await make(bytes, { transforms, format: 'png' })).data)
}

const grey = (value: number, width = 8, height = 8) =>
  plain(width, height, [value, value, value]).png().toBuffer()

describe('an operation', () => {
  const dot = painted(9, 9, (x, y) => (x === 4 && y === 4 ? [255, 255, 255] : [0, 0, 0]))

  it.each([
    ['negate', [], [10, 20, 30], [245, 235, 225]],
    ['negate', [{ lower: '50', upper: '150' }], [0, 255, 51], [150, 50, 130]],
    ['linear', [2, 10], [10, 20, 30], [30, 50, 70]],
    [
      'linear',
      [
        [1, '2', 3],
        [1, 2, 3],
      ],
      [10, 20, 30],
      [11, 42, 93],
    ],
    [
      'recomb',
      [
        [
          [0, 1, 0],
          [1, 0, 0],
          [0, 0, 1],
        ],
      ],
      [10, 20, 30],
      [20, 10, 30],
    ],
    ['threshold', [], [127, 127, 127], [0, 0, 0]],
    ['threshold', ['127'], [127, 127, 127], [255, 255, 255]],
    ['threshold', [100, { greyscale: 'false' }], [99, 100, 101], [0, 255, 255]],
    ['bandbool', ['and'], [7, 13, 12], [4, 4, 4]],
    ['bandbool', ['or'], [1, 2, 4], [7, 7, 7]],
    ['extractChannel', ['green'], [10, 20, 30], [20, 20, 20]],
    ['extractChannel', [2], [10, 20, 30], [30, 30, 30]],
    ['greyscale', [], [80, 80, 80], [80, 80, 80]],
    ['modulate', [{ brightness: 1 }], [10, 20, 30], [10, 20, 30]],
    ['toColourspace', ['srgb'], [10, 20, 30], [10, 20, 30]],
    ['ensureAlpha', [0.5], [10, 20, 30], [10, 20, 30, 128]],
    ['removeAlpha', [], [10, 20, 30], [10, 20, 30]],
    ['flatten', [], [10, 20, 30], [10, 20, 30]],
    ['median', [5], [9, 8, 7], [9, 8, 7]],
    ['sharpen', [{ sigma: 2 }], [60, 60, 60], [60, 60, 60]],
    ['blur', [3], [60, 70, 80], [60, 70, 80]],
  ] as const)('%s %o makes %o %o', async (name, given, [r, g, b], expected) => {
    const shown = await shownOf(await plain(8, 8, [r, g, b]).png().toBuffer(), [name, ...given])
    const near = shown.at(4, 4).map((value, channel) => Math.abs(value - (expected[channel] ?? -99)) <= 1)
    expect({
      pixel: shown.at(4, 4),
      isExpected: near.length === expected.length && near.every(Boolean),
    }).toEqual({ pixel: shown.at(4, 4), isExpected: true })
  })

  it('blur spreads a dot, median removes it, convolve moves it', async () => {
    const bytes = await dot.png().toBuffer()
    const [spread = 0] = (await shownOf(bytes, ['blur', 1])).at(3, 4)
    expect(spread).toBeGreaterThan(5)
    expect((await shownOf(bytes, ['median'])).at(4, 4)).toEqual([0, 0, 0])
    const moved = await shownOf(bytes, [
      'convolve',
      { width: 3, height: 3, kernel: [0, 0, 0, 1, 0, 0, 0, 0, 0] },
    ])
    expect(moved.at(5, 4)).toEqual([255, 255, 255])
  })

  it('normalise and clahe stretch what is dull; gamma darkens and brightens', async () => {
    const dull = await painted(64, 64, (x) => [100 + x / 2, 100 + x / 2, 100 + x / 2])
      .png()
      .toBuffer()
    const [low = 255] = (await shownOf(dull, ['normalise'])).at(1, 8)
    const [high = 0] = (await shownOf(dull, ['normalise'])).at(62, 8)
    expect(low).toBeLessThan(20)
    expect(high).toBeGreaterThan(235)
    const [brighter = 0] = (await shownOf(await grey(100), ['gamma', 1, 3])).at(1, 1)
    const [darker = 255] = (await shownOf(await grey(100), ['gamma', 3, 1])).at(1, 1)
    expect([brighter > 150, darker < 50]).toEqual([true, true])
  })

  it('tint and modulate change the hue', async () => {
    const [r = 0, g = 0, b = 0] = (await shownOf(await grey(128), ['tint', 'rgb(255, 0, 0)'])).at(1, 1)
    expect(r).toBeGreaterThan(Math.max(g, b) + 50)
    const red = await plain(8, 8, corners.red).png().toBuffer()
    const [r2 = 0, g2 = 0] = (await shownOf(red, ['modulate', { hue: '120' }])).at(1, 1)
    expect(g2).toBeGreaterThan(r2)
  })

  it('negate leaves what shows through as it is, unless it is told to', async () => {
    const bytes = await painted(4, 4, () => [10, 20, 30, 200])
      .png()
      .toBuffer()
    expect((await shownOf(bytes, ['negate'])).at(1, 1)).toEqual([245, 235, 225, 200])
    expect((await shownOf(bytes, ['negate', { alpha: true }])).at(1, 1)).toEqual([245, 235, 225, 55])
  })

  it('extend, extract, trim and rotate change the size', async () => {
    const bytes = await quarters(40, 20).png().toBuffer()
    const size = async (...transforms: readonly (readonly unknown[])[]) => {
      const { width, height } = await shownOf(bytes, ...transforms)
      return [width, height]
    }
    expect(await size(['extend', 5])).toEqual([50, 30])
    expect(await size(['extend', { top: '1', left: 2, extendWith: 'mirror' }])).toEqual([42, 21])
    expect(await size(['extend', 3, { top: 0 }])).toEqual([46, 23])
    expect(await size(['extract', { left: 1, top: 2, width: 3, height: 4 }])).toEqual([3, 4])
    expect(await size(['rotate', '90'])).toEqual([20, 40])
    expect(await size(['rotate', -270])).toEqual([20, 40])
    expect(await size(['extend', 7], ['trim'])).toEqual([40, 20])
    const [width = 0, height = 0] = await size(['rotate', 45])
    expect([Math.abs(width - 42.4) <= 2, Math.abs(height - 42.4) <= 2]).toEqual([true, true])
    const shows = await shownOf(bytes, ['rotate', 45, { background: 'transparent' }])
    expect(shows.at(0, 0)).toEqual([0, 0, 0, 0])
  })

  it.each([
    [
      ['extract', 30, 0, 20, 20],
      ['transforms', 0],
      'A part of 20 by 20 pixels at 30, 0 does not lie in a picture of 40 by 20.',
    ],
    [['median', 25], ['transforms', 0], 'A window of 25 by 25 pixels does not fit in a picture of 40 by 20.'],
    [
      ['clahe', 41, 3],
      ['transforms', 0],
      'A window of 41 by 3 pixels does not fit in a picture of 40 by 20.',
    ],
    [
      ['extractChannel', 'alpha'],
      ['transforms', 0],
      'Nothing shows through this picture: it has no channel "alpha".',
    ],
    [
      ['extractChannel', '3'],
      ['transforms', 0],
      'Nothing shows through this picture: it has no channel "alpha".',
    ],
    [
      ['extend', 6000],
      ['transforms', 0],
      'This would make a picture of 12040 by 12020 pixels; no side may be longer than 6000.',
    ],
    [
      ['resize', 6001],
      ['transforms', 0],
      'This would make a picture of 6001 by 3001 pixels; no side may be longer than 6000.',
    ],
  ] as const)(
    '%o that cannot be done to a picture is refused before any work',
    async (transform, path, message) => {
      const error = await rejectionOf(async () =>
        make(await quarters(40, 20).png().toBuffer(), { transforms: [transform] }),
      )
      expect({ code: error.code, path: error.path, message: error.message }).toEqual({
        code: 'ILLEGAL_ASSET_TRANSFORMATION',
        path,
        message,
      })
    },
  )
})

describe('operations', () => {
  it('are done in the order in which they are given', async () => {
    const bytes = await grey(100)
    const orders = [
      [
        [
          ['linear', 2],
          ['linear', 1, 20],
        ],
        220,
      ],
      [
        [
          ['linear', 1, 20],
          ['linear', 2],
        ],
        240,
      ],
      [[['negate'], ['linear', 0.5]], 78],
      [[['linear', 0.5], ['negate']], 205],
      [[['threshold'], ['negate']], 255],
      [[['negate'], ['threshold']], 255],
    ] as const
    for (const [transforms, value] of orders) {
      const [shown = 0] = (await shownOf(bytes, ...transforms)).at(3, 3)
      expect({ transforms, isNear: Math.abs(shown - value) <= 1, shown }).toEqual({
        transforms,
        isNear: true,
        shown,
      })
    }
    const shape = await quarters(40, 20).png().toBuffer()
    const first = await shownOf(shape, ['rotate', 90], ['extract', 0, 0, 10, 30])
    expect([first.width, first.height, nameOf(first.at(5, 2)), nameOf(first.at(5, 25))]).toEqual([
      10,
      30,
      'blue',
      'yellow',
    ])
    const second = await shownOf(shape, ['extract', 0, 0, 20, 20], ['rotate', 90])
    expect([second.width, second.height, nameOf(second.at(2, 2)), nameOf(second.at(15, 15))]).toEqual([
      20,
      20,
      'blue',
      'red',
    ])
  })

  it('can stand several times, and twice the same', async () => {
    const { width } = await shownOf(
      await grey(1),
      ['extend', 1],
      ['extend', 1],
      ['extend', 1],
      ['extend', 1],
      ['extend', 1],
    )
    expect(width).toBe(18)
  })

  it('together with a width make a picture of that width', async () => {
    const bytes = await quarters(400, 200).png().toBuffer()
    const all = [
      [['rotate', 90]],
      [['extend', 100]],
      [['blur', 3], ['extend', 100], ['negate']],
      [['resize', 50], ['flip']],
      [['rotate', 33], ['trim']],
    ]
    for (const transforms of all)
      expect({ transforms, width: (await make(bytes, { width: 90, transforms })).width }).toEqual({
        transforms,
        width: 90,
      })
  })

  it('are done to the small picture where none of them changes the size', async () => {
    const bytes = await painted(400, 400, (x) => ((x >> 2) % 2 ? [255, 255, 255] : [0, 0, 0]))
      .png()
      .toBuffer()
    const small = await unpacked(
      (await make(bytes, { width: 50, transforms: [['threshold', 100]], format: 'png' })).data,
    )
    // Thin stripes become one grey first, which is on one side of the threshold.
    expect(new Set([10, 20, 30, 40].map((x) => small.at(x, 25)[0])).size).toBe(1)
  })

  it('all have a meaning: each changes something', async () => {
    const given: Partial<Record<keyof typeof operations, readonly unknown[]>> = {
      resize: [10],
      extend: [1],
      extract: [0, 0, 5, 5],
      rotate: [90],
      clahe: [3, 3],
      convolve: [{ width: 3, height: 3, kernel: [1, 1, 1, 1, 1, 1, 1, 1, 1] }],
      linear: [2],
      recomb: [
        [
          [0, 1, 0],
          [1, 0, 0],
          [0, 0, 1],
        ],
      ],
      modulate: [{ brightness: 2 }],
      tint: ['red'],
      toColourspace: ['b-w'],
      extractChannel: ['red'],
      bandbool: ['eor'],
      toFormat: ['webp'],
      gamma: [1, 2],
      ensureAlpha: [0.5],
      blur: [2],
    }
    const colours = painted(30, 30, (x, y) => [x * 8, y * 8, 100 + x, x < 3 || y < 3 ? 255 : 120])
    const bytes = await colours.png().toBuffer()
    const border = await painted(30, 30, (x, y) => (x > 5 && y > 5 ? [x * 8, y * 8, 9] : [0, 0, 0]))
      .png()
      .toBuffer()
    for (const name of Object.keys(operations)) {
      const transforms = [[name, ...(given[name as keyof typeof operations] ?? [])]]
      const source = name === 'trim' || name === 'ensureAlpha' ? border : bytes
      const made = await make(source, { transforms, ...(name === 'png' && { quality: 20 }) })
      const before = await sharp(source).png().toBuffer()
      expect({ name, isChanged: Buffer.compare(made.data, before) !== 0 }).toEqual({ name, isChanged: true })
    }
  })
})

describe('a picture that moves', () => {
  it('keeps its frames apart under every operation', async () => {
    const gif = await moving([corners.red, corners.blue, corners.green])
    const asked = [
      [['blur', 5]],
      [
        ['rotate', 90],
        ['blur', 5],
      ],
      [
        ['extend', 2],
        ['extract', 2, 2, 20, 10],
      ],
      [['median', 5], ['flip']],
    ]
    for (const transforms of asked) {
      const made = await make(gif, { transforms, width: 10, format: 'webp', quality: 100 })
      const metadata = await sharp(made.data, { animated: true }).metadata()
      expect([metadata.pages, metadata.loop, metadata.delay]).toEqual([3, 3, [100, 110, 120]])
      const { data, info } = await sharp(made.data, { animated: true })
        .raw()
        .toBuffer({ resolveWithObject: true })
      expect([info.width, made.width, made.height * 3]).toEqual([10, 10, info.height])
      const middles = [0, 1, 2].map((frame) => {
        const index = ((frame + 0.5) * made.height * 10 + 5) | 0
        return nameOf([...data.subarray(index * info.channels, index * info.channels + 3)])
      })
      expect({ transforms, middles }).toEqual({ transforms, middles: ['red', 'blue', 'green'] })
    }
  })

  it('is not trimmed, for its frames would become of several sizes', async () => {
    const error = await rejectionOf(async () =>
      make(await moving([corners.red, corners.blue]), { transforms: [['trim']] }),
    )
    expect([error.code, error.message]).toEqual([
      'ILLEGAL_ASSET_TRANSFORMATION',
      '"trim" cannot be done to a picture that moves.',
    ])
  })
})

it('a colour has the same meaning in every spelling', async () => {
  const bytes = await grey(0, 4, 4)
  for (const [spelling, pixel] of [
    ['rgb(255,255,0)', [255, 255, 0]],
    ['#ff0', [255, 255, 0]],
    ['#ffff00ff', [255, 255, 0]],
    ['Yellow', [255, 255, 0]],
    ['rebeccapurple', [102, 51, 153]],
    [{ r: '255', g: 255, b: 0 }, [255, 255, 0]],
    ['rgba(0, 255, 0, 0)', [0, 255, 0, 0]],
    ['transparent', [0, 0, 0, 0]],
  ] as const) {
    const shown = await shownOf(bytes, ['extend', 2, { background: spelling }])
    expect({ spelling, pixel: shown.at(0, 0) }).toEqual({ spelling, pixel })
  }
})

it('gradients keep their direction through a long row of operations', async () => {
  const bytes = await gradient(200, 100).jpeg({ quality: 95 }).toBuffer()
  const shown = await shownOf(bytes, ['rotate', 90], ['flop'], ['resize', 50], ['rotate', 180], ['flip'])
  const [left = 0] = shown.at(2, 50)
  expect([shown.width, shown.height]).toEqual([50, 100])
  expect(Math.abs((shown.at(25, 2)[0] ?? 0) - (shown.at(25, 97)[0] ?? 0))).toBeGreaterThan(200)
  expect(Math.abs(left - (shown.at(47, 50)[0] ?? 0))).toBeLessThan(10)
})
