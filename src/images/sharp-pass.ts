// One pass of the image library. It orders its operations by itself, so each pass has only one.
import type { Sharp } from 'sharp'
import type { Picture, Size } from './image-size.ts'
import type { Framing, ImageStep } from './operations/operation.ts'
import { type Turn, turned } from './orientation.ts'
import { type CropFrame, shownPart } from './size-and-crop.ts'

/** True if a step can be done while a file is decoded, which saves decoding all of it. */
export const takesFiles = ({ work }: ImageStep): boolean =>
  work.kind === 'frame' || (work.kind === 'apply' && work.takesFiles)

export function done(image: Sharp, { work }: ImageStep, picture: Picture, turn: Turn): Sharp {
  if (work.kind === 'frame') return framed(image, work.frame(picture), picture, turn)
  return work.kind === 'apply' ? work.apply(turned(image, turn), picture) : turned(image, turn)
}

function framed(image: Sharp, framing: Framing, picture: Picture, turn: Turn): Sharp {
  const { frame, background, kernel } = framing
  const part = isVast(frame) ? shownPart(picture, frame) : undefined
  if (part) return scaled(turned(image, turn).extract(part), frame.size, kernel)
  // Scaled before it is turned: only then does the library decode no more than it needs.
  const scaling = turn.isSideways ? { width: frame.scaled.height, height: frame.scaled.width } : frame.scaled
  const whole = turned(scaled(image, scaling, kernel), turn)
  if (frame.crop) return whole.extract(frame.crop)
  return frame.inset ? whole.extend({ ...borders(frame), background }) : whole
}

const scaled = (image: Sharp, { width, height }: Size, kernel: Framing['kernel']) =>
  image.resize({ width, height, fit: 'fill', kernel })

/** True if the scaled picture would be very large: a strip scaled to fill a square is far longer than the
 *  square for a while. */
const isVast = ({ scaled: { width, height } }: CropFrame) => Math.max(width, height) > longestScaled
const longestScaled = 16_384

function borders({ scaled, inset, size }: CropFrame) {
  const { x: left, y: top } = inset ?? { x: 0, y: 0 }
  return { left, top, right: size.width - scaled.width - left, bottom: size.height - scaled.height - top }
}
