// Operations that change the size, the part shown or the direction of a picture.
import { black, colour } from '../colour.ts'
import { impossible, type Picture, type Point } from '../image-size.ts'
import { flag, number, optional, type ParameterMembers, whole, word } from '../parameter-kinds.ts'
import { fits, frameOf, type WantedSize } from '../size-and-crop.ts'
import { type ImageStep, type Operation, operation, operationOf } from './operation.ts'

const longest = 100_000
const side = whole({ min: 1, max: longest })
const distance = whole({ min: 0, max: longest })

const resizeArguments = {
  width: optional(side, undefined),
  height: optional(side, undefined),
  fit: optional(word(fits), 'cover'),
  withoutEnlargement: optional(flag, false),
  background: optional(colour, black, 'black'),
  kernel: optional(word(['nearest', 'linear', 'cubic', 'mitchell', 'lanczos2', 'lanczos3']), 'lanczos3'),
} as const

type Resizing = ParameterMembers<typeof resizeArguments>

const resize = operationOf(
  {
    doc: 'Gives the picture another size. With one side alone the ratio is kept. `cover` crops around the focal point.',
    takes: resizeArguments,
    changesSize: true,
    check: ({ width, height }) =>
      width === undefined && height === undefined ? '"resize" takes a width, a height or both.' : undefined,
    project: resized,
  },
  ({ background, kernel, ...wanted }) => ({
    kind: 'frame',
    frame: (picture) => ({ frame: frameOf(picture, wanted, picture.focus), background, kernel }),
  }),
)

/** The step for the parameters `width`, `height`, `fit` and `withoutEnlargement`. */
export const resizeTo = (wanted: WantedSize): ImageStep =>
  resize.read('resize', [{ ...wanted }], [wanted.width === undefined ? 'height' : 'width'])

function resized(picture: Picture, { background, ...wanted }: Resizing): Picture {
  const { scaled, crop, inset, size } = frameOf(picture, wanted, picture.focus)
  const focus = moved(picture, ({ x, y }) => ({
    x: (x * scaled.width) / picture.width - (crop?.left ?? 0) + (inset?.x ?? 0),
    y: (y * scaled.height) / picture.height - (crop?.top ?? 0) + (inset?.y ?? 0),
  }))
  const hasAlpha = picture.hasAlpha || (inset !== undefined && background.alpha < 1)
  return { ...picture, ...size, focus, hasAlpha }
}

const moved = ({ focus }: Picture, move: (point: Point) => Point) => focus && move(focus)

const extend = operation({
  doc: 'Adds a border. `sides` is meant for the sides that are not given.',
  takes: {
    sides: optional(distance, 0),
    top: optional(distance, undefined),
    bottom: optional(distance, undefined),
    left: optional(distance, undefined),
    right: optional(distance, undefined),
    background: optional(colour, black, 'black'),
    extendWith: optional(word(['background', 'copy', 'repeat', 'mirror']), 'background'),
  },
  changesSize: true,
  project(picture, input) {
    const { top, bottom, left, right } = border(input)
    const shows = input.extendWith === 'background' && input.background.alpha < 1
    return {
      ...picture,
      width: picture.width + left + right,
      height: picture.height + top + bottom,
      hasAlpha: picture.hasAlpha || shows,
      focus: moved(picture, ({ x, y }) => ({ x: x + left, y: y + top })),
    }
  },
  apply: (image, input) =>
    image.extend({ ...border(input), background: input.background, extendWith: input.extendWith }),
})

interface Border {
  readonly sides: number
  readonly top: number | undefined
  readonly bottom: number | undefined
  readonly left: number | undefined
  readonly right: number | undefined
}

const border = ({ sides, top = sides, bottom = sides, left = sides, right = sides }: Border) => ({
  top,
  bottom,
  left,
  right,
})

const extract = operation({
  doc: 'Cuts out a part, which has to lie in the picture.',
  takes: { left: distance, top: distance, width: side, height: side },
  changesSize: true,
  takesFiles: true,
  project(picture, { left, top, width, height }, path) {
    if (left + width > picture.width || top + height > picture.height)
      throw impossible(
        `A part of ${width} by ${height} pixels at ${left}, ${top} does not lie in a picture of ${picture.width} by ${picture.height}.`,
        path,
      )
    const focus = moved(picture, ({ x, y }) => ({ x: x - left, y: y - top }))
    return { ...picture, width, height, focus }
  },
  apply: (image, input) => image.extract(input),
})

const trim = operation({
  doc: 'Cuts off edges that are of one colour, that of the pixel in the upper left corner unless `background` is given.',
  takes: {
    threshold: optional(number({ min: 0, max: 255 }), 10),
    background: optional(colour, undefined),
    lineArt: optional(flag, false),
    margin: optional(whole({ min: 0, max: 1_000 }), 0),
  },
  changesSize: true,
  project(picture, _, path) {
    if (picture.frames > 1) throw impossible('"trim" cannot be done to a picture that moves.', path)
    if (picture.width < 3 || picture.height < 3)
      throw impossible('"trim" takes a picture of at least 3 by 3 pixels.', path)
    return picture
  },
  apply: (image, { background, ...input }) => image.trim(background ? { ...input, background } : input),
  learned: (picture, { trimOffsetLeft = 0, trimOffsetTop = 0 }) => ({
    ...picture,
    focus: moved(picture, ({ x, y }) => ({ x: x + trimOffsetLeft, y: y + trimOffsetTop })),
  }),
})

const rotate = operation({
  doc: 'Turns the picture clockwise, by degrees. Corners that come free get the colour of `background`.',
  takes: { angle: number({ min: -360, max: 360 }), background: optional(colour, black, 'black') },
  changesSize: true,
  project: turned,
  apply: (image, { angle, background }) => image.rotate(angle, { background }),
})

function turned(
  picture: Picture,
  { angle, background }: { readonly angle: number; readonly background: { readonly alpha: number } },
): Picture {
  const isStraight = angle % 90 === 0
  const radians = (angle * Math.PI) / 180
  const exact = (value: number) => (isStraight ? Math.round(value) : value)
  const [cos, sin] = [exact(Math.cos(radians)), exact(Math.sin(radians))]
  const along = (one: number, other: number) => {
    const length = one * Math.abs(cos) + other * Math.abs(sin)
    // Whole pixels at both ends; the exact size is known after the rotation.
    return isStraight ? length : Math.ceil(length) + 1
  }
  const width = along(picture.width, picture.height)
  const height = along(picture.height, picture.width)
  const focus = moved(picture, ({ x, y }) => {
    const [across, down] = [x - picture.width / 2, y - picture.height / 2]
    return { x: width / 2 + across * cos - down * sin, y: height / 2 + across * sin + down * cos }
  })
  const hasAlpha = picture.hasAlpha || (!isStraight && background.alpha < 1)
  return { ...picture, width, height, focus, hasAlpha }
}

const flip = operation({
  doc: 'Turns the picture upside down, as a mirror below it would show it.',
  takes: {},
  project: (picture) => ({
    ...picture,
    focus: moved(picture, ({ x, y }) => ({ x, y: picture.height - y })),
  }),
  apply: (image) => image.flip(),
})

const flop = operation({
  doc: 'Swaps left and right, as a mirror beside the picture would show it.',
  takes: {},
  project: (picture) => ({ ...picture, focus: moved(picture, ({ x, y }) => ({ x: picture.width - x, y })) }),
  apply: (image) => image.flop(),
})

export const shapeOperations = {
  resize,
  extend,
  extract,
  trim,
  rotate,
  flip,
  flop,
} as const satisfies Record<string, Operation>
