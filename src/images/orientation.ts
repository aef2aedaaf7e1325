import type { Sharp } from 'sharp'

/** The orientation of a camera: mirrored first, then turned clockwise. */
export interface Turn {
  readonly flip: boolean
  readonly flop: boolean
  readonly angle: number
  /** True if width and height change places. */
  readonly isSideways: boolean
}

const turn = (angle: number, mirrored: 'flip' | 'flop' | undefined = undefined): Turn => ({
  flip: mirrored === 'flip',
  flop: mirrored === 'flop',
  angle,
  isSideways: angle % 180 !== 0,
})

/** Orientations by their Exif numbers. The library could do this by itself, but then decodes whole photographs
 *  to cut out small ones. */
const turns: Readonly<Record<number, Turn>> = {
  1: turn(0),
  2: turn(0, 'flop'),
  3: turn(180),
  4: turn(0, 'flip'),
  5: turn(90, 'flip'),
  6: turn(90),
  7: turn(90, 'flop'),
  8: turn(270),
}

const upright = turn(0)

export const turnOf = (orientation: number | undefined): Turn => turns[orientation ?? 1] ?? upright

export function turned(image: Sharp, { flip, flop, angle }: Turn): Sharp {
  if (flip) image.flip()
  if (flop) image.flop()
  return angle === 0 ? image : image.rotate(angle)
}
