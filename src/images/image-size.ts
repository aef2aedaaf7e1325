import { fault, type Path } from '../errors/errors.ts'
import type { AssetLimits } from './image-limits.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** A point in a picture, counted in its pixels from the left and from the top. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The properties of a picture before or after a step. */
export interface Picture extends Size {
  readonly frames: number
  readonly hasAlpha: boolean
  /** The point that stays in sight when the picture is cropped; its middle if undefined. */
  readonly focus: Point | undefined
}

/** Refuses a picture that is too large to be made. */
export function checkSize({ width, height, frames }: Picture, limits: AssetLimits, path: Path): void {
  const { outputSide, outputPixels } = limits
  const shown = `${width} by ${height}`
  if (width > outputSide || height > outputSide)
    throw tooLarge(
      `This would make a picture of ${shown} pixels; no side may be longer than ${outputSide}.`,
      path,
    )
  if (width * height * frames > outputPixels) {
    const moving = frames > 1 ? ` in ${frames} frames` : ''
    throw tooLarge(
      `This would make a picture of ${shown} pixels${moving}; ${outputPixels} is the most.`,
      path,
    )
  }
}

export const tooLarge = (message: string, path: Path) =>
  fault('ILLEGAL_ASSET_TRANSFORMATION', message, {
    path,
    hint: 'Ask for a smaller width or height.',
  })

/** An error for an operation that cannot be done to this picture. */
export const impossible = (message: string, path: Path) =>
  fault('ILLEGAL_ASSET_TRANSFORMATION', message, { path })
