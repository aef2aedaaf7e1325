// Runs the steps one after the other, the last one together with encoding the file.
import type { OutputInfo, Sharp } from 'sharp'
import { fault, isEngineError } from '../errors/errors.ts'
import { checkStep } from './check-step.ts'
import { type Format, formatRow } from './image-formats.ts'
import type { AssetLimits } from './image-limits.ts'
import type { ImageRequest } from './image-request.ts'
import type { Picture, Size } from './image-size.ts'
import type { ImageLibrary } from './load-sharp.ts'
import type { ImageStep } from './operations/operation.ts'
import { turned, turnOf } from './orientation.ts'
import { done, takesFiles } from './sharp-pass.ts'
import { type SourceFacts, unreadable } from './source-facts.ts'

interface Plan {
  readonly request: Pick<ImageRequest, 'steps' | 'quality'>
  readonly facts: SourceFacts
  /** The source in upright orientation. */
  readonly start: Picture
  readonly format: Format
  readonly limits: AssetLimits
  readonly signal: AbortSignal
  /** The deadline by `performance.now()`. */
  readonly deadline: number
}

interface WrittenImage extends Size {
  readonly data: Buffer
}

export async function perform(library: ImageLibrary, bytes: Uint8Array, plan: Plan): Promise<WrittenImage> {
  const { request, facts, start } = plan
  const [first, ...others] = request.steps
  const file = fileOf(library, bytes, plan)
  if (first === undefined || !takesFiles(first))
    return await carryOn(library, plan, { image: turned(file, facts.turn), picture: start }, request.steps)
  const image = done(file, first, start, facts.turn)
  const begun = { image, picture: first.project(start), step: first }
  return await carryOn(library, plan, begun, others)
}

function fileOf(library: ImageLibrary, bytes: Uint8Array, { limits, start }: Plan): Sharp {
  return library(bytes, {
    limitInputPixels: Number.isFinite(limits.inputPixels) && limits.inputPixels,
    // Cameras write files that are only a little wrong, and those are warnings.
    failOn: 'error',
    animated: start.frames > 1,
    sequentialRead: true,
  })
}

/** A picture that the library makes when its pixels are read. */
interface Pending {
  readonly image: Sharp
  readonly picture: Picture
  readonly step?: ImageStep
}

async function carryOn(
  library: ImageLibrary,
  plan: Plan,
  begun: Pending,
  steps: readonly ImageStep[],
): Promise<WrittenImage> {
  let pending = begun
  for (const step of steps) {
    const { frames } = pending.picture
    const { pixels, info } = await requested(plan, (seconds) =>
      pixelsOf(pending.image.timeout({ seconds }), frames),
    )
    const picture = measured(pending, pixels, info)
    // Some sizes are only known now.
    const next = checkStep(picture, step, plan.limits)
    const image = await nextImage(library, plan, { step, picture, pixels })
    pending = { image, picture: next, step }
  }
  return await written(plan, pending)
}

function measured(
  { picture, step }: Pending,
  { width, height, channels }: Pixels,
  info: OutputInfo,
): Picture {
  const known = step?.work.kind === 'apply' ? step.work.learned(picture, info) : picture
  return { ...known, width, height, hasAlpha: channels === 4 }
}

interface Next {
  readonly step: ImageStep
  readonly picture: Picture
  readonly pixels: Pixels
}

const upright = turnOf(1)

async function nextImage(library: ImageLibrary, plan: Plan, { step, picture, pixels }: Next): Promise<Sharp> {
  if (pixels.frames === 1) return done(imageOf(library, pixels), step, picture, upright)
  const made: Pixels[] = []
  for (const frame of framesOf(pixels)) {
    const image = done(imageOf(library, frame), step, { ...picture, frames: 1 }, upright)
    made.push((await requested(plan, (seconds) => pixelsOf(image.timeout({ seconds }), 1))).pixels)
  }
  return imageOf(library, joined(made, pixels))
}

async function written(plan: Plan, { image, picture }: Pending): Promise<WrittenImage> {
  const { format, facts, request } = plan
  const motion = picture.frames > 1 ? facts.motion : undefined
  const { encode, quality } = formatRow(format)
  const file = encode(image, request.quality ?? quality, motion)
  const { data, info } = await requested(plan, (seconds) =>
    file.timeout({ seconds }).toBuffer({ resolveWithObject: true }),
  )
  return { data, width: info.width, height: info.pageHeight ?? info.height }
}

/** Runs work of the library, unless it is aborted or out of time. */
async function requested<Answer>(plan: Plan, work: (seconds: number) => Promise<Answer>): Promise<Answer> {
  plan.signal.throwIfAborted()
  const left = plan.deadline - performance.now()
  if (left <= 0) throw outOfTime()
  try {
    // The library counts whole seconds.
    return await work(Math.ceil(left / 1000))
  } catch (error) {
    if (isEngineError(error)) throw error
    throw isTimeout(error) ? outOfTime() : unreadable(error)
  }
}

const isTimeout = (error: unknown) => error instanceof Error && error.message.includes('timeout')

export const outOfTime = () => fault('OUT_OF_TIME', 'Making this picture took longer than it may.')

// Pixels of a picture between two steps: raw, one frame after the other.
interface Pixels extends Size {
  readonly data: Buffer
  readonly channels: 3 | 4
  readonly frames: number
}

async function pixelsOf(image: Sharp, frames: number): Promise<{ pixels: Pixels; info: OutputInfo }> {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  const { width, channels } = info
  const isGrey = channels < 3
  const pixels = {
    data: isGrey ? coloured(data) : data,
    width,
    height: info.height / frames,
    channels: channels === 4 ? 4 : 3,
    frames,
  } as const
  return { pixels, info }
}

/** Expands shades of grey to colours, because steps rely on three channels. */
function coloured(grey: Buffer): Buffer {
  const data = Buffer.allocUnsafe(grey.length * 3)
  for (let index = 0; index < grey.length; index += 1) data.fill(grey[index] ?? 0, index * 3, index * 3 + 3)
  return data
}

/** A library image of pixels, all of its frames together. */
function imageOf(library: ImageLibrary, { data, width, height, channels, frames }: Pixels): Sharp {
  const moving = frames > 1 ? { pageHeight: height } : {}
  return library(data, {
    raw: { width, height: height * frames, channels, ...moving },
    limitInputPixels: false,
  })
}

/** Each frame as a picture of its own: an operation on a pixel's surroundings must not reach into the next frame. */
function framesOf({ data, frames, ...pixels }: Pixels): readonly Pixels[] {
  const length = data.length / frames
  return Array.from({ length: frames }, (_, index) => ({
    ...pixels,
    data: data.subarray(index * length, (index + 1) * length),
    frames: 1,
  }))
}

/** Joins frames again; all have become of one size. */
function joined(frames: readonly Pixels[], before: Pixels): Pixels {
  return {
    ...(frames[0] ?? before),
    data: Buffer.concat(frames.map(({ data }) => data)),
    frames: frames.length,
  }
}
