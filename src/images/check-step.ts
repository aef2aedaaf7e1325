import type { AssetLimits } from './image-limits.ts'
import { checkSize, type Picture } from './image-size.ts'
import type { ImageStep } from './operations/operation.ts'

/** Returns the picture that a step will make, after checking its size. */
export function checkStep(picture: Picture, step: ImageStep, limits: AssetLimits): Picture {
  const next = step.project(picture)
  checkSize(next, limits, step.path)
  return next
}
