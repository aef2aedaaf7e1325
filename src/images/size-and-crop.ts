// Size and crop of a picture: plain arithmetic, done before any work.
import type { Point, Size } from './image-size.ts'

export const fits = ['cover', 'contain', 'inside', 'outside', 'fill'] as const
export type Fit = (typeof fits)[number]

/** The requested size. With one side alone the ratio is kept. */
export interface WantedSize {
  readonly width: number | undefined
  readonly height: number | undefined
  readonly fit: Fit
  readonly withoutEnlargement: boolean
}

interface CropBox extends Size {
  readonly left: number
  readonly top: number
}

/** The geometry of a resize: the picture is scaled, and then cropped or given a border. */
export interface CropFrame {
  readonly scaled: Size
  /** The part that is cut out of the scaled picture. */
  readonly crop: CropBox | undefined
  /** The position of the scaled picture in the final one. */
  readonly inset: Point | undefined
  readonly size: Size
}

/** Returns the frame of a picture for a requested size.
 *  @example frameOf({ width: 400, height: 200 }, wanted(100, 100, 'cover'), undefined) // scaled 200×100, cropped at left 50 */
export function frameOf(source: Size, wanted: WantedSize, focus: Point | undefined): CropFrame {
  const { width, height, fit } = wanted
  if (width === undefined || height === undefined) return scaledBy(source, oneSide(source, wanted))
  const box = wanted.withoutEnlargement ? clamped(source, { width, height }) : { width, height }
  return frames[fit](source, box, { requested: { width, height }, wanted, focus })
}

interface RequestedSize {
  /** The requested sides, before they were clamped to the source's. */
  readonly requested: Size
  readonly wanted: WantedSize
  readonly focus: Point | undefined
}

const frames = {
  cover: (source, box, { focus }) => covering(source, box, focus),
  contain: (source, box) => containing(source, box),
  inside: (source, _, { requested, wanted }) =>
    scaledBy(source, limited(Math.min(...ratios(source, requested)), wanted)),
  outside: (source, _, { requested, wanted }) =>
    scaledBy(source, limited(Math.max(...ratios(source, requested)), wanted)),
  fill: (_, box) => ({ scaled: box, crop: undefined, inset: undefined, size: box }),
} as const satisfies Record<Fit, (source: Size, box: Size, requested: RequestedSize) => CropFrame>

/** The scale factor of each side. */
const ratios = (source: Size, target: Size): [number, number] => [
  target.width / source.width,
  target.height / source.height,
]

const limited = (scale: number, { withoutEnlargement }: WantedSize) =>
  withoutEnlargement ? Math.min(scale, 1) : scale

function oneSide(source: Size, wanted: WantedSize): number {
  const { width = source.width, height = source.height } = wanted
  const scale = wanted.width === undefined ? height / source.height : width / source.width
  return limited(scale, wanted)
}

const rounded = (length: number) => Math.max(1, Math.round(length))

function scaledBy({ width, height }: Size, scale: number): CropFrame {
  const size = { width: rounded(width * scale), height: rounded(height * scale) }
  return { scaled: size, crop: undefined, inset: undefined, size }
}

const clamped = (source: Size, { width, height }: Size): Size => ({
  width: Math.min(width, source.width),
  height: Math.min(height, source.height),
})

/** The smallest scaled picture that fills the box, and the part of it around the focal point. */
function covering(source: Size, box: Size, focus: Point | undefined): CropFrame {
  const scale = Math.max(...ratios(source, box))
  const scaled = {
    width: Math.max(box.width, rounded(source.width * scale)),
    height: Math.max(box.height, rounded(source.height * scale)),
  }
  if (scaled.width === box.width && scaled.height === box.height)
    return { scaled, crop: undefined, inset: undefined, size: box }
  const { x, y } = focus ?? { x: source.width / 2, y: source.height / 2 }
  const left = within(Math.round(x * scale - box.width / 2), scaled.width - box.width)
  const top = within(Math.round(y * scale - box.height / 2), scaled.height - box.height)
  return { scaled, crop: { ...box, left, top }, inset: undefined, size: box }
}

const within = (position: number, max: number) => Math.min(Math.max(position, 0), max)

/** The largest scaled picture that fits in the box, in its middle. */
function containing(source: Size, box: Size): CropFrame {
  const scale = Math.min(...ratios(source, box))
  const scaled = clamped(box, {
    width: rounded(source.width * scale),
    height: rounded(source.height * scale),
  })
  const inset = {
    x: Math.floor((box.width - scaled.width) / 2),
    y: Math.floor((box.height - scaled.height) / 2),
  }
  const isFilled = scaled.width === box.width && scaled.height === box.height
  return { scaled, crop: undefined, inset: isFilled ? undefined : inset, size: box }
}

/** The part of the source that a frame shows, for sources whose scaled picture would be far larger than the part shown. */
export function shownPart(source: Size, { scaled, crop }: CropFrame): CropBox | undefined {
  if (!crop) return undefined
  const [across, down] = ratios(source, scaled)
  const width = Math.min(source.width, rounded(crop.width / across))
  const height = Math.min(source.height, rounded(crop.height / down))
  return {
    width,
    height,
    left: within(Math.round(crop.left / across), source.width - width),
    top: within(Math.round(crop.top / down), source.height - height),
  }
}
