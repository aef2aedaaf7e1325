import { describe, expect, it } from 'vitest'
import { type Fit, frameOf, type WantedSize } from '../../src/images/size-and-crop.ts'

const wanted = (
  width: number | undefined,
  height: number | undefined,
  fit: Fit = 'cover',
  withoutEnlargement = false,
): WantedSize => ({ width, height, fit, withoutEnlargement })

const lengths = [1, 2, 3, 7, 50, 99, 100, 101, 333, 640, 1000, 4032]
const sizes = lengths.flatMap((width) => lengths.map((height) => ({ width, height })))

/** The documented arithmetic once more, side by side instead of by frames. */
function expectedSize(
  source: { width: number; height: number },
  { width, height, fit, withoutEnlargement }: WantedSize,
) {
  const grow = (factor: number) => (withoutEnlargement && factor > 1 ? 1 : factor)
  const both = (factor: number) => ({
    width: Math.max(1, Math.round(source.width * factor)),
    height: Math.max(1, Math.round(source.height * factor)),
  })
  if (height === undefined) return both(grow((width ?? 0) / source.width))
  if (width === undefined) return both(grow(height / source.height))
  const [across, down] = [width / source.width, height / source.height]
  if (fit === 'inside') return both(grow(Math.min(across, down)))
  if (fit === 'outside') return both(grow(Math.max(across, down)))
  if (!withoutEnlargement) return { width, height }
  return { width: Math.min(width, source.width), height: Math.min(height, source.height) }
}

describe('the size of a picture', () => {
  const boxes = [
    [100, 100],
    [640, 1],
    [1, 640],
    [333, 77],
    [120, undefined],
    [undefined, 90],
  ] as const
  const cases = (['cover', 'contain', 'inside', 'outside', 'fill'] as const).flatMap((fit) =>
    [false, true].map((small) => ({ fit, small })),
  )

  it.each(cases)('is what was asked for: $fit, without enlargement: $small', ({ fit, small }) => {
    for (const source of sizes)
      for (const [width, height] of boxes) {
        const asked = wanted(width, height, fit, small)
        const { size } = frameOf(source, asked, undefined)
        expect({ source, asked, size }).toEqual({ source, asked, size: expectedSize(source, asked) })
      }
  })

  it('is never without a pixel, and what is cut out lies in what it is cut out of', () => {
    const points = [undefined, { x: 0, y: 0 }, { x: -50, y: 1e6 }, { x: 12.5, y: 70 }]
    for (const source of sizes)
      for (const box of [wanted(100, 100), wanted(1, 900), wanted(900, 1), wanted(2000, 3, 'cover', true)])
        for (const focus of points) {
          const { scaled, crop = { left: 0, top: 0, ...scaled }, size } = frameOf(source, box, focus)
          const isInside =
            crop.left >= 0 &&
            crop.top >= 0 &&
            crop.left + crop.width <= scaled.width &&
            crop.top + crop.height <= scaled.height
          const isWhole = [...Object.values(scaled), ...Object.values(crop)].every(Number.isInteger)
          expect({ source, box, focus, isInside, isWhole }).toEqual({
            source,
            box,
            focus,
            isInside: true,
            isWhole: true,
          })
          expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(1)
        }
  })
})

describe('a crop', () => {
  /** Of 400 by 200 pixels: which columns and lines of the source are seen. */
  function seen(width: number, height: number, focus: { x: number; y: number } | undefined) {
    const source = { width: 400, height: 200 }
    const { scaled, crop } = frameOf(source, wanted(width, height), focus)
    if (!crop) throw new Error('nothing was cut out')
    const scale = scaled.width / source.width
    return { from: crop.left / scale, to: (crop.left + crop.width) / scale, top: crop.top / scale }
  }

  it.each([
    [100, 100, { x: 0, y: 0 }, { from: 0, to: 200, top: 0 }],
    [100, 100, { x: 300, y: 100 }, { from: 200, to: 400, top: 0 }],
    [100, 100, undefined, { from: 100, to: 300, top: 0 }],
    [100, 100, { x: 200, y: 100 }, { from: 100, to: 300, top: 0 }],
    [50, 100, { x: 300, y: 100 }, { from: 250, to: 350, top: 0 }],
    [800, 800, { x: 400, y: 0 }, { from: 200, to: 400, top: 0 }],
  ] as const)('to %d by %d around %o shows the right part', (width, height, focus, part) => {
    expect(seen(width, height, focus)).toEqual(part)
  })
})

describe('a border', () => {
  it('lies around what is contained, which is in the middle', () => {
    expect(frameOf({ width: 400, height: 200 }, wanted(100, 100, 'contain'), undefined)).toEqual({
      scaled: { width: 100, height: 50 },
      crop: undefined,
      inset: { x: 0, y: 25 },
      size: { width: 100, height: 100 },
    })
  })

  it('is not there where the ratio is the same', () => {
    expect(frameOf({ width: 400, height: 200 }, wanted(100, 50, 'contain'), undefined).inset).toBeUndefined()
  })
})
