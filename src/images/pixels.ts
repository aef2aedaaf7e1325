// Pixels of a picture between two steps: raw, one frame after the other.
import type { OutputInfo, Sharp } from 'sharp'
import type { Size } from './image-size.ts'
import type { ImageLibrary } from './load-sharp.ts'

export interface Pixels extends Size {
  readonly data: Buffer
  readonly channels: 3 | 4
  readonly frames: number
}

/** Decodes a file or a frame into pixels. */
export async function pixelsOf(image: Sharp, frames: number): Promise<{ pixels: Pixels; info: OutputInfo }> {
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
export function imageOf(library: ImageLibrary, { data, width, height, channels, frames }: Pixels): Sharp {
  const moving = frames > 1 ? { pageHeight: height } : {}
  return library(data, {
    raw: { width, height: height * frames, channels, ...moving },
    limitInputPixels: false,
  })
}

/** Each frame as a picture of its own: an operation on a pixel's surroundings must not reach into the next frame. */
export function framesOf({ data, frames, ...pixels }: Pixels): readonly Pixels[] {
  const length = data.length / frames
  return Array.from({ length: frames }, (_, index) => ({
    ...pixels,
    data: data.subarray(index * length, (index + 1) * length),
    frames: 1,
  }))
}

/** Joins frames again; all have become of one size. */
export function joined(frames: readonly Pixels[], before: Pixels): Pixels {
  return {
    ...(frames[0] ?? before),
    data: Buffer.concat(frames.map(({ data }) => data)),
    frames: frames.length,
  }
}
