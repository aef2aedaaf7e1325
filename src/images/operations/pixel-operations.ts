// Operations that use the pixels around each pixel, or all of them.
import type { Path } from '../../errors/errors.ts'
import { impossible, type Picture, type Size } from '../image-size.ts'
import { flag, list, number, optional, whole } from '../parameter-kinds.ts'
import { type Operation, operation } from './operation.ts'

const strength = number({ min: 0, max: 1_000_000 })

/** A window that moves over the picture has to fit in it. */
function atLeast(picture: Picture, { width, height }: Size, path: Path) {
  if (width <= picture.width && height <= picture.height) return picture
  throw impossible(
    `A window of ${width} by ${height} pixels does not fit in a picture of ${picture.width} by ${picture.height}.`,
    path,
  )
}

const sharpen = operation({
  doc: 'Sharpens; mildly and fast without a `sigma`.',
  takes: {
    sigma: optional(number({ min: 0.1, max: 10 }), undefined),
    m1: optional(strength, 1),
    m2: optional(strength, 2),
    x1: optional(strength, 2),
    y2: optional(strength, 10),
    y3: optional(strength, 20),
  },
  apply: (image, { sigma, ...input }) =>
    sigma === undefined ? image.sharpen() : image.sharpen({ sigma, ...input }),
})

const median = operation({
  doc: 'Makes each pixel the middle one of a square around it, which removes specks.',
  takes: { size: optional(whole({ min: 1, max: 25 }), 3) },
  project: (picture, { size }, path) => atLeast(picture, { width: size, height: size }, path),
  apply: (image, { size }) => image.median(size),
})

const blur = operation({
  doc: 'Blurs; mildly and fast without a `sigma`.',
  takes: { sigma: optional(number({ min: 0.3, max: 50 }), undefined) },
  apply: (image, { sigma }) => (sigma === undefined ? image.blur() : image.blur(sigma)),
})

const normalise = operation({
  doc: 'Stretches the brightness over its whole range; what lies below and above these percentiles is cut off.',
  takes: {
    lower: optional(number({ min: 0, max: 99 }), 1),
    upper: optional(number({ min: 1, max: 100 }), 99),
  },
  check: ({ lower, upper }) =>
    lower < upper ? undefined : '"normalise" takes a lower percentile that is less than the upper one.',
  apply: (image, input) => image.normalise(input),
})

const window = whole({ min: 1, max: 128 })

const clahe = operation({
  doc: 'Evens out the contrast in a window around each pixel. A `maxSlope` of 0 does not limit it.',
  takes: { width: window, height: window, maxSlope: optional(whole({ min: 0, max: 100 }), 3) },
  project: (picture, input, path) => atLeast(picture, input, path),
  apply: (image, input) => image.clahe(input),
})

const kernelSide = whole({ min: 3, max: 15 })
const weight = number({ min: -1_000_000, max: 1_000_000 })

const convolve = operation({
  doc: 'Makes each pixel a sum of those around it. `kernel` lists the weights line by line; `scale` is their sum if left out. What shows through is a channel like the others: with weights whose sum is 0 all of it does, unless `removeAlpha` stands before.',
  takes: {
    width: kernelSide,
    height: kernelSide,
    kernel: list(weight, { min: 9, max: 225 }),
    scale: optional(whole({ min: 1, max: 1_000_000 }), undefined),
    offset: optional(whole({ min: -1_000_000, max: 1_000_000 }), 0),
  },
  check: ({ width, height, kernel }) =>
    kernel.length === width * height
      ? undefined
      : `"convolve" takes a kernel of ${width} by ${height} weights, not of ${kernel.length}.`,
  project: (picture, input, path) => atLeast(picture, input, path),
  apply: (image, { kernel, scale, ...input }) =>
    image.convolve({ ...input, kernel: [...kernel], ...(scale !== undefined && { scale }) }),
})

const threshold = operation({
  doc: 'Makes what is as bright as this white, and all else black; of each colour by itself with `greyscale` false.',
  takes: { threshold: optional(whole({ min: 1, max: 255 }), 128), greyscale: optional(flag, true) },
  apply: (image, { threshold, greyscale }) => image.threshold(threshold, { greyscale }),
})

export const pixelOperations = {
  sharpen,
  median,
  blur,
  normalise,
  clahe,
  convolve,
  threshold,
} as const satisfies Record<string, Operation>
