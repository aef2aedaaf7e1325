import type { AssetLimits } from './limits.ts'
import type { Step } from './operations/operation.ts'
import { checkSize, type Picture } from './picture.ts'

/** The picture that a step will make of another, if it may. */
export function checkStep(picture: Picture, step: Step, limits: AssetLimits): Picture {
  const next = step.project(picture)
  checkSize(next, limits, step.path)
  return next
}
