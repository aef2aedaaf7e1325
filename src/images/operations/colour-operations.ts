// Operations that change each pixel by itself.
import { black, colour } from '../colour.ts'
import { impossible } from '../image-size.ts'
import { either, flag, list, number, optional, word } from '../parameter-kinds.ts'
import { type Operation, operation } from './operation.ts'

const factor = number({ min: -1_000, max: 1_000 })
const light = number({ min: 0, max: 255 })
const gammaValue = number({ min: 1, max: 3 })

const flatten = operation({
  doc: 'Lays the picture on a colour, so that nothing shows through.',
  takes: { background: optional(colour, black, 'black') },
  project: (picture) => ({ ...picture, hasAlpha: false }),
  apply: (image, { background }) => image.flatten({ background }),
})

const gamma = operation({
  doc: 'Darkens by `gamma`, then brightens by `gammaOut`; it is the same if left out, which changes hardly anything.',
  takes: { gamma: optional(gammaValue, 2.2), gammaOut: optional(gammaValue, undefined) },
  apply: (image, input) => image.gamma(input.gamma, input.gammaOut ?? input.gamma),
})

const negate = operation({
  doc: 'The negative, scaled so that it goes from `lower` to `upper`. What shows through stays as it is unless `alpha` is true.',
  takes: {
    lower: optional(light, 0),
    upper: optional(light, 255),
    alpha: optional(flag, false),
  },
  check: ({ lower, upper }) =>
    lower <= upper ? undefined : '"negate" takes a lower end that is no more than the upper one.',
  apply(image, { lower, upper, alpha }, { hasAlpha }) {
    const [slope, start] = [(lower - upper) / 255, upper]
    if (!hasAlpha) return image.linear(slope, start)
    return image.linear([slope, slope, slope, alpha ? -1 : 1], [start, start, start, alpha ? 255 : 0])
  },
})

const three = (of: typeof factor) => either(Array.isArray, list(of, { min: 3, max: 3 }), of)
const threeOf = (value: number | readonly number[]) =>
  typeof value === 'number' ? [value, value, value] : [...value]

const linear = operation({
  doc: 'Multiplies by `a` and adds `b`: a number, or one each for red, green and blue.',
  takes: {
    a: optional(three(factor), 1),
    b: optional(three(number({ min: -65_535, max: 65_535 })), 0),
  },
  apply: (image, { a, b }, { hasAlpha }) =>
    image.linear(hasAlpha ? [...threeOf(a), 1] : threeOf(a), hasAlpha ? [...threeOf(b), 0] : threeOf(b)),
})

const recomb = operation({
  doc: 'Mixes the channels by a matrix of 3 by 3 numbers.',
  takes: { matrix: list(list(factor, { min: 3, max: 3 }), { min: 3, max: 3 }) },
  apply(image, { matrix }) {
    const [red = [], green = [], blue = []] = matrix.map(
      ([r = 0, g = 0, b = 0]): [number, number, number] => [r, g, b],
    )
    return image.recomb([three3(red), three3(green), three3(blue)])
  },
})

const three3 = ([r = 0, g = 0, b = 0]: readonly number[]): [number, number, number] => [r, g, b]

const change = number({ min: 0, max: 100 })

const modulate = operation({
  doc: 'Multiplies the brightness and the saturation, turns the hue by degrees, and adds to the lightness.',
  takes: {
    brightness: optional(change, 1),
    saturation: optional(change, 1),
    hue: optional(number({ min: -360, max: 360 }), 0),
    lightness: optional(number({ min: -100, max: 100 }), 0),
  },
  apply: (image, { hue, ...input }) => image.modulate({ ...input, hue: Math.round(hue) }),
})

const tint = operation({
  doc: 'Keeps the brightness and takes the hue of a colour.',
  takes: { colour },
  apply: (image, { colour: { r, g, b } }) => image.tint({ r, g, b }),
})

const greyscale = operation({
  doc: 'Takes the colours away.',
  takes: {},
  // The library's own `greyscale` would drop the alpha channel as well.
  apply: (image) => image.modulate({ saturation: 0 }),
})

const toColourspace = operation({
  doc: 'Takes the colours away with `b-w`. Everything is sRGB, whatever the source was.',
  takes: { colourspace: word(['srgb', 'b-w']) },
  apply: (image, { colourspace }) => (colourspace === 'srgb' ? image : image.modulate({ saturation: 0 })),
})

const removeAlpha = operation({
  doc: 'Lets nothing show through: each pixel gets the colour it has underneath.',
  takes: {},
  project: (picture) => ({ ...picture, hasAlpha: false }),
  apply: (image) => image.removeAlpha(),
})

const ensureAlpha = operation({
  doc: 'Lets the picture show through where it does not yet: from 0, all of it, to 1.',
  takes: { alpha: optional(number({ min: 0, max: 1 }), 1) },
  project: (picture) => ({ ...picture, hasAlpha: true }),
  apply: (image, { alpha }) => image.ensureAlpha(alpha),
})

const channels = ['red', 'green', 'blue', 'alpha'] as const

const extractChannel = operation({
  doc: 'Shows one channel in shades of grey.',
  takes: {
    channel: either((value) => /^[0-3]$/.test(String(value)), number({ min: 0, max: 3 }), word(channels)),
  },
  project(picture, { channel }, path) {
    const isAlpha = channel === 'alpha' || channel === 3
    if (isAlpha && !picture.hasAlpha)
      throw impossible('Nothing shows through this picture: it has no channel "alpha".', path)
    return { ...picture, hasAlpha: false }
  },
  apply(image, { channel }) {
    const index = typeof channel === 'number' ? channel : channels.indexOf(channel)
    return image.extractChannel(index === 0 ? 0 : index === 1 ? 1 : index === 2 ? 2 : 3)
  },
})

const bandbool = operation({
  doc: 'Joins the channels bit by bit into shades of grey.',
  takes: { operator: word(['and', 'or', 'eor']) },
  project: (picture) => ({ ...picture, hasAlpha: false }),
  apply: (image, { operator }) => image.bandbool(operator),
})

export const colourOperations = {
  flatten,
  gamma,
  negate,
  linear,
  recomb,
  modulate,
  tint,
  greyscale,
  toColourspace,
  removeAlpha,
  ensureAlpha,
  extractChannel,
  bandbool,
} as const satisfies Record<string, Operation>
