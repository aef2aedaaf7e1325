import type { AssetLimits } from './image-limits.ts'
import { checkSize, type Picture } from './image-size.ts'
import type { ImageStep } from './operations/operation.ts'

/** The picture that a step will make of another, if it may. */
export function checkStep(picture: Picture, step: ImageStep, limits: AssetLimits): Picture {
  const next = step.project(picture)
  checkSize(next, limits, step.path)
  return next
}
